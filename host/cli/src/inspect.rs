//! `gateway plugin inspect`.

use crate::config::Config;
use crate::offline::plugin_host;
use crate::{Failure, Out};
use gateway_plugin_host::{Signature, Trust, verify};
use gateway_registry::read_component;
use serde_json::{Value, json};
use std::path::Path;
use wasmparser::component_types::ComponentEntityType;
use wasmparser::types::TypesRef;
use wasmparser::{Parser, Payload, Validator, WasmFeatures};

/// Loads the file aside from everything and shows what it is.
pub(crate) async fn run(config: &Config, file: &Path, out: Out) -> Result<(), Failure> {
    let host = plugin_host(None)?;
    let plugin = host.load_file(file).await?;
    let component = read_component(file).await.map_err(Failure::refused)?;
    let interfaces = Interfaces::of(&component.bytes)?;
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
        ("signature", signature(&component.bytes, component.signature.as_deref(), config)?),
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
            Value::Object(members) => {
                let said = |member| members.get(member).and_then(Value::as_str).unwrap_or_default();
                format!("{name:11} {}: {}", said("key"), said("verdict"))
            }
            other => format!("{name:11} {other}"),
        });
        shown.collect::<Vec<_>>().join("\n")
    });
    Ok(())
}

/// Who signed it, and whether that counts here; null when nobody did.
fn signature(component: &[u8], signature: Option<&str>, config: &Config) -> Result<Value, Failure> {
    let Some(text) = signature else { return Ok(Value::Null) };
    let (key, verdict) = match text.parse::<Signature>() {
        Err(error) => (Value::Null, error.to_string()),
        Ok(signature) => {
            let verdict = match verify(component, Some(text), &config.plugins.trusted()?) {
                Ok(Trust::TrustedKey(_)) => "trusted".to_owned(),
                Ok(Trust::NotAsked) => "sound, and plugins.trusted_keys asks for none".to_owned(),
                Err(error) => error.to_string(),
            };
            (json!(signature.key().to_string()), verdict)
        }
    };
    Ok(json!({"key": key, "verdict": verdict}))
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

    /// The contract it was built against: the package of its first interface, in the newest release that it uses.
    fn contract(&self) -> Option<String> {
        let named = |export: &String| {
            let (package, interface) = export.split_once('/')?;
            let (_, version) = interface.split_once('@')?;
            Some((package.to_owned(), version.parse::<semver::Version>().ok()?))
        };
        let (package, _) = self.exports.iter().find_map(named)?;
        let releases = self.exports.iter().filter_map(named).filter(|(other, _)| *other == package);
        let newest = releases.map(|(_, version)| version).max()?;
        Some(format!("{package}@{newest}"))
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
