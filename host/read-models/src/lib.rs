//! What the finance service keeps of documents beside their owner: its own copies, and the documents of bookings.
//!
//! They follow the event log, also that of a remote invoice data service; `gateway rebuild read-models` makes copies and bookings again.
//!
//! | module | holds |
//! |---|---|
//! | `copies` | the newest state of each document, and what lists find it by |
//! | `bookings` | what was billed for each booking |
//! | `activity` | verdicts and calls to the provider over time, for the console; it is not made again |
//! | `document` | what they read of the document in an event |
//! | `remote_feed` | the event feed of a remote invoice data service, which goes into the same log |
//!
//! To add a read model: its table and statements in `gateway-storage`, a [`gateway_events::Consumer`] here whose
//! [`gateway_events::ReadModel`] clears a range of documents, and one line among the consumers of `gateway`.
//!
//! Not here: the log and the positions of its consumers (`gateway-events`), who reads the copies (`gateway-finance`), SQL.

mod activity;
mod bookings;
mod copies;
mod document;
mod remote_feed;

pub use activity::{Activity, VerdictCounts};
pub use bookings::BookingDocuments;
pub use copies::{Copies, FinanceDocuments, list_copies, list_documents};
pub use document::{DocumentAge, as_document};
pub use remote_feed::{FeedError, FeedPositions, RemoteFeed};
