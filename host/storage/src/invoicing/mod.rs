//! What the invoice data service keeps: documents, their numbers, and what was given back of them.

pub mod credits;
pub mod export;
pub mod invoice_lists;
pub mod invoices;
pub mod numbers;
pub(crate) mod recipients;
pub mod reports;
pub(crate) mod search_matches;
pub mod sums;
