//! The surfaces as a client sees them, without sockets, on both databases.

mod admin;
mod documented;
mod envelope;
mod failing;
mod legacy;
mod oauth;
mod routes;
mod slow;
mod world;
