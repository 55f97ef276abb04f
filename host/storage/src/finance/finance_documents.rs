//! Finance's own copy of each document, as the event feed told it.
//!
//! The newest by (creation time, version) stays whatever the order in which copies come; deleting is a change like
//! any other, so a row without data says that the document is gone.

use crate::columns::{excluded, names};
use crate::invoicing::invoice_lists::{of_issue_date_and_gross, one_workspace, with_errors};
use crate::invoicing::match_count::MatchCount;
use crate::invoicing::recipients::{self, Owner};
use crate::invoicing::search_matches::SearchMatches;
use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::lists::{self, ListQuery};
use gateway_database::select::{Condition, Conditions, Part, Table};
use gateway_database::sql::{Param, Sql, json_rows, params, statements};
use gateway_database::value::{Id, Ts};
use gateway_domain::access::Workspaces;
use gateway_domain::ids::{BookingId, InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{
    DocumentFilter, DocumentKind, DocumentOrder, DocumentPageKey, Status, in_ten_thousandths,
};
use gateway_domain::money::Amount;
use gateway_domain_events::DocumentRange;
use jiff::Timestamp;
use jiff::civil::Date;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// Copies as they are listed.
pub(crate) const TABLE: Table = Table {
    name: "finance_document",
    key: "document_id",
    columns: Sql::both("document_id, created_at, data"),
    order: "created_at, document_id",
    has_workspace: true,
};

/// Copies in the order that is asked for.
pub(crate) fn table(order: DocumentOrder) -> Table {
    match order {
        DocumentOrder::OldestFirst => TABLE,
        DocumentOrder::NewestFirst => Table { order: NEWEST_FIRST, ..TABLE },
    }
}

/// The same indexes give it, read from their end.
const NEWEST_FIRST: &str = "created_at DESC, document_id DESC";

/// What lists find a copy by, in the order of [`FilterValues::columns`].
macro_rules! filter_columns {
    ($form:ident) => {
        $form!(
            status,
            booking_id,
            number,
            document_type,
            issue_date,
            gross_ten_thousandths,
            accepted_with_errors,
            filters_version
        )
    };
}

/// What a copy has besides its document and what lists find it by.
macro_rules! copy_columns {
    ($form:ident) => {
        $form!(workspace_id, created_at, version, data, updated_at)
    };
}

macro_rules! kept_names {
    () => {
        concat!(copy_columns!(names), ", ", filter_columns!(names))
    };
}

macro_rules! kept_excluded {
    () => {
        concat!(copy_columns!(excluded), ", ", filter_columns!(excluded))
    };
}

statements! {
    KEEP = each ["INSERT INTO finance_document (document_id, ", (kept_names!), ") SELECT document_id, ", (kept_names!), " FROM ",
        (rows "$1" as kept: document_id UUID, workspace_id BIGINT, created_at TIMESTAMPTZ, version BIGINT, data TEXT,
            updated_at TIMESTAMPTZ, status TEXT, booking_id UUID, number TEXT, document_type TEXT, issue_date TEXT,
            gross_ten_thousandths BIGINT, accepted_with_errors BOOLEAN, filters_version BIGINT), "
        WHERE TRUE ON CONFLICT (document_id) DO UPDATE SET ", (kept_excluded!), "
        WHERE (finance_document.created_at, finance_document.version) < (excluded.created_at, excluded.version)
        RETURNING document_id"];
    FIND = "SELECT workspace_id, created_at, version, data FROM finance_document WHERE document_id = $1";
    NUMBERED = "SELECT data FROM finance_document WHERE workspace_id = $1 AND number IS NOT NULL
        ORDER BY created_at DESC, document_id DESC LIMIT $2";
    MATCH_BEYOND = pg "SELECT document_id FROM finance_document WHERE number COLLATE \"C\" >= $1 AND number COLLATE \"C\" < $2
        ORDER BY number COLLATE \"C\" LIMIT 1 OFFSET $3",
        sqlite "SELECT document_id FROM finance_document WHERE number >= $1 AND number < $2 ORDER BY number LIMIT 1 OFFSET $3";
    // Exactly the condition of the partial index.
    WITHOUT_FILTERS = "SELECT document_id, workspace_id, version, data FROM finance_document
        WHERE filters_version IS NULL OR filters_version <> version ORDER BY document_id LIMIT $1";
    SET_FILTERS = both concat!("UPDATE finance_document SET (", filter_columns!(names), ") = ($3, $4, $5, $6, $7, $8, $9, $2)
        WHERE document_id = $1 AND version = $2");
    CLEAR_FIRST = "DELETE FROM finance_document WHERE document_id <= $1";
    CLEAR = "DELETE FROM finance_document WHERE document_id > $1 AND document_id <= $2";
}

/// How old a state of a document is: the time the document was made, then its version. Later states compare greater,
/// also when an id is used again after its document was deleted.
pub type Age = (Timestamp, i64);

/// What lists of copies are filtered by, of a document that can be listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterValues {
    /// How far the document is.
    pub status: Status,
    /// The booking that it bills.
    pub booking: Option<BookingId>,
    /// Its number, once it has one.
    pub number: Option<String>,
    /// Its kind.
    pub document_type: Option<DocumentKind>,
    /// Its issue date, once it has one.
    pub issue_date: Option<Date>,
    /// Its gross.
    pub gross: Option<Amount>,
    /// Whether the authority accepted it with errors.
    pub accepted_with_errors: bool,
    /// What its recipient is found by.
    pub recipient: BTreeSet<String>,
}

impl FilterValues {
    /// In the order of the columns; of a copy that stands in no list, NULL for each.
    fn columns(values: Option<&Self>) -> Vec<Param> {
        params![
            values.map(|values| values.status.as_str()),
            values.and_then(|values| values.booking),
            values.and_then(|values| values.number.clone()),
            values.and_then(|values| values.document_type).map(DocumentKind::as_str),
            values.and_then(|values| values.issue_date).map(|date| date.to_string()),
            values.and_then(|values| values.gross).map(in_ten_thousandths),
            values.is_some_and(|values| values.accepted_with_errors),
        ]
    }
}

fn terms(values: Option<&FilterValues>) -> &BTreeSet<String> {
    static NONE: BTreeSet<String> = BTreeSet::new();
    values.map_or(&NONE, |values| &values.recipient)
}

/// A copy in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedCopy {
    /// Where it stands in the list: when the document was made, and its id.
    pub key: DocumentPageKey,
    /// The document as JSON, as the invoice data service shows it.
    pub data: String,
}

/// A copy that lists may not find, or find by values of an older state: a release that knows none of these values wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnlistedCopy {
    /// The document.
    pub document: InvoiceId,
    /// Its workspace.
    pub workspace: WorkspaceId,
    /// The version of the state that is kept.
    pub version: i64,
    /// The document as JSON; none when it was deleted.
    pub data: Option<String>,
}

