//! The format's JSON Schemas from a folder, without any network.

use std::path::Path;

use jsonschema::{Registry, Validator};
use serde_json::Value;

/// The schema of an invoice, with everything it refers to.
pub(super) fn invoice(folder: &Path) -> Result<Validator, String> {
    let mut schemas = Vec::new();
    collect(folder, &mut schemas)?;
    let root = schemas.iter().find(|(id, _)| id == einvoice_gobl::SCHEMA);
    let root =
        root.ok_or_else(|| format!("there is no schema of invoices in {}", folder.display()))?.1.clone();
    let mut registry = Registry::new();
    for (id, schema) in &schemas {
        registry = registry.add(id.as_str(), schema.clone()).map_err(|error| error.to_string())?;
    }
    let registry = registry.prepare().map_err(|error| error.to_string())?;
    let options = jsonschema::options().offline().should_validate_formats(true).with_registry(&registry);
    options.build(&root).map_err(|error| error.to_string())
}

fn collect(folder: &Path, schemas: &mut Vec<(String, Value)>) -> Result<(), String> {
    let entries = std::fs::read_dir(folder).map_err(|error| error.to_string())?;
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        if path.is_dir() {
            collect(&path, schemas)?;
        } else if path.extension().is_some_and(|extension| extension == "json") {
            let schema = super::read_json(&path)?;
            let id = schema.get("$id").and_then(Value::as_str).unwrap_or_default().to_owned();
            schemas.push((id, schema));
        }
    }
    Ok(())
}
