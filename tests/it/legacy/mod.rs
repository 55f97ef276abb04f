//! The legacy REST API as older integrations meet it: the real gateway, data that was imported, HTTP Basic.

mod hostile;
mod reads;
mod statements;
mod uses;
mod world;
mod writes;
