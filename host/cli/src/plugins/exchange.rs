//! Plugins to and from registries of container images; no database is needed.

use gateway_config::Config;
use gateway_plugin_oci::{PluginReference, Pulled};
use gateway_registry::read_component;
use gateway_terminal::{Failure, Out};
use serde::Serialize;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Where a plugin lies, whatever is pushed later.
#[derive(Serialize)]
struct PushedView {
    reference: String,
}

/// What was written where.
#[derive(Serialize)]
struct PulledView {
    reference: String,
    file: PathBuf,
    signed: bool,
}

pub(super) async fn push(file: &Path, to: &PluginReference, out: Out) -> Result<(), Failure> {
    let component = read_component(file).await.map_err(Failure::refused)?;
    let signed = if component.signature.is_some() { ", and its signature" } else { "" };
    let reference = gateway_plugin_oci::push(to, component).await?.to_string();
    let text = format!(
        "Pushed {}{signed}: it is installed with\n  gateway plugin install {reference}",
        file.display()
    );
    out.data(&PushedView { reference }, || text);
    Ok(())
}

pub(super) async fn pull(
    from: &PluginReference,
    file: Option<PathBuf>,
    config: &Config,
    out: Out,
) -> Result<(), Failure> {
    let file = file.unwrap_or_else(|| PathBuf::from(format!("{}.wasm", from.file_stem())));
    let Pulled { component, reference } =
        gateway_plugin_oci::pull(from, config.plugins.component_bytes()).await?;
    let signed = component.signature.is_some();
    // A plugin without its signature is worse than none: the smaller file goes first.
    if let Some(signature) = component.signature {
        write(&gateway_registry::signature_file(&file), format!("{}\n", signature.trim_end()).as_bytes())?;
    }
    write(&file, &component.bytes)?;
    let beside = if signed { "its signature lies beside it" } else { "it is not signed" };
    let text = format!("Pulled {reference}\ninto {}: {beside}.", file.display());
    out.data(&PulledView { reference: reference.to_string(), file, signed }, || text);
    Ok(())
}

/// Writes a file that must not be there yet.
fn write(file: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let written = OpenOptions::new().write(true).create_new(true).open(file).and_then(|mut opened| {
        opened.write_all(bytes)?;
        opened.sync_all()
    });
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            Failure::refused(format!("{} is there already: name another file with --out", file.display()))
        }
        _ => Failure::refused(format!("{} cannot be written ({error}): look at the folder", file.display())),
    })
}
