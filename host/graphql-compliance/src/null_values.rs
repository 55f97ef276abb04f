//! An argument or a member whose variable is not given is not given either (specification of GraphQL, October 2021,
//! 2.9.5 "Null Value", 3.10 and 6.4.1 `CoerceArgumentValues`). async-graphql takes such a variable for null, so that a
//! change would clear what the client did not mention: here what it stands for is taken out of the document.

use super::document::{operations_mut, spread_fragments, used_variables};
use async_graphql::parser::types::{ExecutableDocument, OperationDefinition, Selection, SelectionSet};
use async_graphql::{Name, Variables};
use async_graphql_value::Value as InputValue;
use std::collections::HashSet;

/// The variables of an operation that have neither a value nor a default.
pub(super) fn unset_variables(operation: &OperationDefinition, variables: &Variables) -> HashSet<Name> {
    let definitions = operation.variable_definitions.iter().map(|definition| &definition.node);
    definitions
        .filter(|definition| {
            definition.default_value.is_none() && variables.get(&definition.name.node).is_none()
        })
        .map(|definition| definition.name.node.clone())
        .collect()
}

/// Takes them out of an operation and of the fragments it spreads.
pub(super) fn remove_unset(
    document: &mut ExecutableDocument,
    operation_name: Option<&str>,
    unset: &HashSet<Name>,
) {
    if unset.is_empty() {
        return;
    }
    let before: Vec<HashSet<Name>> = used_by_operations(document);
    let mut spread = HashSet::new();
    for (name, operation) in operations_mut(&mut document.operations) {
        if operation_name.is_none_or(|meant| name.is_some_and(|name| name.as_str() == meant)) {
            spread_fragments(&operation.selection_set.node, &document.fragments, &mut spread);
            remove_from_selections(&mut operation.selection_set.node, unset);
        }
    }
    for name in spread {
        if let Some(fragment) = document.fragments.get_mut(&name) {
            remove_from_selections(&mut fragment.node.selection_set.node, unset);
        }
    }
    // A definition that nothing uses any more would be a mistake that the client did not make.
    let after = used_by_operations(document);
    let changed = before.iter().zip(&after);
    for ((_, operation), (before, after)) in operations_mut(&mut document.operations).into_iter().zip(changed)
    {
        operation.variable_definitions.retain(|definition| {
            let name = &definition.node.name.node;
            after.contains(name) || !before.contains(name)
        });
    }
}

fn remove_from_selections(set: &mut SelectionSet, unset: &HashSet<Name>) {
    for selection in &mut set.items {
        match &mut selection.node {
            Selection::Field(field) => {
                let stays = |value: &InputValue| !is_unset(value, unset);
                field.node.arguments.retain(|(_, value)| stays(&value.node));
                for (_, value) in &mut field.node.arguments {
                    remove_from_value(&mut value.node, unset);
                }
                remove_from_selections(&mut field.node.selection_set.node, unset);
            }
            Selection::InlineFragment(inline) => {
                remove_from_selections(&mut inline.node.selection_set.node, unset);
            }
            Selection::FragmentSpread(_) => {}
        }
    }
}

fn is_unset(value: &InputValue, unset: &HashSet<Name>) -> bool {
    matches!(value, InputValue::Variable(name) if unset.contains(name))
}

fn remove_from_value(value: &mut InputValue, unset: &HashSet<Name>) {
    match value {
        InputValue::Object(members) => {
            members.retain(|_, value| !is_unset(value, unset));
            members.values_mut().for_each(|value| remove_from_value(value, unset));
        }
        InputValue::List(items) => {
            for item in items {
                // A list keeps its places.
                if is_unset(item, unset) {
                    *item = InputValue::Null;
                } else {
                    remove_from_value(item, unset);
                }
            }
        }
        _ => {}
    }
}

/// The variables that each operation uses.
fn used_by_operations(document: &ExecutableDocument) -> Vec<HashSet<Name>> {
    document
        .operations
        .iter()
        .map(|(_, operation)| used_variables(&operation.node, &document.fragments))
        .collect()
}
