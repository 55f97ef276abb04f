//! Members stand in the order in which their fields were selected (specification of GraphQL, October 2021, 7.2.2
//! "Serialized Map Ordering"). async-graphql puts them in the order in which they were resolved.

use super::empty_objects::remove_empty_selection;
use async_graphql::indexmap::IndexMap;
use async_graphql::parser::types::{ExecutableDocument, Selection, SelectionSet};
use async_graphql::{Name, Value};

/// The result of an operation with its members in order.
pub fn in_order_of_selection(data: Value, document: &ExecutableDocument, operation: Option<&str>) -> Value {
    match selection_of(document, operation) {
        Some(selection) => sort_members(data, &[selection], document),
        None => data,
    }
}

fn selection_of<'a>(document: &'a ExecutableDocument, name: Option<&str>) -> Option<&'a SelectionSet> {
    let mut operations = document.operations.iter();
    let named = |expected: &str, found: Option<&Name>| found.is_none_or(|found| found.as_str() == expected);
    operations
        .find(|(found, _)| name.is_none_or(|expected| named(expected, *found)))
        .map(|(_, operation)| &operation.node.selection_set.node)
}

/// Members in the order of their first selection. Fields finish in any order, answers read as they were asked.
fn sort_members(data: Value, sets: &[&SelectionSet], document: &ExecutableDocument) -> Value {
    match data {
        Value::List(items) => {
            Value::List(items.into_iter().map(|item| sort_members(item, sets, document)).collect())
        }
        Value::Object(mut members) => {
            remove_empty_selection(&mut members);
            let mut fields = Vec::new();
            for set in sets {
                collect(set, document, &mut fields);
            }
            let mut sorted = IndexMap::new();
            for (key, below) in fields {
                if let Some(value) = members.shift_remove(key) {
                    sorted.insert(key.clone(), sort_members(value, &below, document));
                }
            }
            sorted.extend(members);
            Value::Object(sorted)
        }
        plain => plain,
    }
}

/// The response keys of a selection in order, each with everything that is selected below it.
fn collect<'a>(
    set: &'a SelectionSet,
    document: &'a ExecutableDocument,
    fields: &mut Vec<(&'a Name, Vec<&'a SelectionSet>)>,
) {
    for selection in &set.items {
        match &selection.node {
            Selection::Field(field) => {
                let key = &field.node.response_key().node;
                let below = &field.node.selection_set.node;
                match fields.iter_mut().find(|(known, _)| *known == key) {
                    Some((_, sets)) => sets.push(below),
                    None => fields.push((key, vec![below])),
                }
            }
            Selection::InlineFragment(inline) => collect(&inline.node.selection_set.node, document, fields),
            Selection::FragmentSpread(spread) => {
                if let Some(fragment) = document.fragments.get(&spread.node.fragment_name.node) {
                    collect(&fragment.node.selection_set.node, document, fields);
                }
            }
        }
    }
}
