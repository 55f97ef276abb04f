//! The format's JSON Schemas from a folder, without any network.

use std::path::Path;

use jsonschema::{Registry, Validator};
use serde_json::Value;

/// The schema of an invoice, with everything it refers to.
pub fn invoice(folder: &Path) -> Result<Validator, String> {
    let mut schemas = Vec::new();
    collect(folder, &mut schemas)?;
    let id = |schema: &Value| schema.get("$id").and_then(Value::as_str).unwrap_or_default().to_owned();
    let root = schemas
        .iter()
        .find(|schema| id(schema) == crate::SCHEMA)
        .ok_or_else(|| format!("{} has no schema of an invoice", folder.display()))?;
    let registry = schemas
        .iter()
        .try_fold(Registry::new(), |registry, schema| registry.add(id(schema), schema.clone()))
        .and_then(jsonschema::RegistryBuilder::prepare)
        .map_err(|error| error.to_string())?;
    let options = jsonschema::options().offline().should_validate_formats(true);
    options.with_registry(&registry).build(root).map_err(|error| error.to_string())
}

/// The schema of an invoice. None, with a word on standard error, when `GOBL_SCHEMAS` names no folder.
pub fn from_environment() -> Result<Option<Validator>, String> {
    let Some(folder) = std::env::var_os("GOBL_SCHEMAS") else {
        eprintln!("did not run: GOBL_SCHEMAS names no folder with the JSON Schemas of the documents");
        return Ok(None);
    };
    invoice(Path::new(&folder)).map(Some)
}

/// What a schema objects to.
pub fn objections(schema: &Validator, document: &Value) -> Vec<String> {
    schema.iter_errors(document).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

fn collect(folder: &Path, schemas: &mut Vec<Value>) -> Result<(), String> {
    let broken = |error: &dyn std::fmt::Display| format!("{}: {error}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(|error| broken(&error))? {
        let path = entry.map_err(|error| broken(&error))?.path();
        if path.is_dir() {
            collect(&path, schemas)?;
        } else if path.extension().is_some_and(|extension| extension == "json") {
            schemas.push(super::files::read(&path)?);
        }
    }
    Ok(())
}
