//! What both listeners share: connections, the layers around every request, what handlers take out of a request, the
//! one shape of an error, and the OpenAPI documents.
//!
//! A surface is a router of its own crate (`gateway-api-public`, `gateway-api-internal`, `gateway-api-admin`); the binary merges surfaces
//! into a listener and puts [`middleware::finish`] around it. Extractors say with `FromRef` which service they need of
//! the state of a router, and take nothing else.
//!
//! | module | what it holds |
//! |---|---|
//! | `connection`, `drain` | slow clients, and bodies that nobody reads |
//! | `middleware`, `request_id`, `metrics` | what happens around every request |
//! | `access`, `peer`, `network`, `limits` | who calls, from where, and how often |
//! | `json`, `query`, `documents_query`, `time`, `accept` | what is asked for, and every mistake in it |
//! | `idempotency` | `Idempotency-Key` |
//! | `errors` | the errors list |
//! | `openapi` | the documents, derived from the handlers of the surfaces |
//! | `health`, `reference`, `assets` | `/healthz`, and the document as it is and for people |
//! | `cors` | pages of other origins |
//! | `startup`, `quick` | what waits while the process starts, and what never waits long |
//! | `live` | events for pages that wait for news |
//! | `download` | files to be saved |
//! | `compression` | gzip for what is the same for everybody |
//!
//! Not here: routes of a surface, and how the errors of a service are answered.
//!
//! # How to
//! - *read something new of requests*: an extractor in the file of its kind that names every mistake at once, with the
//!   parameter or header that the OpenAPI document shows for it;
//! - *do something around every request*: a layer in [`middleware::finish`], at the place in the order that its neighbours
//!   demand.

#![deny(clippy::wildcard_enum_match_arm)]

pub mod accept;
mod access;
pub mod assets;
mod compression;
pub mod connection;
pub mod cors;
pub mod documents_query;
pub mod download;
mod drain;
mod errors;
mod health;
pub mod idempotency;
pub mod json;
mod landing;
pub mod limits;
pub mod live;
mod metrics;
pub mod middleware;
mod network;
pub mod openapi;
mod peer;
pub mod query;
pub mod quick;
mod reference;
mod request_id;
pub mod startup;
pub mod time;

pub use access::{Authenticated, Needs};
pub use compression::compress;
pub use errors::{AccessRefusal, ApiErrors};
pub use health::{health, health_surface};
pub use json::{Json, OptionalJson, refuse};
pub use metrics::{OperationOutcome, RequestMetrics};
pub use network::{Network, NoNetwork};
pub use peer::{Peer, Proxies};
pub use query::Params;
pub use request_id::request_id;
