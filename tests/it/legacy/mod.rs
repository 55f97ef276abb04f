//! The legacy REST API as older integrations meet it: the real gateway, data that was imported, HTTP Basic.

mod client;
mod malformed_requests;
mod reads;
mod statements;
mod usage;
mod writes;
