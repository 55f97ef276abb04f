//! `gateway plugin inspect`.

use crate::offline::plugin_host;
use gateway_domain::regime::RegimeKey;
use gateway_domain_rules::RuleSet;
use gateway_plugin_host::{PublicKey, Signature, Trust, verify};
use gateway_registry::read_component;
use gateway_terminal::{Failure, Out};
use serde::Serialize;
use std::path::Path;
use wasmparser::component_types::ComponentEntityType;
use wasmparser::types::TypesRef;
use wasmparser::{Parser, Payload, Validator, WasmFeatures};

/// Loads the component aside from everything and prints what it is. A signature is judged by the `trusted` keys.
///
/// # Errors
/// The file cannot be read, or is no plugin.
pub async fn run(file: &Path, trusted: &[PublicKey], out: Out) -> Result<(), Failure> {
    let host = plugin_host(None)?;
    let plugin = host.load_file(file).await?;
    let component = read_component(file).await.map_err(Failure::refused)?;
    let interfaces = Interfaces::of(&component.bytes)?;
    let description = plugin.description();
    let view = ComponentView {
        key: description.key.clone(),
        country: description.country.clone(),
        tax_system: description.tax_system.clone(),
        version: description.version.clone(),
        wit: interfaces.contract(),
        imports: interfaces.imports,
        exports: interfaces.exports,
        size: plugin.size(),
        sha256: plugin.identity().digest.clone(),
        signature: SignatureView::of(&component.bytes, component.signature.as_deref(), trusted),
        rules: plugin.rule_sets().to_vec(),
    };
    out.data(&view, || view.text());
    Ok(())
}

/// What `plugin inspect --json` prints.
#[derive(Serialize)]
struct ComponentView {
    key: RegimeKey,
    country: String,
    tax_system: String,
    version: String,
    /// None where it has no interface of a known package.
    wit: Option<String>,
    imports: Vec<String>,
    exports: Vec<String>,
    /// Bytes.
    size: usize,
    sha256: String,
    /// None when nobody signed it.
    signature: Option<SignatureView>,
    /// Those that change on a day.
    rules: Vec<RuleSet>,
}

impl ComponentView {
    fn text(&self) -> String {
        let none = || "none".to_owned();
        let list = |items: &[String]| if items.is_empty() { none() } else { items.join(", ") };
        let rules: Vec<_> = self.rules.iter().map(|set| format!("{} from {}", set.id, set.from)).collect();
        let lines = [
            ("key", self.key.to_string()),
            ("country", self.country.clone()),
            ("tax_system", self.tax_system.clone()),
            ("version", self.version.clone()),
            ("wit", self.wit.clone().unwrap_or_else(none)),
            ("imports", list(&self.imports)),
            ("exports", list(&self.exports)),
            ("size", self.size.to_string()),
            ("sha256", self.sha256.clone()),
            ("signature", self.signature.as_ref().map_or_else(none, SignatureView::text)),
            ("rules", list(&rules)),
        ];
        lines.map(|(name, value)| format!("{name:11} {value}")).join("\n")
    }
}

/// Who signed a component, and whether that counts here.
#[derive(Serialize)]
struct SignatureView {
    /// None where the signature is none.
    key: Option<String>,
    verdict: String,
}

impl SignatureView {
    fn of(component: &[u8], signature: Option<&str>, trusted: &[PublicKey]) -> Option<Self> {
        let text = signature?;
        let signature = match text.parse::<Signature>() {
            Err(error) => return Some(Self { key: None, verdict: error.to_string() }),
            Ok(signature) => signature,
        };
        let verdict = match verify(component, Some(text), trusted) {
            Ok(Trust::TrustedKey(_)) => "trusted".to_owned(),
            Ok(Trust::NotAsked) => "sound, and plugins.trusted_keys asks for none".to_owned(),
            Err(error) => error.to_string(),
        };
        Some(Self { key: Some(signature.key().to_string()), verdict })
    }

    fn text(&self) -> String {
        format!("{}: {}", self.key.as_deref().unwrap_or_default(), self.verdict)
    }
}

/// What a component imports and exports.
struct Interfaces {
    /// What it needs at run time; interfaces of types alone need nothing.
    imports: Vec<String>,
    exports: Vec<String>,
}

impl Interfaces {
    fn of(bytes: &[u8]) -> Result<Self, wasmparser::BinaryReaderError> {
        let types = Validator::new_with_features(WasmFeatures::all()).validate_all(bytes)?;
        let types = types.as_ref();
        let names = import_and_export_names(bytes)?;
        let needed = |name: &String| {
            types.component_item_for_import(name).is_none_or(|item| is_needed_at_run_time(types, item.ty))
        };
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
fn is_needed_at_run_time(types: TypesRef<'_>, entity: ComponentEntityType) -> bool {
    match entity {
        ComponentEntityType::Type { .. } => false,
        ComponentEntityType::Instance(id) => types.get(id).is_none_or(|instance| {
            instance.exports.values().any(|export| is_needed_at_run_time(types, export.ty))
        }),
        _ => true,
    }
}

/// Names of imports and exports of the outermost component.
fn import_and_export_names(
    bytes: &[u8],
) -> Result<(Vec<String>, Vec<String>), wasmparser::BinaryReaderError> {
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
