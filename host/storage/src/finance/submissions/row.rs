//! A submission in columns: each stage fills exactly the columns of what exists in it, and a row that has another column, or
//! lacks one, is damaged. The constraints of the table say the same.

use gateway_database::error::{Corrupt, StoreError};
use gateway_database::sql::{Param, params};
use gateway_database::value::{Id, Ts};
use gateway_domain::ids::{EntryId, InvoiceId, ProviderJobId, WorkspaceId};
use gateway_domain::invoicing::InvoiceNumber;
use gateway_domain::regime::PluginRef;
use gateway_domain_finance::{
    Alert, AlertCode, CallHistory, Converting, CurrentAttempt, EndedStage, EntryDocument, FailedAttempt,
    Open, OpenStage, Progress, Requested, Settlement, Settling, Stage, Starting, Submission, Superseded,
    Unsent, Uploading, Waiting,
};
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use uuid::Uuid;

#[derive(Debug, Clone, sqlx::FromRow)]
pub(super) struct Row {
    pub(super) document_id: Id,
    pub(super) workspace_id: i64,
    pub(super) stage: String,
    pub(super) number: Option<String>,
    pub(super) entry_id: Option<Id>,
    pub(super) entry_renewed: bool,
    pub(super) entry_digest: Option<String>,
    pub(super) check_earlier_attempts: bool,
    pub(super) job_id: Option<Id>,
    pub(super) structured: Option<String>,
    pub(super) plugin_key: Option<String>,
    pub(super) plugin_version: Option<String>,
    pub(super) plugin_digest: Option<String>,
    pub(super) settlement: Option<String>,
    pub(super) alert_code: Option<String>,
    pub(super) alert_message: Option<String>,
    pub(super) retries: i64,
    pub(super) last_error: Option<String>,
    pub(super) held_until: Option<Ts>,
    pub(super) stamps: Option<String>,
    pub(super) job_taken_at: Option<Ts>,
    pub(super) version: i64,
    pub(super) actor: String,
    pub(super) created_at: Ts,
    pub(super) updated_at: Ts,
}

pub(crate) fn corrupt(document: Uuid, column: &'static str, found: impl std::fmt::Display) -> Corrupt {
    Corrupt::new("submission", document, column, found)
}

pub(crate) fn plugin(
    document: Uuid,
    key: Option<String>,
    version: Option<String>,
    digest: Option<String>,
) -> Result<Option<PluginRef>, Corrupt> {
    match (key, version, digest) {
        (Some(key), Some(version), Some(digest)) => {
            let key = key.try_into().map_err(|cause| corrupt(document, "plugin_key", cause))?;
            Ok(Some(PluginRef { key, version, digest }))
        }
        (None, None, None) => Ok(None),
        _ => Err(corrupt(document, "plugin_key", "half a plugin")),
    }
}

/// A JSON column.
fn json<T: DeserializeOwned>(
    document: Uuid,
    column: &'static str,
    text: Option<&str>,
) -> Result<Option<T>, Corrupt> {
    let value = text.map(serde_json::from_str).transpose();
    value.map_err(|cause| corrupt(document, column, cause))
}

/// An entry as a row holds it, before it is known whether there is one.
struct EntryColumns {
    is_renewed: bool,
    digest: Option<String>,
    structured: Option<String>,
}

/// The columns that belong to a stage. The stage takes what it has; what is left over damages the row.
struct StageColumns {
    id: Uuid,
    stage: Stage,
    number: Option<InvoiceNumber>,
    check_earlier_attempts: bool,
    document: Option<EntryDocument>,
    plugin: Option<PluginRef>,
    job: Option<ProviderJobId>,
    taken_at: Option<Timestamp>,
    verdict: Option<Settlement>,
    calls: Option<CallHistory>,
}

impl StageColumns {
    /// A value that the stage must have.
    fn required<T>(&self, column: &'static str, value: Option<T>) -> Result<T, Corrupt> {
        value.ok_or_else(|| {
            let stage = self.stage.as_str();
            corrupt(self.id, column, format_args!("nothing, which the stage {stage} must have"))
        })
    }

    fn number(&mut self) -> Result<InvoiceNumber, Corrupt> {
        let number = self.number.take();
        self.required("number", number)
    }

    fn job(&mut self) -> Result<ProviderJobId, Corrupt> {
        let job = self.job.take();
        self.required("job_id", job)
    }

    fn document(&mut self) -> Result<EntryDocument, Corrupt> {
        let document = self.document.take();
        self.required("entry_id", document)
    }

    fn plugin(&mut self) -> Result<PluginRef, Corrupt> {
        let plugin = self.plugin.take();
        self.required("plugin_key", plugin)
    }

    fn verdict(&mut self) -> Result<Settlement, Corrupt> {
        let verdict = self.verdict.take();
        self.required("settlement", verdict)
    }

