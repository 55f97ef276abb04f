//! A provider on bad days, with a tax authority behind it. What happened is written down and never changed: the log is
//! what the checker holds against the gateway's database.

use super::random::Random;
use super::replicas::Addresses;
use crate::api::Api;
use crate::http_server::{Reply, Request, Server};
use crate::provider::{Route, record_hash, routed};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A line of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line {
    /// A document was stored under an entry.
    Stored { entry: String, document: String, number: String },
    /// A workflow began, on what the entry held then.
    Started { job: String, entry: String, document: String, number: String },
    /// The authority took a record.
    Accepted { job: String, document: String, number: String },
    /// The authority refused a record.
    Refused { job: String, document: String, number: String },
    /// A workflow ended and the authority never heard of it.
    Failed { job: String },
}

/// How often what went wrong, and what was said.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Faults {
    pub(super) calls: u64,
    pub(super) refused_5xx: u64,
    pub(super) lost_answers: u64,
    pub(super) closed: u64,
    pub(super) slow: u64,
    pub(super) hung: u64,
    pub(super) garbage: u64,
    pub(super) conflicts: u64,
    pub(super) outages: u64,
    pub(super) webhooks: u64,
    pub(super) webhooks_lost: u64,
    pub(super) webhooks_doubled: u64,
    pub(super) webhooks_disordered: u64,
}

impl Faults {
    /// Everything that went wrong on purpose.
    pub(super) const fn injected(&self) -> u64 {
        self.refused_5xx
            + self.lost_answers
            + self.closed
            + self.slow
            + self.hung
            + self.garbage
            + self.conflicts
            + self.webhooks_lost
            + self.webhooks_doubled
            + self.webhooks_disordered
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Accepted,
    Refused,
    Failed,
}

#[derive(Debug)]
struct Job {
    entry: String,
    body: Value,
    document: String,
    number: String,
    /// None while it runs.
    verdict: Option<Verdict>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OnChange {
    Replaces,
    Conflicts,
    AlwaysConflicts,
}

struct State {
    random: Random,
    /// Whether anything goes wrong.
    bad: bool,
    outage_until: Option<Instant>,
    next_outage: Instant,
    entries: BTreeMap<String, (Value, OnChange)>,
    jobs: BTreeMap<String, Job>,
    log: Vec<Line>,
    faults: Faults,
    gateways: Addresses,
}

/// The provider; it ends when dropped.
pub(super) struct ChaosProvider {
    server: Server,
    state: Arc<Mutex<State>>,
}

type Shared = Arc<Mutex<State>>;

fn locked(state: &Shared) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ChaosProvider {
    /// Notifies whoever of `gateways` runs.
    pub(super) async fn start(random: Random, gateways: Addresses) -> Self {
        let state = Arc::new(Mutex::new(State {
            random,
            bad: true,
            outage_until: None,
            next_outage: Instant::now() + Duration::from_secs(3),
            entries: BTreeMap::new(),
            jobs: BTreeMap::new(),
            log: Vec::new(),
            faults: Faults::default(),
            gateways,
        }));
        let shared = Arc::clone(&state);
        let server = Server::start(move |request: &Request| answer(&shared, request)).await;
        Self { server, state }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.server.addr)
    }

    /// Nothing goes wrong from now on.
    pub(super) fn stop_faults(&self) {
        let mut state = locked(&self.state);
        (state.bad, state.outage_until) = (false, None);
    }

    pub(super) fn log(&self) -> Vec<Line> {
        locked(&self.state).log.clone()
    }

