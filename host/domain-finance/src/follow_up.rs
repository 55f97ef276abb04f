//! What follows from a document that has just become issued or rejected: rejection strategy B (specification, Rules 6).

use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Content, DocumentKind, Invoice, State, Status, Totals};
use jiff::Timestamp;

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
