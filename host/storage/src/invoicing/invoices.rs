//! Documents of the invoice data service. A row is parsed into the state it says, and the schema says the same.

use super::breakdowns;
use super::recipients;
use crate::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::lists::{self, OLDEST_FIRST};
use gateway_database::select::Table;
use gateway_database::sql::{Param, Sql, params, statements};
use gateway_database::value::{Id, Ts};
use gateway_domain::access::Workspaces;
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{
    ImportOrigin, Invoice, InvoiceNumber, State, in_ten_thousandths, recipient_terms,
};
use serde::de::DeserializeOwned;
use std::collections::HashMap;

/// What a document is read from and every write sets.
macro_rules! state_columns {
    () => {
        "status, content, totals, number, send_to_tax_authority, issuing_at, issued_at, acceptance, rejected_at, \
         rejection_reason, version"
    };
}

macro_rules! columns {
    () => {
        concat!(
            "id, workspace_id, ",
            $crate::invoicing::invoices::state_columns!(),
            ", created_at, updated_at, imported"
        )
    };
}
pub(crate) use {columns, state_columns};

/// What is set beside the content, for lists and reports.
macro_rules! derived_columns {
    () => {
        concat!("kind, booking_id, issue_date, accepted_with_errors, ", figure_columns!())
    };
}

/// What lists and reports compare and add up.
macro_rules! figure_columns {
    () => {
        "currency, net_ten_thousandths, tax_ten_thousandths, gross_ten_thousandths, retained_ten_thousandths, \
         payable_ten_thousandths"
    };
}

/// Documents as they are listed.
pub(crate) const TABLE: Table = Table {
    name: "invoice",
    key: "id",
    columns: Sql::both(columns!()),
    order: OLDEST_FIRST,
    has_workspace: true,
};

statements! {
    FIND = both concat!("SELECT ", columns!(), " FROM invoice WHERE id = $1");
    LOCK = each ["SELECT ", (columns!), " FROM invoice WHERE id = $1", (lock " FOR UPDATE")];
    INSERT = both concat!("INSERT INTO invoice (id, workspace_id, ", state_columns!(), ", ", derived_columns!(), ", \
        created_at, updated_at, filters_version) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $13) \
        ON CONFLICT DO NOTHING");
    UPDATE = both concat!("UPDATE invoice SET (", state_columns!(), ", ", derived_columns!(), ", updated_at) \
        = ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24), \
        filters_version = CASE WHEN filters_version = $2 THEN $13 ELSE filters_version END WHERE id = $1 AND version = $2");
    // Exactly the condition of the partial index.
    WITHOUT_FILTERS = both concat!("SELECT ", columns!(), " FROM invoice WHERE filters_version IS NULL OR filters_version <> version \
        ORDER BY id LIMIT $1");
    SET_FILTERS = both concat!("UPDATE invoice SET (", figure_columns!(), ") = ($3, $4, $5, $6, $7, $8), filters_version = $2 \
        WHERE id = $1 AND version = $2");
    // It never changes, so no other statement writes it.
    SET_IMPORTED = "UPDATE invoice SET imported = $2 WHERE id = $1 AND status = 'issued'";
    IMPORTED = each ["SELECT number, id FROM invoice WHERE workspace_id = $1 AND imported IS NOT NULL AND number IN ", (words "$2")];
    DELETE = "DELETE FROM invoice WHERE id = $1 AND version = $2 AND status = 'draft'";
}

#[derive(sqlx::FromRow)]
pub(crate) struct Row {
    id: Id,
    workspace_id: i64,
    status: String,
    content: String,
    totals: String,
    number: Option<String>,
    send_to_tax_authority: bool,
    issuing_at: Option<Ts>,
    issued_at: Option<Ts>,
    acceptance: Option<String>,
    rejected_at: Option<Ts>,
    rejection_reason: Option<String>,
    version: i64,
    created_at: Ts,
    updated_at: Ts,
    imported: Option<String>,
}

impl TryFrom<Row> for Invoice {
    type Error = Corrupt;

