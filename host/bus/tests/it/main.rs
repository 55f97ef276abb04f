//! The same sentences about both sinks, and what only a bus can do.

#![cfg(test)]

mod bus;
mod sinks;
