//! Submissions of the finance service, with the provider entries they ever used.

use crate::Tx;
use crate::dispatch::On;
use crate::error::{Corrupt, StoreError};
use crate::lists::{self, Ask};
use crate::select::{Condition, Conditions, Part, Select, Table};
use crate::sql::{Param, Sql, params, statements};
use crate::value::{Id, Ts};
use gateway_domain::access::Workspaces;
use gateway_domain::finance::{Alert, AlertCode, Stage, Submission};
use gateway_domain::ids::{EntryId, InvoiceId, JobId, WorkspaceId};
use gateway_domain::invoicing::InvoiceNumber;
use gateway_domain::regime::PluginRef;
use jiff::Timestamp;
use uuid::Uuid;

macro_rules! columns {
    () => {
        "document_id, workspace_id, stage, number, entry_id, entry_renewed, entry_digest, check_earlier_attempts, job_id, \
         structured, plugin_key, plugin_version, plugin_digest, settlement, alert_code, alert_message, retries, \
         last_error, held_until, stamps, job_taken_at, version, actor, created_at, updated_at"
    };
}

/// Submissions as they are listed: those that wait for somebody first, then the last changed.
pub(crate) const TABLE: Table = Table {
    name: "submission",
    key: "document_id",
    columns: Sql::both(columns!()),
    order: "(alert_code IS NULL), updated_at DESC, document_id",
    has_workspace: true,
};
/// Where all of them wait for somebody.
const ALERTED_ORDER: &str = "updated_at DESC, document_id";

statements! {
    FIND = both concat!("SELECT ", columns!(), " FROM submission WHERE document_id = $1");
    LOCK = pg concat!("SELECT ", columns!(), " FROM submission WHERE document_id = $1 FOR UPDATE"),
        lite concat!("SELECT ", columns!(), " FROM submission WHERE document_id = $1");
    BY_ENTRY = "SELECT e.document_id, s.workspace_id FROM submission_entry e JOIN submission s ON s.document_id = e.document_id WHERE e.entry_id = $1";
    INSERT = both concat!("INSERT INTO submission (", columns!(), ") \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25) ON CONFLICT DO NOTHING");
    UPDATE = "UPDATE submission SET stage = $3, number = $4, entry_id = $5, entry_renewed = $6, entry_digest = $7, check_earlier_attempts = $8, \
              job_id = $9, structured = $10, plugin_key = $11, plugin_version = $12, plugin_digest = $13, settlement = $14, \
              alert_code = $15, alert_message = $16, retries = $17, last_error = $18, held_until = $19, stamps = $20, \
              job_taken_at = $21, version = version + 1, actor = $22, updated_at = $23 WHERE document_id = $1 AND version = $2";
    KEEP_ENTRY = "INSERT INTO submission_entry (entry_id, document_id, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    ALERTED = "SELECT document_id FROM submission WHERE workspace_id = $1 AND alert_code IS NOT NULL \
               AND stage NOT IN ('accepted', 'rejected', 'superseded', 'withdrawn') ORDER BY updated_at, document_id";
    ALERTS = "SELECT alert_code, COUNT(*) AS submissions FROM submission WHERE alert_code IS NOT NULL GROUP BY alert_code";
}

#[derive(sqlx::FromRow)]
struct Row {
    document_id: Id,
    workspace_id: i64,
    stage: String,
    number: Option<String>,
    entry_id: Option<Id>,
    entry_renewed: bool,
    entry_digest: Option<String>,
    check_earlier_attempts: bool,
    job_id: Option<Id>,
    structured: Option<String>,
    plugin_key: Option<String>,
    plugin_version: Option<String>,
    plugin_digest: Option<String>,
    settlement: Option<String>,
    alert_code: Option<String>,
    alert_message: Option<String>,
    retries: i64,
    last_error: Option<String>,
    held_until: Option<Ts>,
    stamps: Option<String>,
    job_taken_at: Option<Ts>,
    version: i64,
    actor: String,
    created_at: Ts,
    updated_at: Ts,
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

impl TryFrom<Row> for Submission {
    type Error = Corrupt;

