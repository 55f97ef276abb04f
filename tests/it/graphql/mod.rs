//! The GraphQL API as integrators meet it: the real gateway, data that was imported, requests over HTTP.

mod areas;
mod catalog;
mod date_ranges;
mod execution;
mod idempotency;
mod limits;
mod merged_fields;
mod pages;
mod permissions;
mod requests;
mod statements;
mod transport;
mod webhooks;
