//! The legacy REST API as older integrations meet it: the real gateway, data that was imported, HTTP Basic.

mod client;
mod hostile;
mod reads;
mod statements;
mod uses;
mod writes;
