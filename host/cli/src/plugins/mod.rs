//! `gateway plugin …`.

pub(super) mod inspect;
mod sign;

use super::args::{KeyArgs, PluginCommand};
use super::{Failure, Out, author, out};
use crate::config::Config;
use crate::wiring::{self, Station};
use gateway_domain::access::{Actor, Workspaces};
use gateway_registry::views;
use gateway_registry::{Activated, CanaryCheck, Listed, Listing, Order, PluginName};
use gateway_registry::{DropFolder, read_component};
use serde_json::{Value, json};
use std::path::Path;

pub(super) async fn run(command: PluginCommand, config: &Config, out: Out) -> Result<(), Failure> {
    match command {
        PluginCommand::Inspect { file } => return inspect::run(config, &file, out).await,
        PluginCommand::Author(command) => return author::run(command, config, out).await,
        PluginCommand::Keygen { key } => return sign::keygen(&key, out),
        PluginCommand::Sign { file, key } => return sign::sign(&file, &key, out).await,
        PluginCommand::List
        | PluginCommand::Install { .. }
        | PluginCommand::Activate { .. }
        | PluginCommand::Disable(_)
        | PluginCommand::Rollback(_) => {}
    }
    let station = wiring::open(config).await?;
    let done = match command {
        PluginCommand::List => list(&station, config, out).await,
        PluginCommand::Install { file, activate } => install(&station, &file, activate, out).await,
        PluginCommand::Activate { plugin, workspace, force } => {
            let order = Order { name: plugin, workspace, force };
            activate(&station, &order, out).await
        }
        PluginCommand::Disable(args) => disable(&station, &args, out).await,
        PluginCommand::Rollback(args) => roll_back(&station, &args, out).await,
        PluginCommand::Author(_)
        | PluginCommand::Inspect { .. }
        | PluginCommand::Keygen { .. }
        | PluginCommand::Sign { .. } => Ok(()),
    };
    station.close().await;
    done
}

async fn list(station: &Station, config: &Config, out: Out) -> Result<(), Failure> {
    let listing = station.plugins.list().await?;
    let folder = config.plugins_dir();
    let unusable = match &folder {
        Some(folder) => DropFolder::new(folder.clone(), station.plugins.clone()).unusable().await,
        None => Vec::new(),
    };
    let refused: Vec<Value> =
        unusable.iter().map(|skipped| json!({"file": skipped.file, "message": skipped.message})).collect();
    let mut shown = views::plugins(&listing, &Workspaces::All);
    if let Value::Object(members) = &mut shown {
        members.insert("folder".to_owned(), json!(folder));
        members.insert("refused".to_owned(), json!(refused));
    }
    out.data(&shown, || table(&listing));
    for skipped in &unusable {
        out::note(&format!("warning: {}", skipped.message));
    }
    for replica in &listing.replicas {
        if let Some(problem) = &replica.problem {
            out::note(&format!("warning: {} does not serve everything: {problem}", replica.address));
        }
    }
    Ok(())
}

fn table(listing: &Listing) -> String {
    let heading = ["PLUGIN", "STATE", "SERVES", "SIGNED", "INSTALLED", "SHA256"];
    let rows = listing.plugins.iter().map(|listed| {
        let version = &listed.version;
        vec![
            PluginName::from(&version.plugin).to_string(),
            listed.state.as_str().to_owned(),
            serves(listed),
            if version.signature.is_some() { "yes" } else { "no" }.to_owned(),
            version.installed_at.strftime("%Y-%m-%d %H:%M").to_string(),
            version.plugin.digest.chars().take(12).collect(),
        ]
    });
    out::listing(heading, rows)
}

fn serves(listed: &Listed) -> String {
    let named: Vec<_> = listed
        .serves
        .iter()
        .map(|scope| scope.map_or_else(|| "everybody".to_owned(), |id| format!("workspace {id}")))
        .collect();
    named.join(", ")
}

