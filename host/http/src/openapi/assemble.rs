//! A document put together from parts.

use super::{Listener, REQUEST_ID, frame, schemas};
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use utoipa::openapi::{Info, Server};

/// Stands for a scheme where an operation names the permission that it needs, when it is not that of its part:
/// `security(("permission" = ["plugins"]))`.
const PERMISSION: &str = "permission";

/// A heading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Tag {
    pub(super) name: String,
    pub(super) description: String,
}

impl Tag {
    /// The operations of a path under this heading.
    fn on(&self, item: &Value) -> Value {
        let tagged = |(method, operation): (String, Value)| {
            let mut operation = object(operation);
            operation.insert("tags".to_owned(), Value::from(vec![self.name.clone()]));
            (method, Value::Object(operation))
        };
        Value::Object(object(item.clone()).into_iter().map(tagged).collect())
    }
}

/// Adds a heading, which several parts may share.
fn add(tags: &mut Vec<Tag>, tag: &Tag) {
    match tags.iter_mut().find(|known| known.name == tag.name) {
        None => tags.push(tag.clone()),
        Some(known) if known.description.is_empty() => known.description.clone_from(&tag.description),
        Some(_) => {}
    }
}

/// Operations under one heading, and what they have in common.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub(super) listeners: Vec<Listener>,
    pub(super) tag: Tag,
    pub(super) security: Value,
    pub(super) permission: Option<String>,
    pub(super) deprecated: bool,
    pub(super) responses: BTreeMap<String, Value>,
    /// Headers of every answer; none in most parts.
    pub(super) headers: Map<String, Value>,
    pub(super) paths: Map<String, Value>,
    /// What is told to others, by the name of its event, under a heading of its own.
    pub(super) notifications: Option<(Tag, Map<String, Value>)>,
    pub(super) components: Map<String, Value>,
}

/// A document, in the order in which people read it: what it is, then what it can do, then the details.
#[derive(Debug, Serialize)]
struct Document {
    openapi: &'static str,
    info: Info,
    servers: Vec<Server>,
    tags: Vec<Tag>,
    paths: Map<String, Value>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    webhooks: Map<String, Value>,
    components: Map<String, Value>,
}

/// The document of a listener.
pub(super) fn document(listener: Listener, parts: &[Part]) -> Value {
    let mut components = frame::components();
    for part in parts {
        for (kind, members) in &part.components {
            extend_in(&mut components, kind, object(members.clone()));
        }
    }
    let (mut paths, mut webhooks, mut tags) = (Map::new(), Map::new(), Vec::<Tag>::new());
    for part in parts.iter().filter(|part| part.listeners.contains(&listener)) {
        add(&mut tags, &part.tag);
        if let Some((tag, operations)) = &part.notifications {
            add(&mut tags, tag);
            webhooks.extend(operations.iter().map(|(event, item)| (event.clone(), tag.on(item))));
        }
        for (path, operations) in &part.paths {
            let complete = |(method, operation)| (method, part.complete(object(operation), &components));
            extend_in(&mut paths, path, object(operations.clone()).into_iter().map(complete).collect());
        }
    }
    if let Some(responses) = components.get_mut("responses").and_then(Value::as_object_mut) {
        responses.values_mut().for_each(|response| with_headers(response, &Map::new()));
    }
    let components = reachable(&components, paths.values().chain(webhooks.values()));
    let (openapi, info, servers) = (frame::OPENAPI, frame::info(listener), frame::servers());
    schemas::to_json(&Document { openapi, info, servers, tags, paths, webhooks, components })
}

/// Kind and name of what is there twice with different content.
pub(super) fn clashes(parts: &[Part]) -> Vec<String> {
    let (mut known, mut found) = (BTreeMap::<(String, String), Value>::new(), Vec::new());
    for (kind, members) in parts.iter().flat_map(|part| &part.components) {
        for (name, component) in object(members.clone()) {
            let before = known.insert((kind.clone(), name.clone()), component.clone());
            if before.is_some_and(|before| before != component) {
                found.push(format!("{kind} {name}"));
            }
        }
    }
    found
}

impl Part {
    /// An operation with what its part says once.
    fn complete(&self, mut operation: Map<String, Value>, components: &Map<String, Value>) -> Value {
        operation.insert("tags".to_owned(), Value::from(vec![self.tag.name.clone()]));
        let permission = own_permission(&mut operation).or_else(|| self.permission.clone());
        operation.entry("security").or_insert_with(|| self.security.clone());
        if let Some(permission) = permission {
            operation.entry("x-permission").or_insert(Value::String(permission));
        }
        if self.deprecated {
            operation.entry("deprecated").or_insert(Value::Bool(true));
        }
        let mut responses = self.responses.clone();
        responses.extend(object(operation.remove("responses").unwrap_or_default()));
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

/// The permission that an operation names in place of a scheme; its scheme is that of its part then.
fn own_permission(operation: &mut Map<String, Value>) -> Option<String> {
    let named = operation.get("security")?.get(0)?.get(PERMISSION)?.get(0)?.as_str()?.to_owned();
    operation.remove("security");
    Some(named)
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
    missing.insert(REQUEST_ID.to_owned(), reference("headers", frame::REQUEST_ID_COMPONENT));
    missing.retain(|name, _| members.get("headers").is_none_or(|headers| headers.get(name).is_none()));
    extend_in(members, "headers", missing);
}

/// The components that something in these operations refers to, directly or not.
fn reachable<'v>(
    components: &Map<String, Value>,
    operations: impl Iterator<Item = &'v Value>,
) -> Map<String, Value> {
    let (mut reached, mut open) = (BTreeSet::new(), Vec::new());
    operations.for_each(|path| references(path, &mut open));
    while let Some((kind, name)) = open.pop() {
        let found = components.get(&kind).and_then(|kind| kind.get(&name));
        if let Some(found) = found
            && reached.insert((kind, name))
        {
            references(found, &mut open);
        }
    }
    let mut kept = Map::new();
    for (kind, members) in components {
        let members: Map<_, _> = object(members.clone())
            .into_iter()
            .filter(|(name, _)| reached.contains(&(kind.clone(), name.clone())))
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
                    Value::Array(_) | Value::Object(_) => references(member, found),
                    Value::Null | Value::Bool(_) | Value::Number(_) => {}
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// `#/components/schemas/Errors` is of kind `schemas` and named `Errors`.
fn named(target: &str) -> Option<(String, String)> {
    let (kind, name) = target.strip_prefix("#/components/")?.split_once('/')?;
    Some((kind.to_owned(), name.to_owned()))
}

/// What leads to a component.
fn reference(kind: &str, name: &str) -> Value {
    Value::Object(Map::from_iter([("$ref".to_owned(), format!("#/components/{kind}/{name}").into())]))
}

fn object(value: Value) -> Map<String, Value> {
    if let Value::Object(members) = value { members } else { Map::new() }
}

/// Puts members into the object under a name, which is made when it is not there.
fn extend_in(members: &mut Map<String, Value>, name: &str, more: Map<String, Value>) {
    if let Some(found) = members.entry(name).or_insert_with(|| Value::Object(Map::new())).as_object_mut() {
        found.extend(more);
    }
}
