//! Lists of documents of the invoice data service: pages, counts, the last numbers. Documents themselves are in `invoices`.

use super::invoices::{Row, TABLE, columns};
use super::match_count::MatchCount;
use super::recipients::{self, Owner};
use super::search_matches::SearchMatches;
use gateway_database::dispatch::Executor;
use gateway_database::error::StoreError;
use gateway_database::lists::{self, ListQuery, NEWEST_FIRST};
use gateway_database::select::{Condition, Conditions, Scope, Table};
use gateway_database::sql::{params, statements};
use gateway_database::value::Ts;
use gateway_domain::access::Workspaces;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::invoicing::{
    DocumentFilter, DocumentKind, DocumentOrder, DocumentPageKey, GrossRange, Invoice, IssuePeriod, Status,
    in_ten_thousandths,
};
use jiff::Timestamp;

statements! {
    MATCH_BEYOND = pg "SELECT id FROM invoice WHERE number COLLATE \"C\" >= $1 AND number COLLATE \"C\" < $2
        ORDER BY number COLLATE \"C\" LIMIT 1 OFFSET $3",
        sqlite "SELECT id FROM invoice WHERE number >= $1 AND number < $2 ORDER BY number LIMIT 1 OFFSET $3";
    NUMBERED = both concat!("SELECT ", columns!(), " FROM invoice \
        WHERE workspace_id = $1 AND number IS NOT NULL AND kind IN ('invoice', 'credit_note') AND imported IS NULL \
        ORDER BY created_at DESC, id DESC LIMIT $2");
    // What is kept of each state, and how it changed since (`gateway_storage_documents::sums`).
    KEPT_COUNTS = "SELECT workspace_id, status, CAST(SUM(documents) AS BIGINT) FROM (
        SELECT workspace_id, status, documents FROM derived_document_count
        UNION ALL SELECT workspace_id, status, documents FROM derived_document_sum_change) AS part GROUP BY workspace_id, status";
    // The view kept_document: documents that are kept here are counted where they change (`gateway_storage_documents::sums`). Those of
    // a remote service are read only where there is one: SQLite begins with the feed, and PostgreSQL asks for it before it compares
    // all that was booked with all documents.
    COUNT_BY_STATUS = "SELECT workspace_id, status, CAST(SUM(documents) AS BIGINT) AS documents, MIN(issuing_since) AS issuing_since FROM (
        SELECT workspace_id, status, 0 AS documents, MIN(updated_at) AS issuing_since FROM invoice WHERE status = 'issuing'
            GROUP BY workspace_id, status
        UNION ALL SELECT workspace_id, status, documents, NULL FROM derived_document_count
        UNION ALL SELECT workspace_id, status, documents, NULL FROM derived_document_sum_change
        UNION ALL SELECT b.workspace_id, b.status, COUNT(*), MIN(CASE WHEN b.status = 'issuing' THEN b.updated_at END) FROM
            (SELECT 1 AS is_remote FROM finance_feed LIMIT 1) AS feed CROSS JOIN booking_document b
            WHERE EXISTS (SELECT 1 FROM finance_feed) AND NOT EXISTS (SELECT 1 FROM invoice i WHERE i.id = b.document_id)
                AND NOT EXISTS (SELECT 1 FROM finance_document f WHERE f.document_id = b.document_id AND f.data IS NULL)
            GROUP BY b.workspace_id, b.status) AS part GROUP BY workspace_id, status HAVING SUM(documents) <> 0";
}

/// Documents in the order that is asked for.
pub(crate) fn table(order: DocumentOrder) -> Table {
    match order {
        DocumentOrder::OldestFirst => TABLE,
        DocumentOrder::NewestFirst => Table { order: NEWEST_FIRST, ..TABLE },
    }
}

/// The list that a filter leaves of what is visible; `matches`: how many documents match each text of it.
pub(crate) fn query<'a>(
    filter: &DocumentFilter,
    visible: &'a Workspaces,
    matches: &SearchMatches,
) -> ListQuery<'a> {
    // A number is unique in its workspace, and an index says so.
    let (of_one, of_several) = match Scope::of(visible, filter.workspace) {
        Scope::One(_) => (filter.number.clone(), None),
        Scope::Several(_) | Scope::All | Scope::Nowhere => (None, filter.number.clone()),
    };
    let conditions = Conditions::default()
        .word("status", filter.status.map(Status::as_str))
        .word("kind", filter.document_type.map(DocumentKind::as_str))
        .finding("booking_id = ?", filter.booking)
        .finding("number = ?", of_several)
        .and("number = ?", of_one)
        .and_where(filter.number_prefix.as_deref().map(|prefix| begins(prefix, matches.number_prefix)))
        .and("updated_at > ?", filter.updated_after)
        .and_where(filter.accepted_with_errors.then(with_errors));
    let conditions = of_issue_date_and_gross(conditions, filter);
    let found = recipients::conditions(
        Owner::Document,
        filter.recipient.as_ref(),
        one_workspace(filter, visible),
        &matches.recipient,
    );
    ListQuery { visible, workspace: filter.workspace, ids: None, conditions: conditions.all(found) }
}