    fn try_from(row: Row) -> Result<Self, Corrupt> {
        let id = row.document_id.0;
        let alert = match (row.alert_code, row.alert_message) {
            (Some(code), Some(message)) => {
                let code = AlertCode::parse(&code).ok_or_else(|| corrupt(id, "alert_code", &code))?;
                Some(Alert { code, message })
            }
            _ => None,
        };
        let version7 = |column, value: Option<Id>| {
            value
                .map(|value| EntryId::try_from(value.0).map_err(|cause| corrupt(id, column, cause)))
                .transpose()
        };
        let job = row.job_id.map(|job| JobId::try_from(job.0)).transpose();
        let settlement = row.settlement.as_deref().map(serde_json::from_str).transpose();
        let stamps = row.stamps.as_deref().map(serde_json::from_str).transpose();
        let last_error = row.last_error.as_deref().map(serde_json::from_str).transpose();
        Ok(Self {
            document: InvoiceId(id),
            workspace: WorkspaceId(row.workspace_id),
            stage: Stage::parse(&row.stage).ok_or_else(|| corrupt(id, "stage", &row.stage))?,
            number: row.number.map(InvoiceNumber),
            entry: version7("entry_id", row.entry_id)?,
            entry_renewed: row.entry_renewed,
            entry_digest: row.entry_digest,
            check_earlier_attempts: row.check_earlier_attempts,
            job: job.map_err(|cause| corrupt(id, "job_id", cause))?,
            job_taken_at: row.job_taken_at.map(|at| at.0),
            structured: row.structured,
            plugin: plugin(id, row.plugin_key, row.plugin_version, row.plugin_digest)?,
            stamps: stamps.map_err(|cause| corrupt(id, "stamps", cause))?.unwrap_or_default(),
            settlement: settlement.map_err(|cause| corrupt(id, "settlement", cause))?,
            alert,
            retries: u32::try_from(row.retries).map_err(|cause| corrupt(id, "retries", cause))?,
            last_error: last_error.map_err(|cause| corrupt(id, "last_error", cause))?,
            held_until: row.held_until.map(|at| at.0),
            version: row.version,
            actor: row.actor,
            created_at: row.created_at.0,
            updated_at: row.updated_at.0,
        })
    }
}

/// The columns that both INSERT and UPDATE fill, from `stage` to `job_taken_at`.
fn changing(submission: &Submission) -> Result<Vec<Param>, StoreError> {
    let plugin = submission.plugin.as_ref();
    let alert = submission.alert.as_ref();
    let stamps = (!submission.stamps.is_empty()).then(|| StoreError::json(&submission.stamps)).transpose()?;
    let settlement = submission.settlement.as_ref().map(StoreError::json).transpose()?;
    let last_error = submission.last_error.as_ref().map(StoreError::json).transpose()?;
    Ok(params![
        submission.stage.as_str(),
        submission.number.as_ref().map(|number| number.0.clone()),
        submission.entry,
        submission.entry_renewed,
        submission.entry_digest.clone(),
        submission.check_earlier_attempts,
        submission.job,
        submission.structured.clone(),
        plugin.map(|plugin| plugin.key.to_string()),
        plugin.map(|plugin| plugin.version.clone()),
        plugin.map(|plugin| plugin.digest.clone()),
        settlement,
        alert.map(|alert| alert.code.as_str().to_owned()),
        alert.map(|alert| alert.message.clone()),
        i64::from(submission.retries),
        last_error,
        submission.held_until,
        stamps,
        submission.job_taken_at,
    ])
}

/// The submission of a document, if the caller may see its workspace.
pub async fn find(
    on: impl Into<On<'_>>,
    document: InvoiceId,
    visible: &Workspaces,
) -> Result<Option<Submission>, StoreError> {
    let row: Option<Row> = on.into().optional(&FIND, params![document]).await?;
    let submission = row.map(Submission::try_from).transpose()?;
    Ok(submission.filter(|submission| visible.contain(submission.workspace)))
}

/// The submissions of several documents; those that the caller may not see are left out.
pub async fn of_documents(
    on: impl Into<On<'_>>,
    documents: &[InvoiceId],
    visible: &Workspaces,
) -> Result<Vec<Submission>, StoreError> {
    lists::by_ids::<Row, _>(on.into(), TABLE, visible, documents).await
}

/// The submission of a document, held until the transaction ends. Lock the document first.
pub async fn lock(
    tx: &mut Tx,
    document: InvoiceId,
    visible: &Workspaces,
) -> Result<Option<Submission>, StoreError> {
    let row: Option<Row> = tx.fetch_optional(&LOCK, params![document]).await?;
    let submission = row.map(Submission::try_from).transpose()?;
    Ok(submission.filter(|submission| visible.contain(submission.workspace)))
}

/// Which submissions a list shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only those that are so far.
    pub stage: Option<Stage>,
    /// Only those that wait for somebody.
    pub alerted: bool,
}

