//! Webhooks registered, told, tried again, given up, switched on again, replayed; and their sender against real sockets.

#![cfg(test)]

mod calls;
mod delivering;
mod peer;
mod pooling;
mod registering;
mod replaying;
mod webhook_sender;
mod world;
