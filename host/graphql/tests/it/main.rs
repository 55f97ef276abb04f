//! The GraphQL API over the services themselves, on both databases.

#![cfg(test)]

mod lists;
mod world;
