//! The OpenAPI documents of both listeners, put together from the parts in `openapi/`, one for each surface.
//!
//! A part says what all its operations have in common once: its listeners, tag, security, permission, answers and
//! headers. To add a surface: a part, and a line in [`PARTS`]. A test compares the documents with the routers.

mod handlers;

pub use handlers::{cacheable, router};

use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// What is the same in both documents.
const BASE: &str = include_str!("../../openapi/base.json");

/// The surfaces, in the order of the documents.
const PARTS: [&str; 13] = [
    include_str!("../../openapi/token.json"),
    include_str!("../../openapi/discovery.json"),
    include_str!("../../openapi/graphql.json"),
    include_str!("../../openapi/legacy.json"),
    include_str!("../../openapi/webhooks.json"),
    include_str!("../../openapi/rpc.json"),
    include_str!("../../openapi/finance.json"),
    include_str!("../../openapi/provider.json"),
    include_str!("../../openapi/admin.json"),
    include_str!("../../openapi/admin_webhooks.json"),
    include_str!("../../openapi/health.json"),
    include_str!("../../openapi/reference.json"),
    include_str!("../../openapi/ops.json"),
];

/// The header that every answer has.
pub const REQUEST_ID: &str = "x-request-id";

/// Who serves a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listener {
    /// What customers and the provider reach.
    Public,
    /// What only the platform's own services and operators reach.
    Internal,
}

static PUBLIC: LazyLock<String> = LazyLock::new(|| document(Listener::Public).to_string());
static INTERNAL: LazyLock<String> = LazyLock::new(|| document(Listener::Internal).to_string());

impl Listener {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Internal => "internal",
        }
    }

    /// Its document, JSON.
    pub fn text(self) -> &'static str {
        match self {
            Self::Public => PUBLIC.as_str(),
            Self::Internal => INTERNAL.as_str(),
        }
    }
}

/// The document of a listener.
pub fn document(listener: Listener) -> Value {
    let mut document = object(parsed(BASE));
    let mut introduction = object(document.remove("x-listeners").unwrap_or_default());
    let introduction = object(introduction.remove(listener.as_str()).unwrap_or_default());
    let mut info = object(document.remove("info").unwrap_or_default());
    info.extend(introduction);
    let (mut paths, mut tags) = (Map::new(), Vec::<Value>::new());
    let mut components = object(document.remove("components").unwrap_or_default());
    for part in PARTS {
        let mut part = object(parsed(part));
        for (kind, members) in object(part.remove("components").unwrap_or_default()) {
            extend_in(&mut components, &kind, object(members));
        }
        let shared = Shared::of(&mut part);
        if !shared.listeners.iter().any(|name| name == listener.as_str()) {
            continue;
        }
        if !tags.iter().any(|tag| tag.get("name") == shared.tag.get("name")) {
            tags.push(shared.tag.clone());
        }
        for (path, operations) in object(part.remove("paths").unwrap_or_default()) {
            let complete = |(method, operation)| (method, shared.complete(object(operation), &components));
            extend_in(&mut paths, &path, object(operations).into_iter().map(complete).collect());
        }
    }
    if let Some(responses) = components.get_mut("responses").and_then(Value::as_object_mut) {
        responses.values_mut().for_each(|response| with_headers(response, &Map::new()));
    }
    let components = reachable(&components, &paths);
    document.insert("info".to_owned(), Value::Object(info));
    document.insert("tags".to_owned(), Value::Array(tags));
    document.insert("paths".to_owned(), Value::Object(paths));
    document.insert("components".to_owned(), Value::Object(components));
    in_order(document)
}

/// What the operations of a part have in common.
struct Shared {
    listeners: Vec<String>,
    tag: Value,
    security: Value,
    permission: Option<Value>,
    responses: Map<String, Value>,
    /// Headers of every answer; none in most parts.
    headers: Map<String, Value>,
    parameters: Vec<Value>,
    deprecated: bool,
}

impl Shared {
    fn of(part: &mut Map<String, Value>) -> Self {
        let mut take = |name: &str| part.remove(name).unwrap_or_default();
        let listeners = list(take("listeners"));
        Self {
            listeners: listeners.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect(),
            tag: take("tag"),
            security: take("security"),
            permission: Some(take("permission")).filter(|permission| !permission.is_null()),
            responses: object(take("responses")),
            headers: object(take("headers")),
            parameters: list(take("parameters")),
            deprecated: take("deprecated") == true,
        }
    }