    fn try_from(row: Row) -> Result<Self, Corrupt> {
        let id = InvoiceId(row.id.0);
        let number = row.number.map(InvoiceNumber);
        let acceptance = row.acceptance.as_deref().map(|text| parse(id, "acceptance", text)).transpose()?;
        let state = match (
            row.status.as_str(),
            number,
            row.issuing_at,
            row.issued_at,
            row.rejected_at,
            row.rejection_reason,
        ) {
            ("draft", None, None, None, None, None) => State::Draft,
            ("issuing", Some(number), Some(since), None, None, None) => {
                State::Issuing { number, since: since.0 }
            }
            ("issued", Some(number), None, Some(at), None, None) => {
                let imported = row.imported.as_deref().map(|text| parse(id, "imported", text)).transpose()?;
                State::Issued { number, at: at.0, acceptance, imported }
            }
            ("rejected", Some(number), None, None, Some(at), Some(reason)) => {
                State::Rejected { number, at: at.0, reason }
            }
            (status, ..) => return Err(Corrupt::new("invoice", id, "status", status)),
        };
        Ok(Self {
            id,
            workspace: WorkspaceId(row.workspace_id),
            content: parse(id, "content", &row.content)?,
            totals: parse(id, "totals", &row.totals)?,
            state,
            send_to_tax_authority: row.send_to_tax_authority,
            version: row.version,
            created_at: row.created_at.0,
            updated_at: row.updated_at.0,
        })
    }
}

fn parse<T: DeserializeOwned>(id: InvoiceId, column: &'static str, text: &str) -> Result<T, Corrupt> {
    serde_json::from_str(text).map_err(|cause| Corrupt::new("invoice", id, column, cause))
}

/// What a document has in the columns that every write sets: `state_columns!`, then `derived_columns!`.
fn written_columns(invoice: &Invoice) -> Result<Vec<Param>, StoreError> {
    let (mut issuing_at, mut issued_at, mut acceptance, mut rejected_at, mut reason) =
        (None, None, None, None, None);
    match &invoice.state {
        State::Draft => {}
        State::Issuing { since, .. } => issuing_at = Some(*since),
        State::Issued { at, acceptance: proof, .. } => {
            issued_at = Some(*at);
            acceptance = proof.as_ref().map(StoreError::json).transpose()?;
        }
        State::Rejected { at, reason: why, .. } => (rejected_at, reason) = (Some(*at), Some(why.clone())),
    }
    let content = &invoice.content;
    let mut columns = params![
        invoice.state.status().as_str(),
        StoreError::json(content)?,
        StoreError::json(&invoice.totals)?,
        invoice.state.number().map(|number| number.0.clone()),
        invoice.send_to_tax_authority,
        issuing_at,
        issued_at,
        acceptance,
        rejected_at,
        reason,
        invoice.version,
        content.document_type.as_str(),
        content.booking_id,
        content.issue_date.map(|date| date.to_string()),
        invoice.is_accepted_with_errors(),
    ];
    columns.extend(figures(invoice));
    Ok(columns)
}

/// In the order of `figure_columns!`.
fn figures(invoice: &Invoice) -> Vec<Param> {
    let totals = &invoice.totals;
    params![
        &invoice.content.currency,
        in_ten_thousandths(totals.net),
        in_ten_thousandths(totals.tax),
        in_ten_thousandths(totals.gross),
        in_ten_thousandths(totals.retained),
        in_ten_thousandths(totals.payable),
    ]
}

/// The document, if the caller may see its workspace.
pub async fn find(
    on: impl Into<Executor<'_>>,
    id: InvoiceId,
    visible: &Workspaces,
) -> Result<Option<Invoice>, StoreError> {
    let row: Option<Row> = on.into().optional(&FIND, params![id]).await?;
    if_visible(row, visible)
}

/// Documents by their ids; those that the caller may not see are left out.
pub async fn by_ids(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    ids: &[InvoiceId],
) -> Result<Vec<Invoice>, StoreError> {
    lists::by_ids::<Row, _>(on.into(), TABLE, visible, ids).await
}

/// The document, held until the transaction ends.
pub async fn lock(tx: &mut Tx, id: InvoiceId, visible: &Workspaces) -> Result<Option<Invoice>, StoreError> {
    let row: Option<Row> = tx.fetch_optional(&LOCK, params![id]).await?;
    if_visible(row, visible)
}

fn if_visible(row: Option<Row>, visible: &Workspaces) -> Result<Option<Invoice>, StoreError> {
    let invoice = row.map(Invoice::try_from).transpose()?;
    Ok(invoice.filter(|invoice| visible.contain(invoice.workspace)))
}

