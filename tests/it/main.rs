//! One module per surface or flow.

#![cfg(test)]

mod authentication;
mod author;
mod authority;
mod bad_input;
mod chaos;
mod cli;
mod clock;
mod command_time;
mod demo;
mod documents;
mod events;
mod export;
mod finance;
mod graphql;
mod hooks;
mod idempotency;
mod identity;
mod jwt;
mod keys;
mod kill;
mod legacy;
mod lost_files;
mod numbers;
mod ops;
mod outage;
mod papers;
mod platform;
mod plugin_breaker;
mod plugins;
mod remote;
mod resubmission;
mod rpc;
mod sandbox;
mod scripted;
mod secrets;
mod sent_document;
mod setup;
mod state_lock;
mod tokens;
mod totals;
mod untrusted_provider;
mod verdict;
mod webhook;
mod workflow_steps;
