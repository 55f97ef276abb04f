//! The fault drill: what a gateway answers while something around it is broken, how soon, and how it returned.
//!
//! Every answer is held against a limit that a machine busy with other tests keeps, and is written down where
//! `GATEWAY_TEST_DRILL` names a file: `cargo xtask drill` makes a table of that, and holds the budgets themselves.

use crate::api::{Answer, Api};
use crate::document::fresh_uuid;
use crate::world::World;
use gateway_storage::Engine;
use serde_json::{Value, json};
use std::fs::File;
use std::future::Future;
use std::io::Write;
use std::sync::LazyLock;
use std::time::{Duration, Instant};
use tokio::runtime::{self, Runtime};

/// Names the file that measurements are appended to, as lines of JSON.
const FILE_VARIABLE: &str = "GATEWAY_TEST_DRILL";
/// How often each question is asked where somebody measures.
const MEASURED: usize = 9;
/// What must be answered within two seconds may take so long on a machine that is busy with other tests: less than anything
/// that waits for the database.
const QUICK: Duration = Duration::from_secs(6);
/// The same for every other request, which is given up after 30 seconds.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(40);

/// What a gateway is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Request {
    /// `/healthz`.
    Healthz,
    /// `/readyz`.
    Readyz,
    /// A token.
    Token,
    /// `/metrics`.
    Metrics,
    /// A document.
    Read,
    /// A new draft.
    Write,
}

impl Request {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Healthz => "healthz",
            Self::Readyz => "readyz",
            Self::Token => "token",
            Self::Metrics => "metrics",
            Self::Read => "read",
            Self::Write => "write",
        }
    }

    /// What the operator's guide says.
    const fn budget(self) -> Duration {
        match self {
            Self::Healthz => Duration::from_millis(50),
            Self::Readyz | Self::Token | Self::Metrics => Duration::from_secs(2),
            // What is given up after 30 seconds, and the way there and back.
            Self::Read | Self::Write => Duration::from_secs(32),
        }
    }

    const fn limit(self) -> Duration {
        match self {
            Self::Healthz | Self::Readyz | Self::Token | Self::Metrics => QUICK,
            Self::Read | Self::Write => ANSWER_TIMEOUT,
        }
    }
}

/// An answer.
#[derive(Debug)]
struct Measured {
    request: Request,
    answer: Answer,
    took: Duration,
}

/// Whoever watches a gateway does so from a thread of its own, so that what is measured is not how busy the test is.
static WATCHING: LazyLock<Runtime> = LazyLock::new(|| {
    let runtime = runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    runtime.expect("there are threads")
});

/// A gateway with one fault around it.
#[derive(Debug)]
pub struct Drill<'w> {
    fault: &'static str,
    world: &'w World,
    /// Who watches the gateway.
    watcher: Watcher,
    /// A document that is stored.
    stored: &'w str,
}

/// Asks one after the other.
#[derive(Debug, Clone)]
struct Watcher {
    internal: Api,
    /// Where tokens come from.
    tokens: Api,
    grant: Value,
}

impl Watcher {
    fn of(world: &World) -> Self {
        let (public, internal) = (world.gateway.public(), world.gateway.internal());
        // The certificate of a public listener may be one that nobody trusts.
        let tokens = if public.base().starts_with("https") { internal.clone() } else { public };
        let grant = json!({
            "grant_type": "client_credentials", "client_id": world.client.id, "client_secret": world.client.secret,
        });
        Self { internal, tokens, grant }
    }

    async fn asks(self, requests: Vec<Request>) -> Vec<Measured> {
        let mut answers = Vec::new();
        for request in requests {
            let began = Instant::now();
            let answer = match request {
                Request::Token => self.tokens.post("/v1/oauth2/token", &self.grant).await,
                other => self.internal.get(&format!("/{}", other.as_str())).await,
            };
            answers.push(Measured { request, answer, took: began.elapsed() });
        }
        answers
    }
}

impl<'w> Drill<'w> {
    /// To be made before the fault: who watches has asked before. `stored` is the id of a document that was stored.
    ///
    /// # Panics
    /// When the gateway does not answer yet.
    pub async fn new(fault: &'static str, world: &'w World, stored: &'w str) -> Self {
        let drill = Self { fault, world, watcher: Watcher::of(world), stored };
        drill.watches(vec![Request::Healthz, Request::Token]).await;
        drill
    }

    /// Everything is answered with one of these statuses, in time; who watches is not delayed by who writes.
    ///
    /// # Panics
    /// When an answer is late, or another one.
    pub async fn holds(&self, answers: &[(Request, &[u16])]) {
        let watched = |request: &Request| request.limit() == QUICK;
        let watching = answers.iter().map(|(request, _)| *request).filter(watched);
        let watching = watching.flat_map(|request| std::iter::repeat_n(request, rounds()));
        let watching = self.watches(watching.collect());
        let working = answers.iter().map(|(request, _)| *request).filter(|request| !watched(request));
        let working =
            working.flat_map(|request| std::iter::repeat_with(move || self.works(request)).take(rounds()));
        let (watched, worked) = tokio::join!(watching, futures::future::join_all(working));
        for Measured { request, answer, took } in watched.into_iter().chain(worked) {
            let what = format!("{}, {}", self.fault, request.as_str());
            let expected =
                answers.iter().find(|(of, _)| *of == request).map_or(&[][..], |(_, statuses)| statuses);
            assert!(expected.contains(&answer.status), "{what}: {answer:?}\n{}", self.world.gateway.log());
            assert!(took < request.limit(), "{what} took {took:?}");
            self.record(&json!({
                "request": request.as_str(), "budget_us": micros(request.budget()), "took_us": micros(took),
                "status": answer.status,
            }));
        }
    }

    async fn watches(&self, requests: Vec<Request>) -> Vec<Measured> {
        let watching = WATCHING.spawn(self.watcher.clone().asks(requests));
        watching.await.expect("everything is answered")
    }

    /// A document, or a new draft.
    async fn works(&self, request: Request) -> Measured {
        let began = Instant::now();
        let answer = match request {
            Request::Write => self.world.put_draft(&fresh_uuid(), &self.world.document()).await,
            _ => self.world.api.get(&format!("/invoicing/rpc/documents/{}", self.stored)).await,
        };
        Measured { request, answer, took: began.elapsed() }
    }

    /// Waits until the gateway is as before, and writes down how it returned: `how`, and how long that took.
    pub async fn returns<T>(&self, how: &str, wait: impl Future<Output = T>) -> T {
        let began = Instant::now();
        let found = wait.await;
        self.record(&json!({"returned": how, "took_us": micros(began.elapsed())}));
        found
    }

    fn record(&self, measured: &Value) {
        let Some(file) = std::env::var_os(FILE_VARIABLE) else { return };
        let database = match self.world.gateway.engine() {
            Engine::Sqlite => "SQLite",
            Engine::Postgres => "PostgreSQL",
        };
        let line = json!({"fault": self.fault, "database": database, "measured": measured});
        let mut file = File::options().create(true).append(true).open(file).expect("it can be written");
        file.write_all(format!("{line}\n").as_bytes()).expect("there is room for a line");
    }
}

/// Once is enough where nobody measures.
fn rounds() -> usize {
    if std::env::var_os(FILE_VARIABLE).is_some() { MEASURED } else { 1 }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
