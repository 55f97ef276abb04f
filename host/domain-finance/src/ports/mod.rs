//! What the rules of finance need from outside.

mod invoicing_client;
mod numbers;
mod provider;

pub use invoicing_client::{FeedEvent, FeedPart, InvoiceDataError, InvoicingClient};
pub use numbers::EarlierNumbers;
pub use provider::{
    ENTRIES_PER_PAGE, Entry, EntryOrder, EntryPage, Job, JobProgress, ListedEntry, Provider, ProviderAccess,
    ProviderError, ProviderToken,
};