    /// An operation with what its part says once.
    fn complete(&self, mut operation: Map<String, Value>, components: &Map<String, Value>) -> Value {
        operation.insert("tags".to_owned(), json!([self.tag.get("name")]));
        operation.entry("security").or_insert_with(|| self.security.clone());
        if let Some(permission) = &self.permission {
            operation.entry("x-permission").or_insert_with(|| permission.clone());
        }
        if self.deprecated {
            operation.entry("deprecated").or_insert(Value::Bool(true));
        }
        if !self.parameters.is_empty() {
            let mut parameters = list(operation.remove("parameters").unwrap_or_default());
            parameters.extend(self.parameters.iter().cloned());
            operation.insert("parameters".to_owned(), Value::Array(parameters));
        }
        let own = object(operation.remove("responses").unwrap_or_default());
        let mut responses: BTreeMap<_, _> = self.responses.clone().into_iter().collect();
        responses.extend(own);
        let responses = responses.into_iter().map(|(status, response)| {
            let mut response =
                if self.headers.is_empty() { response } else { resolved(response, components) };
            with_headers(&mut response, &self.headers);
            (status, response)
        });
        operation.insert("responses".to_owned(), Value::Object(responses.collect()));
        Value::Object(operation)
    }
}

/// A response itself instead of a reference to it, so that it can have more headers.
fn resolved(response: Value, components: &Map<String, Value>) -> Value {
    let found = response.get("$ref").and_then(Value::as_str).and_then(|reference| {
        let (_, name) = reference.rsplit_once('/')?;
        components.get("responses")?.get(name).cloned()
    });
    found.unwrap_or(response)
}

/// An answer with the id of the request and these headers; a reference stays as it is.
fn with_headers(response: &mut Value, more: &Map<String, Value>) {
    let Value::Object(members) = response else { return };
    if members.contains_key("$ref") {
        return;
    }
    let mut missing = more.clone();
    missing.insert(REQUEST_ID.to_owned(), json!({"$ref": "#/components/headers/RequestId"}));
    missing.retain(|name, _| members.get("headers").is_none_or(|headers| headers.get(name).is_none()));
    extend_in(members, "headers", missing);
}

/// The components that something in `paths` refers to, directly or not.
fn reachable(components: &Map<String, Value>, paths: &Map<String, Value>) -> Map<String, Value> {
    let (mut wanted, mut open) = (BTreeSet::new(), Vec::new());
    paths.values().for_each(|path| references(path, &mut open));
    while let Some((kind, name)) = open.pop() {
        let found = components.get(&kind).and_then(|kind| kind.get(&name));
        if let Some(found) = found
            && wanted.insert((kind, name))
        {
            references(found, &mut open);
        }
    }
    let mut kept = Map::new();
    for (kind, members) in components {
        let members: Map<_, _> = object(members.clone())
            .into_iter()
            .filter(|(name, _)| wanted.contains(&(kind.clone(), name.clone())))
            .collect();
        if !members.is_empty() {
            kept.insert(kind.clone(), Value::Object(members));
        }
    }
    kept
}

/// Kind and name of everything a value refers to.
fn references(value: &Value, found: &mut Vec<(String, String)>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        Value::Object(members) => {
            for (name, member) in members {
                match member {
                    Value::String(target) => found.extend(named(target)),
                    Value::Array(alternatives) if name == "security" => {
                        let schemes = alternatives.iter().filter_map(Value::as_object).flat_map(Map::keys);
                        found.extend(schemes.map(|scheme| ("securitySchemes".to_owned(), scheme.clone())));
                    }
                    other => references(other, found),
                }
            }
        }
        _ => {}
    }
}

/// `#/components/schemas/Errors` is of kind `schemas` and named `Errors`.
fn named(target: &str) -> Option<(String, String)> {
    let (kind, name) = target.strip_prefix("#/components/")?.split_once('/')?;
    Some((kind.to_owned(), name.to_owned()))
}

/// As people read it: what it is, then what it can do, then the details.
fn in_order(mut document: Map<String, Value>) -> Value {
    let names = ["openapi", "info", "servers", "tags", "paths", "components"];
    let ordered = names.iter().filter_map(|name| Some(((*name).to_owned(), document.remove(*name)?)));
    Value::Object(ordered.collect())
}

/// A part as it is compiled in; a test reads them all.
fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

fn object(value: Value) -> Map<String, Value> {
    if let Value::Object(members) = value { members } else { Map::new() }
}

fn list(value: Value) -> Vec<Value> {
    if let Value::Array(items) = value { items } else { Vec::new() }
}

/// Puts members into the object under a name, which is made when it is not there.
fn extend_in(members: &mut Map<String, Value>, name: &str, more: Map<String, Value>) {
    if let Some(found) = members.entry(name).or_insert_with(|| json!({})).as_object_mut() {
        found.extend(more);
    }
}

#[cfg(test)]
mod tests;
