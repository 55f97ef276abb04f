//! The platform's data on both databases: imported, shown, changed.

#![cfg(test)]

mod bookings;
mod catalog;
mod changes;
mod dependents;
mod erasure;
mod import;
mod pricing;
mod regime;
mod rest;
mod suppliers;
mod tracked;
mod verification;
mod world;
