//! What the invoice data service keeps: documents, their numbers, and what was given back of them.

pub(crate) mod breakdowns;
pub mod credits;
pub mod export;
pub mod invoice_lists;
pub mod invoices;
pub(crate) mod match_count;
pub mod numbers;
pub(crate) mod recipients;
pub(crate) mod search_matches;
