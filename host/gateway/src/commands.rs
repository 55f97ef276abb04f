//! The command line. Exit codes: 0 done, 1 refused, 2 misuse. Errors are one sentence on standard error.

mod args;
mod author;
mod clients;
mod doctor;
mod failure;
mod import;
mod keys;
mod out;
mod plugins;
mod rebuild;
mod submissions;
mod webhooks;
mod workspaces;

pub(crate) use args::SandboxArgs;
pub(crate) use failure::Failure;
use out::note;
pub(crate) use out::{Out, line, listing, table};

use crate::config::{self, Config};
use crate::{demo, serve, telemetry, wiring};
use args::{Cli, Command, ConfigCommand};
use clap::Parser;
use clap::error::ErrorKind;
use gateway_plugin_host::{COMPILE_COMMAND, compile_child};
use std::process::ExitCode;
use std::time::Duration;

/// How long finished commands wait for threads that compile plugins.
const LINGER: Duration = Duration::from_millis(200);

/// Parses the arguments, reads the configuration, runs the command.
pub(crate) fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == COMPILE_COMMAND) {
        return compile_child(arguments);
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let shown = match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Some(ExitCode::SUCCESS),
                ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => Some(ExitCode::from(Failure::MISUSE)),
                _ => None,
            };
            if let Some(code) = shown {
                // A closed standard output is no reason to fail.
                let _ = error.print();
                return code;
            }
            out::note(&misuse(&error.to_string()));
            return ExitCode::from(Failure::MISUSE);
        }
    };
    match run(cli) {
        Ok(()) if out::lost() => {
            out::note(
                "error: the command was carried out, and what it says could not be written: make room for it, and look again",
            );
            ExitCode::from(Failure::REFUSED)
        }
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            out::note(&format!("error: {failure}"));
            ExitCode::from(failure.code())
        }
    }
}

/// The parser's paragraphs as one sentence. How a command is used in general is left to its help.
fn misuse(paragraphs: &str) -> String {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = paragraphs.split("\n\n").filter(|paragraph| !paragraph.trim_start().starts_with("Usage:"));
    let said: Vec<_> = said.map(words).filter(|paragraph| !paragraph.is_empty()).collect();
    said.join("; ").replace("; For more information, try '--help'.", ": see '--help'")
}

fn run(cli: Cli) -> Result<(), Failure> {
    let config = config::read(cli.config.as_deref(), std::env::vars_os()).map_err(Failure::misuse)?;
    let usual = match cli.command {
        Command::Serve | Command::Sandbox(_) => "info",
        // Its own lines tell what happens.
        Command::Demo { .. } => "error",
        _ => "warn",
    };
    telemetry::start(&config.log, usual);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let done = runtime.block_on(command(cli.command, config, Out::new(cli.json)));
    runtime.shutdown_timeout(LINGER);
    done
}

async fn command(command: Command, config: Config, out: Out) -> Result<(), Failure> {
    match command {
        Command::Demo { once, data_dir } => demo::run(config, once, data_dir).await,
        Command::Serve => serve::run(config).await,
        Command::Sandbox(args) => serve::sandbox_alone(config, args).await,
        Command::Migrate => migrate(&config, out).await,
        Command::Client(command) => clients::run(command, &config, out).await,
        Command::Workspace(command) => workspaces::run(command, &config, out).await,
        Command::Plugin(command) => plugins::run(command, &config, out).await,
        Command::Submission(command) => submissions::run(command, &config, out).await,
        Command::Webhook(command) => webhooks::run(command, &config, out).await,
        Command::Keys(command) => keys::run(command, &config, out).await,
        Command::Import(args) => import::run(args, &config, out).await,
        Command::Rebuild(command) => rebuild::run(command, &config, out).await,
        Command::Doctor => doctor::run(&config, out).await,
        Command::Config(ConfigCommand::Check) => {
            check(&config, out);
            Ok(())
        }
    }
}

async fn migrate(config: &Config, out: Out) -> Result<(), Failure> {
    let db = wiring::connect(config).await?;
    db.migrate().await?;
    db.close().await;
    out.data(&serde_json::json!({"migrated": true}), || "The database is up to date.".to_owned());
    Ok(())
}

/// The configuration was read and checked before; what is left is to show it.
fn check(config: &Config, out: Out) {
    let shown = config.shown();
    let json = shown.iter().map(|(key, value)| ((*key).to_owned(), value.clone().into())).collect();
    out.data(&serde_json::Value::Object(json), || {
        let width = shown.iter().map(|(key, _)| key.len()).max().unwrap_or_default();
        let lines = shown.iter().map(|(key, value)| format!("{key:width$}  {value}"));
        lines.collect::<Vec<_>>().join("\n")
    });
}
