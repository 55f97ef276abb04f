//! `gateway plugin …`.

mod author;
mod exchange;

use crate::args::{KeyArgs, PluginCommand, RollbackArgs};
use crate::install::{activation_sentence, canary_sentence, install, whom};
use crate::{CommandContext, Program};
use gateway_config::Config;
use gateway_domain::access::Workspaces;
use gateway_domain::ids::WorkspaceId;
use gateway_registry::views::{ActivatedView, DisabledView, PluginList, ScheduleView};
use gateway_registry::{
    DropFolder, DueTime, ListedVersion, Order, PluginName, RegistryList, RollbackScope, SkippedFile,
};
use gateway_terminal::{self as terminal, Column, Failure, Out, Text};
use serde::Serialize;
use std::path::PathBuf;

/// Carries it out.
pub async fn run(
    command: PluginCommand,
    config: &Config,
    program: &Program,
    out: Out,
) -> Result<(), Failure> {
    match command {
        PluginCommand::Inspect { file } => {
            return gateway_plugin_author::inspect(&file, &config.plugins.public_keys()?, out).await;
        }
        PluginCommand::Author(command) => return author::run(command, config, program, out).await,
        PluginCommand::Keygen { key } => return gateway_plugin_author::keygen(&key, out),
        PluginCommand::Push { file, to } => return exchange::push(&file, &to, out).await,
        PluginCommand::Pull { from, out: file } => return exchange::pull(&from, file, config, out).await,
        PluginCommand::Sign { file, key } => return gateway_plugin_author::sign(&file, &key, out).await,
        PluginCommand::List
        | PluginCommand::Install { .. }
        | PluginCommand::Activate { .. }
        | PluginCommand::Unschedule { .. }
        | PluginCommand::Disable(_)
        | PluginCommand::Rollback(_) => {}
    }
    let context = program.open(config).await?;
    let done = match command {
        PluginCommand::List => list(&context, config, out).await,
        PluginCommand::Install { source, activate } => {
            install(&context, config, &source, (activate, out)).await
        }
        PluginCommand::Activate { plugin, workspace, share, at, force } => {
            let order = Order { name: plugin, workspace, share, force };
            match at {
                Some(at) => schedule(&context, (&order, at), out).await,
                None => activate(&context, &order, out).await,
            }
        }
        PluginCommand::Unschedule { plugin, workspace } => {
            unschedule(&context, (&plugin, workspace), out).await
        }
        PluginCommand::Disable(args) => disable(&context, &args, out).await,
        PluginCommand::Rollback(args) => roll_back(&context, &args, out).await,
        PluginCommand::Author(_)
        | PluginCommand::Inspect { .. }
        | PluginCommand::Keygen { .. }
        | PluginCommand::Push { .. }
        | PluginCommand::Pull { .. }
        | PluginCommand::Sign { .. } => Ok(()),
    };
    context.close().await;
    done
}

/// The registry, and the folder that fills it.
#[derive(Serialize)]
struct PluginListView {
    #[serde(flatten)]
    registry: PluginList,
    /// None where none is watched.
    folder: Option<PathBuf>,
    /// Files in it that are not in the registry.
    refused: Vec<RefusedFile>,
}

/// A file that is no plugin for this gateway, and why.
#[derive(Serialize)]
struct RefusedFile {
    file: String,
    message: String,
}

impl From<&SkippedFile> for RefusedFile {
    fn from(skipped: &SkippedFile) -> Self {
        Self { file: skipped.file.clone(), message: skipped.message.clone() }
    }
}

async fn list(context: &CommandContext, config: &Config, out: Out) -> Result<(), Failure> {
    let listing = context.plugins.list().await?;
    let folder = config.plugins_dir();
    let unusable = match &folder {
        Some(folder) => DropFolder::new(folder.clone(), context.plugins.clone()).unusable().await,
        None => Vec::new(),
    };
    let registry = PluginList::new(&listing, &Workspaces::All)?;
    let refused = unusable.iter().map(RefusedFile::from).collect();
    let view = PluginListView { registry, folder, refused };
    out.data(&view, || table(&listing));
    for waiting in listing.waiting() {
        terminal::note(&format!("note: {waiting}"));
    }
    for scheduled in &listing.scheduled {
        let (name, whom) = (PluginName::from(&scheduled.plugin), whom(scheduled.workspace));
        let due_at = scheduled.due_at;
        terminal::note(&match &scheduled.problem {
            None => format!("note: {name} comes in force for {whom} at {due_at}"),
            Some(problem) => {
                format!("warning: {name} was due for {whom} at {due_at} and is not in force: {problem}")
            }
        });
    }
    for skipped in &unusable {
        terminal::note(&format!("warning: {}", skipped.message));
    }
    for replica in &listing.replicas {
        if let Some(problem) = &replica.problem {
            terminal::note(&format!("warning: {} does not serve everything: {problem}", replica.address));
        }
    }
    Ok(())
}

