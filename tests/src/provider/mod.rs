//! A provider that does what a test says and remembers every call.

use crate::http_server::{Reply, Request, Server};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Semaphore;

/// Where anybody verifies a document.
const QR: &str = "https://prewww2.aeat.es/wlpl/TIKE-CONT/ValidarQR";
/// When everything happens.
const AT: &str = "2026-11-20T09:00:00.000Z";
/// The id of every message.
const FILE: &str = "01930c5c-f1f0-7000-8000-00000000f11e";

/// The calls of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// Stores a document.
    PutEntry,
    /// Shows a document.
    GetEntry,
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

#[derive(Debug)]
struct Job {
    entry: String,
    body: Value,
    outcome: Outcome,
}

/// A fault that waits for its calls.
#[derive(Debug)]
struct Planned {
    route: Route,
    /// Only calls about this document; any when none.
    document: Option<String>,
    times: usize,
    fault: Fault,
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

#[derive(Debug)]
struct State {
    held: Vec<HeldCall>,
    calls: Vec<Call>,
    faults: Vec<Planned>,
    entries: BTreeMap<String, Value>,
    jobs: BTreeMap<String, Job>,
    outcome: Outcome,
    on_change: OnChange,
    restated: Option<(String, Value)>,
    /// How entries are shown once their job has begun.
    shown: Vec<(String, Value)>,
    /// The entry that jobs say they work on.
    claimed: Option<String>,
    stamps: Option<Value>,
    /// Media type and content of what every job sends to the authority.
    message: Option<(String, String)>,
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
        let state = Arc::new(Mutex::new(State {
            held: Vec::new(),
            calls: Vec::new(),
            faults: Vec::new(),
            entries: BTreeMap::new(),
            jobs: BTreeMap::new(),
            outcome: Outcome::Accepted(json!([])),
            on_change: OnChange::Conflicts,
            restated: None,
            shown: Vec::new(),
            claimed: None,
            stamps: None,
            message: None,
        }));
        let shared = Arc::clone(&state);
        let answer = move |request: Request| {
            let shared = Arc::clone(&shared);
            async move {
                let held = shared.lock().unwrap_or_else(PoisonError::into_inner).take_held(&request);
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
        self.state().faults.push(Planned { route, document: None, times, fault });
    }

    /// The next `times` calls of this kind about a document go wrong.
    pub fn fail_for(&self, document: &str, route: Route, times: usize, fault: Fault) {
        self.state().faults.push(Planned { route, document: Some(document.to_owned()), times, fault });
    }

    /// The next call of this kind is held on its way.
    pub fn hold(&self, route: Route) -> HeldCall {
        let (arrived, released) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
        let held = HeldCall { route, arrived, released };
        self.state().held.push(held.clone());
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
        self.state().restated = Some((pointer.to_owned(), value));
    }

    /// Entries are shown with this member of the envelope (`/head`, `/doc`, `/sigs`) changed once their job has begun.
    pub fn show(&self, pointer: &str, value: Value) {
        self.state().shown.push((pointer.to_owned(), value));
    }

    /// Jobs say that they work on this entry.
    pub fn claim(&self, entry: &str) {
        self.state().claimed = Some(entry.to_owned());
    }

    /// What is stamped on entries that are accepted.
    pub fn stamps(&self, stamps: Value) {
        self.state().stamps = Some(stamps);
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

impl State {
    fn take_held(&mut self, request: &Request) -> Option<HeldCall> {
        let (route, _) = routed(request);
        let at = self.held.iter().position(|held| held.route == route)?;
        Some(self.held.remove(at))
    }

    fn answer(&mut self, request: &Request) -> Reply {
        let (route, id) = routed(request);
        let document = self.document(route, &id, &request.body);
        self.calls.push(Call {
            method: request.method.clone(),
            route,
            id: id.clone(),
            document: document.clone(),
            authorization: request.header("authorization").unwrap_or_default().to_owned(),
            body: request.body.clone(),
        });
        let planned = self.faults.iter_mut().find(|planned| {
            planned.route == route
                && planned.times > 0
                && (planned.document.is_none() || planned.document == document)
        });
        let fault = planned.map(|planned| {
            planned.times = planned.times.saturating_sub(1);
            planned.fault.clone()
        });
        match fault {
            None => self.carry_out(route, &id, &request.body),
            Some(Fault::Lost) => {
                self.carry_out(route, &id, &request.body);
                Reply::Close
            }
            Some(Fault::Done(status, body)) => {
                self.carry_out(route, &id, &request.body);
                Reply::json(status, &body)
            }
            Some(Fault::Closed) => Reply::Close,
            Some(Fault::Status(status, body)) => Reply::json(status, &body),
            Some(Fault::Later(seconds)) => {
                Reply::Answer(429, vec![("retry-after", seconds.to_string())], "{}".to_owned())
            }
            Some(Fault::Garbage) => Reply::Answer(200, Vec::new(), "<html>proxy</html>".to_owned()),
        }
    }

    /// Which document a call is about.
    fn document(&self, route: Route, id: &str, body: &Value) -> Option<String> {
        let upload = match route {
            Route::PutEntry => Some(body),
            Route::GetEntry | Route::GetFile => self.entries.get(id),
            Route::PutJob => self.entries.get(body.get("silo_entry_id")?.as_str()?),
            Route::GetJob => self.jobs.get(id).and_then(|job| self.entries.get(&job.entry)),
            Route::Other => None,
        };
        let data = upload?.get("data")?;
        data.get("doc").unwrap_or(data).get("uuid")?.as_str().map(str::to_owned)
    }

    fn carry_out(&mut self, route: Route, id: &str, body: &Value) -> Reply {
        match route {
            Route::PutEntry => self.put_entry(id, body),
            Route::GetEntry if self.entries.contains_key(id) => Reply::json(200, &self.entry(id)),
            Route::PutJob => {
                let entry = body.get("silo_entry_id").and_then(Value::as_str).unwrap_or_default().to_owned();
                let outcome = self.outcome.clone();
                let job = Job { entry, body: body.clone(), outcome };
                self.jobs.entry(id.to_owned()).or_insert(job);
                Reply::json(202, &self.job(id))
            }
            Route::GetJob if self.jobs.contains_key(id) => Reply::json(200, &self.job(id)),
            Route::GetFile if self.message.is_some() => {
                let (media_type, content) = self.message.clone().unwrap_or_default();
                Reply::Answer(200, vec![("content-type", media_type)], content)
            }
            Route::GetEntry | Route::GetFile | Route::GetJob | Route::Other => {
                Reply::json(404, &json!({"code": "not-found", "message": "not found"}))
            }
        }
    }

    fn put_entry(&mut self, id: &str, body: &Value) -> Reply {
        let refused = match self.entries.get(id) {
            None => false,
            Some(known) => match self.on_change {
                OnChange::Replaces => false,
                OnChange::Conflicts => known != body,
                OnChange::AlwaysConflicts => true,
            },
        };
        if refused {
            return Reply::json(409, &json!({"code": "conflict", "message": "the entry exists"}));
        }
        self.entries.insert(id.to_owned(), body.clone());
        Reply::json(200, &self.entry(id))
    }

    fn entry(&self, id: &str) -> Value {
        let stored = self.entries.get(id).cloned().unwrap_or_default();
        let data = stored.get("data").cloned().unwrap_or_default();
        let mut document = data.get("doc").cloned().unwrap_or(data);
        if let Some((pointer, value)) = &self.restated
            && let Some(member) = document.pointer_mut(pointer)
        {
            value.clone_into(member);
        }
        // Ids are ordered by time: the last job counts.
        let job = self.jobs.values().rev().find(|job| job.entry == id);
        let stamped = job.is_some_and(|job| {
            matches!(
                job.outcome,
                Outcome::Accepted(_) | Outcome::RunningWithStamps | Outcome::Ended { stamped: true, .. }
            )
        });
        let code = document.get("code").and_then(Value::as_str).unwrap_or_default();
        let qr = format!("{QR}?nif=B98602642&numserie={code}");
        let usual =
            json!([{"prv": "verifactu-qr", "val": qr}, {"prv": "verifactu-hash", "val": "A".repeat(64)}]);
        let stamps = self.stamps.clone().unwrap_or(usual);
        let stamps = if stamped { stamps } else { json!([]) };
        let files = self.message.iter().map(|(media_type, content)| {
            json!({"id": FILE, "entry_id": id, "category": "request", "mime": media_type, "size": content.len(),
                "stored": true, "created_at": AT, "url": format!("https://elsewhere.example/{FILE}")})
        });
        let files: Vec<_> = files.collect();
        // The label says nothing reliable, as with the real provider.
        let begun = job.is_some();
        let mut data = json!({"$schema": "https://gobl.org/draft-0/envelope", "head": {"stamps": stamps}, "doc": document});
        for (pointer, value) in self.shown.iter().filter(|_| begun) {
            match data.pointer_mut(pointer) {
                Some(member) => value.clone_into(member),
                None => insert(&mut data, pointer, value),
            }
        }
        json!({"attachments": files, "id": id, "key": stored.get("key"), "state": "sent", "faults": [], "data": data})
    }

    fn job(&self, id: &str) -> Value {
        let Some(job) = self.jobs.get(id) else { return Value::Null };
        let (status, done, faults) = match &job.outcome {
            Outcome::Accepted(faults) => ("OK", true, faults.clone()),
            Outcome::AcceptedWithoutStamps => ("OK", true, json!([])),
            Outcome::Failed(faults) => ("KO", true, faults.clone()),
            Outcome::Running | Outcome::RunningWithStamps => ("RUN", false, json!([])),
            Outcome::Ended { status, faults, .. } => (*status, true, faults.clone()),
        };
        let (at, number) = (AT, |name| job.body.get(name).cloned().unwrap_or_default());
        let intents = match &job.outcome {
            Outcome::Ended { intents, .. } => intents.clone(),
            Outcome::Accepted(_)
            | Outcome::Failed(_)
            | Outcome::Running
            | Outcome::AcceptedWithoutStamps
            | Outcome::RunningWithStamps => json!([{"id": id, "name": "Submit", "provider": "verifactu",
                "completed": done,
                "events": [{"index": 0, "status": status, "at": at, "code": "", "message": ""}]}]),
        };
        let entry = self.claimed.as_ref().unwrap_or(&job.entry);
        json!({"id": id, "key": number("key"), "silo_entry_id": entry, "workflow_id": number("workflow_id"),
            "status": status, "created_at": at, "updated_at": at, "completed_at": done.then_some(at),
            "faults": faults, "attachments": [], "intents": intents})
    }
}

/// A member of the envelope that was not there.
fn insert(data: &mut Value, pointer: &str, value: &Value) {
    if let (Value::Object(members), Some(name)) = (data, pointer.strip_prefix('/')) {
        members.insert(name.to_owned(), value.clone());
    }
}

pub(crate) fn routed(request: &Request) -> (Route, String) {
    let parts: Vec<&str> = request.path.split('/').filter(|part| !part.is_empty()).collect();
    match (request.method.as_str(), parts.as_slice()) {
        ("PUT", ["silo", "v1", "entries", id]) => (Route::PutEntry, (*id).to_owned()),
        ("GET", ["silo", "v1", "entries", id]) => (Route::GetEntry, (*id).to_owned()),
        ("GET", ["silo", "v1", "entries", id, "files", _]) => (Route::GetFile, (*id).to_owned()),
        ("PUT", ["transform", "v1", "jobs", id]) => (Route::PutJob, (*id).to_owned()),
        ("GET", ["transform", "v1", "jobs", id]) => (Route::GetJob, (*id).to_owned()),
        _ => (Route::Other, request.path.clone()),
    }
}