/// Stores a new document; `false` when the id is taken.
pub async fn insert(tx: &mut Tx, invoice: &Invoice) -> Result<bool, StoreError> {
    let mut arguments = params![invoice.id, invoice.workspace];
    arguments.extend(written_columns(invoice)?);
    arguments.extend(params![invoice.created_at, invoice.updated_at]);
    let inserted = tx.execute(&INSERT, arguments).await? == 1;
    if inserted {
        set_recipient_terms(tx, invoice, true)?;
        breakdowns::insert_rates(tx, invoice)?;
    }
    Ok(inserted)
}

/// Stores a new document that another system issued; `false` when the id, or its number in the workspace, is taken.
pub async fn insert_imported(
    tx: &mut Tx,
    invoice: &Invoice,
    origin: &ImportOrigin,
) -> Result<bool, StoreError> {
    let inserted = insert(tx, invoice).await?;
    if inserted {
        tx.execute(&SET_IMPORTED, params![invoice.id, StoreError::json(origin)?]).await?;
    }
    Ok(inserted)
}

/// Which of some numbers of a workspace belong to documents that another system issued.
pub async fn imported_under(
    on: impl Into<Executor<'_>>,
    workspace: WorkspaceId,
    numbers: &[String],
) -> Result<HashMap<String, InvoiceId>, StoreError> {
    if numbers.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<(String, Id)> =
        on.into().all(&IMPORTED, params![workspace, StoreError::json(&numbers)?]).await?;
    Ok(rows.into_iter().map(|(number, id)| (number, InvoiceId(id.0))).collect())
}

fn set_recipient_terms(tx: &mut Tx, invoice: &Invoice, is_new: bool) -> Result<(), StoreError> {
    let terms = recipient_terms(invoice);
    recipients::set(tx, invoice.id, invoice.workspace, &terms, is_new)
}

/// Sets what lists find the recipient of a document by, whose content changed.
pub fn content_changed(tx: &mut Tx, invoice: &Invoice) -> Result<(), StoreError> {
    set_recipient_terms(tx, invoice, false)
}

/// Documents that lists may not find, or find by values of an older version: a release that knows none of these values wrote them.
pub async fn without_filters(on: impl Into<Executor<'_>>, limit: i64) -> Result<Vec<Invoice>, StoreError> {
    let rows: Vec<Row> = on.into().all(&WITHOUT_FILTERS, params![limit]).await?;
    lists::parsed(rows)
}

/// Sets what lists find a document by, and reports add up, unless it changed meanwhile.
pub async fn set_filters(tx: &mut Tx, invoice: &Invoice) -> Result<(), StoreError> {
    let mut arguments = params![invoice.id, invoice.version];
    arguments.extend(figures(invoice));
    if tx.execute(&SET_FILTERS, arguments).await? == 1 {
        set_recipient_terms(tx, invoice, false)?;
        breakdowns::replace_rates(tx, invoice)?;
    }
    Ok(())
}

/// Stores a changed document if it is still at version `expected_version`; `false` when somebody else moved it. One that is issued by it
/// stands in the report by rate from then on.
pub async fn update(tx: &mut Tx, invoice: &Invoice, expected_version: i64) -> Result<bool, StoreError> {
    let updated = tx.execute(&UPDATE, update_arguments(invoice, expected_version)?).await? == 1;
    if updated {
        breakdowns::insert_rates(tx, invoice)?;
    }
    Ok(updated)
}

/// [`update`] of a document that the transaction holds, with its next statement or its commit.
pub fn update_held(tx: &mut Tx, invoice: &Invoice, expected_version: i64) -> Result<(), StoreError> {
    tx.execute_one_later(&UPDATE, update_arguments(invoice, expected_version)?, "invoice");
    breakdowns::insert_rates(tx, invoice)
}

fn update_arguments(invoice: &Invoice, expected_version: i64) -> Result<Vec<Param>, StoreError> {
    let mut arguments = params![invoice.id, expected_version];
    arguments.extend(written_columns(invoice)?);
    arguments.extend(params![invoice.updated_at]);
    Ok(arguments)
}

/// Deletes a draft that is still at version `expected_version`.
pub async fn delete(tx: &mut Tx, id: InvoiceId, expected_version: i64) -> Result<bool, StoreError> {
    Ok(tx.execute(&DELETE, params![id, expected_version]).await? == 1)
}
