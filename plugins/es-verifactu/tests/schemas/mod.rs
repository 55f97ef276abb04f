//! The format's JSON Schemas from a folder, without any network.

use std::path::Path;

use jsonschema::{Registry, Validator};
use serde_json::Value;

/// The schema of an invoice, with everything it refers to.
pub(crate) fn invoice(folder: &Path) -> Validator {
    let mut schemas = Vec::new();
    collect(folder, &mut schemas);
    assert!(!schemas.is_empty(), "there are no schemas in {}", folder.display());
    let id = |schema: &Value| schema["$id"].as_str().unwrap().to_owned();
    let root = schemas.iter().find(|schema| id(schema) == einvoice_gobl::SCHEMA).unwrap().clone();
    let registry = schemas
        .iter()
        .fold(Registry::new(), |registry, schema| registry.add(id(schema), schema.clone()).unwrap())
        .prepare()
        .unwrap();
    jsonschema::options()
        .offline()
        .should_validate_formats(true)
        .with_registry(&registry)
        .build(&root)
        .unwrap()
}

fn collect(folder: &Path, schemas: &mut Vec<Value>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, schemas);
        } else if path.extension().is_some_and(|extension| extension == "json") {
            schemas.push(serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap());
        }
    }
}
