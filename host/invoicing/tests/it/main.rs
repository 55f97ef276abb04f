//! The invoice data service on both databases, without finance.

#![cfg(test)]

mod export;
mod world;
