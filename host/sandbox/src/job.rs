//! A run of a workflow: what is kept of it, and how the provider presents it.

use gateway_domain::StoreError;
use gateway_domain::regime::ProviderFault;
use gateway_storage::sandbox::JobRow;
use gateway_storage::{Corrupt, Id, Ts};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

/// Statuses of jobs and of the events of their steps.
pub(crate) mod status {
    pub(crate) const QUEUED: &str = "QUEUED";
    pub(crate) const RUN: &str = "RUN";
    pub(crate) const OK: &str = "OK";
    pub(crate) const KO: &str = "KO";
}

/// What the caller asked for; the same request again is the same job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct JobRequest {
    pub(crate) workflow_id: Uuid,
    pub(crate) silo_entry_id: Uuid,
    #[serde(default)]
    pub(crate) key: Option<String>,
    #[serde(default)]
    pub(crate) args: Option<Value>,
    #[serde(default)]
    pub(crate) tags: Vec<String>,
}

impl JobRequest {
    /// The arguments as they are repeated: an object where none were given.
    pub(crate) fn redacted_args(&self) -> Value {
        self.args.clone().unwrap_or_else(|| Value::Object(Map::new()))
    }
}

/// What is kept of a job beside its id.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct JobBody {
    pub(crate) request: JobRequest,
    pub(crate) status: String,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
    pub(crate) completed_at: Option<Timestamp>,
    pub(crate) faults: Vec<ProviderFault>,
    pub(crate) intents: Vec<Intent>,
}

/// One step of the workflow.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Intent {
    pub(crate) id: Uuid,
    pub(crate) name: String,
    pub(crate) provider: String,
    pub(crate) at: Timestamp,
    /// How the step ended.
    pub(crate) outcome: Event,
}

/// What a step said last.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Event {
    pub(crate) status: String,
    pub(crate) code: Option<String>,
    pub(crate) message: Option<String>,
}

/// A job as loaded.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    pub(crate) id: Uuid,
    pub(crate) body: JobBody,
    /// When it runs; none once it ran.
    pub(crate) run_at: Option<Timestamp>,
}

impl Job {
    /// A job that runs at `run_at`.
    pub(crate) const fn new(id: Uuid, body: JobBody, run_at: Timestamp) -> Self {
        Self { id, body, run_at: Some(run_at) }
    }

    /// As stored.
    pub(crate) fn row(&self) -> Result<JobRow, StoreError> {
        Ok(JobRow {
            id: Id(self.id),
            key: self.body.request.key.clone(),
            entry_id: Id(self.body.request.silo_entry_id),
            body: serde_json::to_string(&self.body).map_err(|error| corrupt(self.id, &error))?,
            run_at: self.run_at.map(Ts),
        })
    }
}

impl TryFrom<JobRow> for Job {
    type Error = StoreError;

    fn try_from(row: JobRow) -> Result<Self, StoreError> {
        let body = serde_json::from_str(&row.body).map_err(|error| corrupt(row.id.0, &error))?;
        Ok(Self { id: row.id.0, body, run_at: row.run_at.map(|at| at.0) })
    }
}

fn corrupt(id: Uuid, error: &serde_json::Error) -> StoreError {
    Corrupt::new("sandbox_job", id, "body", error).into()
}
