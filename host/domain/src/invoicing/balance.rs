//! What is left of a document, after what was given back of it.

use super::{CreditNoteTotals, DocumentKind, Invoice, Status};
use crate::ids::InvoiceId;
use crate::money::{Amount, TooLarge};

/// What was given back of a document, in its currency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Balance {
    /// The gross of its credit notes that are issued, or at the tax authority.
    pub credited: Amount,
    /// What was paid back against it.
    pub refunded: Amount,
    /// What is left: of an invoice its gross less what was credited, of a credit note its payable less what was refunded.
    /// Nothing of another document.
    pub open: Amount,
    /// The credit notes that [`Balance::credited`] counts, oldest first.
    pub credit_notes: Vec<InvoiceId>,
    /// Credit notes that nobody issued yet, or that the authority refused: until they are issued or deleted, no other credits what
    /// they do.
    pub unissued_credit_notes: Vec<InvoiceId>,
}

impl Balance {
    /// Of a document with these credit notes and refunds.
    pub fn of(
        document: &Invoice,
        notes: &[(Status, CreditNoteTotals)],
        refunds: &[Amount],
    ) -> Result<Self, TooLarge> {
        let totals = &document.totals;
        let zero = Amount::zero(totals.gross.scale());
        let (effective, unissued): (Vec<_>, Vec<_>) = notes.iter().partition(|(_, note)| note.is_effective());
        let mut gross = effective.iter().map(|(_, note)| note.totals.gross);
        let credited = gross.try_fold(zero, Amount::plus_exact)?;
        let refunded = refunds.iter().copied().try_fold(zero, Amount::plus_exact)?;
        let open = match document.content.document_type {
            DocumentKind::Invoice => totals.gross.plus_exact(credited.negate())?,
            DocumentKind::CreditNote => totals.payable.plus_exact(refunded.negate())?,
            DocumentKind::Proforma | DocumentKind::Receipt => zero,
        };
        let ids =
            |notes: Vec<&(Status, CreditNoteTotals)>| notes.into_iter().map(|(_, note)| note.id).collect();
        Ok(Self {
            credited,
            refunded,
            open,
            credit_notes: ids(effective),
            unissued_credit_notes: ids(unissued),
        })
    }
}
