//! What follows from a document that has just become issued or rejected: rejection strategy B (specification, Rules 6).

use super::{NextStep, Plan, Record};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{
    Content, CreditNoteTotals, DocumentKind, Invoice, NotCreditable, State, Status, Totals, credit_note,
};
use jiff::Timestamp;
use jiff::civil::Date;

/// A document that is written beside the one that moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FollowUpDraft {
    /// A corrective draft with the same content, blocked.
    Corrective,
    /// A credit note for all of it, on its way at once.
    CreditNote,
}

/// The documents whose correctives an issued credit note sets free.
pub fn released_by(moved: &Invoice) -> &[InvoiceId] {
    match (moved.state.status(), moved.content.document_type) {
        (Status::Issued, DocumentKind::CreditNote) => &moved.content.referenced_document_ids,
        (Status::Draft | Status::Issuing | Status::Rejected, _)
        | (Status::Issued, DocumentKind::Invoice | DocumentKind::Proforma | DocumentKind::Receipt) => &[],
    }
}

/// A draft of another document's workspace, not stored yet.
pub fn follow_up_draft(
    original: &Invoice,
    id: InvoiceId,
    content: Content,
    totals: Totals,
    now: Timestamp,
) -> Invoice {
    Invoice {
        id,
        workspace: original.workspace,
        content,
        totals,
        state: State::Draft,
        send_to_tax_authority: false,
        version: 1,
        created_at: now,
        updated_at: now,
    }
}

impl Plan {
    /// The corrective of a document that was rejected: its content anew, under the id `corrective`.
    pub fn corrective(moved: &Invoice, corrective: InvoiceId, now: Timestamp) -> Self {
        let content = Content { issue_date: None, ..moved.content.clone() };
        let draft = follow_up_draft(moved, corrective, content, moved.totals.clone(), now);
        Self::follow_up(moved.clone(), draft, Record::Corrective, None)
    }

    /// A credit note, under the id `note`, for what `credited` leaves of a document, which is issued at once.
    ///
    /// # Errors
    /// Why nothing is credited.
    pub fn full_credit_note(
        moved: &Invoice,
        credited: &[CreditNoteTotals],
        day: Date,
        note: InvoiceId,
        now: Timestamp,
    ) -> Result<Self, NotCreditable> {
        let (content, totals) = credit_note(moved, credited, None, day)?;
        let note = follow_up_draft(moved, note, content, totals, now);
        Ok(Self::follow_up(moved.clone(), note, Record::Reversed, Some(NextStep::Issue { at: None })))
    }
}