/// Installs a plugin and activates it for everybody, in the registry that the configuration names.
pub(super) async fn put_in_force(config: &Config, file: &Path, out: Out) -> Result<(), Failure> {
    let station = wiring::open(config).await?;
    let done = install(&station, file, true, out).await;
    station.close().await;
    done
}

async fn install(station: &Station, file: &Path, activate: bool, out: Out) -> Result<(), Failure> {
    let component = read_component(file).await.map_err(Failure::refused)?;
    let signed = component.signature.is_some();
    let actor = Actor::operator();
    let installed = station.plugins.install(&actor, &file.display().to_string(), component).await?;
    let name = PluginName::from(&installed.plugin);
    let mut shown = views::installed(&installed);
    let mut text = if installed.known {
        format!("{name} is installed already.")
    } else {
        format!("Installed {name}: next, 'gateway plugin activate {name}'.")
    };
    if activate {
        let order = Order { name: name.clone(), workspace: None, force: false };
        let activated = station.plugins.activate(&actor, &order, Some(&station.services.finance)).await?;
        text = told(&activated);
        if let Value::Object(members) = &mut shown {
            members.insert("activated".to_owned(), views::activated(&activated));
        }
    }
    out.data(&shown, || text);
    if !signed && !station.plugins.runtime().asks_for_signatures() {
        out::note(&format!("note: {name} is not signed, and plugins.trusted_keys asks for no signature"));
    }
    Ok(())
}

async fn activate(station: &Station, order: &Order, out: Out) -> Result<(), Failure> {
    let activated =
        station.plugins.activate(&Actor::operator(), order, Some(&station.services.finance)).await?;
    out.data(&views::activated(&activated), || told(&activated));
    Ok(())
}

async fn disable(station: &Station, args: &KeyArgs, out: Out) -> Result<(), Failure> {
    let served = station.plugins.disable(&Actor::operator(), &args.key, args.workspace).await?;
    let served: Vec<_> = served.iter().map(ToString::to_string).collect();
    out.data(&json!({"key": args.key, "workspace_id": args.workspace, "disabled": served}), || {
        format!("{} serves no more; every process follows within two seconds.", served.join(", "))
    });
    Ok(())
}

async fn roll_back(station: &Station, args: &KeyArgs, out: Out) -> Result<(), Failure> {
    let activated = station.plugins.roll_back(&Actor::operator(), &args.key, args.workspace).await?;
    out.data(&views::activated(&activated), || told(&activated));
    Ok(())
}

/// What came in force, and what the last invoices look like under it.
fn told(activated: &Activated) -> String {
    let name = PluginName::from(&activated.plugin);
    let whom = activated.workspace.map_or_else(|| "everybody".to_owned(), |id| format!("workspace {id}"));
    let instead = match &activated.replaced {
        Some(replaced) if *replaced != activated.plugin.version => format!(" instead of {replaced}"),
        Some(_) | None => String::new(),
    };
    let checked = canary_sentence(&activated.canary);
    format!("{name} serves {whom}{instead}; every process follows within two seconds.{checked}")
}

fn canary_sentence(canary: &CanaryCheck) -> String {
    let documents = &canary.documents;
    let samples = match canary.samples.len() {
        0 => String::new(),
        1 => "\nIts own sample comes out as it states.".to_owned(),
        samples => format!("\nIts own {samples} samples come out as it states."),
    };
    let first = match (&canary.against, documents.len(), canary.differing()) {
        (_, 0, _) => return samples,
        (None, tried, _) => format!("\nTried with the last {tried} invoices."),
        (Some(old), tried, 0) => {
            format!("\nThe last {tried} invoices come out as under {old}.")
        }
        (Some(old), tried, differing) => {
            format!("\n{differing} of the last {tried} invoices come out differently than under {old}:")
        }
    };
    let differing = documents.iter().filter(|tried| !tried.differences.is_empty());
    let lines = differing.map(|tried| format!("\n  {}  {}", tried.number, tried.differences.join(" ")));
    [samples, first].into_iter().chain(lines).collect()
}