    fn check_earlier_attempts(&mut self) -> bool {
        std::mem::take(&mut self.check_earlier_attempts)
    }

    fn failed(&mut self) -> Result<FailedAttempt, Corrupt> {
        let (document, plugin, taken_at) = (self.document()?, self.plugin()?, self.taken_at.take());
        Ok(FailedAttempt { document, plugin, taken_at })
    }

    fn failed_if_any(&mut self) -> Result<Option<FailedAttempt>, Corrupt> {
        if self.document.is_some() { self.failed().map(Some) } else { Ok(None) }
    }

    fn attempt(&mut self) -> Result<CurrentAttempt, Corrupt> {
        let (number, job, taken_at) = (self.number()?, self.job()?, self.taken_at.take());
        let (document, plugin) = (self.document.take(), self.plugin.take());
        Ok(CurrentAttempt { number, job, plugin, document, taken_at })
    }

    fn superseded(&mut self) -> Result<Superseded, Corrupt> {
        if self.job.is_some() {
            return Ok(Superseded::Attempted { attempt: self.attempt()?, late: self.verdict.take() });
        }
        let check_earlier_attempts = self.check_earlier_attempts();
        if self.number.is_none() {
            return Ok(Superseded::Requested { check_earlier_attempts });
        }
        let (number, failed) = (self.number()?, self.failed_if_any()?);
        Ok(Superseded::Numbered { number, check_earlier_attempts, failed })
    }

    fn waiting(&mut self) -> Result<Progress, Corrupt> {
        let number = self.number()?;
        if let Some(job) = self.job.take() {
            let (document, plugin) = (self.document()?, self.plugin()?);
            let taken_at = self.taken_at.take();
            let taken_at = self.required("job_taken_at", taken_at)?;
            return Ok(self.open(Waiting { number, document, plugin, job, taken_at }));
        }
        let checks = self.check_earlier_attempts();
        self.required("check_earlier_attempts", checks.then_some(()))?;
        let failed = self.failed()?;
        Ok(self.open(Unsent { number, failed }))
    }

    fn open(&mut self, stage: impl Into<OpenStage>) -> Progress {
        Progress::Open(Open { stage: stage.into(), calls: self.calls.take().unwrap_or_default() })
    }

    fn progress(&mut self) -> Result<Progress, Corrupt> {
        Ok(match self.stage {
            Stage::Requested => {
                let check_earlier_attempts = self.check_earlier_attempts();
                self.open(Requested { check_earlier_attempts })
            }
            Stage::Converting => {
                let (number, check_earlier_attempts) = (self.number()?, self.check_earlier_attempts());
                let failed = self.failed_if_any()?;
                self.open(Converting { number, check_earlier_attempts, failed })
            }
            Stage::Uploading => {
                let (number, check_earlier_attempts) = (self.number()?, self.check_earlier_attempts());
                let (document, plugin, job) = (self.document()?, self.plugin()?, self.job()?);
                self.open(Uploading { number, check_earlier_attempts, document, plugin, job })
            }
            Stage::Starting => {
                let number = self.number()?;
                let (document, plugin, job) = (self.document()?, self.plugin()?, self.job()?);
                let taken_at = self.taken_at.take();
                self.open(Starting { number, document, plugin, job, taken_at })
            }
            Stage::Waiting => self.waiting()?,
            Stage::Settling => {
                let (attempt, verdict) = (self.attempt()?, self.verdict()?);
                self.open(Settling { attempt, verdict })
            }
            Stage::Accepted | Stage::Rejected => {
                let (attempt, verdict) = (self.attempt()?, self.verdict()?);
                Progress::Ended(match (self.stage, verdict) {
                    (Stage::Accepted, Settlement::Accept(verdict)) => {
                        EndedStage::Accepted { attempt, verdict }
                    }
                    (Stage::Rejected, Settlement::Reject(verdict)) => {
                        EndedStage::Rejected { attempt, verdict }
                    }
                    (stage, _) => {
                        let found = format_args!("the other verdict than {}", stage.as_str());
                        return Err(corrupt(self.id, "settlement", found));
                    }
                })
            }
            Stage::Superseded => Progress::Ended(EndedStage::Superseded(self.superseded()?)),
            Stage::Withdrawn => {
                let check_earlier_attempts = self.check_earlier_attempts();
                Progress::Ended(EndedStage::Withdrawn { check_earlier_attempts })
            }
        })
    }

    /// Refuses what the stage did not take.
    fn ensure_nothing_left(&self) -> Result<(), Corrupt> {
        let calls = self.calls.as_ref();
        let left = [
            ("number", self.number.is_some()),
            ("check_earlier_attempts", self.check_earlier_attempts),
            ("entry_id", self.document.is_some()),
            ("plugin_key", self.plugin.is_some()),
            ("job_id", self.job.is_some()),
            ("job_taken_at", self.taken_at.is_some()),
            ("settlement", self.verdict.is_some()),
            ("retries", calls.is_some_and(|calls| *calls != CallHistory::default())),
        ];
        match left.into_iter().find(|(_, is_left)| *is_left) {
            Some((column, _)) => {
                let stage = self.stage.as_str();
                Err(corrupt(self.id, column, format_args!("a value, which the stage {stage} does not have")))
            }
            None => Ok(()),
        }
    }
}

