//! What derived schemas need before they are handed out: closed objects without `allOf`, required headers, and an
//! example of every body, composed of the examples of its members.

use super::unions;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The media type whose examples are composed.
const JSON: &str = "application/json";
const SCHEMAS: &str = "#/components/schemas/";
/// Schemas in schemas, beyond which no example is composed: a schema that refers to itself has none.
const DEPTH_MAX: usize = 24;

/// A value as it is shown in a document. One that cannot be written is shown as the reason why, so that nothing is missing
/// unseen: the committed documents are compared with these.
pub fn to_json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_else(|error| Value::String(error.to_string()))
}

/// The same of a value with members.
pub(super) fn object(value: &impl Serialize) -> Map<String, Value> {
    if let Value::Object(members) = to_json(value) { members } else { Map::new() }
}

/// Completes the schemas of components and operations.
pub(super) fn complete(components: &mut Map<String, Value>, operations: &mut [&mut Map<String, Value>]) {
    if let Some(Value::Object(schemas)) = components.get_mut("schemas") {
        unions::name_alternatives(schemas);
    }
    let schemas = of(components);
    for part in components.values_mut().chain(operations.iter_mut().flat_map(|paths| paths.values_mut())) {
        each(part, &mut |members| merge(members, &schemas));
    }
    close_answers(components, operations);
    let schemas = of(components);
    for part in components.values_mut().chain(operations.iter_mut().flat_map(|paths| paths.values_mut())) {
        each(part, &mut |members| {
            require_headers(members);
            no_default_of_null(members);
            allow_empty(members);
            body_or_none(members);
            give_examples(members, &schemas);
        });
    }
}

/// Those that operations refer to by name; empty when there are none.
fn of(components: &Map<String, Value>) -> Map<String, Value> {
    components.get("schemas").and_then(Value::as_object).cloned().unwrap_or_default()
}

/// An answer has the members that are described and no others. A body says of itself whether it is refused with others.
fn close_answers(components: &mut Map<String, Value>, operations: &mut [&mut Map<String, Value>]) {
    let mut open = BTreeSet::new();
    if let Some(shared) = components.get_mut("responses") {
        each(shared, &mut |members| close(members, &mut open));
    }
    let paths = operations.iter_mut().flat_map(|paths| paths.values_mut());
    for operation in paths.filter_map(Value::as_object_mut).flat_map(Map::values_mut) {
        if let Some(responses) = operation.get_mut("responses") {
            each(responses, &mut |members| close(members, &mut open));
        }
    }
    let Some(schemas) = components.get_mut("schemas").and_then(Value::as_object_mut) else { return };
    let mut closed = BTreeSet::new();
    while let Some(name) = open.pop_first() {
        let mut found = BTreeSet::new();
        if let Some(schema) = schemas.get_mut(&name) {
            each(schema, &mut |members| close(members, &mut found));
        }
        closed.insert(name);
        open.extend(found.into_iter().filter(|name| !closed.contains(name)));
    }
}

/// Closes an object with members, of which those that may be absent are never null, and notes the schema that is referred to.
fn close(members: &mut Map<String, Value>, found: &mut BTreeSet<String>) {
    let target = members.get("$ref").and_then(Value::as_str);
    found.extend(target.and_then(|target| target.strip_prefix(SCHEMAS)).map(str::to_owned));
    let object =
        members.get("type").is_some_and(|kind| kind == "object") && members.contains_key("properties");
    if object && !members.contains_key("additionalProperties") {
        members.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    if object {
        let required = members.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        let properties = members.get_mut("properties").and_then(Value::as_object_mut);
        let absent =
            properties.into_iter().flatten().filter(|(name, _)| !required.iter().any(|known| known == *name));
        absent.for_each(|(_, schema)| never_null(schema));
    }
}

/// Takes null from what a schema allows.
fn never_null(schema: &mut Value) {
    if let Some(Value::Array(kinds)) = schema.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [only] = kinds.as_slice() {
            let only = only.clone();
            if let Value::Object(members) = schema {
                members.insert("type".to_owned(), only);
            }
        }
    }
    let alternatives = schema.get_mut("oneOf").and_then(Value::as_array_mut);
    if let Some(alternatives) = alternatives {
        alternatives.retain(|schema| schema.get("type").is_none_or(|kind| kind != "null"));
        if let [Value::Object(only)] = alternatives.as_slice() {
            let only = only.clone();
            if let Value::Object(members) = schema {
                members.remove("oneOf");
                members.extend(only);
            }
        }
    }
}

