//! Selections under one response key are one field, executed once, and must be of the same field with the same
//! arguments (specification of GraphQL, October 2021, 5.3.2 "Field Selection Merging", 6.3.2 `CollectFields`, 6.4.3
//! `MergeSelectionSets`). async-graphql executes each selection, so that a change would be made as often as it is
//! written, and compares the selections of one set only: here they are compared at any depth, and merged before anything
//! runs.

use super::conditions::Conditions;
use super::document::{Fragments, find_operation, root_type, spread_fragments, used_variables};
use super::empty_objects::empty_selection;
use super::input_faults::{InputFault, InputMistake};
use super::schema_types::SchemaTypes;
use async_graphql::parser::types::{
    Directive, DocumentOperations, ExecutableDocument, Field, InlineFragment, OperationDefinition, Selection,
    SelectionSet, TypeCondition,
};
use async_graphql::{Name, Pos, Positioned, Variables};
use async_graphql_value::Value as InputValue;
use std::collections::{HashMap, HashSet};

/// What is wrong with the fields under one key, wherever they stand: they must be the same field with the same
/// arguments, also where some of them are skipped.
pub(super) fn conflicts(
    types: &SchemaTypes,
    document: &ExecutableDocument,
    operation: &OperationDefinition,
) -> Vec<InputFault> {
    let mut merge = Merger::new(types, &document.fragments, None);
    if !has_fragment_cycle(&document.fragments) {
        merge.selection(&[&operation.selection_set.node], Some(root_type(operation)));
    }
    merge.conflicts
}

/// The operation that runs, alone, with each field once and without fragments and conditions; none when that changes
/// nothing. The document as it was sent is to be validated: what nobody executes may be wrong too.
pub fn merge_fields(
    types: &SchemaTypes,
    document: &ExecutableDocument,
    name: Option<&str>,
    variables: &Variables,
) -> Option<ExecutableDocument> {
    if has_fragment_cycle(&document.fragments) {
        return None;
    }
    let operation = find_operation(document, name)?;
    let mut merge = Merger::new(types, &document.fragments, Some(Conditions { operation, variables }));
    let set = merge.selection(&[&operation.selection_set.node], Some(root_type(operation)));
    if !merge.changed && document.operations.iter().nth(1).is_none() {
        return None;
    }
    let mut merged = OperationDefinition {
        ty: operation.ty,
        variable_definitions: operation.variable_definitions.clone(),
        directives: operation.directives.clone(),
        selection_set: Positioned::new(set, operation.selection_set.pos),
    };
    let used = used_variables(&merged, &HashMap::new());
    merged.variable_definitions.retain(|definition| used.contains(&definition.node.name.node));
    let merged = Positioned::new(merged, Pos::default());
    let operations = match name {
        None => DocumentOperations::Single(merged),
        Some(name) => DocumentOperations::Multiple(HashMap::from([(Name::new(name), merged)])),
    };
    Some(ExecutableDocument { operations, fragments: HashMap::new() })
}

/// Whether a fragment spreads itself. Such a document is never run; the framework says why.
fn has_fragment_cycle(fragments: &Fragments) -> bool {
    let mut names = HashMap::new();
    for (name, fragment) in fragments {
        let mut spread = HashSet::new();
        spread_fragments(&fragment.node.selection_set.node, fragments, &mut spread);
        names.insert(name, spread);
    }
    names.iter().any(|(name, spread)| spread.contains(*name))
}

/// What stands under one key, or for one type, in the order in which it was selected first.
enum SelectionGroup<'a> {
    Fields(Vec<&'a Positioned<Field>>),
    /// What is selected of a type that may be another than the parent.
    OnType(&'a Positioned<Name>, Vec<&'a SelectionSet>),
}

struct Merger<'a> {
    types: &'a SchemaTypes,
    fragments: &'a Fragments,
    /// Without them everything is looked at.
    conditions: Option<Conditions<'a>>,
    /// Whether anything is not as it was written.
    changed: bool,
    conflicts: Vec<InputFault>,
}

impl<'a> Merger<'a> {
    const fn new(
        types: &'a SchemaTypes,
        fragments: &'a Fragments,
        conditions: Option<Conditions<'a>>,
    ) -> Self {
        Self { types, fragments, conditions, changed: false, conflicts: Vec::new() }
    }