/// An entry and its document are there together or not at all.
fn entry_document(
    id: Uuid,
    entry: Option<EntryId>,
    columns: EntryColumns,
) -> Result<Option<EntryDocument>, Corrupt> {
    match (entry, columns) {
        (Some(entry), EntryColumns { structured: Some(structured), is_renewed, digest }) => {
            Ok(Some(EntryDocument { entry, is_renewed, digest, structured: structured.into() }))
        }
        (None, EntryColumns { structured: None, is_renewed: false, digest: None }) => Ok(None),
        (Some(_), EntryColumns { structured: None, .. }) => {
            Err(corrupt(id, "structured", "nothing, although there is an entry for it"))
        }
        (None, _) => Err(corrupt(id, "entry_id", "nothing, although a document is stored under it")),
    }
}

impl TryFrom<Row> for Submission {
    type Error = Corrupt;

    fn try_from(row: Row) -> Result<Self, Corrupt> {
        let id = row.document_id.0;
        let alert = match (row.alert_code, row.alert_message) {
            (Some(code), Some(message)) => {
                let code = AlertCode::parse(&code).ok_or_else(|| corrupt(id, "alert_code", &code))?;
                Some(Alert { code, message })
            }
            (None, None) => None,
            (Some(_), None) | (None, Some(_)) => return Err(corrupt(id, "alert_code", "half an alert")),
        };
        let entry = row.entry_id.map(|entry| EntryId::try_from(entry.0)).transpose();
        let entry = entry.map_err(|cause| corrupt(id, "entry_id", cause))?;
        let job = row.job_id.map(|job| ProviderJobId::try_from(job.0)).transpose();
        let retries = u32::try_from(row.retries).map_err(|cause| corrupt(id, "retries", cause))?;
        let last_error = json(id, "last_error", row.last_error.as_deref())?;
        let held_until = row.held_until.map(|at| at.0);
        let columns = EntryColumns {
            is_renewed: row.entry_renewed,
            digest: row.entry_digest,
            structured: row.structured,
        };
        let mut columns = StageColumns {
            id,
            stage: Stage::parse(&row.stage).ok_or_else(|| corrupt(id, "stage", &row.stage))?,
            number: row.number.map(InvoiceNumber),
            check_earlier_attempts: row.check_earlier_attempts,
            document: entry_document(id, entry, columns)?,
            plugin: plugin(id, row.plugin_key, row.plugin_version, row.plugin_digest)?,
            job: job.map_err(|cause| corrupt(id, "job_id", cause))?,
            taken_at: row.job_taken_at.map(|at| at.0),
            verdict: json(id, "settlement", row.settlement.as_deref())?,
            calls: Some(CallHistory { retries, last_error, held_until }),
        };
        let progress = columns.progress()?;
        columns.ensure_nothing_left()?;
        Ok(Self {
            document: InvoiceId(id),
            workspace: WorkspaceId(row.workspace_id),
            progress,
            stamps: json(id, "stamps", row.stamps.as_deref())?.unwrap_or_default(),
            alert,
            version: row.version,
            actor: row.actor,
            created_at: row.created_at.0,
            updated_at: row.updated_at.0,
        })
    }
}

/// The columns that both INSERT and UPDATE fill, from `stage` to `job_taken_at`.
pub(super) fn changing(submission: &Submission) -> Result<Vec<Param>, StoreError> {
    let data = submission.data();
    let (document, plugin) = (data.document, data.plugin);
    let alert = submission.alert.as_ref();
    let stamps = (!submission.stamps.is_empty()).then(|| StoreError::json(&submission.stamps)).transpose()?;
    let settlement = data.verdict.as_ref().map(StoreError::json).transpose()?;
    let calls = submission.calls().cloned().unwrap_or_default();
    let last_error = calls.last_error.as_ref().map(StoreError::json).transpose()?;
    Ok(params![
        data.stage.as_str(),
        data.number.map(|number| number.0.clone()),
        document.map(|document| document.entry),
        document.is_some_and(|document| document.is_renewed),
        document.and_then(|document| document.digest.clone()),
        data.check_earlier_attempts,
        data.job,
        plugin.map(|plugin| plugin.key.to_string()),
        plugin.map(|plugin| plugin.version.clone()),
        plugin.map(|plugin| plugin.digest.clone()),
        settlement,
        alert.map(|alert| alert.code.as_str().to_owned()),
        alert.map(|alert| alert.message.clone()),
        i64::from(calls.retries),
        last_error,
        calls.held_until,
        stamps,
        data.taken_at,
    ])
}
