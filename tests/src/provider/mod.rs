//! A provider that does what a test says and remembers every call.

mod state;

pub(crate) use state::routed;

use crate::http_server::{Request, Server};
use serde_json::Value;
use state::{PlannedFault, State};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Semaphore;

/// The calls of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// Stores a document.
    PutEntry,
    /// Shows a document.
    GetEntry,
    /// Shows the documents, page by page.
    ListEntries,
    /// Gives the content of a file of a document.
    GetFile,
    /// Starts a workflow.
    PutJob,
    /// Shows a workflow.
    GetJob,
    /// Anything else: nobody should come here.
    Other,
}

/// What goes wrong with a call.
#[derive(Debug, Clone)]
pub enum Fault {
    /// Answered with this status and body; nothing is stored.
    Status(u16, Value),
    /// Answered with 429 and a wait in seconds; nothing is stored.
    Later(u32),
    /// Carried out, but the answer gets lost.
    Lost,
    /// Carried out, but answered with this status and body.
    Done(u16, Value),
    /// The connection is closed before anything is done.
    Closed,
    /// Answered 200 with something that is no JSON.
    Garbage,
}

/// What happens when other content comes for a known entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnChange {
    /// It replaces the old one.
    Replaces,
    /// 409; the same content again is fine.
    Conflicts,
    /// 409, also for the same content.
    AlwaysConflicts,
}

/// How jobs end.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// With stamps; the faults are remarks.
    Accepted(Value),
    /// KO with these faults.
    Failed(Value),
    /// Still running.
    Running,
    /// Completed without stamps.
    AcceptedWithoutStamps,
    /// Still running, with stamps on the entry already.
    RunningWithStamps,
    /// Completed as these steps and faults say.
    Ended {
        /// The status of the job: `OK`, `KO`.
        status: &'static str,
        /// The steps of the job (`intents`), JSON.
        intents: Value,
        /// The faults of the job, JSON.
        faults: Value,
        /// Whether the entry carries the stamps.
        stamped: bool,
    },
}

/// A call that came in.
#[derive(Debug, Clone)]
pub struct Call {
    /// The method.
    pub method: String,
    /// Which call of the protocol.
    pub route: Route,
    /// The id at the end of the path.
    pub id: String,
    /// The document it is about, as far as the provider knows.
    pub document: Option<String>,
    /// The `Authorization` header.
    pub authorization: String,
    /// The body.
    pub body: Value,
}

/// A call that is on its way and reaches the provider when the test says so.
#[derive(Debug, Clone)]
pub struct HeldCall {
    route: Route,
    arrived: Arc<Semaphore>,
    released: Arc<Semaphore>,
}

impl HeldCall {
    /// Waits until the caller has sent it.
    ///
    /// # Panics
    /// When it never does.
    pub async fn arrived(&self) {
        let arrived = tokio::time::timeout(crate::TIMEOUT, self.arrived.acquire());
        drop(arrived.await.expect("the call was never made").expect("nobody closes it"));
    }

    /// Lets it through: it is carried out now, whoever waits for its answer.
    pub fn release(&self) {
        self.released.add_permits(1);
    }
}

/// The provider.
#[derive(Debug)]
pub struct ScriptedProvider {
    server: Server,
    state: Arc<Mutex<State>>,
}

