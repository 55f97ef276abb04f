//! Booking documents read model: which documents a booking has, and how each stands with the tax authority.

use crate::columns::{excluded, names};
use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::lists::{self, ListQuery};
use gateway_database::select::{Conditions, Part, Table};
use gateway_database::sql::{Sql, json_rows, statements};
use gateway_database::value::{Id, Ts};
use gateway_domain::access::Workspaces;
use gateway_domain::ids::{BookingId, InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{DocumentKind, Status};
use gateway_domain_events::DocumentRange;
use gateway_domain_finance::BookingDocument;
use serde::Serialize;
use std::collections::BTreeMap;
use uuid::Uuid;

/// Most documents of a booking that are shown.
const DOCUMENTS_MAX: i64 = 1_000;

/// What a row has besides its document.
macro_rules! own_columns {
    ($form:ident) => {
        $form!(
            workspace_id,
            booking_id,
            document_type,
            status,
            number,
            issue_date,
            currency,
            payable,
            issuing_started_at,
            issued_at,
            rejected_by_tax_authority_at,
            rejected_by_tax_authority_reason,
            version,
            created_at,
            updated_at
        )
    };
}

macro_rules! own_names {
    () => {
        own_columns!(names)
    };
}

macro_rules! own_excluded {
    () => {
        own_columns!(excluded)
    };
}

/// Documents of bookings as they are listed.
pub(crate) const TABLE: Table = Table {
    name: "booking_document",
    key: "document_id",
    columns: Sql::both(concat!("document_id, ", own_columns!(names))),
    order: "created_at, document_id",
    has_workspace: true,
};

statements! {
    KEEP = each ["INSERT INTO booking_document (document_id, ", (own_names!), ") SELECT document_id, ", (own_names!), " FROM ",
        (rows "$1" as kept: document_id UUID, workspace_id BIGINT, booking_id UUID, document_type TEXT, status TEXT, number TEXT,
            issue_date TEXT, currency TEXT, payable TEXT, issuing_started_at TIMESTAMPTZ, issued_at TIMESTAMPTZ,
            rejected_by_tax_authority_at TIMESTAMPTZ, rejected_by_tax_authority_reason TEXT, version BIGINT,
            created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ), "
        WHERE TRUE ON CONFLICT (document_id) DO UPDATE SET ", (own_excluded!), "
        WHERE (booking_document.created_at, booking_document.version) < (excluded.created_at, excluded.version)"];
    CLEAR_FIRST = "DELETE FROM booking_document WHERE document_id <= $1";
    CLEAR = "DELETE FROM booking_document WHERE document_id > $1 AND document_id <= $2";
}

#[derive(sqlx::FromRow)]
struct Row {
    document_id: Id,
    workspace_id: i64,
    booking_id: Option<Id>,
    document_type: String,
    status: String,
    number: Option<String>,
    issue_date: Option<String>,
    currency: String,
    payable: String,
    issuing_started_at: Option<Ts>,
    issued_at: Option<Ts>,
    rejected_by_tax_authority_at: Option<Ts>,
    rejected_by_tax_authority_reason: Option<String>,
    version: i64,
    created_at: Ts,
    updated_at: Ts,
}

impl TryFrom<Row> for BookingDocument {
    type Error = Corrupt;

    fn try_from(row: Row) -> Result<Self, Corrupt> {
        let id = InvoiceId(row.document_id.0);
        let corrupt = |column, found: &str| Corrupt::new("booking_document", id, column, found);
        let kind = DocumentKind::parse(&row.document_type);
        let rejected_at = row.rejected_by_tax_authority_at.map(|at| at.0);
        Ok(Self {
            document: id,
            workspace: WorkspaceId(row.workspace_id),
            booking: row.booking_id.map(|booking| BookingId(booking.0)),
            document_type: kind.ok_or_else(|| corrupt("document_type", &row.document_type))?,
            status: Status::parse(&row.status).ok_or_else(|| corrupt("status", &row.status))?,
            number: row.number,
            issue_date: row.issue_date,
            currency: row.currency,
            payable: row.payable,
            issuing_started_at: row.issuing_started_at.map(|at| at.0),
            issued_at: row.issued_at.map(|at| at.0),
            rejected_by_tax_authority: rejected_at.zip(row.rejected_by_tax_authority_reason),
            version: row.version,
            created_at: row.created_at.0,
            updated_at: row.updated_at.0,
        })
    }
}

/// A row as `KEEP` reads it.
#[derive(Serialize)]
struct KeptRow<'a> {
    document_id: Uuid,
    workspace_id: i64,
    booking_id: Option<Uuid>,
    document_type: &'a str,
    status: &'a str,
    number: Option<&'a str>,
    issue_date: Option<&'a str>,
    currency: &'a str,
    payable: &'a str,
    issuing_started_at: Option<String>,
    issued_at: Option<String>,
    rejected_by_tax_authority_at: Option<String>,
    rejected_by_tax_authority_reason: Option<&'a str>,
    version: i64,
    created_at: String,
    updated_at: String,
}

impl<'a> From<&'a BookingDocument> for KeptRow<'a> {
    fn from(document: &'a BookingDocument) -> Self {
        let text = |at| Ts(at).text();
        let rejected = document.rejected_by_tax_authority.as_ref();
        Self {
            document_id: document.document.0,
            workspace_id: document.workspace.0,
            booking_id: document.booking.map(|booking| booking.0),
            document_type: document.document_type.as_str(),
            status: document.status.as_str(),
            number: document.number.as_deref(),
            issue_date: document.issue_date.as_deref(),
            currency: &document.currency,
            payable: &document.payable,
            issuing_started_at: document.issuing_started_at.map(text),
            issued_at: document.issued_at.map(text),
            rejected_by_tax_authority_at: rejected.map(|(at, _)| text(*at)),
            rejected_by_tax_authority_reason: rejected.map(|(_, reason)| reason.as_str()),
            version: document.version,
            created_at: text(document.created_at),
            updated_at: text(document.updated_at),
        }
    }
}