/// A state of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentCopy {
    /// The document, of which the newest state is kept.
    pub document: InvoiceId,
    /// The workspace of the document.
    pub workspace: WorkspaceId,
    /// How old the state is.
    pub age: Age,
    /// The document as JSON, as the invoice data service shows it; none when it was deleted.
    pub data: Option<String>,
    /// What lists find it by; none of a document that is gone or cannot be read, which no list shows.
    pub listed_by: Option<FilterValues>,
    /// Whether the recipient may be another than in the state before: what happens to a document after it was saved leaves it.
    pub recipient_may_differ: bool,
    /// When the copy was made.
    pub updated_at: Timestamp,
}

#[derive(sqlx::FromRow)]
struct Row {
    workspace_id: i64,
    created_at: Ts,
    version: i64,
    data: Option<String>,
}

#[derive(sqlx::FromRow)]
struct UnlistedRow {
    document_id: Id,
    workspace_id: i64,
    version: i64,
    data: Option<String>,
}

#[derive(sqlx::FromRow)]
struct ListedRow {
    document_id: Id,
    created_at: Ts,
    data: Option<String>,
}

impl TryFrom<ListedRow> for ListedCopy {
    type Error = Corrupt;

    fn try_from(row: ListedRow) -> Result<Self, Corrupt> {
        let id = InvoiceId(row.document_id.0);
        let data = row.data.ok_or_else(|| Corrupt::new("finance_document", id, "data", "NULL"))?;
        Ok(Self { key: (row.created_at.0, id), data })
    }
}

