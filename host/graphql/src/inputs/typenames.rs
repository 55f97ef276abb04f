//! Conditions of `__typename`. Validation does not look at them, so that a variable which stands nowhere else would be
//! "not used": `__typename @skip(if: $s)` is written as `... @skip(if: $s) { __typename }`, which means the same.

use super::absent;
use async_graphql::Positioned;
use async_graphql::parser::types::{ExecutableDocument, InlineFragment, Selection, SelectionSet};

pub(super) fn spell_out(document: &mut ExecutableDocument) {
    for (_, operation) in absent::operations(&mut document.operations) {
        within(&mut operation.selection_set.node);
    }
    for fragment in document.fragments.values_mut() {
        within(&mut fragment.node.selection_set.node);
    }
}

fn within(set: &mut SelectionSet) {
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
            Selection::Field(field) => within(&mut field.node.selection_set.node),
            Selection::InlineFragment(inline) => within(&mut inline.node.selection_set.node),
            Selection::FragmentSpread(_) => {}
        }
    }
}
