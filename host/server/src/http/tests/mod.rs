//! The surfaces as a client sees them, without sockets, on both databases.

mod admin;
mod envelope;
mod legacy;
mod oauth;
mod routes;
mod slow;
mod world;
