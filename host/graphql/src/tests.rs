//! The schema itself: described to the last value, and the committed file is what it says.

use super::*;
use serde_json::Value as Json;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/schema.graphql");

#[test]
fn the_committed_schema_is_the_schema() {
    let text = sdl();
    if std::env::var_os("GATEWAY_WRITE_SCHEMA").is_some() {
        std::fs::write(FILE, &text).unwrap();
    }
    let committed = std::fs::read_to_string(FILE).unwrap_or_default();
    assert!(
        committed == text,
        "host/graphql/schema.graphql is not the schema any more: \
         GATEWAY_WRITE_SCHEMA=1 cargo test -p gateway-graphql writes it; look at what changed for clients"
    );
}

const INTROSPECTION: &str = "{ __schema { types { name kind description
    fields(includeDeprecated: true) { name description args { name description } type { ...T } }
    inputFields { name description type { ...T } } enumValues(includeDeprecated: true) { name description } } } }
    fragment T on __Type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }";

async fn types() -> Vec<Json> {
    let schema = schema().finish();
    let request = Request::new(INTROSPECTION).only_introspection();
    let answer = serde_json::to_value(schema.execute(request).await).unwrap();
    let types = answer["data"]["__schema"]["types"].as_array().unwrap().clone();
    let ours = |kind: &&Json| !kind["name"].as_str().unwrap().starts_with('_');
    types.iter().filter(ours).cloned().collect()
}

#[tokio::test]
async fn everything_is_described() {
    let mut silent = Vec::new();
    let mut look = |path: String, item: &Json| {
        if item["description"].as_str().unwrap_or_default().trim().is_empty() {
            silent.push(path);
        }
    };
    for kind in types().await {
        let name = kind["name"].as_str().unwrap();
        look(name.to_owned(), &kind);
        for members in ["fields", "inputFields", "enumValues"] {
            for member in kind[members].as_array().unwrap_or(&Vec::new()) {
                let path = format!("{name}.{}", member["name"].as_str().unwrap());
                if path.starts_with("Query._") {
                    continue;
                }
                look(path.clone(), member);
                for argument in member["args"].as_array().unwrap_or(&Vec::new()) {
                    look(format!("{path}({})", argument["name"].as_str().unwrap()), argument);
                }
            }
        }
    }
    assert!(silent.is_empty(), "without a description: {silent:?}");
}

#[tokio::test]
async fn every_type_with_an_id_is_an_entity() {
    let text = sdl();
    let mut without = Vec::new();
    for kind in types().await {
        let name = kind["name"].as_str().unwrap();
        let fields = kind["fields"].as_array().cloned().unwrap_or_default();
        if fields.iter().any(|field| field["name"] == "id")
            && !text.contains(&format!("type {name} @key(fields: \"id\")"))
        {
            without.push(name.to_owned());
        }
    }
    assert!(without.is_empty(), "without a key: {without:?}");
}
