//! Submissions of the finance service, with the provider entries they ever used.

mod row;
#[cfg(test)]
mod tests;

pub(crate) use row::{corrupt, plugin};

use crate::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::StoreError;
use gateway_database::lists::{self, ListQuery};
use gateway_database::select::{Condition, Conditions, Part, Select, Table};
use gateway_database::sql::{Param, Sql, params, statements};
use gateway_database::value::Id;
use gateway_domain::access::Workspaces;
use gateway_domain::ids::{EntryId, InvoiceId, WorkspaceId};
use gateway_domain_finance::SubmissionFilter;
use gateway_domain_finance::{Stage, Submission};
use gateway_domain_lists::Window;
use jiff::Timestamp;
use row::{Row, changing};
use uuid::Uuid;

/// What every step writes, in the order of [`changing`].
macro_rules! changing_columns {
    () => {
        "stage, number, entry_id, entry_renewed, entry_digest, check_earlier_attempts, job_id, plugin_key, \
         plugin_version, plugin_digest, settlement, alert_code, alert_message, retries, last_error, held_until, stamps, \
         job_taken_at"
    };
}

macro_rules! columns {
    () => {
        concat!(
            "document_id, workspace_id, ",
            changing_columns!(),
            ", structured, version, actor, created_at, updated_at"
        )
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
    LOCK = each ["SELECT ", (columns!), " FROM submission WHERE document_id = $1", (lock " FOR UPDATE")];
    BY_ENTRY = "SELECT e.document_id, s.workspace_id FROM submission_entry e JOIN submission s ON s.document_id = e.document_id WHERE e.entry_id = $1";
    INSERT = both concat!("INSERT INTO submission (", columns!(), ") \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25) ON CONFLICT DO NOTHING");
    UPDATE = both concat!("UPDATE submission SET (", changing_columns!(), ", actor, updated_at, structured) \
        = ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23), version = version + 1 \
        WHERE document_id = $1 AND version = $2");
    UPDATE_BESIDE_STRUCTURED = both concat!("UPDATE submission SET (", changing_columns!(), ", actor, updated_at) \
        = ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22), version = version + 1 \
        WHERE document_id = $1 AND version = $2");
    KEEP_ENTRY = "INSERT INTO submission_entry (entry_id, document_id, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    ALERTED = "SELECT document_id FROM submission WHERE workspace_id = $1 AND alert_code IS NOT NULL \
               AND stage NOT IN ('accepted', 'rejected', 'superseded', 'withdrawn') ORDER BY updated_at, document_id";
    ALERTS = "SELECT alert_code, COUNT(*) AS submissions FROM submission WHERE alert_code IS NOT NULL GROUP BY alert_code";
}

/// The submission of a document, if the caller may see its workspace.
pub async fn find(
    on: impl Into<Executor<'_>>,
    document: InvoiceId,
    visible: &Workspaces,
) -> Result<Option<Submission>, StoreError> {
    let row: Option<Row> = on.into().optional(&FIND, params![document]).await?;
    let submission = row.map(Submission::try_from).transpose()?;
    Ok(submission.filter(|submission| visible.contain(submission.workspace)))
}

/// The submissions of several documents; those that the caller may not see are left out.
pub async fn of_documents(
    on: impl Into<Executor<'_>>,
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

/// The list that a filter leaves of what is visible, if it may have rows.
pub(crate) fn select(filter: SubmissionFilter, visible: &Workspaces) -> Option<Select> {
    let alerted = filter.alerted.then(|| Condition::new("alert_code IS NOT NULL", Vec::new()));
    let conditions = Conditions::default().word("stage", filter.stage.map(Stage::as_str)).and_where(alerted);
    let query = ListQuery { visible, workspace: None, ids: None, conditions };
    query.select(Table { order: if filter.alerted { ALERTED_ORDER } else { TABLE.order }, ..TABLE })
}

/// Submissions that the caller may see: those that wait for somebody first, then the last changed.
pub async fn list(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    filter: SubmissionFilter,
    Window { offset, size }: Window,
) -> Result<Vec<Submission>, StoreError> {
    // The first rows of several workspaces are merged from those of each; behind them, rows are counted.
    let part = if offset == 0 { Part::First(size) } else { Part::Window { offset, size } };
    match select(filter, visible) {
        Some(select) => lists::parsed(on.into().rows::<Row>(&select, part).await?),
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
    on: impl Into<Executor<'_>>,
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
        structured(submission),
        submission.version,
        &submission.actor,
        submission.created_at,
        submission.updated_at
    ]);
    Ok(tx.execute(&INSERT, arguments).await? == 1)
}

/// Stores a step if the submission is still as it was read; `false` when somebody else moved it.
pub async fn update(tx: &mut Tx, submission: &Submission) -> Result<bool, StoreError> {
    let mut arguments = update_arguments(submission)?;
    arguments.extend(params![structured(submission)]);
    Ok(tx.execute(&UPDATE, arguments).await? == 1)
}

/// [`update`] with the next statement or the commit of the transaction, which fails with [`StoreError::Moved`] when somebody else
/// moved the submission. The structured document is far larger than the rest, and written only by a step that may change it.
pub fn update_later(tx: &mut Tx, submission: &Submission) -> Result<(), StoreError> {
    let mut arguments = update_arguments(submission)?;
    let keeps = submission.stage().keeps_structured_document() && submission.data().document.is_some();
    let statement = if keeps {
        &UPDATE_BESIDE_STRUCTURED
    } else {
        arguments.extend(params![structured(submission)]);
        &UPDATE
    };
    tx.execute_one_later(statement, arguments, "submission");
    Ok(())
}

fn structured(submission: &Submission) -> Option<String> {
    submission.data().document.map(|document| document.structured.to_string())
}

fn update_arguments(submission: &Submission) -> Result<Vec<Param>, StoreError> {
    let mut arguments = params![submission.document, submission.version];
    arguments.extend(changing(submission)?);
    arguments.extend(params![&submission.actor, submission.updated_at]);
    Ok(arguments)
}

/// Keeps an entry id before it is used at the provider: unique, and found again by the webhook.
pub fn keep_entry(tx: &mut Tx, entry: EntryId, document: InvoiceId, now: Timestamp) {
    tx.execute_later(&KEEP_ENTRY, params![entry, document, now]);
}

/// The documents of a workspace whose submissions wait for somebody, the one that waits longest first.
pub async fn alerted(
    on: impl Into<Executor<'_>>,
    workspace: WorkspaceId,
) -> Result<Vec<InvoiceId>, StoreError> {
    let rows: Vec<(Id,)> = on.into().all(&ALERTED, params![workspace]).await?;
    Ok(rows.into_iter().map(|(document,)| InvoiceId(document.0)).collect())
}

#[derive(sqlx::FromRow)]
struct AlertRow {
    alert_code: String,
    submissions: i64,
}

/// How many submissions wait for somebody, by alert.
pub async fn alerts(on: impl Into<Executor<'_>>) -> Result<Vec<(String, i64)>, StoreError> {
    let rows: Vec<AlertRow> = on.into().all(&ALERTS, params![]).await?;
    Ok(rows.into_iter().map(|row| (row.alert_code, row.submissions)).collect())
}
