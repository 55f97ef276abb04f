//! The derived documents mean what the hand-written ones meant. Goes when the last of those has gone.

use crate::listeners;
use gateway_http::openapi::Listener;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Members that say nothing about what is sent or answered.
const WORDS: [&str; 11] = [
    "description",
    "summary",
    "example",
    "examples",
    "title",
    "externalDocs",
    "info",
    "tags",
    "servers",
    "propertyNames",
    "allowEmptyValue",
];
const DEPTH_MAX: usize = 40;

/// A document in one form: references resolved, words left out, lists without an order sorted.
fn meaning(value: &Value, document: &Value, depth: usize, named: bool) -> Value {
    assert!(depth < DEPTH_MAX, "a schema refers to itself: {value}");
    match value {
        Value::Array(items) => items.iter().map(|item| meaning(item, document, depth + 1, false)).collect(),
        Value::Object(members) => {
            if let Some(target) = members.get("$ref").and_then(Value::as_str) {
                let found =
                    document.pointer(&target[1..]).unwrap_or_else(|| panic!("{target} leads nowhere"));
                return meaning(found, document, depth + 1, false);
            }
            let kept = members.iter().filter(|(name, _)| named || !WORDS.contains(&name.as_str()));
            let named_below =
                |name: &str| !named && matches!(name, "properties" | "headers" | "paths" | "responses");
            let mut kept: BTreeMap<String, Value> = kept
                .map(|(name, member)| (name.clone(), meaning(member, document, depth + 1, named_below(name))))
                .collect();
            if !named {
                in_one_form(&mut kept);
            }
            Value::Object(kept.into_iter().collect())
        }
        other => other.clone(),
    }
}

fn in_one_form(schema: &mut BTreeMap<String, Value>) {
    if let Some(only) = schema.remove("const") {
        schema.insert("enum".to_owned(), Value::Array(vec![only]));
    }
    let number = schema
        .get("type")
        .is_some_and(|kind| kind.to_string().contains("integer") || kind.to_string().contains("number"));
    if number {
        schema.remove("format");
        if schema.get("minimum").is_some_and(|minimum| minimum == 0) {
            schema.remove("minimum");
        }
    }
    if let Some(any) = schema.remove("anyOf") {
        schema.insert("oneOf".to_owned(), any);
    }
    for name in ["required", "enum", "type", "oneOf", "parameters", "security"] {
        if let Some(Value::Array(items)) = schema.get_mut(name) {
            items.sort_by_key(Value::to_string);
        }
    }
    // `oneOf [X, null]` is X whose type may be null.
    if let Some(Value::Array(all)) = schema.get("oneOf")
        && let [Value::Object(one), Value::Object(other)] = all.as_slice()
    {
        let null = |schema: &Map<String, Value>| schema.get("type").is_some_and(|kind| kind == "null");
        let found = if null(one) { Some(other) } else { null(other).then_some(one) };
        if let Some(found) = found.cloned() {
            schema.remove("oneOf");
            schema.extend(found);
            or_null(schema);
        }
    }
    if schema.contains_key("enum") {
        schema.remove("type");
    }
    if schema
        .get("additionalProperties")
        .is_some_and(|more| *more == Value::Bool(true) || *more == Value::Object(Map::new()))
    {
        schema.remove("additionalProperties");
    }
    if schema.get("required").is_some_and(|required| *required == Value::Bool(false)) {
        schema.remove("required");
    }
}

fn or_null(schema: &mut BTreeMap<String, Value>) {
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.push(Value::Null);
        values.sort_by_key(Value::to_string);
    }
    let kinds = match schema.get("type") {
        Some(Value::String(kind)) => vec![Value::from(kind.as_str()), "null".into()],
        _ => return,
    };
    let mut kinds = kinds;
    kinds.sort_by_key(Value::to_string);
    schema.insert("type".to_owned(), Value::Array(kinds));
}

/// Where two values differ.
fn differences(before: &Value, after: &Value, at: &str, found: &mut Vec<String>) {
    match (before, after) {
        (Value::Object(one), Value::Object(other)) => {
            let names = one.keys().chain(other.keys().filter(|name| !one.contains_key(*name)));
            for name in names {
                let null = Value::Null;
                let (one, other) = (one.get(name).unwrap_or(&null), other.get(name).unwrap_or(&null));
                differences(one, other, &format!("{at} / {name}"), found);
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            for (index, (one, other)) in one.iter().zip(other).enumerate() {
                differences(one, other, &format!("{at} / {index}"), found);
            }
        }
        _ if before == after => {}
        _ => found.push(format!("{at}\n    before {before}\n    after  {after}")),
    }
}

#[test]
fn the_documents_mean_what_they_meant() {
    let mut report = String::new();
    for (listener, before) in [
        (Listener::Public, include_str!("before/public.json")),
        (Listener::Internal, include_str!("before/internal.json")),
    ] {
        let (before, after) = (serde_json::from_str::<Value>(before).unwrap(), listeners::document(listener));
        let mut found = Vec::new();
        let [before, after] = [&before, after].map(|document| meaning(&document["paths"], document, 0, true));
        differences(&before, &after, "", &mut found);
        for difference in &found {
            writeln!(report, "{listener:?}{difference}").unwrap();
        }
    }
    assert!(report.is_empty(), "{report}");
}
