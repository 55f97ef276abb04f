//! What is given back of a document: credit notes that refer to it, and refunds. Hold the document while deciding.

use crate::Tx;
use gateway_database::db::Db;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::sql::{ids, params, statements};
use gateway_database::value::{Id, Ts};
use gateway_domain::access::Actor;
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{CreditNoteTotals, Status};
use gateway_domain::money::Amount;
use jiff::Timestamp;
use std::collections::HashMap;
use uuid::Uuid;

macro_rules! note_columns {
    () => {
        "i.id, i.status, i.totals"
    };
}

/// Credit notes with what they refer to.
macro_rules! notes {
    () => {
        "invoice_reference r JOIN invoice i ON i.id = r.document_id WHERE i.kind = 'credit_note'"
    };
}

macro_rules! oldest_first {
    () => {
        "ORDER BY i.created_at, i.id"
    };
}

/// What a refund says besides whose it is.
macro_rules! refund_columns {
    () => {
        "amount, reference, at, actor"
    };
}

statements! {
    FORGET_REFERENCES = "DELETE FROM invoice_reference WHERE document_id = $1";
    REFER = "INSERT INTO invoice_reference (document_id, referenced_id) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    CREDIT_NOTES = both concat!("SELECT ", note_columns!(), " FROM ", notes!(), " AND r.referenced_id = $1 AND i.workspace_id = $2 ", oldest_first!());
    CREDIT_NOTES_OF = each ["SELECT r.referenced_id, i.workspace_id, ", (note_columns!), " FROM ", (notes!), " AND ",
        (among "r.referenced_id", "$1"), " ", (oldest_first!)];
    REFUNDS_OF = each ["SELECT document_id, workspace_id, amount FROM refund WHERE ", (among "document_id", "$1"), " ORDER BY recorded_at, id"];
    REFUND = both concat!("INSERT INTO refund (id, document_id, workspace_id, ", refund_columns!(), ", recorded_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)");
    REFUNDS = both concat!("SELECT ", refund_columns!(), " FROM refund WHERE document_id = $1 AND workspace_id = $2
        ORDER BY recorded_at, id");
}

/// Keeps which documents a document refers to.
pub fn set_references(tx: &mut Tx, document: InvoiceId, to: &[InvoiceId]) {
    tx.execute_later(&FORGET_REFERENCES, params![document]);
    for referenced in to {
        tx.execute_later(&REFER, params![document, *referenced]);
    }
}

#[derive(sqlx::FromRow)]
struct NoteRow {
    id: Id,
    status: String,
    totals: String,
}

impl NoteRow {
    fn parse(self) -> Result<(Status, CreditNoteTotals), Corrupt> {
        let corrupt =
            |column, found: &dyn std::fmt::Display| Corrupt::new("invoice", self.id.0, column, found);
        let status = Status::parse(&self.status).ok_or_else(|| corrupt("status", &self.status))?;
        let totals = serde_json::from_str(&self.totals).map_err(|error| corrupt("totals", &error))?;
        Ok((status, CreditNoteTotals { id: InvoiceId(self.id.0), status, totals }))
    }
}

/// The credit notes of a document, in whatever state, oldest first.
pub async fn credit_notes(
    on: impl Into<Executor<'_>>,
    original: InvoiceId,
    workspace: WorkspaceId,
) -> Result<Vec<(Status, CreditNoteTotals)>, StoreError> {
    let rows: Vec<NoteRow> = on.into().all(&CREDIT_NOTES, params![original, workspace]).await?;
    Ok(rows.into_iter().map(NoteRow::parse).collect::<Result<_, _>>()?)
}

#[derive(sqlx::FromRow)]
struct NoteOfRow {
    referenced_id: Id,
    workspace_id: i64,
    #[sqlx(flatten)]
    note: NoteRow,
}

#[derive(sqlx::FromRow)]
struct RefundOfRow {
    document_id: Id,
    workspace_id: i64,
    amount: String,
}

/// The credit notes of several documents, and what was refunded of them, each with the workspace it is of.
#[derive(Debug, Default)]
pub struct CreditsAndRefunds {
    /// By the document that a note credits, in whatever state the note is, oldest first.
    pub credit_notes: HashMap<(InvoiceId, WorkspaceId), Vec<(Status, CreditNoteTotals)>>,
    /// By the document, first one first.
    pub refunds: HashMap<(InvoiceId, WorkspaceId), Vec<Amount>>,
}

/// What is given back of several documents. Two statements.
pub async fn credits_and_refunds(db: &Db, documents: &[InvoiceId]) -> Result<CreditsAndRefunds, StoreError> {
    let mut found = CreditsAndRefunds::default();
    let notes: Vec<NoteOfRow> = Executor::from(db).all(&CREDIT_NOTES_OF, vec![ids(documents)]).await?;
    for NoteOfRow { referenced_id, workspace_id, note } in notes {
        let key = (InvoiceId(referenced_id.0), WorkspaceId(workspace_id));
        found.credit_notes.entry(key).or_default().push(note.parse()?);
    }
    let refunds: Vec<RefundOfRow> = Executor::from(db).all(&REFUNDS_OF, vec![ids(documents)]).await?;
    for RefundOfRow { document_id, workspace_id, amount } in refunds {
        let key = (InvoiceId(document_id.0), WorkspaceId(workspace_id));
        let parsed = amount.parse().map_err(|_| Corrupt::new("refund", key.0, "amount", &amount))?;
        found.refunds.entry(key).or_default().push(parsed);
    }
    Ok(found)
}

/// Money returned against a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refund {
    /// How much, in the document's currency.
    pub amount: Amount,
    /// What the payment is known by elsewhere.
    pub reference: Option<String>,
    /// When it was returned.
    pub at: Timestamp,
    /// Who recorded it.
    pub actor: Actor,
}

/// Records money returned.
pub async fn add_refund(
    tx: &mut Tx,
    id: Uuid,
    document: InvoiceId,
    workspace: WorkspaceId,
    refund: &Refund,
    now: Timestamp,
) -> Result<(), StoreError> {
    let Refund { amount, reference, at, actor } = refund;
    let arguments =
        params![id, document, workspace, amount.to_string(), reference.clone(), *at, &actor.0, now];
    tx.execute(&REFUND, arguments).await?;
    Ok(())
}

#[derive(sqlx::FromRow)]
struct RefundRow {
    amount: String,
    reference: Option<String>,
    at: Ts,
    actor: String,
}

/// What was returned of a document so far, first one first.
pub async fn refunded(
    on: impl Into<Executor<'_>>,
    document: InvoiceId,
    workspace: WorkspaceId,
) -> Result<Vec<Amount>, StoreError> {
    let refunds = refunds(on, document, workspace).await?;
    Ok(refunds.into_iter().map(|refund| refund.amount).collect())
}

/// The refunds of a document, first one first.
pub async fn refunds(
    on: impl Into<Executor<'_>>,
    document: InvoiceId,
    workspace: WorkspaceId,
) -> Result<Vec<Refund>, StoreError> {
    let rows: Vec<RefundRow> = on.into().all(&REFUNDS, params![document, workspace]).await?;
    let parse = |row: RefundRow| -> Result<Refund, Corrupt> {
        let amount =
            row.amount.parse().map_err(|_| Corrupt::new("refund", document, "amount", &row.amount))?;
        Ok(Refund { amount, reference: row.reference, at: row.at.0, actor: Actor(row.actor) })
    };
    Ok(rows.into_iter().map(parse).collect::<Result<_, _>>()?)
}
