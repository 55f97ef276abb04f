//! Until when documents have to be filed, one row each.

use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::sql::{ids, params, statements};
use gateway_database::value::{Id, Ts};
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::InvoiceNumber;
use gateway_domain::regime::FilingMark;
use gateway_domain_deadline::FilingDeadline;
use gateway_domain_finance::Stage;
use jiff::Timestamp;
use std::collections::HashMap;

macro_rules! columns {
    () => {
        "document_id, workspace_id, number, issued_at, file_by, mark, note, checked_at"
    };
}

statements! {
    // Told once of each limit: another limit is told anew.
    KEEP = both concat!("INSERT INTO filing_deadline (", columns!(), ", alert_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
        ON CONFLICT (document_id) DO UPDATE SET number = excluded.number, issued_at = excluded.issued_at, \
            file_by = excluded.file_by, mark = excluded.mark, note = excluded.note, checked_at = excluded.checked_at, \
            alert_at = excluded.alert_at, \
            alerted_at = CASE WHEN filing_deadline.alert_at = excluded.alert_at THEN filing_deadline.alerted_at END");
    // Exactly the condition of the partial index.
    TO_TELL = "SELECT d.document_id, d.workspace_id, d.number, d.issued_at, d.file_by, d.mark, d.note, d.checked_at, s.stage
        FROM filing_deadline d LEFT JOIN submission s ON s.document_id = d.document_id
        WHERE d.alert_at <= $1 AND d.alerted_at IS NULL AND d.alert_at IS NOT NULL ORDER BY d.alert_at LIMIT $2";
    SET_ALERTED = "UPDATE filing_deadline SET alerted_at = $2 WHERE document_id = $1 AND alerted_at IS NULL";
    FIND = both concat!("SELECT ", columns!(), " FROM filing_deadline WHERE document_id = $1");
    OF_DOCUMENTS = each ["SELECT ", (columns!), " FROM filing_deadline WHERE ", (among "document_id", "$1")];
}

#[derive(sqlx::FromRow)]
struct Row {
    document_id: Id,
    workspace_id: i64,
    number: String,
    issued_at: Ts,
    file_by: Option<Ts>,
    mark: Option<String>,
    note: Option<String>,
    checked_at: Ts,
}

/// A limit that somebody has to be told of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToTell {
    /// What the plugin said.
    pub filing: FilingDeadline,
    /// Whether its submission has not ended.
    pub is_open: bool,
}

#[derive(sqlx::FromRow)]
struct ToTellRow {
    #[sqlx(flatten)]
    filing: Row,
    stage: Option<String>,
}

impl TryFrom<Row> for FilingDeadline {
    type Error = Corrupt;

    fn try_from(row: Row) -> Result<Self, Corrupt> {
        let id = row.document_id.0;
        let mark = row.mark.map(FilingMark::try_from).transpose();
        Ok(Self {
            document: InvoiceId(id),
            workspace: WorkspaceId(row.workspace_id),
            number: InvoiceNumber(row.number),
            issued_at: row.issued_at.0,
            file_by: row.file_by.map(|at| at.0),
            mark: mark.map_err(|cause| Corrupt::new("filing_deadline", id, "mark", cause))?,
            note: row.note,
            checked_at: row.checked_at.0,
        })
    }
}

/// Keeps what the plugin said last. `alert_at` is when somebody is told.
pub fn keep(tx: &mut Tx, filing: &FilingDeadline, alert_at: Option<Timestamp>) {
    let FilingDeadline { document, workspace, number, issued_at, file_by, mark, note, checked_at } = filing;
    let mark = mark.as_ref().map(|mark| mark.as_str().to_owned());
    let arguments = params![
        *document,
        *workspace,
        &number.0,
        *issued_at,
        *file_by,
        mark,
        note.clone(),
        *checked_at,
        alert_at,
    ];
    tx.execute_later(&KEEP, arguments);
}

/// What was said last of a document. Look the document up first: that checks who may see it.
pub async fn find(
    on: impl Into<Executor<'_>>,
    document: InvoiceId,
) -> Result<Option<FilingDeadline>, StoreError> {
    let row: Option<Row> = on.into().optional(&FIND, params![document]).await?;
    Ok(row.map(FilingDeadline::try_from).transpose()?)
}

/// The same of several documents, by document; those of which nothing was said are left out.
pub async fn of_documents(
    on: impl Into<Executor<'_>>,
    documents: &[InvoiceId],
) -> Result<HashMap<InvoiceId, FilingDeadline>, StoreError> {
    if documents.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<Row> = on.into().all(&OF_DOCUMENTS, vec![ids(documents)]).await?;
    let filing = |row: Row| FilingDeadline::try_from(row).map(|filing| (filing.document, filing));
    Ok(rows.into_iter().map(filing).collect::<Result<_, _>>()?)
}

/// Limits that are told by `now` and were not, the earliest first.
pub async fn to_tell(
    on: impl Into<Executor<'_>>,
    now: Timestamp,
    limit: i64,
) -> Result<Vec<ToTell>, StoreError> {
    let rows: Vec<ToTellRow> = on.into().all(&TO_TELL, params![now, limit]).await?;
    let read = |row: ToTellRow| {
        let stage = row.stage.as_deref().and_then(Stage::parse);
        Ok(ToTell { filing: row.filing.try_into()?, is_open: stage.is_some_and(|stage| !stage.ended()) })
    };
    Ok(rows.into_iter().map(read).collect::<Result<_, Corrupt>>()?)
}

/// Somebody was told of a limit; `false` when somebody was before.
pub async fn set_alerted(tx: &mut Tx, document: InvoiceId, now: Timestamp) -> Result<bool, StoreError> {
    Ok(tx.execute(&SET_ALERTED, params![document, now]).await? == 1)
}
