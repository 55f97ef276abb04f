//! The provider's bodies, as far as the gateway reads them. Unknown members are ignored, absent ones are
//! empty; only what the gateway relies on is demanded.

use crate::refusal::FaultIn;
use crate::steps::{self, Intent, is_final_failure};
use gateway_domain::ids::{EntryId, ProviderJobId};
use gateway_domain::regime::{ProviderFault, Stamp};
use gateway_domain_finance::EntryFile;
use gateway_domain_finance::ports::{Entry, EntryPage, Job, JobProgress, ListedEntry, ProviderError};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use uuid::Uuid;

#[derive(Serialize)]
pub(crate) struct EntryOut<'a> {
    pub(crate) data: &'a RawValue,
    pub(crate) key: &'a str,
}

#[derive(Serialize)]
pub(crate) struct EntryReplacement<'a> {
    pub(crate) data: &'a RawValue,
    pub(crate) content_type: &'static str,
}

#[derive(Serialize)]
pub(crate) struct JobOut<'a> {
    pub(crate) workflow_id: Uuid,
    pub(crate) silo_entry_id: Uuid,
    pub(crate) key: &'a str,
}

#[derive(Deserialize)]
pub(crate) struct EntryIn {
    id: Uuid,
    key: Option<String>,
    signed: Option<bool>,
    data: Option<Value>,
    faults: Option<Vec<FaultIn>>,
    attachments: Option<Vec<Value>>,
}

