//! What the rules of finance need from outside.

mod invoicing_client;
mod provider;

pub use invoicing_client::{FeedEvent, FeedPart, InvoiceDataError, InvoicingClient};
pub use provider::{Entry, Job, JobProgress, Provider, ProviderAccess, ProviderError, ProviderToken};
