//! Arguments of `gateway plugin new | build | test | watch`.

use super::web::web_address;
use clap::{Args, Subcommand, ValueEnum};
use gateway_plugin_author::PackageName;
use std::path::PathBuf;
use url::Url;

/// What a new plugin is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// With the SDK of this gateway, built by cargo.
    Rust,
    /// Built by componentize-py.
    Python,
    /// Built by jco.
    Javascript,
}

/// The commands of an author.
#[derive(Debug, Subcommand)]
pub enum AuthorCommand {
    /// A working plugin to start from, in a folder of its own.
    New {
        /// Its key, such as es-verifactu; the folder's name too.
        name: PackageName,
        /// What it is written in.
        #[arg(long, value_enum, default_value_t = Language::Rust)]
        lang: Language,
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
        /// Write what goes over the wire to the authority and back, for each case and each sample of the plugin, into this folder.
        #[arg(long, value_name = "DIR")]
        payloads: Option<PathBuf>,
    },
    /// Build and test whenever something changed, and swap into a running gateway.
    Watch(WatchArgs),
}

/// What to do with a plugin that passed its cases. Without any of these it is only built and tested.
#[derive(Debug, Args)]
pub struct WatchArgs {
    /// The plugin's Cargo.toml [default: that of this folder].
    #[arg(long, value_name = "FILE")]
    pub manifest_path: Option<PathBuf>,
    /// A folder with cases/ and expected/ [default: golden beside the manifest].
    #[arg(long, value_name = "DIR")]
    pub cases: Option<PathBuf>,
    /// Swap it into the gateway of this configuration: every process on its database follows.
    #[arg(long, conflicts_with_all = ["into", "drop"])]
    pub install: bool,
    /// Swap it into the gateway whose internal listener is at this address.
    #[arg(long, value_name = "URL", value_parser = web_address, requires = "token_file", conflicts_with = "drop")]
    pub into: Option<Url>,
    /// A file with an access token of a client that has the permission admin.
    #[arg(long, value_name = "FILE", requires = "into")]
    pub token_file: Option<PathBuf>,
    /// Put it into the drop folder of a gateway, which installs it and activates the first version of its key.
    #[arg(long, value_name = "DIR")]
    pub drop: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use crate::args::Cli;
    use clap::Parser;

    #[test]
    fn what_an_author_types_is_understood_and_nonsense_is_misuse() {
        for line in [
            "gateway plugin new es-tbai",
            "gateway plugin new es-tbai --lang python",
            "gateway plugin build --manifest-path x/Cargo.toml",
            "gateway plugin test x.wasm --cases golden --update --json",
            "gateway plugin test x.wasm --payloads records",
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
            "gateway plugin new es-tbai --lang cobol",
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
