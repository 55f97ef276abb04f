//! `gateway plugin new | build | test | watch`: what an author typed, for `gateway-plugin-author`. Only `watch --install`
//! opens the database.

use crate::args::{AuthorCommand, Language, WatchArgs};
use crate::{Program, install};
use gateway_config::Config;
use gateway_plugin_author::{self as plugin_author, Destination, WatchOptions};
use gateway_terminal::{Failure, Out};
use std::path::Path;

/// Carries out an author's command.
pub(super) async fn run(
    command: AuthorCommand,
    config: &Config,
    program: &Program,
    out: Out,
) -> Result<(), Failure> {
    match command {
        AuthorCommand::New { name, lang } => plugin_author::new(&name, lang.into(), out),
        AuthorCommand::Build { manifest_path } => {
            let trusted = config.plugins.public_keys()?;
            plugin_author::build(manifest_path.as_deref(), &trusted, out).await
        }
        AuthorCommand::Test { file, cases, update, payloads } => {
            plugin_author::test(&file, cases.as_deref(), update, payloads.as_deref(), out).await
        }
        AuthorCommand::Watch(args) => {
            let install = async |file: &Path| install::install_and_activate(config, file, program, out).await;
            plugin_author::watch(&args.into(), program.clock(), install, out).await
        }
    }
}

impl From<Language> for plugin_author::Language {
    fn from(language: Language) -> Self {
        match language {
            Language::Rust => Self::Rust,
            Language::Python => Self::Python,
            Language::Javascript => Self::Javascript,
        }
    }
}

impl From<WatchArgs> for WatchOptions {
    fn from(args: WatchArgs) -> Self {
        let WatchArgs { manifest_path: manifest, cases, install, into, token_file, drop } = args;
        let destination = match (into, token_file, drop) {
            _ if install => Some(Destination::Registry),
            (Some(url), Some(token_file), _) => Some(Destination::Listener { url, token_file }),
            (_, _, Some(folder)) => Some(Destination::DropFolder(folder)),
            _ => None,
        };
        Self { manifest, cases, destination }
    }
}
