//! A stand-in for the e-invoicing provider and the tax authority behind it, over real HTTP.
//!
//! It speaks the provider's protocol (`entries`, `jobs`), checks what the real one checks (`check`, `totals`), runs
//! jobs later (`runner`), notifies with retries (`delivery`), and remembers what the authority filed. Everything is in
//! the database, so a killed gateway finds it again. It knows no country: the tax regime's plugin plays its authority
//! ([`Authority`]). Test data steers it (`steering`).
//!
//! What is not here: SQL (`gateway_storage::sandbox`) and an HTTP client (`gateway_provider`).
//!
//! Where it is stricter or simpler than the real provider: stated totals that differ from the lines are refused (the
//! real one overwrites them); the same upload twice is answered with the entry (the real one may answer 409); every
//! bearer token shares one workspace; every workflow id but the nil UUID is one workflow; a job is complete before its
//! webhook is sent.
//!
//! What it sends to the authority and what comes back can be looked at: every message is an attachment of its entry, as at
//! the provider (`request` and `response`), and `GET /sandbox/v1/entries/{id}/messages` shows all of them beside the structured
//! document, with what the authority said.
//! Whether a refused record has a place in the authority's chain is the regime's business: it returns what to keep.
//!
//! Beside the provider it plays the VAT register of the Union (`vies`), and a publisher of what participants of the delivery network
//! receive (`smp`), both of which its test numbers steer, and the authority's own list of records (`authority_list`).
//!
//! To add a steering marker: one member of `steering::Steering`, read where it takes effect, and a test.

mod answer;
mod at_hand;
mod authority;
mod authority_list;
mod chains;
mod check;
mod context;
mod delivery;
mod document;
mod entries;
mod entry;
mod job;
mod jobs;
mod listing;
mod reader;
mod request;
mod runner;
mod server;
mod smp;
mod steering;
mod totals;
mod vies;
mod views;

pub use authority::Authority;
pub use authority_list::AUTHORITIES_PATH;
pub use context::Delays;
pub use server::{Options, Running, Sandbox, StartError, Webhook};
pub use smp::SMP_PATH;
