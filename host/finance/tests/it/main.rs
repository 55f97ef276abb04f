//! Submissions from intent to verdict, on both databases, with a provider and a regime that do as they are told.

#![cfg(test)]

mod accepted;
mod bookings;
mod carried;
mod commands;
mod copies;
mod elsewhere;
mod export;
mod feed;
mod gateway;
mod identity;
mod model;
mod numbers;
mod platform;
mod provider;
mod races;
mod rejected;
mod service;
mod shown;
mod stepped;
mod stuck;
mod trouble;
mod turns;
mod webhook_sender;
mod webhooks;
mod world;