impl Filter {
    /// The list that the filter leaves of what is visible, if it may have rows.
    pub(crate) fn select(self, visible: &Workspaces) -> Option<Select> {
        let alerted = self.alerted.then(|| Condition::new("alert_code IS NOT NULL", Vec::new()));
        let conditions = Conditions::default().word("stage", self.stage.map(Stage::as_str)).also(alerted);
        let ask = Ask { visible, wanted: None, ids: None, conditions };
        ask.select(Table { order: if self.alerted { ALERTED_ORDER } else { TABLE.order }, ..TABLE })
    }
}

/// Submissions that the caller may see: those that wait for somebody first, then the last changed.
pub async fn list(
    on: impl Into<On<'_>>,
    visible: &Workspaces,
    filter: Filter,
    limit: i64,
) -> Result<Vec<Submission>, StoreError> {
    match filter.select(visible) {
        Some(select) => lists::parsed(on.into().rows::<Row>(&select, Part::First(limit)).await?),
        None => Ok(Vec::new()),
    }
}

#[derive(sqlx::FromRow)]
struct Owner {
    document_id: Id,
    workspace_id: i64,
}

/// Whose document was stored under this entry id. The provider names any id, so nothing is assumed of it.
pub async fn by_entry(
    on: impl Into<On<'_>>,
    entry: Uuid,
) -> Result<Option<(InvoiceId, WorkspaceId)>, StoreError> {
    let owner: Option<Owner> = on.into().optional(&BY_ENTRY, params![entry]).await?;
    Ok(owner.map(|owner| (InvoiceId(owner.document_id.0), WorkspaceId(owner.workspace_id))))
}

/// Stores the first intent for a document; `false` when there is one already.
pub async fn insert(tx: &mut Tx, submission: &Submission) -> Result<bool, StoreError> {
    let mut arguments = params![submission.document, submission.workspace];
    arguments.extend(changing(submission)?);
    arguments.extend(params![
        submission.version,
        &submission.actor,
        submission.created_at,
        submission.updated_at
    ]);
    Ok(tx.execute(&INSERT, arguments).await? == 1)
}

/// Stores a step if the submission is still as it was read; `false` when somebody else moved it.
pub async fn update(tx: &mut Tx, submission: &Submission) -> Result<bool, StoreError> {
    let mut arguments = params![submission.document, submission.version];
    arguments.extend(changing(submission)?);
    arguments.extend(params![&submission.actor, submission.updated_at]);
    Ok(tx.execute(&UPDATE, arguments).await? == 1)
}

/// Keeps an entry id before it is used at the provider: unique, and found again by the webhook.
pub async fn keep_entry(
    tx: &mut Tx,
    entry: EntryId,
    document: InvoiceId,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(&KEEP_ENTRY, params![entry, document, now]).await?;
    Ok(())
}

