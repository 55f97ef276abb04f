//! Fields that are selected several times under one key are one field, executed once, as the GraphQL specification
//! collects them (`CollectFields`, `MergeSelectionSets`). The framework executes each, so that a change would be made
//! as often as it is written: here they are merged before anything runs.
//!
//! Fragments are read where they are spread, @skip and @include with the variables and their defaults (the framework
//! knows no defaults there). An object of which nothing is left is an object still, where the framework would answer
//! null: it is asked for its type under a name that no client can write ([`NOTHING`]).

use super::types::Types;
use super::{Fault, absent, chosen, root};
use async_graphql::parser::types::{
    Directive, DocumentOperations, ExecutableDocument, Field, FragmentDefinition, InlineFragment,
    OperationDefinition, Selection, SelectionSet, TypeCondition,
};
use async_graphql::{Name, Pos, Positioned, Value, Variables};
use async_graphql_value::Value as InputValue;
use std::collections::{HashMap, HashSet};

type Fragments = HashMap<Name, Positioned<FragmentDefinition>>;

/// The member of an object of which no member may be selected. It is not in the answer.
pub(crate) const NOTHING: &str = "{}";

/// What is wrong with the fields under one key, wherever they stand: they must be the same field with the same
/// arguments, also where some of them are skipped.
pub(super) fn conflicts(
    types: &Types,
    document: &ExecutableDocument,
    operation: &OperationDefinition,
) -> Vec<Fault> {
    let mut merge = Merge::new(types, &document.fragments, None);
    if !circular(&document.fragments) {
        merge.selection(&[&operation.selection_set.node], Some(root(operation)));
    }
    merge.conflicts
}

/// The chosen operation alone, with each field once and without fragments and conditions; none when that changes
/// nothing. The document as it was sent is to be validated: what nobody executes may be wrong too.
pub(crate) fn once(
    types: &Types,
    document: &ExecutableDocument,
    name: Option<&str>,
    variables: &Variables,
) -> Option<ExecutableDocument> {
    if circular(&document.fragments) {
        return None;
    }
    let operation = chosen(document, name)?;
    let mut merge = Merge::new(types, &document.fragments, Some(Conditions { operation, variables }));
    let set = merge.selection(&[&operation.selection_set.node], Some(root(operation)));
    if !merge.changed && document.operations.iter().nth(1).is_none() {
        return None;
    }
    let mut once = OperationDefinition {
        ty: operation.ty,
        variable_definitions: operation.variable_definitions.clone(),
        directives: operation.directives.clone(),
        selection_set: Positioned::new(set, operation.selection_set.pos),
    };
    let used = absent::used(&once, &HashMap::new());
    once.variable_definitions.retain(|definition| used.contains(&definition.node.name.node));
    let once = Positioned::new(once, Pos::default());
    let operations = match name {
        None => DocumentOperations::Single(once),
        Some(name) => DocumentOperations::Multiple(HashMap::from([(Name::new(name), once)])),
    };
    Some(ExecutableDocument { operations, fragments: HashMap::new() })
}

/// Whether a fragment spreads itself. Such a document is never run; the framework says why.
fn circular(fragments: &Fragments) -> bool {
    let mut names = HashMap::new();
    for (name, fragment) in fragments {
        let mut spread = HashSet::new();
        absent::names(&fragment.node.selection_set.node, fragments, &mut spread);
        names.insert(name, spread);
    }
    names.iter().any(|(name, spread)| spread.contains(*name))
}

/// What the conditions of @skip and @include are read with.
#[derive(Clone, Copy)]
struct Conditions<'a> {
    operation: &'a OperationDefinition,
    variables: &'a Variables,
}

impl Conditions<'_> {
    /// None for what is no condition, or cannot be known.
    fn holds(self, directive: &Directive) -> Option<bool> {
        let skips = match directive.name.node.as_str() {
            "skip" => true,
            "include" => false,
            _ => return None,
        };
        let condition = match &directive.get_argument("if")?.node {
            InputValue::Boolean(condition) => *condition,
            InputValue::Variable(name) => {
                let definitions = self.operation.variable_definitions.iter();
                let default = || {
                    let definition = definitions.clone().find(|known| known.node.name.node == *name)?;
                    definition.node.default_value.as_ref().map(|value| &value.node)
                };
                match self.variables.get(name).or_else(default)? {
                    Value::Boolean(condition) => *condition,
                    _ => return None,
                }
            }
            _ => return None,
        };
        Some(condition != skips)
    }
}

