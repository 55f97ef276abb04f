//! Questions about a document that several checks ask.

use async_graphql::parser::types::{
    Directive, DocumentOperations, ExecutableDocument, FragmentDefinition, OperationDefinition,
    OperationType, Selection, SelectionSet,
};
use async_graphql::{Name, Positioned};
use async_graphql_value::Value as InputValue;
use std::collections::{HashMap, HashSet};

pub(super) type Fragments = HashMap<Name, Positioned<FragmentDefinition>>;

/// The operation that a request means.
pub(super) fn find_operation<'a>(
    document: &'a ExecutableDocument,
    name: Option<&str>,
) -> Option<&'a OperationDefinition> {
    let mut operations = document.operations.iter();
    match name {
        Some(name) => operations.find(|(found, _)| found.is_some_and(|found| found.as_str() == name)),
        None => operations.next().filter(|_| operations.next().is_none()),
    }
    .map(|(_, operation)| &operation.node)
}

/// The type that an operation begins with.
pub(super) const fn root_type(operation: &OperationDefinition) -> &'static str {
    match operation.ty {
        OperationType::Query => "Query",
        OperationType::Mutation => "Mutation",
        OperationType::Subscription => "Subscription",
    }
}

/// The operations with their names, in the order in which they are read too.
pub(super) fn operations_mut(all: &mut DocumentOperations) -> Vec<(Option<&Name>, &mut OperationDefinition)> {
    match all {
        DocumentOperations::Single(operation) => vec![(None, &mut operation.node)],
        DocumentOperations::Multiple(operations) => {
            operations.iter_mut().map(|(name, operation)| (Some(name), &mut operation.node)).collect()
        }
    }
}

/// The names of the fragments that a selection spreads, at any depth.
pub(super) fn spread_fragments(set: &SelectionSet, fragments: &Fragments, found: &mut HashSet<Name>) {
    for selection in &set.items {
        match &selection.node {
            Selection::Field(field) => spread_fragments(&field.node.selection_set.node, fragments, found),
            Selection::InlineFragment(inline) => {
                spread_fragments(&inline.node.selection_set.node, fragments, found);
            }
            Selection::FragmentSpread(spread) => {
                let name = &spread.node.fragment_name.node;
                if let Some(fragment) = fragments.get(name)
                    && found.insert(name.clone())
                {
                    spread_fragments(&fragment.node.selection_set.node, fragments, found);
                }
            }
        }
    }
}

/// The variables that an operation uses.
pub(super) fn used_variables(operation: &OperationDefinition, fragments: &Fragments) -> HashSet<Name> {
    let (mut used, mut spread) = (HashSet::new(), HashSet::new());
    let set = &operation.selection_set.node;
    add_from_directives(&operation.directives, &mut used);
    add_from_selections(set, &mut used);
    spread_fragments(set, fragments, &mut spread);
    for fragment in spread.iter().filter_map(|name| fragments.get(name)) {
        add_from_directives(&fragment.node.directives, &mut used);
        add_from_selections(&fragment.node.selection_set.node, &mut used);
    }
    used
}

fn add_from_selections(set: &SelectionSet, used: &mut HashSet<Name>) {
    for selection in &set.items {
        add_from_directives(selection.node.directives(), used);
        match &selection.node {
            Selection::Field(field) => {
                field.node.arguments.iter().for_each(|(_, value)| add_from_value(&value.node, used));
                add_from_selections(&field.node.selection_set.node, used);
            }
            Selection::InlineFragment(inline) => add_from_selections(&inline.node.selection_set.node, used),
            Selection::FragmentSpread(_) => {}
        }
    }
}

fn add_from_directives(directives: &[Positioned<Directive>], used: &mut HashSet<Name>) {
    let arguments = directives.iter().flat_map(|directive| &directive.node.arguments);
    arguments.for_each(|(_, value)| add_from_value(&value.node, used));
}

fn add_from_value(value: &InputValue, used: &mut HashSet<Name>) {
    match value {
        InputValue::Variable(name) => {
            used.insert(name.clone());
        }
        InputValue::List(items) => items.iter().for_each(|item| add_from_value(item, used)),
        InputValue::Object(members) => members.values().for_each(|member| add_from_value(member, used)),
        _ => {}
    }
}
