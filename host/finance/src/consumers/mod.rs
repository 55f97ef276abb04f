//! What follows the event log in the finance service: its own copies of documents, and the booking documents.

mod bookings;
mod copies;
mod document;

pub use bookings::BookingDocuments;
pub(crate) use copies::Copies;
pub use copies::FinanceDocuments;
pub(crate) use document::{DocumentAge, as_document};
