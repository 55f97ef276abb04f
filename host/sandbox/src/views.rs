//! Entries and jobs as the provider presents them.

use crate::document::{ENVELOPE_SCHEMA, Envelope, EnvelopeDigest};
use crate::entry::{Category, Entry, File};
use crate::job::{Intent, Job, status};
use gateway_domain::regime::ProviderFault;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use uuid::Uuid;

/// A list that this stand-in leaves empty.
type EmptyList = [(); 0];

/// A fault as the provider writes it: absent members are left out.
#[derive(Debug, Serialize)]
pub(crate) struct FaultView {
    #[serde(skip_serializing_if = "Option::is_none")]
    provider: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    paths: Vec<String>,
}

impl FaultView {
    pub(crate) fn list(faults: &[ProviderFault]) -> Vec<Self> {
        let view = |fault: &ProviderFault| {
            let ProviderFault { provider, code, message, paths } = fault.clone();
            Self { provider, code, message, paths }
        };
        faults.iter().map(view).collect()
    }
}

/// A silo entry.
#[derive(Debug, Serialize)]
pub(crate) struct EntryView {
    id: Uuid,
    key: Option<String>,
    created_at: Timestamp,
    updated_at: Timestamp,
    folder: Option<String>,
    state: String,
    signed: bool,
    invalid: bool,
    env_schema: &'static str,
    doc_schema: Option<Value>,
    digest: EnvelopeDigest,
    version: Option<String>,
    versions: Vec<VersionView>,
    tags: EmptyList,
    context: &'static str,
    snippet: Map<String, Value>,
    faults: Vec<FaultView>,
    data: Envelope,
    attachments: Vec<FileView>,
    meta: EmptyList,
}

impl From<Entry> for EntryView {
    fn from(entry: Entry) -> Self {
        let body = entry.body;
        let doc_schema = body.document.get("$schema").cloned();
        let data = Envelope::enveloping(body.document, body.envelope_id, &body.stamps);
        let versions = body.versions.iter().map(|version| VersionView {
            version: version.id.clone(),
            at: version.at,
            src: "silo",
            src_id: entry.id,
            signed: version.signed,
            invalid: false,
        });
        Self {
            id: entry.id,
            key: entry.key,
            created_at: body.created_at,
            updated_at: body.updated_at,
            folder: body.folder,
            state: body.state,
            signed: body.signed,
            invalid: false,
            env_schema: ENVELOPE_SCHEMA,
            doc_schema,
            digest: data.head.dig.clone(),
            version: body.versions.last().map(|last| last.id.clone()),
            versions: versions.collect(),
            tags: [],
            context: "",
            snippet: Map::new(),
            faults: FaultView::list(&body.faults),
            data,
            attachments: body.files.iter().map(|file| FileView::new(file, entry.id)).collect(),
            meta: [],
        }
    }
}

#[derive(Debug, Serialize)]
struct VersionView {
    version: String,
    at: Timestamp,
    src: &'static str,
    src_id: Uuid,
    signed: bool,
    invalid: bool,
}

/// What went over the wire to the authority, or came from it.
#[derive(Debug, Serialize)]
struct FileView {
    id: Uuid,
    entry_id: Uuid,
    key: Category,
    category: Category,
    name: String,
    mime: String,
    /// Bytes.
    size: usize,
    /// SHA-256, lower-case hex.
    hash: String,
    url: String,
    stored: bool,
    created_at: Timestamp,
}

impl FileView {
    fn new(file: &File, entry: Uuid) -> Self {
        Self {
            id: file.id,
            entry_id: entry,
            key: file.category,
            category: file.category,
            name: file.name.clone(),
            mime: file.mime.clone(),
            size: file.data.len(),
            hash: hex::encode(Sha256::digest(&file.data)),
            url: format!("/silo/v1/entries/{entry}/files/{}", file.id),
            stored: true,
            created_at: file.created_at,
        }
    }
}

/// The structured document beside every message it became and every one that came back, for people to look at.
#[derive(Debug, Serialize)]
pub(crate) struct MessagesView {
    id: Uuid,
    state: String,
    structured: Value,
    messages: Vec<MessageView>,
    answers: Vec<AnswerView>,
}

#[derive(Debug, Serialize)]
struct MessageView {
    file_id: Uuid,
    created_at: Timestamp,
    accepted: Option<bool>,
    codes: Option<Vec<String>>,
    mime: String,
    data: String,
}

