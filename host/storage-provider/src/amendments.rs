//! Amendments of issued documents, one row each.

use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::sql::{Param, params, statements};
use gateway_database::value::{Id, Ts};
use gateway_domain::fault::Fault;
use gateway_domain::ids::{AmendmentId, EntryId, InvoiceId, ProviderJobId, WorkspaceId};
use gateway_domain::invoicing::{Acceptance, InvoiceNumber};
use gateway_domain::regime::{PluginRef, Stamp};
use gateway_domain_amendment::{
    Amendment, AmendmentFiling, AmendmentProgress, AmendmentStage, AmendmentState, OpenAmendment,
};
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! columns {
    () => {
        "id, document_id, workspace_id, ordinal, number, changes, content, replaced, job_id, entry_id, plugin_key, plugin_version, \
         plugin_digest, structured, actor, created_at, entry_digest, state, taken_at, retries, problem, outcome, ended_at, \
         updated_at, version"
    };
}

statements! {
    INSERT = both concat!("INSERT INTO amendment (", columns!(), ") \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25) \
        ON CONFLICT DO NOTHING");
    UPDATE = "UPDATE amendment SET (entry_digest, state, taken_at, retries, problem, outcome, ended_at, updated_at)
        = ($3, $4, $5, $6, $7, $8, $9, $10), version = version + 1 WHERE id = $1 AND version = $2";
    OF_DOCUMENT = both concat!("SELECT ", columns!(), " FROM amendment WHERE document_id = $1 ORDER BY ordinal");
    OPEN_BY_STATE = "SELECT state, COUNT(*) AS amendments FROM amendment WHERE state IN ('uploading', 'starting', 'waiting') GROUP BY state";
    // Exactly the condition of the partial index.
    OPEN = both concat!("SELECT ", columns!(), " FROM amendment WHERE document_id = $1 AND state IN ('uploading', 'starting', 'waiting')");
}

#[derive(sqlx::FromRow)]
struct Row {
    id: Id,
    document_id: Id,
    workspace_id: i64,
    ordinal: i64,
    number: String,
    changes: String,
    content: String,
    replaced: String,
    job_id: Id,
    entry_id: Id,
    plugin_key: String,
    plugin_version: String,
    plugin_digest: String,
    structured: String,
    actor: String,
    created_at: Ts,
    entry_digest: Option<String>,
    state: String,
    taken_at: Option<Ts>,
    retries: i64,
    problem: Option<String>,
    outcome: Option<String>,
    ended_at: Option<Ts>,
    updated_at: Ts,
    version: i64,
}

/// How an amendment ended, in the members that its state has.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct OutcomeData {
    #[serde(skip_serializing_if = "Option::is_none")]
    acceptance: Option<Acceptance>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stamps: Vec<Stamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    faults: Vec<Fault>,
}

fn corrupt(id: Uuid, column: &'static str, cause: impl std::fmt::Display) -> Corrupt {
    Corrupt::new("amendment", id, column, cause)
}

fn json<T: DeserializeOwned>(id: Uuid, column: &'static str, text: &str) -> Result<T, Corrupt> {
    serde_json::from_str(text).map_err(|cause| corrupt(id, column, cause))
}

impl Row {
    fn progress(&self) -> Result<AmendmentProgress, Corrupt> {
        let id = self.id.0;
        let state = AmendmentState::parse(&self.state).ok_or_else(|| corrupt(id, "state", &self.state))?;
        let open = |stage| -> Result<_, Corrupt> {
            let retries = u32::try_from(self.retries).map_err(|cause| corrupt(id, "retries", cause))?;
            Ok(AmendmentProgress::Open(OpenAmendment { stage, retries, problem: self.problem.clone() }))
        };
        let ended = || -> Result<(OutcomeData, Timestamp), Corrupt> {
            let text = self.outcome.as_deref().ok_or_else(|| corrupt(id, "outcome", "NULL"))?;
            let at = self.ended_at.as_ref().ok_or_else(|| corrupt(id, "ended_at", "NULL"))?;
            Ok((json(id, "outcome", text)?, at.0))
        };
        let missing = |member| corrupt(id, "outcome", format!("no {member}"));
        match state {
            AmendmentState::Uploading => open(AmendmentStage::Uploading),
            AmendmentState::Starting => open(AmendmentStage::Starting),
            AmendmentState::Waiting => {
                let taken_at = self.taken_at.as_ref().ok_or_else(|| corrupt(id, "taken_at", "NULL"))?;
                open(AmendmentStage::Waiting { taken_at: taken_at.0 })
            }
            AmendmentState::Accepted => {
                let (data, at) = ended()?;
                let acceptance = data.acceptance.ok_or_else(|| missing("acceptance"))?;
                Ok(AmendmentProgress::Accepted { acceptance, stamps: data.stamps, at })
            }
            AmendmentState::Refused => {
                let (data, at) = ended()?;
                let reason = data.reason.ok_or_else(|| missing("reason"))?;
                Ok(AmendmentProgress::Refused { reason, faults: data.faults, at })
            }
            AmendmentState::Withdrawn => {
                let (data, at) = ended()?;
                Ok(AmendmentProgress::Withdrawn { reason: data.reason.ok_or_else(|| missing("reason"))?, at })
            }
        }
    }
}

