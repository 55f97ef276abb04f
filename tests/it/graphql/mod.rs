//! The GraphQL API as integrators meet it: the real gateway, data that was imported, requests over HTTP.

mod areas;
mod catalog;
mod conditions;
mod hostile;
mod idempotency;
mod merged_fields;
mod nights;
mod pages;
mod permissions;
mod requests;
mod statements;
mod transport;
mod webhooks;
