//! A draft as it would be issued on another day.

use crate::rule_set::DocumentDates;
use gateway_domain::invoicing::Invoice;
use gateway_domain::ports::ServedDocument;
use gateway_domain::regime::{RegimeContext, RegimeInvoice, RegimeKey};
use jiff::Zoned;
use jiff::civil::Date;

/// The days that a draft itself names: they stay, whenever it is issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DraftDates {
    /// None: the day on which it is issued.
    pub issue: Option<Date>,
    /// When the supply took place, if on another day.
    pub operation: Option<Date>,
}

impl DraftDates {
    /// The days of the document, were it issued on `day`.
    pub fn on(self, day: Date) -> DocumentDates {
        DocumentDates { issue: self.issue.unwrap_or(day), operation: self.operation }
    }
}

/// A draft as its regime receives it, were it issued now.
#[derive(Debug, Clone)]
pub struct Draft {
    /// What decides which version of a plugin serves it.
    pub document: ServedDocument,
    /// The regime of its workspace.
    pub regime: RegimeKey,
    /// The days that it names.
    pub dates: DraftDates,
    /// As issued now.
    invoice: RegimeInvoice,
    /// As it is now.
    context: RegimeContext,
}

impl Draft {
    /// A document without a number, and what its regime receives of it now.
    pub fn of(
        document: &Invoice,
        (regime, invoice, context): (RegimeKey, RegimeInvoice, RegimeContext),
    ) -> Self {
        let Invoice { workspace, id, .. } = *document;
        Self {
            document: ServedDocument { workspace, id, converted_by: None },
            regime,
            dates: DraftDates {
                issue: document.content.issue_date,
                operation: document.content.operation_date,
            },
            invoice,
            context,
        }
    }

    /// Now, in the time zone of its workspace.
    pub const fn now(&self) -> &Zoned {
        &self.context.now
    }

    /// What its regime would receive, were it issued at `at`.
    pub fn issued_at(&self, at: &Zoned) -> (RegimeInvoice, RegimeContext) {
        let (mut invoice, mut context) = (self.invoice.clone(), self.context.clone());
        invoice.issue_date = self.dates.on(at.date()).issue;
        context.now = at.clone();
        (invoice, context)
    }
}
