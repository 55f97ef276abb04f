//! The invoice data service: documents, their states, their figures and their numbers.

mod document;
mod form;
mod iso;
mod lifecycle;
mod numbering;
mod totals;

pub use document::{
    Acceptance, Address, Content, DocumentKind, IdentityDocument, IdentityKind, Invoice, Line, LineTax,
    Recipient, Retention, State, Status,
};
pub use form::{DocumentForm, FieldError, TaxCheck};
pub use iso::{currency_decimals, is_country, is_currency};
pub use lifecycle::{
    DocumentEvent, Edited, IssueError, Issued, NotDeletable, NotEditable, NotRejectable, ReadyToIssue,
    Rejected, Rejection,
};
pub use numbering::{InvoiceNumber, NotAPattern, NumberPattern, SeriesKey};
pub use totals::{CategoryTotal, LineTotals, RateTotal, RetentionTotal, Totals, TotalsError};
