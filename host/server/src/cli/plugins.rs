//! `gateway plugin …`.

use super::args::PluginCommand;
use super::{Failure, Out, out};
use crate::config::Config;
use crate::http::shapes;
use crate::wiring;
use gateway_plugin_host::PluginHost;
use serde_json::{Value, json};
use std::path::Path;
use wasmparser::component_types::ComponentEntityType;
use wasmparser::types::TypesRef;
use wasmparser::{Parser, Payload, Validator, WasmFeatures};

pub(super) async fn run(command: PluginCommand, config: &Config, out: Out) -> Result<(), Failure> {
    match command {
        PluginCommand::List => list(&wiring::plugin_host(config, None)?, config, out).await,
        PluginCommand::Inspect { file } => inspect(&wiring::plugin_host(config, None)?, &file, out).await,
    }
}

async fn list(host: &PluginHost, config: &Config, out: Out) -> Result<(), Failure> {
    let folder = config.plugins_dir().ok_or_else(|| {
        Failure::refused(
            "the system does not tell where this program is: set plugins.dir (GATEWAY_PLUGINS__DIR)",
        )
    })?;
    let report = host.load_folder(&folder).await;
    let active: Vec<Value> = report.active.iter().map(|plugin| shapes::plugin(plugin)).collect();
    let refused: Vec<Value> = report
        .refused
        .iter()
        .map(|error| json!({"file": error.file, "message": error.to_string()}))
        .collect();
    out.data(&json!({"folder": folder, "plugins": active, "refused": refused}), || {
        let heading = ["KEY", "VERSION", "COUNTRY", "TAX SYSTEM", "FILE"];
        let rows = report.active.iter().map(|plugin| {
            let description = plugin.description();
            vec![
                description.key.to_string(),
                description.version.clone(),
                description.country.clone(),
                description.tax_system.clone(),
                plugin.file().to_owned(),
            ]
        });
        let heading = std::iter::once(heading.map(str::to_owned).to_vec());
        out::table(&heading.chain(rows).collect::<Vec<_>>())
    });
    for error in &report.refused {
        out::note(&format!("warning: {error}"));
    }
    Ok(())
}

async fn inspect(host: &PluginHost, file: &Path, out: Out) -> Result<(), Failure> {
    let plugin = host.load_file(file).await?;
    let interfaces = Interfaces::of(&tokio::fs::read(file).await?)?;
    let description = plugin.description();
    let members = [
        ("key", json!(description.key)),
        ("country", json!(description.country)),
        ("tax_system", json!(description.tax_system)),
        ("version", json!(description.version)),
        ("wit", json!(interfaces.contract())),
        ("imports", json!(interfaces.imports)),
        ("exports", json!(interfaces.exports)),
        ("size", json!(plugin.size())),
        ("sha256", json!(plugin.identity().digest)),
        // Signatures are not read by this version.
        ("signature", Value::Null),
    ];
    let lines = members.clone();
    let object = members.into_iter().map(|(name, value)| (name.to_owned(), value));
    out.data(&Value::Object(object.collect()), || {
        let shown = lines.iter().map(|(name, value)| match value {
            Value::String(text) => format!("{name:11} {text}"),
            Value::Array(items) => {
                let items: Vec<_> = items.iter().filter_map(Value::as_str).collect();
                format!("{name:11} {}", if items.is_empty() { "none".to_owned() } else { items.join(", ") })
            }
            Value::Null => format!("{name:11} none"),
            other => format!("{name:11} {other}"),
        });
        shown.collect::<Vec<_>>().join("\n")
    });
    Ok(())
}

/// What stands at the border of a component.
struct Interfaces {
    /// What it needs at run time; interfaces of types alone need nothing.
    imports: Vec<String>,
    exports: Vec<String>,
}

impl Interfaces {
    fn of(bytes: &[u8]) -> Result<Self, wasmparser::BinaryReaderError> {
        let types = Validator::new_with_features(WasmFeatures::all()).validate_all(bytes)?;
        let types = types.as_ref();
        let names = border(bytes)?;
        let needed =
            |name: &String| types.component_item_for_import(name).is_none_or(|item| needs(types, item.ty));
        Ok(Self { imports: names.0.into_iter().filter(needed).collect(), exports: names.1 })
    }

    /// The contract it was built against: the package and version of its first interface.
    fn contract(&self) -> Option<String> {
        let (package, interface) = self.exports.first()?.split_once('/')?;
        let (_, version) = interface.split_once('@')?;
        Some(format!("{package}@{version}"))
    }
}

/// Whether an import needs something at run time.
fn needs(types: TypesRef<'_>, entity: ComponentEntityType) -> bool {
    match entity {
        ComponentEntityType::Type { .. } => false,
        ComponentEntityType::Instance(id) => types
            .get(id)
            .is_none_or(|instance| instance.exports.values().any(|export| needs(types, export.ty))),
        _ => true,
    }
}

/// Names of imports and exports of the outermost component.
fn border(bytes: &[u8]) -> Result<(Vec<String>, Vec<String>), wasmparser::BinaryReaderError> {
    let (mut imports, mut exports) = (Vec::new(), Vec::new());
    let mut depth = 0_u32;
    for payload in Parser::new(0).parse_all(bytes) {
        match payload? {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::ComponentImportSection(section) if depth == 0 => {
                for import in section {
                    imports.push(import?.name.name.to_owned());
                }
            }
            Payload::ComponentExportSection(section) if depth == 0 => {
                for export in section {
                    exports.push(export?.name.name.to_owned());
                }
            }
            _ => {}
        }
    }
    Ok((imports, exports))
}
