//! The only Wasmtime of the gateway: tax regimes as sandboxed components.
//!
//! A plugin is a pure function. Every call gets a fresh store and a fresh instance with a memory cap, a deadline
//! and nothing else, and everything is thrown away afterwards: no state travels between tenants, and a plugin that
//! traps, loops, grows or returns what cannot be used costs one attempt and one clear fault.
//!
//! | module | what it holds |
//! |---|---|
//! | `options` | limits, folders, the observer of calls |
//! | `engine` | the one engine and its pool |
//! | `ticker` | the clock that guests run by, while one runs |
//! | `guest` | what a store carries: memory cap and deadline |
//! | `stderr` | the end of what a guest writes to standard error |
//! | `wasi` | a WASI in which there is nothing, for components that carry one |
//! | `compile` | machine code, made in a child process with limited memory |
//! | `cache` | compiled components in a private folder |
//! | `load` | from a file to a [`Plugin`], or the sentence that says why not |
//! | `signature` | detached signatures, and the keys an operator trusts |
//! | `serving` | which plugin serves which regime in which workspace, and which share of its documents, swapped in one step |
//! | `breaker` | a plugin that is stopped again and again is blocked |
//! | `coming` | the versions in force now and later, and what they say of drafts |
//! | `listing` | the authority's own list: asked, read, and played |
//! | `links` | what was sent, read for its places in the chain |
//! | `trial` | a plugin that is not in force, tried on real documents |
//! | `abi` | one module per major version of the WIT contract |
//! | `json_error` | where JSON breaks off, with what stands there |
//! | `defect` | what went wrong in a call, as a fault |
//! | `host` | [`PluginHost`]: loading, and what is in force |
//! | `renderer` | [`RendererHost`]: documents for people, by components of a contract of their own |
//! | `call` | the calls, and the domain's `Converter` port |
//!
//! Not here: which versions are installed and in force (`gateway-registry`), and what any country demands (the plugins).
//!
//! # How to
//! - *add a major version of the contract*: see `abi`, where all of them are dispatched;
//! - *add an optional interface*: a folder `wit/v1.N` that holds it and nothing else, and a probe in `abi/v1.rs` beside
//!   that of `evidence`; the required interface never changes.

mod abi;
mod breaker;
mod cache;
mod call;
mod coming;
mod compile;
mod defect;
mod engine;
mod guest;
mod host;
mod json_error;
mod links;
mod listing;
mod load;
mod options;
pub mod renderer;
mod serving;
mod signature;
mod stderr;
mod ticker;
mod trial;
mod wasi;

pub use breaker::BlockedPlugin;
pub use compile::compile_child;
pub use host::PluginHost;
pub use json_error::JsonError;
pub use load::{ComponentKind, LoadError, Plugin, Refusal, digest};
pub use options::{
    COMPILE_COMMAND, CallOutcome, CallReport, Compiler, Function, Limits, Observer, Options, StartError,
};
pub use renderer::{MeasuredFile, Renderer, RendererHost};
pub use serving::{ScheduledPlugin, Scope, ServingTable};
pub use signature::{
    PublicKey, Signature, SignatureError, SigningKey, Trust, TrustedKeys, signature_file, verify,
};
pub use trial::Trial;