    /// Several selections of one thing as one.
    fn selection(&mut self, sets: &[&'a SelectionSet], parent: Option<&str>) -> SelectionSet {
        let mut all = Vec::new();
        for set in sets {
            self.collect(set, parent, &mut all);
        }
        let mut items = Vec::new();
        for found in all {
            let (selection, pos) = match found {
                SelectionGroup::Fields(same) => {
                    let Some(field) = self.field(&same, parent) else { continue };
                    let pos = field.pos;
                    (Selection::Field(field), pos)
                }
                SelectionGroup::OnType(on, sets) => {
                    let set = self.selection(&sets, Some(on.node.as_str()));
                    let inline = InlineFragment {
                        type_condition: Some(Positioned::new(TypeCondition { on: on.clone() }, on.pos)),
                        directives: Vec::new(),
                        selection_set: Positioned::new(set, on.pos),
                    };
                    (Selection::InlineFragment(Positioned::new(inline, on.pos)), on.pos)
                }
            };
            items.push(Positioned::new(selection, pos));
        }
        let field = |item: &Positioned<Selection>| matches!(item.node, Selection::Field(_));
        if !items.iter().any(field)
            && let Some(written) = sets.iter().flat_map(|set| &set.items).next()
        {
            self.changed = true;
            items.push(empty_selection(written.pos));
        }
        SelectionSet { items }
    }

    fn collect(&mut self, set: &'a SelectionSet, parent: Option<&str>, all: &mut Vec<SelectionGroup<'a>>) {
        for selection in &set.items {
            let directives = selection.node.directives();
            self.changed = self.changed || !directives.is_empty();
            if !self.is_included(directives) {
                continue;
            }
            let (on, below) = match &selection.node {
                Selection::Field(field) => {
                    let key = &field.node.response_key().node;
                    let under = |found: &mut SelectionGroup<'a>| match found {
                        SelectionGroup::Fields(same) if key_of(same) == Some(key) => {
                            same.push(field);
                            true
                        }
                        _ => false,
                    };
                    if !all.iter_mut().any(under) {
                        all.push(SelectionGroup::Fields(vec![field]));
                    }
                    continue;
                }
                Selection::InlineFragment(inline) => {
                    (inline.node.type_condition.as_ref(), &inline.node.selection_set.node)
                }
                Selection::FragmentSpread(spread) => {
                    let Some(fragment) = self.fragments.get(&spread.node.fragment_name.node) else {
                        continue;
                    };
                    self.changed = true;
                    (Some(&fragment.node.type_condition), &fragment.node.selection_set.node)
                }
            };
            let Some(on) = on.map(|on| &on.node.on).filter(|on| parent != Some(on.node.as_str())) else {
                self.collect(below, parent, all);
                continue;
            };
            let of = |found: &mut SelectionGroup<'a>| match found {
                SelectionGroup::OnType(known, sets) if known.node == on.node => {
                    sets.push(below);
                    true
                }
                _ => false,
            };
            if !all.iter_mut().any(of) {
                all.push(SelectionGroup::OnType(on, vec![below]));
            }
        }
    }

    fn is_included(&self, directives: &[Positioned<Directive>]) -> bool {
        let Some(conditions) = self.conditions else { return true };
        directives.iter().all(|directive| conditions.holds(&directive.node) != Some(false))
    }

    fn field(&mut self, same: &[&'a Positioned<Field>], parent: Option<&str>) -> Option<Positioned<Field>> {
        let (first, others) = same.split_first()?;
        let name = first.node.name.node.as_str();
        // Its own name costs nothing to say twice, and many clients do.
        self.changed = self.changed || !(others.is_empty() || name == "__typename");
        if let Some(other) = others.iter().find(|other| !are_same_field(&first.node, &other.node)) {
            let key = first.node.response_key().node.to_string();
            self.conflicts.push(InputFault {
                field: key,
                mistake: InputMistake::SelectedTwice,
                pos: other.pos,
            });
        }
        let of = parent.and_then(|parent| self.types.field(parent, name)).map(|known| known.of.as_str());
        let sets: Vec<&SelectionSet> = same.iter().map(|field| &field.node.selection_set.node).collect();
        let set = self.selection(&sets, of);
        let known =
            |directive: &Directive| self.conditions.and_then(|conditions| conditions.holds(directive));
        let directives = first.node.directives.iter().filter(|directive| known(&directive.node).is_none());
        let field = Field {
            alias: first.node.alias.clone(),
            name: first.node.name.clone(),
            arguments: first.node.arguments.clone(),
            directives: directives.cloned().collect(),
            selection_set: Positioned::new(set, first.node.selection_set.pos),
        };
        Some(Positioned::new(field, first.pos))
    }
}

fn key_of<'a>(same: &[&'a Positioned<Field>]) -> Option<&'a Name> {
    same.first().map(|field| &field.node.response_key().node)
}

/// Whether two selections are of the same field with the same arguments, in whatever order.
fn are_same_field(one: &Field, other: &Field) -> bool {
    let same = |(name, value): &(Positioned<Name>, Positioned<InputValue>)| {
        other.get_argument(&name.node).is_some_and(|found| found.node == value.node)
    };
    one.name.node == other.name.node
        && one.arguments.len() == other.arguments.len()
        && one.arguments.iter().all(same)
}
