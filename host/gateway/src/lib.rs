//! The gateway's one binary: command line, configuration, wiring, HTTP surfaces. A library only so that a benchmark
//! can run it in its own process ([`InProcess`]).
//!
//! | module | what it holds |
//! |---|---|
//! | `config` | `gateway.toml` and the environment, checked before anything happens |
//! | `cli` | one file per command group; each calls one operation of a service |
//! | `wiring` | the only place where concrete adapters are named |
//! | `demo` | sample data, and a dozen invoices sent over HTTP |
//! | `serve` | listeners, background work, stopping |
//! | `in_process` | the same as `serve`, for a benchmark |
//! | `http` | the surfaces: one file each, every one translates and none decides |
//! | `openapi` | the OpenAPI documents, put together from the parts in `openapi/`, and the page made of them |
//! | `metrics` | what Prometheus reads |
//! | `telemetry` | logs |
//!
//! Not here: rules (`gateway-domain`), use cases (the services), SQL, Wasm, outbound HTTP.

mod cli;
mod clock;
mod config;
mod demo;
mod http;
mod in_process;
mod metrics;
mod openapi;
mod serve;
mod services;
mod telemetry;
mod wiring;

pub use in_process::{InProcess, NotStarted};
pub use services::Services;

use std::process::ExitCode;

/// Parses the arguments, runs the command, says how it ended.
pub fn main() -> ExitCode {
    cli::main()
}
