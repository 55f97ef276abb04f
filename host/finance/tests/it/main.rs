//! Submissions from intent to verdict, on both databases, with a provider and a regime that do as they are told.

#![cfg(test)]

mod accepted;
mod alerts;
mod bookings;
mod clock_steps;
mod commands;
mod completeness;
mod copies;
mod feed;
mod gateway;
mod identity;
mod lists;
mod model;
mod numbers;
mod platform;
mod provider;
mod races;
mod recovery;
mod rejected;
mod remote;
mod remote_locks;
mod round_trip;
mod service;
mod verdicts_at_once;
mod webhooks;
mod world;
