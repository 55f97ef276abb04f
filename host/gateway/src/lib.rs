//! The gateway's one binary: it builds the services from their adapters and serves. A library only so that a benchmark
//! can run it in its own process ([`InProcess`]).
//!
//! | module | what it holds |
//! |---|---|
//! | `commands` | the command that was typed, carried out |
//! | `services` | every service, made of its adapters |
//! | `clock` | the real clock and source of identifiers |
//! | `wiring` | the adapters of storage, plugins and secrets |
//! | `bound_listeners` | the addresses, listened on before anything is written |
//! | `serve` | listeners, background work, stopping |
//! | `descriptors` | how many connections the listeners may have |
//! | `listeners` | which surfaces each listener has |
//! | `in_process` | the same as `serve`, for a benchmark |
//! | `demo` | a gateway of its own for the demonstration, which is in `gateway-demo` |
//! | `doctor` | looks at everything the gateway needs |
//! | `known_databases` | notices a database that was lost |
//! | `keys` | keys that sign and seal |
//! | `recovery` | backup, restore, and the move to another database |
//!
//! Not here: arguments, configuration and the commands that work with the services alone (`gateway-cli`), routes
//! (`gateway-api-public`, `gateway-api-internal`), rules (`gateway-domain` and the two beside it), SQL, Wasm, outbound HTTP.
//!
//! # How to
//! - *add a service*: a member of `Services`, built in `Services::new`; hand it to the surfaces that call it in `listeners`;
//! - *add an adapter*: build it in `wiring`, as what it stands for (`Arc<dyn …>`), and pass it through `Adapters`;
//! - *add background work*: a future in `serve::BackgroundWork::start` that ends with `ending`.

mod allocator;
mod authorities;
mod background;
mod bound_listeners;
mod certificates;
mod clock;
mod commands;
mod demo;
mod descriptors;
mod doctor;
mod in_process;
mod keys;
mod known_databases;
mod listeners;
mod public_threads;
mod recovery;
mod reload;
mod serve;
mod services;
mod signals;
mod wiring;

#[cfg(test)]
mod tests;

pub use in_process::{InProcess, NotStarted};
pub use services::Services;

use std::process::ExitCode;

/// Parses the arguments, runs the command, says how it ended.
pub fn main() -> ExitCode {
    commands::main()
}
