//! What the provider holds, and its answer to each call of the protocol.

use super::{Call, Fault, HeldCall, OnChange, Outcome, Route, record_hash};
use crate::http_server::{Reply, Request};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Where anybody verifies a document.
const QR: &str = "https://prewww2.aeat.es/wlpl/TIKE-CONT/ValidarQR";
/// When everything happens.
const AT: &str = "2026-11-20T09:00:00.000Z";
/// When every entry was stored, as lists of them say.
const STORED_AT: &str = "2020-01-01T00:00:00Z";
/// Entries of a page, so that few of them are several pages.
const PAGE: usize = 2;
/// The id of every message.
const FILE: &str = "01930c5c-f1f0-7000-8000-00000000f11e";

/// A workflow that was started.
#[derive(Debug)]
pub(super) struct Job {
    /// The entry it works on.
    entry: String,
    /// What it was started with.
    body: Value,
    /// How it ends, or that it runs.
    pub(super) outcome: Outcome,
}

/// A fault that waits for its calls.
#[derive(Debug)]
pub(super) struct PlannedFault {
    pub(super) route: Route,
    /// Only calls about this document; any when none.
    pub(super) document: Option<String>,
    /// How many calls it still spoils.
    pub(super) times: usize,
    pub(super) fault: Fault,
}

/// What the provider was told and has stored.
#[derive(Debug)]
pub(super) struct State {
    /// Calls of the future that wait for the test before they are carried out.
    pub(super) held_calls: Vec<HeldCall>,
    /// Every call so far, in order.
    pub(super) calls: Vec<Call>,
    pub(super) faults: Vec<PlannedFault>,
    /// Documents with their envelopes, by id.
    pub(super) entries: BTreeMap<String, Value>,
    /// By id; ids are ordered by time.
    pub(super) jobs: BTreeMap<String, Job>,
    /// How jobs end that begin from now on.
    pub(super) outcome: Outcome,
    pub(super) on_change: OnChange,
    /// A member of every document that is shown with this value.
    pub(super) document_override: Option<(String, Value)>,
    /// Members of every envelope that are shown with these values once a job of the entry has begun.
    pub(super) envelope_overrides: Vec<(String, Value)>,
    /// The entry that jobs say they work on; their own when none.
    pub(super) entry_of_jobs: Option<String>,
    /// What is stamped on entries that are accepted; the usual stamps when none.
    pub(super) stamps: Option<Value>,
    /// How entries are labelled; `sent` where nothing is said.
    pub(super) labels: BTreeMap<String, String>,
    /// Media type and content of what every job sends to the authority.
    pub(super) message: Option<(String, String)>,
}

impl State {
    /// Nothing is stored, and every document is accepted.
    pub(super) const fn new() -> Self {
        Self {
            held_calls: Vec::new(),
            calls: Vec::new(),
            faults: Vec::new(),
            entries: BTreeMap::new(),
            jobs: BTreeMap::new(),
            outcome: Outcome::Accepted(Value::Array(Vec::new())),
            on_change: OnChange::Conflicts,
            document_override: None,
            envelope_overrides: Vec::new(),
            entry_of_jobs: None,
            stamps: None,
            labels: BTreeMap::new(),
            message: None,
        }
    }

    /// The held call that a request is, which is held no other time.
    pub(super) fn take_held_call(&mut self, request: &Request) -> Option<HeldCall> {
        let (route, _) = routed(request);
        let at = self.held_calls.iter().position(|call| call.route == route)?;
        Some(self.held_calls.remove(at))
    }

    /// Notes a call and carries it out, unless a fault was planned for it.
    pub(super) fn answer(&mut self, request: &Request) -> Reply {
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
            Route::ListEntries | Route::Other => None,
        };
        let data = upload?.get("data")?;
        data.get("doc").unwrap_or(data).get("uuid")?.as_str().map(str::to_owned)
    }

    fn carry_out(&mut self, route: Route, id: &str, body: &Value) -> Reply {
        match route {
            Route::PutEntry => self.put_entry(id, body),
            Route::ListEntries => self.page(id),
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

    /// A page of the entries; `query` says behind how many.
    fn page(&self, query: &str) -> Reply {
        let cursor = query.split('&').find_map(|pair| pair.strip_prefix("cursor="));
        let skipped: usize = cursor.and_then(|cursor| cursor.parse().ok()).unwrap_or_default();
        let mut ids: Vec<_> = self.entries.keys().collect();
        if !query.contains("ascending=true") {
            ids.reverse();
        }
        let list: Vec<_> = ids.into_iter().skip(skipped).take(PAGE).map(|id| self.entry(id)).collect();
        let next = skipped.saturating_add(PAGE);
        let next = (next < self.entries.len()).then(|| next.to_string());
        Reply::json(200, &json!({"list": list, "limit": PAGE, "next_cursor": next}))
    }

    fn entry(&self, id: &str) -> Value {
        let stored = self.entries.get(id).cloned().unwrap_or_default();
        let data = stored.get("data").cloned().unwrap_or_default();
        let mut document = data.get("doc").cloned().unwrap_or(data);
        if let Some((pointer, value)) = &self.document_override
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
            json!([{"prv": "verifactu-qr", "val": qr}, {"prv": "verifactu-hash", "val": record_hash(id)}]);
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
        for (pointer, value) in self.envelope_overrides.iter().filter(|_| begun) {
            match data.pointer_mut(pointer) {
                Some(member) => value.clone_into(member),
                None => insert(&mut data, pointer, value),
            }
        }
        let state = self.labels.get(id).map_or("sent", String::as_str);
        json!({"attachments": files, "id": id, "key": stored.get("key"), "state": state, "created_at": STORED_AT, "faults": [],
            "data": data})
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
        let entry = self.entry_of_jobs.as_ref().unwrap_or(&job.entry);
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

/// Which call of the protocol a request is, and the id at the end of its path.
pub(crate) fn routed(request: &Request) -> (Route, String) {
    let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    match (request.method.as_str(), parts.as_slice()) {
        ("PUT", ["silo", "v1", "entries", id]) => (Route::PutEntry, (*id).to_owned()),
        ("GET", ["silo", "v1", "entries"]) => (Route::ListEntries, query.to_owned()),
        ("GET", ["silo", "v1", "entries", id]) => (Route::GetEntry, (*id).to_owned()),
        ("GET", ["silo", "v1", "entries", id, "files", _]) => (Route::GetFile, (*id).to_owned()),
        ("PUT", ["transform", "v1", "jobs", id]) => (Route::PutJob, (*id).to_owned()),
        ("GET", ["transform", "v1", "jobs", id]) => (Route::GetJob, (*id).to_owned()),
        _ => (Route::Other, request.path.clone()),
    }
}