    pub(super) fn faults(&self) -> Faults {
        locked(&self.state).faults
    }
}

fn answer(shared: &Shared, request: &Request) -> Reply {
    let (route, id) = routed(request);
    let mut state = locked(shared);
    state.faults.calls += 1;
    if state.is_out() {
        state.faults.closed += 1;
        return Reply::Close;
    }
    let roll = if state.bad { state.random.below(1000) } else { 999 };
    match roll {
        0..50 => {
            state.faults.refused_5xx += 1;
            let status = state.random.pick(&[500, 502, 503]).copied().unwrap_or(503);
            Reply::json(status, &json!({"message": "oops"}))
        }
        50..85 => {
            state.faults.lost_answers += 1;
            carry_out(shared, &mut state, route, &id, &request.body);
            Reply::Close
        }
        85..105 => {
            state.faults.closed += 1;
            Reply::Close
        }
        105..120 => {
            state.faults.refused_5xx += 1;
            Reply::Answer(429, vec![("retry-after", "1".to_owned())], "{}".to_owned())
        }
        120..160 => {
            state.faults.slow += 1;
            let wait = state.random.between(100, 900);
            let reply = carry_out(shared, &mut state, route, &id, &request.body);
            Reply::Later(wait, Box::new(reply))
        }
        160..168 => {
            state.faults.hung += 1;
            Reply::Hang
        }
        168..176 => {
            state.faults.hung += 1;
            carry_out(shared, &mut state, route, &id, &request.body);
            Reply::Hang
        }
        176..180 => {
            state.faults.garbage += 1;
            Reply::Answer(200, Vec::new(), "<html>proxy</html>".to_owned())
        }
        _ => carry_out(shared, &mut state, route, &id, &request.body),
    }
}

impl State {
    /// Now and then nobody is there at all for a while.
    fn is_out(&mut self) -> bool {
        let now = Instant::now();
        if self.bad && now >= self.next_outage {
            let (length, pause) = (self.random.between(500, 1500), self.random.between(5_000, 9_000));
            self.outage_until = Some(now + length);
            self.next_outage = now + length + pause;
            self.faults.outages += 1;
        }
        self.outage_until.is_some_and(|until| now < until)
    }
}

fn carry_out(shared: &Shared, state: &mut State, route: Route, id: &str, body: &Value) -> Reply {
    match route {
        Route::PutEntry => put_entry(state, id, body),
        Route::GetEntry if state.entries.contains_key(id) => Reply::json(200, &entry_body(state, id)),
        Route::PutJob => put_job(shared, state, id, body),
        Route::GetJob if state.jobs.contains_key(id) => Reply::json(200, &job_body(state, id)),
        Route::GetEntry | Route::ListEntries | Route::GetFile | Route::GetJob | Route::Other => {
            Reply::json(404, &json!({"code": "not-found", "message": "not found"}))
        }
    }
}

fn conflict(state: &mut State) -> Reply {
    state.faults.conflicts += 1;
    Reply::json(409, &json!({"code": "conflict", "message": "it exists"}))
}

fn put_entry(state: &mut State, id: &str, body: &Value) -> Reply {
    let refused = match state.entries.get(id) {
        None | Some((_, OnChange::Replaces)) => false,
        Some((known, OnChange::Conflicts)) => known != body,
        Some((_, OnChange::AlwaysConflicts)) => true,
    };
    if refused {
        return conflict(state);
    }
    let modes = [OnChange::Replaces, OnChange::Replaces, OnChange::Conflicts, OnChange::AlwaysConflicts];
    let mode = match state.entries.get(id) {
        Some((_, mode)) => *mode,
        None => state.random.pick(&modes).copied().unwrap_or(OnChange::Replaces),
    };
    let (document, number) = named(body);
    state.log.push(Line::Stored { entry: id.to_owned(), document, number });
    state.entries.insert(id.to_owned(), (body.clone(), mode));
    Reply::json(200, &entry_body(state, id))
}

/// The structured document of an upload.
fn document(body: &Value) -> Value {
    let data = body.get("data").cloned().unwrap_or_default();
    data.get("doc").cloned().unwrap_or(data)
}

/// Which document it is, and under which number.
fn named(body: &Value) -> (String, String) {
    let document = document(body);
    let text = |name| document.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    (
        text("uuid"),
        [text("series"), text("code")]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("-"),
    )
}

fn put_job(shared: &Shared, state: &mut State, id: &str, body: &Value) -> Reply {
    if state.jobs.contains_key(id) {
        return conflict(state);
    }
    let entry = body.get("silo_entry_id").and_then(Value::as_str).unwrap_or_default().to_owned();
    let Some((stored, _)) = state.entries.get(&entry) else {
        return Reply::json(404, &json!({"code": "not-found", "message": "no such entry"}));
    };
    let (document, number) = named(stored);
    let line = Line::Started {
        job: id.to_owned(),
        entry: entry.clone(),
        document: document.clone(),
        number: number.clone(),
    };
    state.log.push(line);
    let job = Job { entry, body: body.clone(), document, number, verdict: None };
    state.jobs.insert(id.to_owned(), job);
    let takes = state.random.between(30, 900);
    let early = state.bad && state.random.chance(100);
    if early {
        state.faults.webhooks_disordered += 1;
    }
    let (shared, id_) = (Arc::clone(shared), id.to_owned());
    tokio::spawn(async move {
        if early {
            notify(&shared, &id_).await;
        }
        tokio::time::sleep(takes).await;
        let deliveries = finish(&shared, &id_);
        for wait in deliveries {
            tokio::time::sleep(wait).await;
            notify(&shared, &id_).await;
        }
    });
    Reply::json(202, &job_body(state, id))
}

/// The authority decides; the answer is after which waits the webhook is sent.
fn finish(shared: &Shared, id: &str) -> Vec<Duration> {
    let mut state = locked(shared);
    let bad = state.bad;
    let roll = state.random.below(1000);
    let verdict = match roll {
        0..30 if bad => Verdict::Failed,
        30..280 if bad => Verdict::Refused,
        _ => Verdict::Accepted,
    };
    if let Some(job) = state.jobs.get_mut(id) {
        job.verdict = Some(verdict);
        let (job, document, number) = (id.to_owned(), job.document.clone(), job.number.clone());
        state.log.push(match verdict {
            Verdict::Accepted => Line::Accepted { job, document, number },
            Verdict::Refused => Line::Refused { job, document, number },
            Verdict::Failed => Line::Failed { job },
        });
    }
    match state.random.below(1000) {
        0..100 if bad => {
            state.faults.webhooks_lost += 1;
            Vec::new()
        }
        100..200 if bad => {
            state.faults.webhooks_doubled += 1;
            vec![Duration::ZERO, Duration::ZERO, state.random.between(0, 400)]
        }
        200..300 if bad => {
            state.faults.webhooks_disordered += 1;
            vec![state.random.between(500, 2500)]
        }
        _ => vec![Duration::ZERO],
    }
}

/// Sends the webhook to whoever answers; at least once, as far as anybody does.
async fn notify(shared: &Shared, job: &str) {
    for _ in 0..5 {
        let (body, gateway) = {
            let mut state = locked(shared);
            state.faults.webhooks += 1;
            let entry = state.jobs.get(job).map(|job| job.entry.clone());
            let body = json!({"id": state.random.uuid(), "event": "done", "transform_job_id": job,
                "silo_entry_id": entry, "owner_id": "", "key": "", "args": {}, "faults": []});
            let gateways = state.gateways.public();
            (body, state.random.pick(&gateways).cloned())
        };
        if let Some(url) = gateway {
            let headers = [("content-type", "application/json")];
            let bytes = Some(body.to_string().into_bytes());
            let sent = Api::new(&url).try_send("POST", "/webhooks/provider", &headers, bytes).await;
            if sent.is_ok_and(|answer| answer.status == 204) {
                return;
            }
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
}

fn entry_body(state: &State, id: &str) -> Value {
    let stored = state.entries.get(id).map(|(body, _)| body.clone()).unwrap_or_default();
    let (_, number) = named(&stored);
    let stamped = state
        .jobs
        .values()
        .any(|job| job.entry == id && job.number == number && job.verdict == Some(Verdict::Accepted));
    let stamps = json!([{"prv": "verifactu-qr", "val": format!("https://prewww2.aeat.es/wlpl/TIKE-CONT/ValidarQR?nif=B98602642&numserie={number}")},
        {"prv": "verifactu-hash", "val": record_hash(id)}]);
    let stamps = if stamped { stamps } else { json!([]) };
    json!({"id": id, "key": stored.get("key"), "state": "sent", "faults": [],
        "data": {"$schema": "https://gobl.org/draft-0/envelope", "head": {"stamps": stamps}, "doc": document(&stored)}})
}

fn job_body(state: &State, id: &str) -> Value {
    let Some(job) = state.jobs.get(id) else { return Value::Null };
    let refusal = json!([{"provider": "verifactu", "code": "1110", "message": "unknown NIF"}]);
    let (status, done, faults) = match job.verdict {
        None => ("RUN", false, json!([])),
        Some(Verdict::Accepted) => ("OK", true, json!([])),
        Some(Verdict::Refused) => ("KO", true, refusal),
        Some(Verdict::Failed) => ("KO", true, json!([])),
    };
    let at = "2026-11-20T09:00:00.000Z";
    json!({"id": id, "key": job.body.get("key"), "silo_entry_id": job.entry, "workflow_id": job.body.get("workflow_id"),
        "status": status, "created_at": at, "updated_at": at, "completed_at": done.then_some(at), "faults": faults,
        "attachments": [], "intents": [{"id": id, "name": "Submit", "provider": "verifactu", "completed": done,
            "events": [{"index": 0, "status": status, "at": at, "code": "", "message": ""}]}]})
}
