//! The surfaces as a client sees them, without sockets, on both databases.

mod admin;
mod compression;
mod contract;
mod documented;
mod failing;
mod idempotency;
mod legacy;
mod middleware;
mod oauth;
mod openapi;
mod routers;
mod routes;
mod slow;
mod starting;
