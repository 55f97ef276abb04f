//! The path of an error leads to the item that failed (specification of GraphQL, October 2021, 7.1.2 "Errors").
//! async-graphql resolves all keys of `_entities` in one field, and its errors point at that field: here they get the
//! index of their key.

use super::document::find_operation;
use super::schema_types::{ENTITIES, REPRESENTATIONS};
use async_graphql::parser::types::{ExecutableDocument, Field, Selection};
use async_graphql::{PathSegment, ServerError, Value, Variables};
use std::collections::HashMap;

/// The extension that names the key until the error has its place.
const KEY: &str = "key";

type KeyIndexes = HashMap<(String, String), Vec<usize>>;

/// Names the key that an error is about.
pub fn attach_key(error: &mut ServerError, of: &str, id: &str) {
    let key = Value::List(vec![Value::from(of), Value::from(id)]);
    error.extensions.get_or_insert_default().set(KEY, key);
}

/// Gives errors about keys the place of their key.
pub fn add_key_indexes(
    errors: &mut [ServerError],
    document: &ExecutableDocument,
    operation: Option<&str>,
    variables: &Variables,
) {
    let mut fields: HashMap<String, KeyIndexes> = HashMap::new();
    for error in errors {
        let Some(extensions) = &mut error.extensions else { continue };
        let key = extensions.get(KEY).and_then(parse_key);
        let (Some(key), [PathSegment::Field(field)]) = (key, error.path.as_slice()) else { continue };
        extensions.unset(KEY);
        let known =
            fields.entry(field.clone()).or_insert_with(|| key_indexes(document, operation, field, variables));
        // A key that stands there twice is refused twice.
        if let Some(index) = known.get_mut(&key).and_then(Vec::pop) {
            error.path.push(PathSegment::Index(index));
        }
    }
}

fn parse_key(key: &Value) -> Option<(String, String)> {
    match key {
        Value::List(parts) => match parts.as_slice() {
            [Value::String(of), Value::String(id)] => Some((of.clone(), id.clone())),
            _ => None,
        },
        _ => None,
    }
}

/// Where the keys of a field stand, the last place first.
fn key_indexes(
    document: &ExecutableDocument,
    operation: Option<&str>,
    name: &str,
    variables: &Variables,
) -> KeyIndexes {
    let mut keys = KeyIndexes::new();
    let Some(operation) = find_operation(document, operation) else { return keys };
    let asks = |field: &&Field| field.name.node == ENTITIES && field.response_key().node == name;
    let items = operation.selection_set.node.items.iter();
    let mut fields = items.filter_map(|item| match &item.node {
        Selection::Field(field) => Some(&field.node),
        Selection::InlineFragment(_) | Selection::FragmentSpread(_) => None,
    });
    let Some(given) = fields.find(asks).and_then(|field| field.get_argument(REPRESENTATIONS)) else {
        return keys;
    };
    let definitions = &operation.variable_definitions;
    let default = |name: &async_graphql::Name| {
        let definition = definitions.iter().find(|known| known.node.name.node == *name)?;
        definition.node.default_value.as_ref().map(|value| value.node.clone())
    };
    let value = |name| variables.get(&name).cloned().or_else(|| default(&name)).ok_or(());
    let list = match given.node.clone().into_const_with(value) {
        Ok(Value::List(list)) => list,
        Ok(one) => vec![one],
        Err(()) => return keys,
    };
    for (index, key) in list.into_iter().enumerate().rev() {
        if let Value::Object(members) = key
            && let Some(Value::String(of)) = members.get("__typename")
            && let Some(id) = members.get("id").and_then(text)
        {
            keys.entry((of.clone(), id)).or_default().push(index);
        }
    }
    keys
}

fn text(id: &Value) -> Option<String> {
    match id {
        Value::String(id) => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_graphql::parser::parse_query;
    use serde_json::json;

    #[test]
    fn a_refusal_points_at_its_key() {
        let document = parse_query(
            "query($r: [_Any!]!, $u: _Any!) { _entities(representations: $r) { __typename } other: _entities(representations: [$u]) { __typename } }",
        )
        .unwrap();
        let variables = Variables::from_json(json!({
            "r": [{"__typename": "User", "id": "1"}, {"__typename": "Workspace", "id": 1}, {"__typename": "User", "id": "1"}],
            "u": {"__typename": "Unit", "id": "9"},
        }));
        let refused = |field: &str, of, id| {
            let mut error = ServerError::new("no", None);
            error.path = vec![PathSegment::Field(field.to_owned())];
            attach_key(&mut error, of, id);
            error
        };
        let mut errors = [
            refused("_entities", "Workspace", "1"),
            refused("_entities", "User", "1"),
            refused("other", "Unit", "9"),
            refused("_entities", "User", "1"),
            refused("other", "Unit", "1"),
        ];
        add_key_indexes(&mut errors, &document, None, &variables);
        let at = errors.map(|error| {
            assert!(error.extensions.unwrap().get(KEY).is_none());
            serde_json::to_string(&error.path).unwrap()
        });
        assert_eq!(
            at,
            [
                r#"["_entities",1]"#,
                r#"["_entities",0]"#,
                r#"["other",0]"#,
                r#"["_entities",2]"#,
                r#"["other"]"#
            ]
        );
    }
}