/// Keeps what is known of documents, of each the newest, unless something newer or the same is kept already; says of how many
/// it was news. One statement.
pub async fn keep(tx: &mut Tx, documents: &[BookingDocument]) -> Result<u64, StoreError> {
    let mut newest: BTreeMap<InvoiceId, &BookingDocument> = BTreeMap::new();
    for document in documents {
        let age = |document: &BookingDocument| (document.created_at, document.version);
        let kept = newest.entry(document.document).or_insert(document);
        if age(kept) < age(document) {
            *kept = document;
        }
    }
    if newest.is_empty() {
        return Ok(0);
    }
    let rows: Vec<_> = newest.into_values().map(KeptRow::from).collect();
    tx.execute(&KEEP, vec![json_rows(&rows)?]).await
}

pub(crate) fn query(visible: &Workspaces, booking: BookingId) -> ListQuery<'_> {
    let conditions = Conditions::default().finding("booking_id = ?", Some(booking));
    ListQuery { visible, workspace: None, ids: None, conditions }
}

/// The documents of a booking that the reader may see, oldest first.
pub async fn of_booking(
    on: impl Into<Executor<'_>>,
    booking: BookingId,
    visible: &Workspaces,
) -> Result<Vec<BookingDocument>, StoreError> {
    match query(visible, booking).select(TABLE) {
        Some(select) => lists::parsed(on.into().rows::<Row>(&select, Part::First(DOCUMENTS_MAX)).await?),
        None => Ok(Vec::new()),
    }
}

/// Forgets a range of documents, before they are told again.
pub async fn clear(tx: &mut Tx, range: DocumentRange) -> Result<(), StoreError> {
    super::clear(tx, range, &CLEAR_FIRST, &CLEAR).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, samples::at};

    fn issuing(version: i64) -> BookingDocument {
        BookingDocument {
            document: InvoiceId(Uuid::from_u128(7)),
            workspace: WorkspaceId(1),
            booking: Some(BookingId(Uuid::from_u128(9))),
            document_type: DocumentKind::Invoice,
            status: Status::Issuing,
            number: Some("F-1".to_owned()),
            issue_date: Some("2026-11-20".to_owned()),
            currency: "EUR".to_owned(),
            payable: "110.00".to_owned(),
            issuing_started_at: Some(at(10)),
            issued_at: None,
            rejected_by_tax_authority: None,
            version,
            created_at: at(0),
            updated_at: at(10),
        }
    }

    #[tokio::test]
    async fn what_is_known_comes_back_as_it_went_and_the_newest_stays() {
        let rejected = BookingDocument {
            status: Status::Rejected,
            issuing_started_at: None,
            rejected_by_tax_authority: Some((at(20), "unknown NIF".to_owned())),
            ..issuing(3)
        };
        for db in testing::both().await {
            let mut tx = db.begin().await.unwrap();
            let states = [issuing(2), rejected.clone(), issuing(1)];
            assert_eq!(keep(&mut tx, &states).await.unwrap(), 1, "the newest of them");
            assert_eq!(keep(&mut tx, std::slice::from_ref(&rejected)).await.unwrap(), 0, "told twice");
            assert_eq!(keep(&mut tx, &[issuing(2)]).await.unwrap(), 0, "told late");
            let booking = rejected.booking.unwrap();
            let found = of_booking(&mut tx, booking, &Workspaces::All).await.unwrap();
            assert_eq!(found, std::slice::from_ref(&rejected));
            assert_eq!(
                keep(&mut tx, &[BookingDocument { booking: None, ..rejected.clone() }]).await.unwrap(),
                0
            );
            let gone = BookingDocument { booking: None, version: 4, ..rejected.clone() };
            assert_eq!(keep(&mut tx, &[gone]).await.unwrap(), 1);
            assert!(of_booking(&mut tx, booking, &Workspaces::All).await.unwrap().is_empty());
        }
    }

    #[tokio::test]
    async fn a_booking_shows_only_what_the_reader_may_see() {
        let elsewhere = BookingDocument {
            document: InvoiceId(Uuid::from_u128(8)),
            workspace: WorkspaceId(2),
            ..issuing(1)
        };
        for db in testing::both().await {
            let mut tx = db.begin().await.unwrap();
            assert_eq!(keep(&mut tx, &[issuing(1), elsewhere.clone()]).await.unwrap(), 2);
            let booking = elsewhere.booking.unwrap();
            let only = Workspaces::Only(vec![WorkspaceId(2)]);
            let found = of_booking(&mut tx, booking, &only).await.unwrap();
            assert_eq!(found, std::slice::from_ref(&elsewhere));
            assert_eq!(of_booking(&mut tx, booking, &Workspaces::All).await.unwrap().len(), 2);
            assert!(of_booking(&mut tx, booking, &Workspaces::Only(Vec::new())).await.unwrap().is_empty());
        }
    }
}