impl ScriptedProvider {
    /// One that accepts everything.
    pub async fn start() -> Self {
        let state = Arc::new(Mutex::new(State::new()));
        let shared = Arc::clone(&state);
        let answer = move |request: Request| {
            let shared = Arc::clone(&shared);
            async move {
                let held = shared.lock().unwrap_or_else(PoisonError::into_inner).take_held_call(&request);
                if let Some(held) = held {
                    held.arrived.add_permits(1);
                    drop(held.released.acquire().await);
                }
                shared.lock().unwrap_or_else(PoisonError::into_inner).answer(&request)
            }
        };
        Self { server: Server::start_async(answer).await, state }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where it is.
    pub fn url(&self) -> String {
        format!("http://{}", self.server.addr)
    }

    /// The next `times` calls of this kind go wrong, after those that were said before.
    pub fn fail(&self, route: Route, times: usize, fault: Fault) {
        self.state().faults.push(PlannedFault { route, document: None, times, fault });
    }

    /// The next `times` calls of this kind about a document go wrong.
    pub fn fail_for(&self, document: &str, route: Route, times: usize, fault: Fault) {
        self.state().faults.push(PlannedFault { route, document: Some(document.to_owned()), times, fault });
    }

    /// The next call of this kind is held on its way.
    pub fn hold(&self, route: Route) -> HeldCall {
        let (arrived, released) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
        let held = HeldCall { route, arrived, released };
        self.state().held_calls.push(held.clone());
        held
    }

    /// No call goes wrong any more.
    pub fn mend(&self) {
        self.state().faults.clear();
    }

    /// How jobs end from now on, those that run included.
    pub fn outcome(&self, outcome: Outcome) {
        let mut state = self.state();
        for job in state.jobs.values_mut() {
            if matches!(job.outcome, Outcome::Running | Outcome::RunningWithStamps) {
                job.outcome = outcome.clone();
            }
        }
        state.outcome = outcome;
    }

    /// How jobs end that begin from now on; those that run are left as they are.
    pub fn outcome_of_next(&self, outcome: Outcome) {
        self.state().outcome = outcome;
    }

    /// How every job ends, those that had ended included: somebody started the workflow again at the provider.
    pub fn end_all(&self, outcome: Outcome) {
        let mut state = self.state();
        for job in state.jobs.values_mut() {
            job.outcome = outcome.clone();
        }
        state.outcome = outcome;
    }

    /// What happens to changed content.
    pub fn on_change(&self, on_change: OnChange) {
        self.state().on_change = on_change;
    }

    /// Every entry lists this message to the authority.
    pub fn has_sent(&self, media_type: &str, content: &str) {
        self.state().message = Some((media_type.to_owned(), content.to_owned()));
    }

    /// Entries are shown with this member of the document changed.
    pub fn restate(&self, pointer: &str, value: Value) {
        self.state().document_override = Some((pointer.to_owned(), value));
    }

    /// Entries are shown with this member of the envelope (`/head`, `/doc`, `/sigs`) changed once their job has begun.
    pub fn show(&self, pointer: &str, value: Value) {
        self.state().envelope_overrides.push((pointer.to_owned(), value));
    }

    /// Jobs say that they work on this entry.
    pub fn claim(&self, entry: &str) {
        self.state().entry_of_jobs = Some(entry.to_owned());
    }

    /// What is stamped on entries that are accepted.
    pub fn stamps(&self, stamps: Value) {
        self.state().stamps = Some(stamps);
    }

    /// The ids of the entries, the oldest first.
    pub fn entries(&self) -> Vec<String> {
        self.state().entries.keys().cloned().collect()
    }

    /// Labels an entry: `void`, `error`.
    pub fn label(&self, entry: &str, state: &str) {
        self.state().labels.insert(entry.to_owned(), state.to_owned());
    }

    /// Somebody else stored this document.
    pub fn store(&self, entry: &str, document: &Value) {
        self.state().entries.insert(entry.to_owned(), serde_json::json!({"data": document}));
    }

    /// Forgets an entry, as a provider does that lost it.
    pub fn forget(&self, entry: &str) {
        self.state().entries.remove(entry);
    }

    /// The structured document that an entry holds.
    ///
    /// # Panics
    /// When there is no such entry.
    pub fn document(&self, entry: &str) -> Value {
        let stored = self.state().entries.get(entry).cloned().expect("the entry is stored");
        let data = stored.get("data").cloned().unwrap_or_default();
        data.get("doc").cloned().unwrap_or(data)
    }

    /// Forgets its jobs, as a provider does that lost them.
    pub fn forget_jobs(&self) {
        self.state().jobs.clear();
    }

    /// Every call so far, in order.
    pub fn calls(&self) -> Vec<Call> {
        self.state().calls.clone()
    }

    /// The calls of one kind so far, in order.
    pub fn calls_of(&self, route: Route) -> Vec<Call> {
        self.calls().into_iter().filter(|call| call.route == route).collect()
    }

    /// The calls of one kind about a document so far, in order.
    pub fn calls_for(&self, document: &str, route: Route) -> Vec<Call> {
        self.calls_of(route).into_iter().filter(|call| call.document.as_deref() == Some(document)).collect()
    }
}

/// The hash of the record of an entry, which is another one for each entry, as those of an authority are.
pub fn record_hash(entry: &str) -> String {
    entry.replace('-', "").to_uppercase().repeat(2)
}
