//! A schema describes itself (specification of GraphQL, October 2021, 3.2 "Descriptions"). async-graphql adds
//! fields and types of federation without descriptions and takes none: introspection gets them on its way out.

use async_graphql::Value;
use async_graphql::parser::types::{ExecutableDocument, Selection};

/// Names that only federation's own additions have, in a schema that describes everything else.
const DESCRIPTIONS: [(&str, &str); 6] = [
    ("_service", "This subgraph, for whoever composes a supergraph."),
    (
        "_entities",
        "Things by their keys, in the order of the keys; null for what does not exist or may not be read.",
    ),
    ("representations", "The keys: __typename, and the members of one of the type's keys."),
    ("_Service", "A subgraph."),
    ("sdl", "Its schema, with the directives of federation."),
    ("_Entity", "Whatever has a key."),
];

/// Whether a request asks for the schema.
pub fn introspects(document: &ExecutableDocument) -> bool {
    let asks = |selections: &[async_graphql::Positioned<Selection>]| {
        selections.iter().any(|selection| match &selection.node {
            Selection::Field(field) => matches!(field.node.name.node.as_str(), "__schema" | "__type"),
            Selection::InlineFragment(_) | Selection::FragmentSpread(_) => true,
        })
    };
    document.operations.iter().any(|(_, operation)| asks(&operation.node.selection_set.node.items))
}

/// Fills in the descriptions that are missing.
pub fn describe(data: &mut Value) {
    match data {
        Value::Object(members) => {
            let known = match (members.get("name"), members.get("description")) {
                (Some(Value::String(name)), Some(Value::Null)) => {
                    DESCRIPTIONS.iter().find(|(known, _)| known == name)
                }
                _ => None,
            };
            if let (Some((_, text)), Some(description)) = (known, members.get_mut("description")) {
                *description = Value::from(*text);
            }
            members.values_mut().for_each(describe);
        }
        Value::List(items) => items.iter_mut().for_each(describe),
        _ => {}
    }
}
