//! Members stand in the order in which their fields were selected (specification of GraphQL, October 2021, 7.2.2
//! "Serialized Map Ordering"). async-graphql puts them in the order in which they were resolved.

use super::empty_objects::remove_empty_selection;
use async_graphql::parser::types::{ExecutableDocument, Selection, SelectionSet};
use async_graphql::{Name, Value};

/// The result of an operation with its members in order.
pub fn in_order_of_selection(
    mut data: Value,
    document: &ExecutableDocument,
    operation: Option<&str>,
) -> Value {
    if let Some(selection) = selection_of(document, operation) {
        Members::of(&[selection], document).sort(&mut data);
    }
    data
}

fn selection_of<'a>(document: &'a ExecutableDocument, name: Option<&str>) -> Option<&'a SelectionSet> {
    let mut operations = document.operations.iter();
    let named = |expected: &str, found: Option<&Name>| found.is_none_or(|found| found.as_str() == expected);
    operations
        .find(|(found, _)| name.is_none_or(|expected| named(expected, *found)))
        .map(|(_, operation)| &operation.node.selection_set.node)
}

/// The members of objects in the order of their first selection, each with the members below it. Read once for all objects of a
/// list.
struct Members<'a>(Vec<(&'a Name, Self)>);

impl<'a> Members<'a> {
    fn of(sets: &[&'a SelectionSet], document: &'a ExecutableDocument) -> Self {
        let mut fields = Vec::new();
        for set in sets {
            collect(set, document, &mut fields);
        }
        Self(fields.into_iter().map(|(key, below)| (key, Self::of(&below, document))).collect())
    }

    /// Fields finish in any order, answers read as they were asked. What nobody selected comes last.
    fn sort(&self, data: &mut Value) {
        match data {
            Value::List(items) => items.iter_mut().for_each(|item| self.sort(item)),
            Value::Object(members) => {
                remove_empty_selection(members);
                let (mut next, mut in_order) = (0, true);
                for (key, value) in members.iter_mut() {
                    let place = self.position(key, next);
                    in_order &= place >= next;
                    next = place.saturating_add(1);
                    if let Some((_, below)) = self.0.get(place) {
                        below.sort(value);
                    }
                }
                if !in_order {
                    members.sort_by_cached_key(|key, _| self.position(key, 0));
                }
            }
            _ => {}
        }
    }

    /// Where a member stands; `expected` is looked at first.
    fn position(&self, key: &Name, expected: usize) -> usize {
        if self.0.get(expected).is_some_and(|(known, _)| *known == key) {
            return expected;
        }
        self.0.iter().position(|(known, _)| *known == key).unwrap_or(usize::MAX)
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