/// Every object below, the outer one last.
fn each(part: &mut Value, change: &mut impl FnMut(&mut Map<String, Value>)) {
    match part {
        Value::Array(items) => items.iter_mut().for_each(|item| each(item, change)),
        Value::Object(members) => {
            members.values_mut().for_each(|member| each(member, change));
            change(members);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Merges the objects of an `allOf`, which is how flattened members are derived.
fn merge(members: &mut Map<String, Value>, schemas: &Map<String, Value>) {
    let Some(Value::Array(all)) = members.remove("allOf") else { return };
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for schema in all {
        let schema = resolved(&schema, schemas);
        let more = schema.get("additionalProperties").cloned();
        members.extend(more.map(|more| ("additionalProperties".to_owned(), more)));
        properties.extend(schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default());
        required.extend(schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default());
    }
    members.insert("type".to_owned(), "object".into());
    members.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        members.insert("required".to_owned(), Value::Array(required));
    }
}

/// A described header is there, unless its schema allows null.
fn require_headers(response: &mut Map<String, Value>) {
    if !response.contains_key("description") {
        return;
    }
    let Some(headers) = response.get_mut("headers").and_then(Value::as_object_mut) else { return };
    headers.values_mut().filter_map(Value::as_object_mut).for_each(require_header);
}

/// Says that it is required; where its schema allows null, takes that away instead.
pub(super) fn require_header(header: &mut Map<String, Value>) {
    let Some(schema) = header.get_mut("schema").and_then(Value::as_object_mut) else { return };
    let optional = match schema.get_mut("type") {
        Some(Value::Array(kinds)) => {
            kinds.retain(|kind| kind != "null");
            let only = kinds.pop();
            schema.extend(only.map(|kind| ("type".to_owned(), kind)));
            true
        }
        _ => false,
    };
    if !optional {
        header.insert("required".to_owned(), Value::Bool(true));
    }
}

/// A member of a form that is null unless given is not described by that.
fn no_default_of_null(schema: &mut Map<String, Value>) {
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
}

/// A parameter of the query that may be left out may be empty, too: that counts as left out. One with a least length is
/// refused when it is empty.
fn allow_empty(parameter: &mut Map<String, Value>) {
    let optional = parameter.get("required").is_none_or(|required| *required == Value::Bool(false));
    let filled = parameter.get("schema").is_some_and(|schema| schema.get("minLength").is_some());
    if optional && !filled && parameter.get("in").is_some_and(|place| place == "query") {
        parameter.insert("allowEmptyValue".to_owned(), Value::Bool(true));
    }
}

/// A body that may be left out is not null.
fn body_or_none(operation: &mut Map<String, Value>) {
    let Some(Value::Object(body)) = operation.get_mut("requestBody") else { return };
    if body.get("required").is_some_and(|required| *required == Value::Bool(true)) {
        return;
    }
    let null = |schema: &Value| schema.get("type").is_some_and(|kind| kind == "null");
    let content = body.get_mut("content").and_then(Value::as_object_mut);
    for schema in content.into_iter().flat_map(Map::values_mut).filter_map(|media| media.get_mut("schema")) {
        let alternatives = schema.get("oneOf").and_then(Value::as_array).into_iter().flatten();
        if let [only] = alternatives.filter(|schema| !null(schema)).collect::<Vec<_>>().as_slice() {
            *schema = (*only).clone();
        }
    }
}

/// Gives a body of JSON an example, unless it has some.
fn give_examples(holder: &mut Map<String, Value>, schemas: &Map<String, Value>) {
    let Some(Value::Object(content)) = holder.get_mut("content").and_then(|content| content.get_mut(JSON))
    else {
        return;
    };
    if content.contains_key("examples") {
        return;
    }
    let given = content.remove("example");
    let Some(example) = given.or_else(|| example(content.get("schema")?, schemas, 0)) else { return };
    let example = Value::Object(Map::from_iter([("value".to_owned(), example)]));
    content.insert("examples".to_owned(), Value::Object(Map::from_iter([("example".to_owned(), example)])));
}

/// A value as the schema describes it: its own example, or one composed of those of its members.
fn example(schema: &Value, schemas: &Map<String, Value>, depth: usize) -> Option<Value> {
    if depth > DEPTH_MAX {
        return None;
    }
    let schema = resolved(schema, schemas);
    let first = |name: &str| schema.get(name).and_then(|list| list.get(0)).cloned();
    let own = first("examples").or_else(|| schema.get("example").cloned());
    if let Some(own) = own.or_else(|| schema.get("const").cloned()).or_else(|| first("enum")) {
        return Some(own);
    }
    let alternatives = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array);
    if let Some(alternatives) = alternatives {
        return alternatives.iter().find_map(|schema| example(schema, schemas, depth + 1));
    }
    match kind(schema)? {
        "object" => {
            let properties = schema.get("properties").and_then(Value::as_object)?;
            let members = properties
                .iter()
                .filter_map(|(name, schema)| Some((name.clone(), example(schema, schemas, depth + 1)?)));
            let members: Map<_, _> = members.collect();
            let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
            let whole = required.filter_map(Value::as_str).all(|name| members.contains_key(name));
            whole.then_some(Value::Object(members))
        }
        "array" => {
            let item = example(schema.get("items")?, schemas, depth + 1);
            let enough = item.is_some() || schema.get("minItems").is_none();
            enough.then(|| item.into_iter().collect())
        }
        "null" => Some(Value::Null),
        _ => None,
    }
}

/// The type of a value without an example; a member that may be null is.
fn kind(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::String(kind) => Some(kind),
        Value::Array(kinds) => {
            let named = |name: &str| kinds.iter().any(|kind| kind == name);
            Some(if named("object") {
                "object"
            } else if named("array") {
                "array"
            } else {
                "null"
            })
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

/// A schema itself instead of a reference to it.
fn resolved<'a>(schema: &'a Value, schemas: &'a Map<String, Value>) -> &'a Value {
    let target = schema.get("$ref").and_then(Value::as_str);
    let named = target.and_then(|target| target.strip_prefix(SCHEMAS));
    named.and_then(|name| schemas.get(name)).unwrap_or(schema)
}
