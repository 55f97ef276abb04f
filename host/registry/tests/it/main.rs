//! The registry with a plugin host that does as it is told.

#![cfg(test)]

mod changes;
mod harness;
mod schedules;