/// A page of entries. Each is read by itself: one that is not understood says nothing about the others.
#[derive(Deserialize)]
pub(crate) struct EntryPageIn {
    list: Option<Vec<ListedEntryIn>>,
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
struct ListedEntryIn {
    id: Uuid,
    created_at: Timestamp,
    state: Option<String>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

#[derive(Deserialize)]
struct FileIn {
    id: Uuid,
    #[serde(default)]
    category: String,
    #[serde(default)]
    mime: String,
    size: Option<u64>,
    created_at: Option<Timestamp>,
    stored: Option<bool>,
}

#[derive(Deserialize)]
pub(crate) struct JobIn {
    id: Uuid,
    silo_entry_id: Option<Value>,
    status: Option<String>,
    created_at: Option<Value>,
    completed_at: Option<String>,
    faults: Option<Vec<FaultIn>>,
    intents: Option<Vec<Intent>>,
}

/// Whether an answer of success says no more than that: it has no body, or an object of nobody else that lacks the
/// `member` that matters, or without one its id. Anything else has to be what it should be: a proxy may answer for the
/// provider.
pub(crate) fn is_silent(body: &str, requested: Uuid, member: Option<&str>) -> bool {
    if body.trim().is_empty() {
        return true;
    }
    // What it mostly holds is a whole document, of which nothing is looked at here.
    let Ok(members) = serde_json::from_str::<BTreeMap<String, &RawValue>>(body) else { return false };
    let given = |member: &str| members.get(member).filter(|value| value.get() != "null");
    let id = given("id");
    let ours = id.is_none_or(|id| serde_json::from_str::<Uuid>(id.get()).is_ok_and(|id| id == requested));
    ours && member.map_or(id.is_none(), |member| given(member).is_none())
}

/// A job of which is only known that it was taken.
pub(crate) fn running_job(job: ProviderJobId, raw: String) -> Job {
    let (progress, faults, sound_steps) = (JobProgress::Running, Vec::new(), Vec::new());
    Job { id: job.uuid(), entry: None, progress, created_at: None, faults, sound_steps, raw }
}

/// The entry, when it is the one that was asked for and holds a document.
pub(crate) fn entry(entry: EntryIn, requested: EntryId, raw: String) -> Result<Entry, ProviderError> {
    if entry.id != requested.uuid() {
        return Err(wrong_id("entry", requested.uuid(), entry.id));
    }
    holding(entry, raw)
        .ok_or_else(|| ProviderError::Protocol { detail: format!("entry {requested} holds no document") })
}

/// What an entry holds; none when that is no document.
fn holding(entry: EntryIn, raw: String) -> Option<Entry> {
    let data = entry.data.unwrap_or_default();
    let stamps = data.pointer("/head/stamps").and_then(Value::as_array).map(|list| stamps(list));
    let is_signed = data.get("sigs").and_then(Value::as_array).is_some_and(|sigs| !sigs.is_empty());
    let document = match data {
        Value::Object(mut envelope) => match envelope.remove("doc") {
            Some(document @ Value::Object(_)) => Some(document),
            Some(_) => None,
            None => envelope.contains_key("$schema").then_some(Value::Object(envelope)),
        },
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
    };
    Some(Entry {
        id: entry.id,
        key: entry.key.filter(|key| !key.is_empty()),
        document: document?,
        signed: entry.signed.unwrap_or(is_signed),
        stamps: stamps.unwrap_or_default(),
        faults: faults(entry.faults),
        files: entry.attachments.unwrap_or_default().into_iter().filter_map(file).collect(),
        raw,
    })
}

/// A page of entries, in the order in which it came.
pub(crate) fn entries(page: EntryPageIn) -> EntryPage {
    let entries = page.list.unwrap_or_default().into_iter().map(listed).collect();
    EntryPage { entries, next: page.next_cursor.filter(|cursor| !cursor.is_empty()) }
}

fn listed(listed: ListedEntryIn) -> ListedEntry {
    let ListedEntryIn { id, created_at, state, mut rest } = listed;
    rest.insert("id".to_owned(), Value::from(id.to_string()));
    // One that is not understood is listed without what it holds.
    let read = serde_json::from_value(Value::Object(rest)).ok().and_then(|read| holding(read, String::new()));
    ListedEntry { id, created_at, state: state.unwrap_or_default(), entry: read }
}

/// The faults that say anything at all.
fn faults(listed: Option<Vec<FaultIn>>) -> Vec<ProviderFault> {
    let faults = listed.unwrap_or_default().into_iter().map(FaultIn::into_fault);
    faults.filter(|fault| fault.provider.is_some() || !fault.is_silent()).collect()
}

/// A file whose content is there. No verdict hangs on it, so one that is not understood is left out.
fn file(listed: Value) -> Option<EntryFile> {
    // The entry keeps it as it came.
    let file: FileIn = serde_json::from_value(listed).ok()?;
    let FileIn { id, category, mime: media_type, size, created_at, stored } = file;
    (stored != Some(false)).then_some(EntryFile { id, category, media_type, size, created_at })
}

fn stamps(list: &[Value]) -> Vec<Stamp> {
    list.iter()
        .filter_map(|stamp| {
            let text = |name| stamp.get(name).and_then(Value::as_str).map(str::to_owned);
            Some(Stamp { provider: text("prv")?, value: text("val")? })
        })
        .collect()
}

/// The job, when it is the one that was asked for.
pub(crate) fn job(job: JobIn, requested: ProviderJobId, raw: String) -> Result<Job, ProviderError> {
    if job.id != requested.uuid() {
        return Err(wrong_id("job", requested.uuid(), job.id));
    }
    let has_faults = job.faults.as_ref().is_some_and(|faults| !faults.is_empty());
    let mut faults = faults(job.faults);
    let intents = job.intents.unwrap_or_default();
    let progress = progress(job.status.as_deref(), job.completed_at.as_deref(), &intents, has_faults);
    steps::add_faults(&mut faults, &intents, progress);
    steps::attribute_faults(&mut faults, &intents);
    let created_at = job.created_at.and_then(|at| at.as_str()?.parse().ok());
    // An id that is none says nothing about this job; one of another entry does.
    let entry = job.silo_entry_id.and_then(|entry| entry.as_str()?.parse().ok());
    let sound_steps = intents.iter().filter(|step| !step.ended_badly()).map(Intent::provider).collect();
    Ok(Job { id: job.id, entry, progress, created_at, faults, sound_steps, raw })
}

/// A job is over when it says when. It failed when it or its last step ended badly, or when a step ended badly
/// and left a fault: then the last step belongs to the workflow's rescue branch, which itself went well. An end with a
/// name that is not known is no success: stamps may be there before the authority answered.
fn progress(
    status: Option<&str>,
    completed_at: Option<&str>,
    intents: &[Intent],
    has_faults: bool,
) -> JobProgress {
    if completed_at.is_none_or(str::is_empty) {
        return JobProgress::Running;
    }
    let last_step = intents.last().and_then(Intent::status);
    let rescued = has_faults && intents.iter().any(Intent::ended_badly);
    if !is_success(status) || is_final_failure(last_step) || rescued {
        JobProgress::Failed
    } else {
        JobProgress::Succeeded
    }
}

fn is_success(status: Option<&str>) -> bool {
    matches!(status, None | Some("" | "OK" | "SKIP"))
}

fn wrong_id(what: &str, requested: Uuid, got: Uuid) -> ProviderError {
    ProviderError::Protocol { detail: format!("asked for {what} {requested}, got {got}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const ID: &str = "01990000-0000-7000-8000-000000000001";

    fn read_job(mut body: Value) -> Job {
        body["id"] = json!(ID);
        let requested = ProviderJobId::try_from(ID.parse::<Uuid>().unwrap()).unwrap();
        job(serde_json::from_value(body).unwrap(), requested, String::new()).unwrap()
    }

    fn read_entry(mut body: Value) -> Result<Entry, ProviderError> {
        body["id"] = json!(ID);
        let requested = EntryId::try_from(ID.parse::<Uuid>().unwrap()).unwrap();
        entry(serde_json::from_value(body).unwrap(), requested, String::new())
    }

    fn intent(status: &str, code: &str) -> Value {
        json!({"provider": "authority", "events": [{"status": "RUN"}, {"status": status, "code": code}]})
    }

    #[test]
    fn a_job_without_completion_time_is_running_whatever_its_steps_say() {
        for completed_at in [json!(null), json!("")] {
            let job = read_job(
                json!({"status": "ERR", "completed_at": completed_at, "intents": [intent("KO", "1")]}),
            );
            assert_eq!(job.progress, JobProgress::Running);
        }
    }

    #[test]
    fn a_completed_job_follows_its_status_and_its_last_step() {
        let progress = |status: &str, step: &str| {
            read_job(json!({"status": status, "completed_at": "2026-11-20T09:00:00Z", "intents": [intent(step, "")]}))
                .progress
        };
        assert_eq!(progress("OK", "OK"), JobProgress::Succeeded);
        assert_eq!(progress("OK", "SKIP"), JobProgress::Succeeded);
        for bad in ["KO", "TIMEOUT", "CANCEL"] {
            assert_eq!(progress(bad, "OK"), JobProgress::Failed, "{bad}");
            assert_eq!(progress("OK", bad), JobProgress::Failed, "{bad}");
        }
        for unknown in ["weird", "RUN", "ok"] {
            assert_eq!(progress(unknown, "OK"), JobProgress::Failed, "{unknown}");
        }
    }

    #[test]
    fn a_step_that_failed_before_the_rescue_branch_fails_the_job() {
        let job = read_job(json!({"status": "OK", "completed_at": "2026-11-20T09:00:00Z",
            "faults": [{"provider": "verifactu", "code": "1110", "message": "unknown"}],
            "intents": [intent("KO", "1110"), intent("OK", "")]}));
        assert_eq!(job.progress, JobProgress::Failed);
        assert_eq!(job.faults.len(), 1, "the step's code is the fault's: {:?}", job.faults);
        assert_eq!(job.sound_steps, ["authority"]);
    }

    #[test]
    fn a_step_that_says_anything_is_a_fault_and_one_that_says_nothing_is_not() {
        let body =
            |code: &str| json!({"completed_at": "2026-11-20T09:00:00Z", "intents": [intent("KO", code)]});
        assert_eq!(read_job(body("4102")).faults[0].code.as_deref(), Some("4102"));
        for blank in ["", " "] {
            assert_eq!(read_job(body(blank)).faults, [], "{blank:?}");
        }
    }

    #[test]
    fn a_fault_that_says_nothing_of_nobody_is_none() {
        let job = read_job(json!({"completed_at": "2026-11-20T09:00:00Z", "status": "KO",
            "faults": [{}, {"code": " ", "message": ""}, {"provider": "pdf"}, {"provider": "", "message": "no"}]}));
        let found: Vec<_> =
            job.faults.iter().map(|fault| (fault.provider.as_deref(), fault.message.as_deref())).collect();
        assert_eq!(found, [(Some("pdf"), None), (None, Some("no"))]);
    }

    #[test]
    fn an_envelope_and_a_bare_document_give_the_same_document() {
        let document = json!({"$schema": "https://gobl.org/draft-0/bill/invoice", "code": "1"});
        let stamps = json!([{"prv": "verifactu-qr", "val": "https://qr"}, {"prv": "broken"}]);
        let envelope =
            read_entry(json!({"data": {"$schema": "e", "head": {"stamps": stamps}, "doc": document}}))
                .unwrap();
        assert_eq!(envelope.document, document);
        assert_eq!(envelope.stamps, [Stamp { provider: "verifactu-qr".into(), value: "https://qr".into() }]);
        assert_eq!(read_entry(json!({"data": document})).unwrap().document, document);
    }

    #[test]
    fn files_are_read_as_far_as_they_are_understood() {
        let at = "2026-11-20T09:00:00Z";
        let entry = read_entry(json!({"data": {"$schema": "x"}, "attachments": [
            {"id": ID, "category": "request", "mime": "application/xml", "size": 7, "created_at": at, "stored": true},
            {"id": ID, "category": "request", "mime": "application/xml", "stored": false},
            {"id": ID}, {"category": "request"}, "broken"]}))
        .unwrap();
        let [file, bare] = &entry.files[..] else { panic!("{:?}", entry.files) };
        assert_eq!(
            (file.category.as_str(), file.media_type.as_str(), file.size),
            ("request", "application/xml", Some(7))
        );
        assert_eq!(file.created_at, at.parse().ok());
        assert_eq!((bare.category.as_str(), bare.created_at), ("", None));
    }

    #[test]
    fn an_entry_without_a_document_is_not_understood() {
        for body in [
            json!({}),
            json!({"data": null}),
            json!({"data": {}}),
            json!({"data": {"doc": 1}}),
            json!({"data": []}),
        ] {
            assert!(matches!(read_entry(body), Err(ProviderError::Protocol { .. })));
        }
    }

    #[test]
    fn an_entry_of_a_list_that_holds_no_document_is_listed_without_one() {
        let page = json!({"next_cursor": "", "list": [
            {"id": ID, "created_at": "2026-11-20T09:00:00Z", "state": "sent", "data": {"$schema": "x", "code": "1"}},
            {"id": ID, "created_at": "2026-11-20T09:00:01Z", "data": null},
            {"id": ID, "created_at": "2026-11-20T09:00:02Z", "signed": "perhaps", "data": {"$schema": "x"}}]});
        let page = entries(serde_json::from_value(page).unwrap());
        let held: Vec<_> =
            page.entries.iter().map(|listed| (listed.state.as_str(), listed.entry.is_some())).collect();
        assert_eq!((held, page.next), (vec![("sent", true), ("", false), ("", false)], None));
    }

    #[test]
    fn an_answer_about_another_entry_is_not_understood() {
        let requested = EntryId::try_from(ID.parse::<Uuid>().unwrap()).unwrap();
        let body = json!({"id": Uuid::nil(), "data": {"$schema": "x"}});
        let answer = entry(serde_json::from_value(body).unwrap(), requested, String::new());
        assert!(matches!(answer, Err(ProviderError::Protocol { .. })));
    }
}
