//! A plugin on its way into the registry, and what is said of a version that came in force.

use crate::args::PluginSource;
use crate::{CommandContext, Program};
use gateway_config::Config;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::regime::PluginComponent;
use gateway_registry::views::InstalledView;
use gateway_registry::{ActivationReport, CanaryCheck, Order, PluginName, VersionShare, read_component};
use gateway_terminal::{self as terminal, Failure, Out};
use std::fmt::Write as _;
use std::path::Path;

/// Installs a plugin and activates it for everybody, in the registry that the configuration names.
pub(crate) async fn install_and_activate(
    config: &Config,
    file: &Path,
    program: &Program,
    out: Out,
) -> Result<(), Failure> {
    let source = PluginSource::File(file.to_owned());
    program.run(config, async |context| install(context, config, &source, (true, out)).await).await
}

/// The component, and what it was read from.
async fn read(
    context: &CommandContext,
    config: &Config,
    source: &PluginSource,
) -> Result<(PluginComponent, String), Failure> {
    match source {
        PluginSource::File(file) => {
            let component = read_component(file).await.map_err(Failure::refused)?;
            Ok((component, file.display().to_string()))
        }
        PluginSource::Registry(reference) => {
            if !reference.has_digest() && !context.plugins.runtime().asks_for_signatures() {
                return Err(Failure::refused(format!(
                    "{reference} may be another plugin tomorrow: name its digest, which 'gateway plugin pull {reference}' prints, or set plugins.trusted_keys"
                )));
            }
            let pulled = gateway_plugin_oci::pull(reference, config.plugins.component_bytes()).await?;
            Ok((pulled.component, pulled.reference.to_string()))
        }
    }
}

/// Puts a plugin into the database, and in force for everybody when asked to.
pub(crate) async fn install(
    context: &CommandContext,
    config: &Config,
    source: &PluginSource,
    (activate, out): (bool, Out),
) -> Result<(), Failure> {
    let (component, origin) = read(context, config, source).await?;
    let signed = component.signature.is_some();
    let actor = &context.operator;
    let installed = context.plugins.install(actor, &origin, component).await?;
    let name = PluginName::from(&installed.plugin);
    let mut text = if installed.known {
        format!("{name} is installed already.")
    } else {
        format!("Installed {name}: next, 'gateway plugin activate {name}'.")
    };
    let mut activated = None;
    if activate {
        let order = Order { name: name.clone(), workspace: None, share: None, force: false };
        let done = context.plugins.activate(actor, &order, Some(&context.finance)).await?;
        text = activation_sentence(&done);
        activated = Some(done);
    }
    out.data(&InstalledView::new(&installed, activated.as_ref()), || text);
    if !signed && !context.plugins.runtime().asks_for_signatures() {
        terminal::note(&format!(
            "note: {name} is not signed, and plugins.trusted_keys asks for no signature"
        ));
    }
    Ok(())
}

/// What came in force, and what the last invoices look like under it.
pub(crate) fn activation_sentence(activated: &ActivationReport) -> String {
    let name = PluginName::from(&activated.plugin);
    let whom = whom(activated.workspace);
    let checked = canary_sentence(&activated.canary);
    let ended = ended_canaries(&activated.ended_canaries);
    if let Some(share) = activated.share {
        let rest = activated.replaced.as_deref().unwrap_or_default();
        return format!(
            "{name} serves {share} of the documents of {whom}, {rest} the rest; every process follows within two seconds.\
             {ended}{checked}"
        );
    }
    let is_over = |version: &String| activated.ended_canaries.iter().any(|ended| ended.version == *version);
    let instead = match &activated.replaced {
        Some(replaced) if *replaced != activated.plugin.version && !is_over(replaced) => {
            format!(" instead of {replaced}")
        }
        Some(_) | None => String::new(),
    };
    let own = activated.own_versions.iter().fold(String::new(), |mut lines, own| {
        let _ = write!(lines, "\nWorkspace {} stays on {}, its own version.", own.workspace, own.version);
        lines
    });
    if activated.is_unchanged() {
        return format!("{name} served {whom} before: nothing changed.{own}{checked}");
    }
    format!("{name} serves {whom}{instead}; every process follows within two seconds.{ended}{own}{checked}")
}

fn ended_canaries(ended: &[VersionShare]) -> String {
    ended.iter().fold(String::new(), |mut lines, canary| {
        let VersionShare { version, workspace, share } = canary;
        let _ = write!(
            lines,
            "\nThe canary {version} is over, which served {share} of the documents of {}.",
            whom(*workspace)
        );
        lines
    })
}

/// For whom, in words.
pub(crate) fn whom(workspace: Option<WorkspaceId>) -> String {
    workspace.map_or_else(|| "everybody".to_owned(), |id| format!("workspace {id}"))
}

pub(crate) fn canary_sentence(canary: &CanaryCheck) -> String {
    let documents = &canary.documents;
    let samples = match canary.samples.len() {
        0 => String::new(),
        1 => "\nIts own sample comes out as it states.".to_owned(),
        samples => format!("\nIts own {samples} samples come out as it states."),
    };
    let first = match (&canary.against, documents.len(), canary.differing()) {
        (_, 0, _) => return samples,
        (None, count, _) => format!("\nTried with the last {count} invoices."),
        (Some(old), count, 0) => {
            format!("\nThe last {count} invoices come out as under {old}.")
        }
        (Some(old), count, differing) => {
            format!("\n{differing} of the last {count} invoices come out differently than under {old}:")
        }
    };
    let differing = documents.iter().filter(|document| !document.differences.is_empty());
    let lines = differing.map(|document| {
        let places: Vec<_> = document.differences.iter().map(|place| place.pointer.as_str()).collect();
        format!("\n  {}  {}", document.number, places.join(" "))
    });
    [samples, first].into_iter().chain(lines).collect()
}