/// A row as `KEEP` reads it.
#[derive(Serialize)]
struct KeptRow<'a> {
    document_id: Uuid,
    workspace_id: i64,
    created_at: String,
    version: i64,
    data: Option<&'a str>,
    updated_at: String,
    status: Option<&'a str>,
    booking_id: Option<Uuid>,
    number: Option<&'a str>,
    document_type: Option<&'a str>,
    issue_date: Option<String>,
    gross_ten_thousandths: Option<i64>,
    accepted_with_errors: bool,
    filters_version: i64,
}

impl<'a> From<&'a DocumentCopy> for KeptRow<'a> {
    fn from(copy: &'a DocumentCopy) -> Self {
        let (created_at, version) = copy.age;
        let values = copy.listed_by.as_ref();
        Self {
            document_id: copy.document.0,
            workspace_id: copy.workspace.0,
            created_at: Ts(created_at).text(),
            version,
            data: copy.data.as_deref(),
            updated_at: Ts(copy.updated_at).text(),
            status: values.map(|values| values.status.as_str()),
            booking_id: values.and_then(|values| values.booking).map(|booking| booking.0),
            number: values.and_then(|values| values.number.as_deref()),
            document_type: values.and_then(|values| values.document_type).map(DocumentKind::as_str),
            issue_date: values.and_then(|values| values.issue_date).map(|date| date.to_string()),
            gross_ten_thousandths: values.and_then(|values| values.gross).map(in_ten_thousandths),
            accepted_with_errors: values.is_some_and(|values| values.accepted_with_errors),
            filters_version: version,
        }
    }
}

/// Keeps states of documents, of each the newest, unless a newer one or the same is kept already; says of how many it was news.
/// One statement, and two more for whom the documents are for.
pub async fn keep(tx: &mut Tx, copies: &[DocumentCopy]) -> Result<usize, StoreError> {
    let mut newest: BTreeMap<InvoiceId, (&DocumentCopy, bool)> = BTreeMap::new();
    for copy in copies {
        let (kept, may_differ) = newest.entry(copy.document).or_insert((copy, false));
        if kept.age < copy.age {
            *kept = copy;
        }
        // A state in between may have another recipient than the one that is kept.
        *may_differ |= copy.recipient_may_differ;
    }
    if newest.is_empty() {
        return Ok(0);
    }
    let rows: Vec<_> = newest.values().map(|(copy, _)| KeptRow::from(*copy)).collect();
    let news: Vec<(Id,)> = tx.fetch_all(&KEEP, vec![json_rows(&rows)?]).await?;
    let found_by: Vec<_> = news
        .iter()
        .filter_map(|(id,)| newest.get(&InvoiceId(id.0)))
        .filter(|(_, may_differ)| *may_differ)
        .map(|(copy, _)| (copy.document, copy.workspace, terms(copy.listed_by.as_ref())))
        .collect();
    recipients::set_of_copies(tx, &found_by)?;
    Ok(news.len())
}

/// How old the copy is, and the document as JSON unless it was deleted; none when there is no copy, or the reader may not
/// see its workspace.
pub async fn find(
    on: impl Into<Executor<'_>>,
    document: InvoiceId,
    visible: &Workspaces,
) -> Result<Option<(Age, Option<String>)>, StoreError> {
    let row: Option<Row> = on.into().optional(&FIND, params![document]).await?;
    let row = row.filter(|row| visible.contain(WorkspaceId(row.workspace_id)));
    Ok(row.map(|row| ((row.created_at.0, row.version), row.data)))
}

/// Copies that lists may not find, by the ids of their documents.
pub async fn unlisted(on: impl Into<Executor<'_>>, limit: i64) -> Result<Vec<UnlistedCopy>, StoreError> {
    let rows: Vec<UnlistedRow> = on.into().all(&WITHOUT_FILTERS, params![limit]).await?;
    let copy = |row: UnlistedRow| UnlistedCopy {
        document: InvoiceId(row.document_id.0),
        workspace: WorkspaceId(row.workspace_id),
        version: row.version,
        data: row.data,
    };
    Ok(rows.into_iter().map(copy).collect())
}