/// That a number begins so.
fn begins(prefix: &str, matches: MatchCount) -> Condition {
    match matches {
        MatchCount::Few => {
            Condition::among_beginning(("id", "SELECT id FROM invoice WHERE "), "number", prefix)
        }
        MatchCount::Many => Condition::with_common_prefix("number", prefix),
    }
}

/// That the authority accepted it with errors: exactly the condition of the partial indexes.
pub(crate) fn with_errors() -> Condition {
    Condition::new("accepted_with_errors", Vec::new())
}

/// What documents and copies of them have in columns of the same names.
pub(crate) fn of_issue_date_and_gross(conditions: Conditions, filter: &DocumentFilter) -> Conditions {
    conditions
        .and("issue_date >= ?", filter.issued.from.map(|date| date.to_string()))
        .and("issue_date <= ?", filter.issued.to.map(|date| date.to_string()))
        .and("gross_ten_thousandths >= ?", filter.gross.from.map(in_ten_thousandths))
        .and("gross_ten_thousandths <= ?", filter.gross.to.map(in_ten_thousandths))
}

/// The workspace that a request is about, if it is one.
pub(crate) fn one_workspace(filter: &DocumentFilter, visible: &Workspaces) -> Option<WorkspaceId> {
    match Scope::of(visible, filter.workspace) {
        Scope::One(workspace) => Some(workspace),
        Scope::Several(_) | Scope::All | Scope::Nowhere => None,
    }
}

async fn matches_of(
    on: Executor<'_>,
    visible: &Workspaces,
    filter: &DocumentFilter,
) -> Result<SearchMatches, StoreError> {
    SearchMatches::of(on, (Owner::Document, &MATCH_BEYOND), filter, one_workspace(filter, visible)).await
}

/// Whether nothing but a workspace and a state narrows the list.
fn is_of_states_alone(filter: &DocumentFilter) -> bool {
    let DocumentFilter {
        workspace: _,
        status: _,
        booking: None,
        number: None,
        number_prefix: None,
        updated_after: None,
        document_type: None,
        issued: IssuePeriod { from: None, to: None },
        gross: GrossRange { from: None, to: None },
        recipient: None,
        accepted_with_errors: false,
        order: _,
    } = filter
    else {
        return false;
    };
    true
}

/// How many documents all pages have together. Where a workspace and a state alone narrow the list, it is known without reading it;
/// else an entry of an index is read for each of them.
pub async fn count(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    filter: &DocumentFilter,
) -> Result<i64, StoreError> {
    let mut on = on.into();
    if is_of_states_alone(filter) {
        let kept: Vec<(i64, String, i64)> = on.all(&KEPT_COUNTS, params![]).await?;
        let counts = kept.into_iter().filter(|(workspace, status, _)| {
            let workspace = WorkspaceId(*workspace);
            visible.contain(workspace)
                && filter.workspace.is_none_or(|requested| requested == workspace)
                && filter.status.is_none_or(|requested| requested.as_str() == status)
        });
        return Ok(counts.map(|(.., documents)| documents).sum());
    }
    let matches = matches_of(on.reborrow(), visible, filter).await?;
    lists::count(on, TABLE, query(filter, visible, &matches)).await
}

/// Documents after a place, in the order that the filter says.
pub async fn page(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    filter: &DocumentFilter,
    after: Option<DocumentPageKey>,
    limit: i64,
) -> Result<Vec<Invoice>, StoreError> {
    let (after, mut on) = (after.map(|(at, id)| (at, id.0)), on.into());
    let matches = matches_of(on.reborrow(), visible, filter).await?;
    lists::page::<Row, _>(on, table(filter.order), query(filter, visible, &matches), after, limit).await
}

/// How many documents of a workspace are in a state, and since when the oldest waits for the authority.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentCount {
    /// The workspace of the documents.
    pub workspace: WorkspaceId,
    /// The state, as in the column `status`.
    pub status: String,
    /// How many of its documents are in this state.
    pub documents: i64,
    /// When the first of those in Issuing entered it.
    pub issuing_since: Option<Timestamp>,
}

#[derive(sqlx::FromRow)]
struct DocumentCountRow {
    workspace_id: i64,
    status: String,
    documents: i64,
    issuing_since: Option<Ts>,
}

/// The last documents of a workspace that got a number here, the newest first.
pub async fn numbered(
    on: impl Into<Executor<'_>>,
    workspace: WorkspaceId,
    limit: i64,
) -> Result<Vec<Invoice>, StoreError> {
    let rows: Vec<Row> = on.into().all(&NUMBERED, params![workspace, limit]).await?;
    Ok(rows.into_iter().map(Invoice::try_from).collect::<Result<_, _>>()?)
}

/// Counts documents for the metrics, wherever they are kept.
pub async fn counts_by_status(on: impl Into<Executor<'_>>) -> Result<Vec<DocumentCount>, StoreError> {
    let rows: Vec<DocumentCountRow> = on.into().all(&COUNT_BY_STATUS, params![]).await?;
    Ok(rows
        .into_iter()
        .map(|row| DocumentCount {
            workspace: WorkspaceId(row.workspace_id),
            status: row.status,
            documents: row.documents,
            issuing_since: row.issuing_since.map(|at| at.0),
        })
        .collect())
}
