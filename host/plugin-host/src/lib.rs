//! The only Wasmtime of the gateway: tax regimes as sandboxed components.
//!
//! A plugin is a pure function. Every call gets a fresh store and a fresh instance with a memory cap, a deadline
//! and nothing else, and everything is thrown away afterwards: no state travels between tenants, and a plugin that
//! traps, loops, grows or returns rubbish costs one attempt and one clear fault.
//!
//! | module | what it holds |
//! |---|---|
//! | `options` | limits, folders, the observer of calls |
//! | `engine` | the one engine, its pool and its ticker |
//! | `guest` | what a store carries: memory cap and deadline |
//! | `cache` | compiled components in a private folder |
//! | `load` | from a file to a [`Plugin`], or the sentence that says why not |
//! | `registry` | which plugin serves which regime, swapped in one step |
//! | `abi` | one module per major version of the WIT contract |
//! | `defect` | what went wrong in a call, as a fault |
//! | `host` | [`PluginHost`]: the calls, and the domain's `Converter` port |
//!
//! # How to
//! - *add a major version of the contract*: a module beside `abi/v1.rs`, a variant of `Abi`, and an arm wherever the
//!   compiler then points at;
//! - *add an optional interface*: probe it in `abi/v1.rs` as `sandbox` is, and keep it out of the required ones.

mod abi;
mod cache;
mod defect;
mod engine;
mod guest;
mod host;
mod load;
mod options;
mod registry;

pub use abi::Identity;
pub use host::PluginHost;
pub use load::{FolderReport, LoadError, Plugin, Refusal};
pub use options::{CallOutcome, CallReport, Function, Limits, Observer, Options, StartError};
