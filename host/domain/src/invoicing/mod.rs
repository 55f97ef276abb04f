//! The invoice data service: documents, their states, their figures and their numbers.

mod balance;
mod calculation;
mod credit;
mod document;
mod edit;
mod import_origin;
mod imported;
mod invoice_number;
mod iso;
mod issue_day;
mod issued_document;
mod lifecycle;
mod lists;
mod numbering;
mod recipient_search;
mod report;
mod totals;
mod transitions;

pub use balance::Balance;
pub use credit::{
    CreditNoteTotals, HeldBack, NotCreditable, NotRefundable, credit_note, refundable, within_originals,
};
pub use document::{
    Acceptance, Address, Content, DocumentKind, Ext, IdentityDocument, IdentityKind, Invoice, LINES_MAX,
    Line, LineTax, Payment, Period, Recipient, Retention, State, Status,
};
pub use edit::{EditError, add_line, remove_line, set_recipient, update_line};
pub use import_origin::{
    IMPORTED_FILE_BYTES_MAX, ImportOrigin, ImportedFile, ImportedFileDigest, ImportedFileType,
};
pub use imported::{NotImportable, SERIES_START_MAX, SeriesNumber, SeriesStand};
pub use invoice_number::InvoiceNumber;
pub use iso::{country_hint, currency_decimals, is_country, is_currency};
pub use issue_day::{BeforeIssue, IssueDay, credit_date, ensure_issued_by};
pub use issued_document::{IssuedDocument, StatedTotals};
pub use lifecycle::{ReadyToIssue, Rejection, Transition};
pub use lists::{
    DocumentFilter, DocumentOrder, DocumentPageKey, GrossRange, IssuePeriod, in_ten_thousandths,
};
pub use numbering::{NotAPattern, NumberPattern, SeriesKey};
pub use recipient_search::{RecipientSearch, recipient_terms, terms as terms_of_recipient};
pub use report::{RateReportRow, ReportGroup, ReportKey, ReportRow, ReportScope, ReportSums, report_amount};
pub use totals::{CategoryTotal, LineTotals, RateTotal, RetentionTotal, Totals, TotalsError};
pub use transitions::{DocumentEvent, IssueError, NotDeletable, NotEditable, NotRejectable, SourceStates};
