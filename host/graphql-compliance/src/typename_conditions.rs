//! A variable that stands in a directive of `__typename` is used (specification of GraphQL, October 2021, 5.8.4 "All
//! Variables Used"). async-graphql does not look at these directives, so that such a variable would be "not used":
//! `__typename @skip(if: $s)` is written as `... @skip(if: $s) { __typename }`, which means the same.

use super::document::operations_mut;
use async_graphql::Positioned;
use async_graphql::parser::types::{ExecutableDocument, InlineFragment, Selection, SelectionSet};

pub(super) fn wrap_in_fragments(document: &mut ExecutableDocument) {
    for (_, operation) in operations_mut(&mut document.operations) {
        wrap_selections(&mut operation.selection_set.node);
    }
    for fragment in document.fragments.values_mut() {
        wrap_selections(&mut fragment.node.selection_set.node);
    }
}

fn wrap_selections(set: &mut SelectionSet) {
    for selection in &mut set.items {
        match &mut selection.node {
            Selection::Field(field) if field.node.name.node == "__typename" => {
                let directives = std::mem::take(&mut field.node.directives);
                if !directives.is_empty() {
                    let pos = field.pos;
                    let only = Positioned::new(Selection::Field(field.clone()), pos);
                    selection.node = Selection::InlineFragment(Positioned::new(
                        InlineFragment {
                            type_condition: None,
                            directives,
                            selection_set: Positioned::new(SelectionSet { items: vec![only] }, pos),
                        },
                        pos,
                    ));
                }
            }
            Selection::Field(field) => wrap_selections(&mut field.node.selection_set.node),
            Selection::InlineFragment(inline) => wrap_selections(&mut inline.node.selection_set.node),
            Selection::FragmentSpread(_) => {}
        }
    }
}
