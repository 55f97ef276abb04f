//! An object of which every member is skipped is an object without members (specification of GraphQL, October 2021,
//! 6.4.3 `CompleteValue`). async-graphql answers null: here such an object is asked for its type under a name that no
//! client can write, and that member is taken out of the answer.

use async_graphql::indexmap::IndexMap;
use async_graphql::parser::types::{Field, Selection, SelectionSet};
use async_graphql::{Name, Pos, Positioned, Value};

/// The response key that stands for an empty selection.
const EMPTY_SELECTION: &str = "{}";

/// What is selected where nothing is.
pub(super) fn empty_selection(pos: Pos) -> Positioned<Selection> {
    let named = |name: &str| Positioned::new(Name::new(name), pos);
    let field = Field {
        alias: Some(named(EMPTY_SELECTION)),
        name: named("__typename"),
        arguments: Vec::new(),
        directives: Vec::new(),
        selection_set: Positioned::new(SelectionSet::default(), pos),
    };
    Positioned::new(Selection::Field(Positioned::new(field, pos)), pos)
}

/// Takes what stands for an empty selection out of an answer.
pub(super) fn remove_empty_selection(members: &mut IndexMap<Name, Value>) {
    members.shift_remove(EMPTY_SELECTION);
}
