//! A silo entry: what is kept of it, and how the provider presents it.

use crate::document;
use gateway_domain::StoreError;
use gateway_domain::regime::{ProviderFault, Stamp};
use gateway_domain_finance::entry_digest;
use gateway_storage::sandbox::EntryRow;
use gateway_storage::{Corrupt, Id, Ts};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

/// States the workflow sets, as the provider's stock templates do.
pub(crate) mod state {
    pub(crate) const DRAFT: &str = "draft";
    pub(crate) const PROCESSING: &str = "processing";
    pub(crate) const SENT: &str = "sent";
    pub(crate) const ERROR: &str = "error";
}

/// What is kept of an entry beside its id and key.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct EntryBody {
    /// Digest of the document as it was sent, to recognise the same upload.
    pub(crate) source_digest: String,
    /// Normalised, unlike what `source_digest` is of.
    pub(crate) document: Value,
    pub(crate) envelope_id: Uuid,
    pub(crate) stamps: Vec<Stamp>,
    pub(crate) folder: Option<String>,
    pub(crate) state: String,
    pub(crate) signed: bool,
    pub(crate) faults: Vec<ProviderFault>,
    pub(crate) versions: Vec<Version>,
    pub(crate) files: Vec<File>,
    /// Under which key the authority accepted a version of this entry.
    pub(crate) accepted_record: Option<String>,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
}

/// One version of an entry's data.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Version {
    pub(crate) id: String,
    pub(crate) at: Timestamp,
    pub(crate) signed: bool,
}

/// What went over the wire to the authority, or came from it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct File {
    pub(crate) id: Uuid,
    /// A request, of files that were kept before answers were.
    #[serde(default)]
    pub(crate) category: Category,
    pub(crate) name: String,
    pub(crate) mime: String,
    pub(crate) data: String,
    pub(crate) created_at: Timestamp,
    /// What the authority said to a request. None of files that were kept before answers were.
    #[serde(default)]
    pub(crate) answer: Option<Answer>,
}

/// The provider's name for what a file is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Category {
    /// To the authority.
    #[default]
    Request,
    /// From the authority.
    Response,
}

/// What the authority said to one message.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Answer {
    pub(crate) accepted: bool,
    /// Of its complaints and remarks.
    pub(crate) codes: Vec<String>,
}

/// An entry as loaded, with the version a change has to prove.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) id: Uuid,
    pub(crate) key: Option<String>,
    pub(crate) version: i64,
    pub(crate) body: EntryBody,
}

impl Entry {
    /// A new entry around `source`, the document as sent.
    pub(crate) fn new(
        id: Uuid,
        key: Option<String>,
        source: Value,
        envelope_id: Uuid,
        now: Timestamp,
    ) -> Self {
        let mut body = EntryBody {
            source_digest: entry_digest(&source),
            document: document::normalise(source),
            envelope_id,
            stamps: Vec::new(),
            folder: None,
            state: state::DRAFT.to_owned(),
            signed: false,
            faults: Vec::new(),
            versions: Vec::new(),
            files: Vec::new(),
            accepted_record: None,
            created_at: now,
            updated_at: now,
        };
        body.add_version(now);
        Self { id, key, version: 1, body }
    }

    /// Puts another document in; proofs of the old one do not hold for it.
    pub(crate) fn replace(&mut self, source: Value, now: Timestamp) {
        self.body.source_digest = entry_digest(&source);
        self.body.document = document::normalise(source);
        self.body.stamps.clear();
        self.body.faults.clear();
        self.body.signed = false;
        self.body.add_version(now);
    }

    /// Whether `source` under `key` is the very upload this entry came from.
    pub(crate) fn is_upload_of(&self, source: &Value, key: Option<&str>) -> bool {
        self.key.as_deref() == key && self.body.source_digest == entry_digest(source)
    }

    /// What a finished job leaves on the entry.
    pub(crate) fn settle(&mut self, settlement: Settlement, now: Timestamp) {
        let body = &mut self.body;
        body.stamps.retain(|old| !settlement.stamps.iter().any(|new| new.provider == old.provider));
        body.stamps.extend(settlement.stamps);
        body.files.extend(settlement.files);
        let state = if settlement.accepted { state::SENT } else { state::ERROR };
        state.clone_into(&mut body.state);
        body.signed = true;
        body.faults = settlement.faults;
        if settlement.accepted {
            body.accepted_record = settlement.record_key.or(body.accepted_record.take());
        }
        body.add_version(now);
    }

    /// As stored.
    pub(crate) fn row(&self) -> Result<EntryRow, StoreError> {
        let body = serde_json::to_string(&self.body).map_err(|error| corrupt(self.id, &error))?;
        let created_at = Ts(self.body.created_at);
        Ok(EntryRow { id: Id(self.id), key: self.key.clone(), body, version: self.version, created_at })
    }
}

impl EntryBody {
    fn add_version(&mut self, now: Timestamp) {
        let stamps = self.stamps.iter().map(|stamp| {
            let members = [("provider", &stamp.provider), ("value", &stamp.value)];
            let members = members.map(|(name, text)| (name.to_owned(), Value::from(text.as_str())));
            Value::Object(members.into_iter().collect())
        });
        let document = entry_digest(&self.document);
        let content = [document.into(), Value::Array(stamps.collect()), self.versions.len().into()];
        let digest = entry_digest(&Value::Array(content.into()));
        let id = digest.get(..10).unwrap_or_default().to_owned();
        self.versions.push(Version { id, at: now, signed: self.signed });
        self.updated_at = now;
    }
}

/// What a finished job says about its entry.
#[derive(Debug)]
pub(crate) struct Settlement {
    pub(crate) accepted: bool,
    pub(crate) stamps: Vec<Stamp>,
    pub(crate) faults: Vec<ProviderFault>,
    pub(crate) files: Vec<File>,
    pub(crate) record_key: Option<String>,
}

impl TryFrom<EntryRow> for Entry {
    type Error = StoreError;

    fn try_from(row: EntryRow) -> Result<Self, StoreError> {
        let body = serde_json::from_str(&row.body).map_err(|error| corrupt(row.id.0, &error))?;
        Ok(Self { id: row.id.0, key: row.key, version: row.version, body })
    }
}

fn corrupt(id: Uuid, error: &serde_json::Error) -> StoreError {
    Corrupt::new("sandbox_entry", id, "body", error).into()
}