impl TryFrom<Row> for Amendment {
    type Error = Corrupt;

    fn try_from(row: Row) -> Result<Self, Corrupt> {
        let id = row.id.0;
        let progress = row.progress()?;
        let key = row.plugin_key.parse().map_err(|cause| corrupt(id, "plugin_key", cause))?;
        let filing = AmendmentFiling {
            job: ProviderJobId::try_from(row.job_id.0).map_err(|cause| corrupt(id, "job_id", cause))?,
            entry: EntryId::try_from(row.entry_id.0).map_err(|cause| corrupt(id, "entry_id", cause))?,
            plugin: PluginRef { key, version: row.plugin_version, digest: row.plugin_digest },
            structured: row.structured,
            digest: row.entry_digest,
        };
        Ok(Self {
            id: AmendmentId(id),
            document: InvoiceId(row.document_id.0),
            workspace: WorkspaceId(row.workspace_id),
            ordinal: row.ordinal,
            number: InvoiceNumber(row.number),
            changes: json(id, "changes", &row.changes)?,
            content: json(id, "content", &row.content)?,
            replaced: json(id, "replaced", &row.replaced)?,
            filing,
            progress,
            actor: row.actor,
            version: row.version,
            created_at: row.created_at.0,
            updated_at: row.updated_at.0,
        })
    }
}

/// What changes with a step: digest, state, time of the job, retries, problem, outcome and end.
fn changing(amendment: &Amendment) -> Result<Vec<Param>, StoreError> {
    let (mut taken, mut retries, mut problem, mut ended) = (None, 0, None, None);
    match &amendment.progress {
        AmendmentProgress::Open(open) => {
            retries = open.retries;
            problem.clone_from(&open.problem);
            if let AmendmentStage::Waiting { taken_at } = open.stage {
                taken = Some(taken_at);
            }
        }
        AmendmentProgress::Accepted { acceptance, stamps, at } => {
            let data = OutcomeData {
                acceptance: Some(acceptance.clone()),
                stamps: stamps.clone(),
                ..OutcomeData::default()
            };
            ended = Some((data, *at));
        }
        AmendmentProgress::Refused { reason, faults, at } => {
            let data = OutcomeData {
                reason: Some(reason.clone()),
                faults: faults.clone(),
                ..OutcomeData::default()
            };
            ended = Some((data, *at));
        }
        AmendmentProgress::Withdrawn { reason, at } => {
            let data = OutcomeData { reason: Some(reason.clone()), ..OutcomeData::default() };
            ended = Some((data, *at));
        }
    }
    let (outcome, ended_at) = ended.unzip();
    Ok(params![
        amendment.filing.digest.clone(),
        amendment.progress.state().as_str(),
        taken,
        i64::from(retries),
        problem,
        outcome.as_ref().map(StoreError::json).transpose()?,
        ended_at,
        amendment.updated_at,
    ])
}

/// Stores a new amendment; `false` when one of the document is under way.
pub async fn insert(tx: &mut Tx, amendment: &Amendment) -> Result<bool, StoreError> {
    let filing = &amendment.filing;
    let mut arguments = params![
        amendment.id.0,
        amendment.document,
        amendment.workspace,
        amendment.ordinal,
        &amendment.number.0,
        StoreError::json(&amendment.changes)?,
        StoreError::json(&amendment.content)?,
        StoreError::json(&amendment.replaced)?,
        filing.job,
        filing.entry,
        filing.plugin.key.to_string(),
        &filing.plugin.version,
        &filing.plugin.digest,
        &filing.structured,
        &amendment.actor,
        amendment.created_at,
    ];
    arguments.extend(changing(amendment)?);
    arguments.extend(params![amendment.version]);
    Ok(tx.execute(&INSERT, arguments).await? == 1)
}

/// Stores a step if the amendment is still as it was read; `false` when somebody else moved it.
pub async fn update(tx: &mut Tx, amendment: &Amendment) -> Result<bool, StoreError> {
    let mut arguments = params![amendment.id.0, amendment.version];
    arguments.extend(changing(amendment)?);
    Ok(tx.execute(&UPDATE, arguments).await? == 1)
}

/// The amendments of a document in their order. Look the document up first: that checks who may see it.
pub async fn of_document(
    on: impl Into<Executor<'_>>,
    document: InvoiceId,
) -> Result<Vec<Amendment>, StoreError> {
    let rows: Vec<Row> = on.into().all(&OF_DOCUMENT, params![document]).await?;
    Ok(rows.into_iter().map(Amendment::try_from).collect::<Result<_, _>>()?)
}

/// The amendment of a document that is under way.
pub async fn open(on: impl Into<Executor<'_>>, document: InvoiceId) -> Result<Option<Amendment>, StoreError> {
    let row: Option<Row> = on.into().optional(&OPEN, params![document]).await?;
    Ok(row.map(Amendment::try_from).transpose()?)
}

/// How many amendments are under way, by the word for how far they are.
pub async fn open_by_state(on: impl Into<Executor<'_>>) -> Result<Vec<(String, i64)>, StoreError> {
    on.into().all(&OPEN_BY_STATE, params![]).await
}
