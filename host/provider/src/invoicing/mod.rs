//! The invoice data service of another process (specification, "Invoice data service RPC endpoints"), behind
//! [`gateway_domain_finance::ports::InvoicingClient`].
//!
//! `http` makes the calls, `token` keeps the access tokens, `answer` sorts every answer, `feed` reads events. Not here: what to do when an
//! answer is lost. The caller reads the document and goes on from what it finds.

mod answer;
mod feed;
mod http;
mod token;

pub use http::{HttpInvoiceData, InvoiceDataOptions};
pub use token::ClientCredentials;