/// The documents of a workspace whose submissions wait for somebody, the one that waits longest first.
pub async fn alerted(on: impl Into<On<'_>>, workspace: WorkspaceId) -> Result<Vec<InvoiceId>, StoreError> {
    let rows: Vec<(Id,)> = on.into().all(&ALERTED, params![workspace]).await?;
    Ok(rows.into_iter().map(|(document,)| InvoiceId(document.0)).collect())
}

#[derive(sqlx::FromRow)]
struct AlertRow {
    alert_code: String,
    submissions: i64,
}

/// How many submissions wait for somebody, by alert.
pub async fn alerts(on: impl Into<On<'_>>) -> Result<Vec<(String, i64)>, StoreError> {
    let rows: Vec<AlertRow> = on.into().all(&ALERTS, params![]).await?;
    Ok(rows.into_iter().map(|row| (row.alert_code, row.submissions)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, samples::at};

    /// The submission of a document, changed so many seconds after the first one.
    async fn stored(tx: &mut Tx, id: u128, workspace: i64, second: i64, alerted: bool) -> InvoiceId {
        let document = InvoiceId(Uuid::from_u128(id));
        let requested =
            Submission::requested(document, WorkspaceId(workspace), "jane".to_owned(), at(second));
        let alert =
            Alert { code: AlertCode::ProviderNotConfigured, message: "set provider.base_url".to_owned() };
        let submission = Submission { alert: alerted.then_some(alert), ..requested };
        assert!(insert(tx, &submission).await.unwrap());
        document
    }

    #[tokio::test]
    async fn what_waits_for_somebody_is_listed_before_what_changed_last_and_only_to_whom_it_may_concern() {
        for db in testing::both().await {
            let mut tx = db.begin().await.unwrap();
            let old = stored(&mut tx, 1, 1, 0, true).await;
            let new = stored(&mut tx, 2, 1, 1, false).await;
            let others = stored(&mut tx, 3, 2, 2, true).await;
            let newest = stored(&mut tx, 4, 1, 3, false).await;
            let one = Workspaces::Only(vec![WorkspaceId(1)]);
            let (every, alerted) = (Filter::default(), Filter { alerted: true, ..Filter::default() });
            let ended = Filter { stage: Some(Stage::Accepted), ..every };
            for (visible, filter, limit, wanted) in [
                (&Workspaces::All, every, 9, vec![others, old, newest, new]),
                (&one, every, 9, vec![old, newest, new]),
                (&one, every, 2, vec![old, newest]),
                (&Workspaces::All, alerted, 9, vec![others, old]),
                (&one, alerted, 1, vec![old]),
                (&one, ended, 9, Vec::new()),
                (&Workspaces::Only(Vec::new()), every, 9, Vec::new()),
            ] {
                let listed = list(&mut tx, visible, filter, limit).await.unwrap();
                let listed: Vec<_> = listed.into_iter().map(|submission| submission.document).collect();
                assert_eq!(listed, wanted, "{visible:?} {filter:?} {limit}");
            }
        }
    }

    #[tokio::test]
    async fn the_submissions_of_several_documents_are_what_each_of_them_is_alone() {
        for db in testing::both().await {
            let mut tx = db.begin().await.unwrap();
            let (one, two) = (stored(&mut tx, 1, 1, 0, true).await, stored(&mut tx, 2, 1, 1, false).await);
            let others = stored(&mut tx, 3, 2, 2, false).await;
            let visible = Workspaces::Only(vec![WorkspaceId(1)]);
            let found = of_documents(&mut tx, &[one, two, others], &visible).await.unwrap();
            assert_eq!(found.len(), 2);
            for submission in found {
                let alone = find(&mut tx, submission.document, &visible).await.unwrap();
                assert_eq!(Some(submission), alone);
            }
        }
    }
}
