//! The GraphQL API over the services themselves, on both databases.

#![cfg(test)]

mod catalog;
mod conversations;
mod documents;
mod lists;
mod statements;
mod unknown_names;
mod world;
