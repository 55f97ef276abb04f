//! The command that was typed, carried out: what opens a database or serves here, everything else in `gateway-cli`.

use crate::clock::SystemClock;
use crate::demo::DemoOptions;
use crate::reload::ConfigSource;
use crate::{allocator, demo, doctor, keys, recovery, serve, wiring};
use futures::FutureExt;
use futures::future::LocalBoxFuture;
use gateway_cli::args::{Cli, Command, ConfigCommand};
use gateway_cli::{CommandContext, Program};
use gateway_cli::{
    clients, import, invoices, persons, plugins, rebuild, recipients, reconcile, renderers, retention, rules,
    shell, submissions, telemetry, webhooks, workspaces,
};
use gateway_config::{self as config, Config, ReadConfig};
use gateway_domain::access::Actor;
use gateway_plugin_host::{COMPILE_COMMAND, compile_child};
use gateway_terminal::{Failure, Out};
use serde::Serialize;
use std::process::ExitCode;
use std::time::Duration;

/// How long finished commands wait for threads that compile plugins.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(200);

/// Parses the arguments, reads the configuration, runs the command.
pub(crate) fn main() -> ExitCode {
    if let Some(compiled) = compile_as_child() {
        return compiled;
    }
    allocator::avoid_huge_pages();
    match gateway_cli::parse() {
        Ok(cli) => gateway_cli::conclude(run(cli)),
        Err(code) => code,
    }
}

/// Compiles the plugin that another process of this program hands over, when that is what it was started for.
pub(crate) fn compile_as_child() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    (arguments.next()? == COMPILE_COMMAND).then(|| compile_child(arguments))
}

fn run(cli: Cli) -> Result<(), Failure> {
    let ReadConfig { config, ignored } = match &cli.command {
        // They say how commands are typed, whatever is configured.
        Command::Completions { .. } | Command::Man { .. } => ReadConfig::default(),
        _ => config::read(cli.config.as_deref(), std::env::vars_os()).map_err(Failure::misuse)?,
    };
    let usual = match cli.command {
        Command::Serve | Command::Sandbox(_) => "info",
        // Its own lines tell what happens.
        Command::Demo { .. } => "error",
        _ => "warn",
    };
    if cli.command.needs_a_database() {
        wiring::ensure_is_there(&config)?;
    }
    let telemetry = telemetry::start(&config, usual);
    let source = ConfigSource { file: cli.config.clone(), log: telemetry.log.clone(), usual_filter: usual };
    if !ignored.is_empty() {
        tracing::warn!("No configuration keys, and passed over: {}", ignored.join(", "));
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let program = Program::new(open, &SystemClock, cli.operator());
    let done = runtime.block_on(command(cli.command, config, source, (&program, Out::new(cli.json))));
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    telemetry.finish();
    done
}

async fn command(
    command: Command,
    config: Config,
    source: ConfigSource,
    (program, out): (&Program, Out),
) -> Result<(), Failure> {
    match command {
        Command::Demo { once, pdf, data_dir } => {
            Box::pin(demo::run(config, DemoOptions { once, pdf, data_dir })).await
        }
        Command::Serve => Box::pin(serve::run(config, source)).await,
        Command::Sandbox(args) => serve::standalone_sandbox(config, args).await,
        Command::Migrate => migrate(&config, out).await,
        Command::Client(command) => clients::run(command, &config, program, out).await,
        Command::Workspace(command) => workspaces::run(command, &config, program, out).await,
        Command::Plugin(command) => Box::pin(plugins::run(command, &config, program, out)).await,
        Command::Renderer(command) => renderers::run(command, &config, program, out).await,
        Command::Invoice(command) => invoices::run(command, &config, program, out).await,
        Command::Submission(command) => submissions::run(command, &config, program, out).await,
        Command::Webhook(command) => webhooks::run(command, &config, program, out).await,
        Command::Keys(command) => keys::run(command, &config, program.operator(), out).await,
        Command::Backup(args) => Box::pin(recovery::backup(args, &config, out)).await,
        Command::Restore(args) => Box::pin(recovery::restore(args, &config, out)).await,
        Command::Move(args) => Box::pin(recovery::move_database(args, &config, out)).await,
        Command::Import(args) => import::run(args, &config, program, out).await,
        Command::Person(command) => persons::run(command, &config, program, out).await,
        Command::Rebuild(command) => rebuild::run(command, &config, program, out).await,
        Command::Reconcile(args) => reconcile::run(args, &config, program, out).await,
        Command::Recipient(command) => recipients::run(command, &config, program, out).await,
        Command::Rules(command) => Box::pin(rules::run(command, &config, program, out)).await,
        Command::Retention(command) => retention::run(command, &config, program, out).await,
        Command::Doctor(args) => doctor::run(args, &config, out).await,
        Command::Config(ConfigCommand::Check) => {
            gateway_cli::show_configuration(&config, out);
            Ok(())
        }
        Command::Completions { shell } => {
            shell::completions(shell);
            Ok(())
        }
        Command::Man { folder } => shell::man_pages(&folder),
    }
}

fn open(config: &Config, operator: Actor) -> LocalBoxFuture<'_, Result<CommandContext, Failure>> {
    async { Ok(wiring::open(config, operator).await?) }.boxed_local()
}

/// That the database is up to date.
#[derive(Serialize)]
struct MigrationView {
    migrated: bool,
}

async fn migrate(config: &Config, out: Out) -> Result<(), Failure> {
    let db = wiring::connect(config).await?;
    wiring::migrate(config, &db).await?;
    db.close().await;
    out.data(&MigrationView { migrated: true }, || "The database is up to date.".to_owned());
    Ok(())
}
