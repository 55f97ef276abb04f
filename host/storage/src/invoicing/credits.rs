//! What is given back of a document: credit notes that refer to it, and refunds. Hold the document while deciding.

use crate::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::sql::{params, statements};
use gateway_database::value::{Id, Ts};
use gateway_domain::access::Actor;
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{Credited, Status};
use gateway_domain::money::Amount;
use jiff::Timestamp;
use uuid::Uuid;

statements! {
    FORGET_REFERENCES = "DELETE FROM invoice_reference WHERE document_id = $1";
    REFER = "INSERT INTO invoice_reference (document_id, referenced_id) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    CREDIT_NOTES = "SELECT i.id, i.status, i.totals FROM invoice_reference r JOIN invoice i ON i.id = r.document_id
        WHERE r.referenced_id = $1 AND i.workspace_id = $2 AND i.kind = 'credit_note' ORDER BY i.created_at, i.id";
    REFUND = "INSERT INTO refund (id, document_id, workspace_id, amount, reference, at, actor, recorded_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    REFUNDS = "SELECT amount, reference, at, actor FROM refund WHERE document_id = $1 AND workspace_id = $2 ORDER BY recorded_at, id";
}

/// Keeps which documents a document refers to.
pub async fn set_references(tx: &mut Tx, document: InvoiceId, to: &[InvoiceId]) -> Result<(), StoreError> {
    tx.execute(&FORGET_REFERENCES, params![document]).await?;
    for referenced in to {
        tx.execute(&REFER, params![document, *referenced]).await?;
    }
    Ok(())
}

#[derive(sqlx::FromRow)]
struct NoteRow {
    id: Id,
    status: String,
    totals: String,
}

/// The credit notes of a document, in whatever state, oldest first.
pub async fn credit_notes(
    on: impl Into<Executor<'_>>,
    original: InvoiceId,
    workspace: WorkspaceId,
) -> Result<Vec<(Status, Credited)>, StoreError> {
    let rows: Vec<NoteRow> = on.into().all(&CREDIT_NOTES, params![original, workspace]).await?;
    let parse = |row: NoteRow| -> Result<(Status, Credited), Corrupt> {
        let corrupt =
            |column, found: &dyn std::fmt::Display| Corrupt::new("invoice", row.id.0, column, found);
        let status = Status::parse(&row.status).ok_or_else(|| corrupt("status", &row.status))?;
        let totals = serde_json::from_str(&row.totals).map_err(|error| corrupt("totals", &error))?;
        Ok((status, Credited { id: InvoiceId(row.id.0), totals }))
    };
    Ok(rows.into_iter().map(parse).collect::<Result<_, _>>()?)
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
