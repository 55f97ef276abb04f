//! One module per surface or flow.

#![cfg(test)]

mod after_all;
mod at;
mod author;
mod authority;
mod bad_input;
mod chaos;
mod cli;
mod clock;
mod demo;
mod documents;
mod elsewhere;
mod events;
mod export;
mod finance;
mod forged;
mod graphql;
mod hooks;
mod identity;
mod jwt;
mod keys;
mod kill;
mod legacy;
mod locked;
mod numbers;
mod once;
mod ops;
mod outage;
mod papers;
mod plugins;
mod rpc;
mod sandbox;
mod scripted;
mod secrets;
mod sent;
mod steps;
mod tokens;
mod totals;
mod trapping;
mod untrusted;
mod verdict;
mod webhook;