#[derive(Debug, Serialize)]
struct AnswerView {
    file_id: Uuid,
    created_at: Timestamp,
    name: String,
    mime: String,
    data: String,
}

impl From<&Entry> for MessagesView {
    fn from(entry: &Entry) -> Self {
        let body = entry.body.clone();
        let is_request = |file: &File| file.category == Category::Request;
        let (requests, responses): (Vec<_>, Vec<_>) = body.files.into_iter().partition(is_request);
        let messages = requests.into_iter().map(|file| {
            let (accepted, codes) = file.answer.map(|answer| (answer.accepted, answer.codes)).unzip();
            MessageView {
                file_id: file.id,
                created_at: file.created_at,
                accepted,
                codes,
                mime: file.mime,
                data: file.data,
            }
        });
        let answers = responses.into_iter().map(|file| AnswerView {
            file_id: file.id,
            created_at: file.created_at,
            name: file.name,
            mime: file.mime,
            data: file.data,
        });
        Self {
            id: entry.id,
            state: body.state,
            structured: body.document,
            messages: messages.collect(),
            answers: answers.collect(),
        }
    }
}

/// A run of a workflow.
#[derive(Debug, Serialize)]
pub(crate) struct JobView {
    id: Uuid,
    key: Option<String>,
    silo_entry_id: Uuid,
    workflow_id: Uuid,
    status: String,
    created_at: Timestamp,
    updated_at: Timestamp,
    completed_at: Option<Timestamp>,
    args: Value,
    tags: Vec<String>,
    /// Always null.
    envelope: (),
    attachments: EmptyList,
    faults: Vec<FaultView>,
    intents: Vec<IntentView>,
}

impl From<&Job> for JobView {
    fn from(job: &Job) -> Self {
        let body = job.body.clone();
        Self {
            id: job.id,
            args: body.request.redacted_args(),
            key: body.request.key,
            silo_entry_id: body.request.silo_entry_id,
            workflow_id: body.request.workflow_id,
            status: body.status,
            created_at: body.created_at,
            updated_at: body.updated_at,
            completed_at: body.completed_at,
            tags: body.request.tags,
            envelope: (),
            attachments: [],
            faults: FaultView::list(&body.faults),
            intents: body.intents.into_iter().map(IntentView::from).collect(),
        }
    }
}

/// A step of a workflow.
#[derive(Debug, Serialize)]
struct IntentView {
    id: Uuid,
    step_id: Uuid,
    name: String,
    provider: String,
    completed: bool,
    created_at: Timestamp,
    updated_at: Timestamp,
    events: [EventView; 2],
}

/// What a step said.
#[derive(Debug, Serialize)]
struct EventView {
    index: u8,
    status: String,
    at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

impl From<Intent> for IntentView {
    fn from(intent: Intent) -> Self {
        let Intent { id, name, provider, at, outcome } = intent;
        let begun = EventView { index: 0, status: status::RUN.to_owned(), at, code: None, message: None };
        let ended = EventView {
            index: 1,
            status: outcome.status,
            at,
            code: Some(outcome.code.unwrap_or_default()),
            message: Some(outcome.message.unwrap_or_default()),
        };
        Self {
            id,
            step_id: id,
            name,
            provider,
            completed: true,
            created_at: at,
            updated_at: at,
            events: [begun, ended],
        }
    }
}

/// The payload of the webhook.
#[derive(Debug, Serialize)]
pub(crate) struct Notification<'a> {
    id: Uuid,
    event: &'static str,
    transform_job_id: Uuid,
    silo_entry_id: Uuid,
    owner_id: &'a str,
    key: &'a str,
    args: Value,
    faults: Vec<FaultView>,
}

impl<'a> Notification<'a> {
    /// That a job has ended.
    pub(crate) fn new(id: Uuid, job: &'a Job, entry: &'a Entry) -> Self {
        let owner = entry.body.document.pointer("/supplier/uuid").and_then(Value::as_str);
        Self {
            id,
            event: if job.body.status == status::OK { "job-completed" } else { "job-failed" },
            transform_job_id: job.id,
            silo_entry_id: entry.id,
            owner_id: owner.unwrap_or_default(),
            key: job.body.request.key.as_deref().unwrap_or_default(),
            args: job.body.request.redacted_args(),
            faults: FaultView::list(&job.body.faults),
        }
    }
}