/// What stands under one key, or for one type, in the order in which it was selected first.
enum Found<'a> {
    Fields(Vec<&'a Positioned<Field>>),
    /// What is selected of a type that may be another than the parent.
    Of(&'a Positioned<Name>, Vec<&'a SelectionSet>),
}

struct Merge<'a> {
    types: &'a Types,
    fragments: &'a Fragments,
    /// Without them everything is looked at.
    conditions: Option<Conditions<'a>>,
    /// Whether anything is not as it was written.
    changed: bool,
    conflicts: Vec<Fault>,
}

impl<'a> Merge<'a> {
    const fn new(types: &'a Types, fragments: &'a Fragments, conditions: Option<Conditions<'a>>) -> Self {
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
                Found::Fields(same) => {
                    let Some(field) = self.field(&same, parent) else { continue };
                    let pos = field.pos;
                    (Selection::Field(field), pos)
                }
                Found::Of(on, sets) => {
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
            items.push(nothing(written.pos));
        }
        SelectionSet { items }
    }

    fn collect(&mut self, set: &'a SelectionSet, parent: Option<&str>, all: &mut Vec<Found<'a>>) {
        for selection in &set.items {
            let directives = selection.node.directives();
            self.changed = self.changed || !directives.is_empty();
            if !self.live(directives) {
                continue;
            }
            let (on, below) = match &selection.node {
                Selection::Field(field) => {
                    let key = &field.node.response_key().node;
                    let under = |found: &mut Found<'a>| match found {
                        Found::Fields(same) if key_of(same) == Some(key) => {
                            same.push(field);
                            true
                        }
                        _ => false,
                    };
                    if !all.iter_mut().any(under) {
                        all.push(Found::Fields(vec![field]));
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
            let of = |found: &mut Found<'a>| match found {
                Found::Of(known, sets) if known.node == on.node => {
                    sets.push(below);
                    true
                }
                _ => false,
            };
            if !all.iter_mut().any(of) {
                all.push(Found::Of(on, vec![below]));
            }
        }
    }

    fn live(&self, directives: &[Positioned<Directive>]) -> bool {
        let Some(conditions) = self.conditions else { return true };
        directives.iter().all(|directive| conditions.holds(&directive.node) != Some(false))
    }

    fn field(&mut self, same: &[&'a Positioned<Field>], parent: Option<&str>) -> Option<Positioned<Field>> {
        let (first, others) = same.split_first()?;
        let name = first.node.name.node.as_str();
        // Its own name costs nothing to say twice, and many clients do.
        self.changed = self.changed || !(others.is_empty() || name == "__typename");
        if let Some(other) = others.iter().find(|other| !alike(&first.node, &other.node)) {
            let key = first.node.response_key().node.to_string();
            let message = "is selected in two ways: give one of them an alias".to_owned();
            self.conflicts.push(Fault { field: key, message, sentence: None, pos: other.pos });
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

fn nothing(pos: Pos) -> Positioned<Selection> {
    let named = |name: &str| Positioned::new(Name::new(name), pos);
    let field = Field {
        alias: Some(named(NOTHING)),
        name: named("__typename"),
        arguments: Vec::new(),
        directives: Vec::new(),
        selection_set: Positioned::new(SelectionSet::default(), pos),
    };
    Positioned::new(Selection::Field(Positioned::new(field, pos)), pos)
}

fn key_of<'a>(same: &[&'a Positioned<Field>]) -> Option<&'a Name> {
    same.first().map(|field| &field.node.response_key().node)
}

/// Whether two selections are of the same field with the same arguments, in whatever order.
fn alike(one: &Field, other: &Field) -> bool {
    let same = |(name, value): &(Positioned<Name>, Positioned<InputValue>)| {
        other.get_argument(&name.node).is_some_and(|found| found.node == value.node)
    };
    one.name.node == other.name.node
        && one.arguments.len() == other.arguments.len()
        && one.arguments.iter().all(same)
}
