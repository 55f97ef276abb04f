//! The command line, the configuration, and every command that works with the services alone. Exit codes: 0 done,
//! 1 refused, 2 misuse. Errors are one sentence on standard error.
//!
//! | module | what it holds |
//! |---|---|
//! | `args` | what can be typed |
//! | `telemetry` | logs |
//! | `context` | what a command works with |
//! | `misuse` | what is wrong with a command line |
//! | `clients`, `workspaces`, `plugins`, `renderers`, `invoices`, `submissions`, `outages`, `webhooks`, `import`, `persons`, `rebuild`, `recipients`, `reconcile`, `retention`, `rules` | operators' commands |
//! | `shell` | completions and pages for `man` |
//!
//! Not here: what opens a database or serves. The binary does that, and hands commands a [`Program`]. What plugin authors
//! work with (`gateway-plugin-author`), and what is printed where (`gateway-terminal`).
//!
//! To add a command: a variant in [`args`], whose names are the public contract; a `run` in the module of what it is about,
//! which calls one operation of a service and prints a view through `Out`; its line in `commands.rs` of `gateway`, unless
//! its module has one already. Operators' commands have a twin in `gateway-api-admin`.

mod address;
pub mod args;
pub mod clients;
mod context;
pub mod import;
mod install;
pub mod invoices;
mod misuse;
mod outages;
pub mod persons;
pub mod plugins;
pub mod rebuild;
pub mod recipients;
pub mod reconcile;
pub mod renderers;
pub mod retention;
pub mod rules;
pub mod shell;
pub mod submissions;
pub mod telemetry;
pub mod webhooks;
pub mod workspaces;

pub use address::reachable;
pub use context::{CommandContext, Program};

use args::Cli;
use clap::FromArgMatches;
use clap::error::ErrorKind;
use gateway_config::Config;
use gateway_terminal::{Failure, Out, is_output_lost, note};
use serde::{Serialize, Serializer};
use std::process::ExitCode;

/// Reads what was typed; else says what is wrong with it, or the help that was asked for, and answers how to end.
pub fn parse() -> Result<Cli, ExitCode> {
    let typed = args::command().try_get_matches().and_then(|typed| Cli::from_arg_matches(&typed));
    typed.map_err(|error| {
        let help = match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Some(ExitCode::SUCCESS),
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => Some(ExitCode::from(Failure::MISUSE)),
            _ => None,
        };
        if let Some(code) = help {
            // A closed standard output is no reason to fail.
            let _ = error.print();
            return code;
        }
        note(&misuse::sentence(&error));
        ExitCode::from(Failure::MISUSE)
    })
}

/// Says how a command ended.
pub fn conclude(done: Result<(), Failure>) -> ExitCode {
    match done {
        Ok(()) if is_output_lost() => {
            note(
                "error: the command was carried out, and what it says could not be written: make room for it, and look again",
            );
            ExitCode::from(Failure::REFUSED)
        }
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            note(&format!("error: {failure}"));
            ExitCode::from(failure.code())
        }
    }
}

/// Every key with its value, in the order of the keys.
struct ConfigView<'a>(&'a [(&'static str, String)]);

impl Serialize for ConfigView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// `gateway config check`: the configuration was read and checked before; what is left is to show it.
pub fn show_configuration(config: &Config, out: Out) {
    let entries = config.entries();
    out.data(&ConfigView(&entries), || {
        let width = entries.iter().map(|(key, _)| key.len()).max().unwrap_or_default();
        let lines = entries.iter().map(|(key, value)| format!("{key:width$}  {value}"));
        lines.collect::<Vec<_>>().join("\n")
    });
}
