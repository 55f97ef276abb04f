//! The gateway's one binary: command line, configuration, wiring, HTTP surfaces.
//!
//! | module | what it holds |
//! |---|---|
//! | `config` | `gateway.toml` and the environment, checked before anything happens |
//! | `cli` | one file per command group; each calls one operation of `gateway-app` |
//! | `wiring` | the only place where concrete adapters are named |
//! | `demo` | sample data, and a dozen invoices sent over HTTP |
//! | `serve` | listeners, background work, stopping |
//! | `http` | the surfaces: one file each, every one translates and none decides |
//! | `settings` | a regime's JSON Schema against a workspace's settings |
//! | `metrics` | what Prometheus reads |
//! | `telemetry` | logs |
//!
//! Not here: rules (`gateway-domain`), use cases (`gateway-app`), SQL, Wasm, outbound HTTP.

mod cli;
mod config;
mod demo;
mod http;
mod metrics;
mod serve;
mod settings;
mod telemetry;
mod wiring;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