/// Sets what lists find a copy by, unless another state is kept meanwhile.
pub async fn list(
    tx: &mut Tx,
    copy: &UnlistedCopy,
    listed_by: Option<&FilterValues>,
) -> Result<(), StoreError> {
    let mut params = params![copy.document, copy.version];
    params.extend(FilterValues::columns(listed_by));
    if tx.execute(&SET_FILTERS, params).await? == 1 {
        recipients::set_of_copies(tx, &[(copy.document, copy.workspace, terms(listed_by))])?;
    }
    Ok(())
}

/// The list that a filter leaves of what is visible; `matches`: how many documents match each text of it.
pub(crate) fn query<'a>(
    filter: &DocumentFilter,
    visible: &'a Workspaces,
    matches: &SearchMatches,
) -> ListQuery<'a> {
    let listed = Condition::new("status IS NOT NULL", Vec::new()).filtering();
    let conditions = Conditions::default()
        .word("status", filter.status.map(Status::as_str))
        .word("document_type", filter.document_type.map(DocumentKind::as_str))
        .finding("booking_id = ?", filter.booking)
        .finding("number = ?", filter.number.clone())
        .and_where(filter.number_prefix.as_deref().map(|prefix| begins(prefix, matches.number_prefix)))
        .and("updated_at > ?", filter.updated_after)
        .and_where(filter.accepted_with_errors.then(with_errors))
        .and_where(filter.status.is_none().then_some(listed));
    let conditions = of_issue_date_and_gross(conditions, filter);
    let found = recipients::conditions(
        Owner::Copy,
        filter.recipient.as_ref(),
        one_workspace(filter, visible),
        &matches.recipient,
    );
    ListQuery { visible, workspace: filter.workspace, ids: None, conditions: conditions.all(found) }
}

/// That a number begins so.
fn begins(prefix: &str, matches: MatchCount) -> Condition {
    let select = ("document_id", "SELECT document_id FROM finance_document WHERE ");
    match matches {
        MatchCount::Few => Condition::among_beginning(select, "number", prefix),
        MatchCount::Many => Condition::with_common_prefix("number", prefix),
    }
}

async fn matches_of(
    on: Executor<'_>,
    visible: &Workspaces,
    filter: &DocumentFilter,
) -> Result<SearchMatches, StoreError> {
    SearchMatches::of(on, (Owner::Copy, &MATCH_BEYOND), filter, one_workspace(filter, visible)).await
}

/// How many copies all pages have together. Reads an entry of the index for each of them.
pub async fn count(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    filter: &DocumentFilter,
) -> Result<i64, StoreError> {
    let mut on = on.into();
    let matches = matches_of(on.reborrow(), visible, filter).await?;
    lists::count(on, TABLE, query(filter, visible, &matches)).await
}

/// Copies after a place, the oldest document first.
pub async fn page(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    filter: &DocumentFilter,
    after: Option<DocumentPageKey>,
    limit: i64,
) -> Result<Vec<ListedCopy>, StoreError> {
    let (after, mut on) = (after.map(|(at, id)| (at, id.0)), on.into());
    let matches = matches_of(on.reborrow(), visible, filter).await?;
    lists::page::<ListedRow, _>(on, table(filter.order), query(filter, visible, &matches), after, limit).await
}

/// Copies by the ids of their documents; those that the caller may not see are left out.
pub async fn by_ids(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    ids: &[InvoiceId],
) -> Result<Vec<ListedCopy>, StoreError> {
    let query = query(&DocumentFilter::default(), visible, &SearchMatches::default()).with_ids(ids);
    lists::part::<ListedRow, _>(on.into(), TABLE, query, Part::All).await
}

/// The last documents of a workspace that got a number, as JSON, the newest first.
pub async fn numbered(
    on: impl Into<Executor<'_>>,
    workspace: WorkspaceId,
    limit: i64,
) -> Result<Vec<String>, StoreError> {
    let rows: Vec<(String,)> = on.into().all(&NUMBERED, params![workspace, limit]).await?;
    Ok(rows.into_iter().map(|(data,)| data).collect())
}

/// Forgets the copies of a range of documents, before they are made again.
pub async fn clear(tx: &mut Tx, range: DocumentRange) -> Result<(), StoreError> {
    super::clear(tx, range, &CLEAR_FIRST, &CLEAR).await
}

#[cfg(test)]
mod tests;
