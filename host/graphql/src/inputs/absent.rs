//! Variables that are not given. The framework takes them for null; by the specification the argument or the member
//! they stand for is not given either, so they are taken out of the document.

use async_graphql::parser::types::{
    Directive, DocumentOperations, ExecutableDocument, FragmentDefinition, OperationDefinition, Selection,
    SelectionSet,
};
use async_graphql::{Name, Positioned, Variables};
use async_graphql_value::Value as InputValue;
use std::collections::{HashMap, HashSet};

type Fragments = HashMap<Name, Positioned<FragmentDefinition>>;

/// The variables of an operation that have neither a value nor a default.
pub(super) fn of(operation: &OperationDefinition, variables: &Variables) -> HashSet<Name> {
    let definitions = operation.variable_definitions.iter().map(|definition| &definition.node);
    definitions
        .filter(|definition| {
            definition.default_value.is_none() && variables.get(&definition.name.node).is_none()
        })
        .map(|definition| definition.name.node.clone())
        .collect()
}

/// Takes them out of an operation and of the fragments it spreads.
pub(super) fn remove(document: &mut ExecutableDocument, chosen: Option<&str>, missing: &HashSet<Name>) {
    if missing.is_empty() {
        return;
    }
    let before: Vec<HashSet<Name>> = used_by_operations(document);
    let mut spread = HashSet::new();
    for (name, operation) in operations(&mut document.operations) {
        if chosen.is_none_or(|chosen| name.is_some_and(|name| name.as_str() == chosen)) {
            names(&operation.selection_set.node, &document.fragments, &mut spread);
            from_selections(&mut operation.selection_set.node, missing);
        }
    }
    for name in spread {
        if let Some(fragment) = document.fragments.get_mut(&name) {
            from_selections(&mut fragment.node.selection_set.node, missing);
        }
    }
    // A definition that nothing uses any more would be a mistake that the client did not make.
    let after = used_by_operations(document);
    let changed = before.iter().zip(&after);
    for ((_, operation), (before, after)) in operations(&mut document.operations).into_iter().zip(changed) {
        operation.variable_definitions.retain(|definition| {
            let name = &definition.node.name.node;
            after.contains(name) || !before.contains(name)
        });
    }
}

/// The operations with their names, in the order in which they are read too.
pub(super) fn operations(all: &mut DocumentOperations) -> Vec<(Option<&Name>, &mut OperationDefinition)> {
    match all {
        DocumentOperations::Single(operation) => vec![(None, &mut operation.node)],
        DocumentOperations::Multiple(operations) => {
            operations.iter_mut().map(|(name, operation)| (Some(name), &mut operation.node)).collect()
        }
    }
}

/// The names of the fragments that a selection spreads, at any depth.
pub(super) fn names(set: &SelectionSet, fragments: &Fragments, found: &mut HashSet<Name>) {
    for selection in &set.items {
        match &selection.node {
            Selection::Field(field) => names(&field.node.selection_set.node, fragments, found),
            Selection::InlineFragment(inline) => names(&inline.node.selection_set.node, fragments, found),
            Selection::FragmentSpread(spread) => {
                let name = &spread.node.fragment_name.node;
                if let Some(fragment) = fragments.get(name)
                    && found.insert(name.clone())
                {
                    names(&fragment.node.selection_set.node, fragments, found);
                }
            }
        }
    }
}

fn from_selections(set: &mut SelectionSet, missing: &HashSet<Name>) {
    for selection in &mut set.items {
        match &mut selection.node {
            Selection::Field(field) => {
                let stays = |value: &InputValue| !is_missing(value, missing);
                field.node.arguments.retain(|(_, value)| stays(&value.node));
                for (_, value) in &mut field.node.arguments {
                    from_value(&mut value.node, missing);
                }
                from_selections(&mut field.node.selection_set.node, missing);
            }
            Selection::InlineFragment(inline) => {
                from_selections(&mut inline.node.selection_set.node, missing);
            }
            Selection::FragmentSpread(_) => {}
        }
    }
}

fn is_missing(value: &InputValue, missing: &HashSet<Name>) -> bool {
    matches!(value, InputValue::Variable(name) if missing.contains(name))
}

fn from_value(value: &mut InputValue, missing: &HashSet<Name>) {
    match value {
        InputValue::Object(members) => {
            members.retain(|_, value| !is_missing(value, missing));
            members.values_mut().for_each(|value| from_value(value, missing));
        }
        InputValue::List(items) => {
            for item in items {
                // A list keeps its places.
                if is_missing(item, missing) {
                    *item = InputValue::Null;
                } else {
                    from_value(item, missing);
                }
            }
        }
        _ => {}
    }
}

/// The variables that each operation uses.
fn used_by_operations(document: &ExecutableDocument) -> Vec<HashSet<Name>> {
    document.operations.iter().map(|(_, operation)| used(&operation.node, &document.fragments)).collect()
}

/// The variables that an operation uses.
pub(super) fn used(operation: &OperationDefinition, fragments: &Fragments) -> HashSet<Name> {
    let (mut used, mut spread) = (HashSet::new(), HashSet::new());
    let set = &operation.selection_set.node;
    in_directives(&operation.directives, &mut used);
    in_selections(set, &mut used);
    names(set, fragments, &mut spread);
    for fragment in spread.iter().filter_map(|name| fragments.get(name)) {
        in_directives(&fragment.node.directives, &mut used);
        in_selections(&fragment.node.selection_set.node, &mut used);
    }
    used
}

fn in_selections(set: &SelectionSet, used: &mut HashSet<Name>) {
    for selection in &set.items {
        in_directives(selection.node.directives(), used);
        match &selection.node {
            Selection::Field(field) => {
                field.node.arguments.iter().for_each(|(_, value)| in_value(&value.node, used));
                in_selections(&field.node.selection_set.node, used);
            }
            Selection::InlineFragment(inline) => in_selections(&inline.node.selection_set.node, used),
            Selection::FragmentSpread(_) => {}
        }
    }
}

fn in_directives(directives: &[Positioned<Directive>], used: &mut HashSet<Name>) {
    let arguments = directives.iter().flat_map(|directive| &directive.node.arguments);
    arguments.for_each(|(_, value)| in_value(&value.node, used));
}

fn in_value(value: &InputValue, used: &mut HashSet<Name>) {
    match value {
        InputValue::Variable(name) => {
            used.insert(name.clone());
        }
        InputValue::List(items) => items.iter().for_each(|item| in_value(item, used)),
        InputValue::Object(members) => members.values().for_each(|member| in_value(member, used)),
        _ => {}
    }
}