fn table(listing: &RegistryList) -> Text {
    let columns = [
        Column::value("PLUGIN"),
        Column::value("STATE"),
        Column::text("SERVES"),
        Column::value("SIGNED"),
        Column::value("INSTALLED"),
        Column::remark("SHA256"),
    ];
    let rows = listing.plugins.iter().map(|listed| {
        vec![
            PluginName::from(&listed.plugin).to_string(),
            listed.state.as_str().to_owned(),
            scopes_of(listed),
            if listed.signature.is_some() { "yes" } else { "no" }.to_owned(),
            listed.installed_at.strftime("%Y-%m-%d %H:%M").to_string(),
            listed.plugin.digest.chars().take(12).collect(),
        ]
    });
    terminal::listing(columns, rows)
}

fn scopes_of(listed: &ListedVersion) -> String {
    let shares = listed.canaries.iter();
    let shares = shares.map(|canary| format!("{} of {}", canary.share, whom(canary.workspace)));
    listed.serves.iter().map(|scope| whom(*scope)).chain(shares).collect::<Vec<_>>().join(", ")
}

async fn activate(context: &CommandContext, order: &Order, out: Out) -> Result<(), Failure> {
    let activated = context.plugins.activate(&context.operator, order, Some(&context.finance)).await?;
    out.data(&ActivatedView::from(&activated), || activation_sentence(&activated));
    Ok(())
}

async fn schedule(context: &CommandContext, (order, at): (&Order, DueTime), out: Out) -> Result<(), Failure> {
    let report = context.plugins.schedule(&context.operator, (order, at), Some(&context.finance)).await?;
    out.data(&ScheduleView::from(&report), || {
        let (name, due_at) = (PluginName::from(&report.scheduled.plugin), report.scheduled.due_at);
        let whom = whom(report.scheduled.workspace);
        let checked = canary_sentence(&report.canary);
        format!("{name} comes in force for {whom} at {due_at}; 'gateway plugin unschedule {name}' takes that back.{checked}")
    });
    Ok(())
}

/// What was taken back.
#[derive(Serialize)]
struct UnscheduledView {
    /// `KEY@VERSION`.
    id: String,
    /// For whom; null: everybody.
    workspace_id: Option<WorkspaceId>,
}

async fn unschedule(
    context: &CommandContext,
    (name, workspace): (&PluginName, Option<WorkspaceId>),
    out: Out,
) -> Result<(), Failure> {
    context.plugins.unschedule(&context.operator, name, workspace).await?;
    let view = UnscheduledView { id: name.to_string(), workspace_id: workspace };
    out.data(&view, || format!("{name} does not come in force by itself any more."));
    Ok(())
}

async fn disable(context: &CommandContext, args: &KeyArgs, out: Out) -> Result<(), Failure> {
    let served = context.plugins.disable(&context.operator, &args.key, args.workspace).await?;
    let view = DisabledView::new(&args.key, args.workspace, &served);
    out.data(&view, || {
        format!("{} serves no more; every process follows within two seconds.", view.disabled.join(", "))
    });
    Ok(())
}

async fn roll_back(context: &CommandContext, args: &RollbackArgs, out: Out) -> Result<(), Failure> {
    let KeyArgs { key, workspace } = &args.key;
    let scope = if args.everywhere { RollbackScope::Everywhere } else { (*workspace).into() };
    let activated = context.plugins.roll_back(&context.operator, key, scope).await?;
    out.data(&ActivatedView::from(&activated), || {
        let moved = activated
            .moved
            .iter()
            .map(|own| format!("\nWorkspace {} gets it too, instead of {}.", own.workspace, own.version));
        [activation_sentence(&activated)].into_iter().chain(moved).collect::<String>()
    });
    for own in &activated.own_versions {
        terminal::note(&format!(
            "note: 'gateway plugin disable {key} --workspace {}' gives that workspace what everybody has",
            own.workspace
        ));
    }
    Ok(())
}
