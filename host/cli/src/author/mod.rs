//! What a plugin's author types: `gateway plugin new | build | test | watch`. Nothing here opens the database.

mod build;
mod difference;
mod folder;
mod name;
mod new;
mod shown;
mod suite;
mod trace;
mod watch;

use super::{Failure, Out};
use crate::config::Config;
use clap::Subcommand;
use gateway_plugin_host::{Limits, Observer, Options, PluginHost, StartError};
use std::path::PathBuf;

/// The commands of an author.
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum AuthorCommand {
    /// A working plugin to start from, in a folder of its own.
    New {
        /// Its key, such as es-verifactu; the folder's name too.
        #[arg(value_parser = name::parse)]
        name: name::PluginName,
    },
    /// Build the plugin of this folder into a component, and describe it.
    Build {
        /// The plugin's Cargo.toml [default: that of this folder].
        #[arg(long, value_name = "FILE")]
        manifest_path: Option<PathBuf>,
    },
    /// Convert golden cases offline, in the gateway's own host code.
    Test {
        /// The component.
        file: PathBuf,
        /// A folder with cases/ and expected/ [default: golden beside the component].
        #[arg(long, value_name = "DIR")]
        cases: Option<PathBuf>,
        /// Write what is made as what is expected.
        #[arg(long)]
        update: bool,
    },
    /// Build and test whenever something changed, and swap into a running gateway.
    Watch(watch::WatchArgs),
}

pub(super) async fn run(command: AuthorCommand, config: &Config, out: Out) -> Result<(), Failure> {
    match command {
        AuthorCommand::New { name } => new::run(&name, out),
        AuthorCommand::Build { manifest_path } => build::run(manifest_path.as_deref(), config, out).await,
        AuthorCommand::Test { file, cases, update } => suite::run(&file, cases.as_deref(), update, out).await,
        AuthorCommand::Watch(args) => watch::run(args, config, out).await,
    }
}

/// A plugin host that keeps nothing on disk.
pub(in crate::cli) fn plugin_host(observer: Option<Observer>) -> Result<PluginHost, StartError> {
    // Every case is tried, however many of them stop the plugin.
    let limits = Limits { breaker_stops: u32::MAX, ..Limits::default() };
    PluginHost::new(Options { cache_dir: None, limits, observer, ..Options::default() })
}

#[cfg(test)]
mod tests {
    use super::super::args::Cli;
    use clap::Parser;

    #[test]
    fn what_an_author_types_is_understood_and_nonsense_is_misuse() {
        for line in [
            "gateway plugin new es-tbai",
            "gateway plugin build --manifest-path x/Cargo.toml",
            "gateway plugin test x.wasm --cases golden --update --json",
            "gateway plugin watch",
            "gateway plugin watch --install",
            "gateway plugin watch --into http://127.0.0.1:8081 --token-file token",
            "gateway plugin watch --drop plugins --cases golden",
        ] {
            assert!(Cli::try_parse_from(line.split(' ')).is_ok(), "{line}");
        }
        for line in [
            "gateway plugin new",
            "gateway plugin new EsTbai",
            "gateway plugin test",
            "gateway plugin watch --into http://127.0.0.1:8081",
            "gateway plugin watch --install --drop plugins",
        ] {
            assert_eq!(
                Cli::try_parse_from(line.split(' ')).map(|_| ()).unwrap_err().exit_code(),
                2,
                "{line}"
            );
        }
    }
}
