//! Whoever writes an unknown name is told which known one is near: of fields and arguments, members of inputs and values
//! of enums alike. async-graphql does this for the first two, and takes names for near that differ in half their letters.

use super::document::root_type;
use super::schema_types::{InputMember, SchemaTypes};
use async_graphql::parser::types::{ExecutableDocument, Field, Selection, SelectionSet};
use async_graphql::{Pos, Positioned, ServerError};
use gateway_domain_input::nearest;
use std::collections::{HashMap, HashSet};

/// Adds what was probably meant to the errors about unknown fields and arguments of a document that was not executed. Of an
/// unknown field nobody knows the arguments: what async-graphql says of those, it says of another field.
pub fn add_suggestions(types: &SchemaTypes, document: &ExecutableDocument, errors: &mut Vec<ServerError>) {
    if errors.iter().all(|error| error.locations.is_empty() || !error.path.is_empty()) {
        return;
    }
    let mut unknown = UnknownNames { types, nearest: HashMap::new(), below: HashSet::new() };
    for (_, operation) in document.operations.iter() {
        unknown.selections(&operation.node.selection_set.node, Some(root_type(&operation.node)));
    }
    for fragment in document.fragments.values() {
        let on = fragment.node.type_condition.node.on.node.as_str();
        unknown.selections(&fragment.node.selection_set.node, Some(on));
    }
    let is_below = |pos: &Pos| unknown.below.contains(&(pos.line, pos.column));
    errors.retain(|error| !error.path.is_empty() || !error.locations.first().is_some_and(is_below));
    for error in errors {
        let found = error.locations.first().and_then(|pos| unknown.nearest.get(&(pos.line, pos.column)));
        if let Some(known) = found.filter(|_| error.path.is_empty()) {
            error.message = format!("{} Did you mean \"{known}\"?", error.message);
        }
    }
}

/// Where the document has unknown names that are near a known one.
struct UnknownNames<'a> {
    types: &'a SchemaTypes,
    nearest: HashMap<(usize, usize), &'a str>,
    /// Where the arguments of unknown fields are.
    below: HashSet<(usize, usize)>,
}

impl<'a> UnknownNames<'a> {
    fn selections(&mut self, set: &SelectionSet, parent: Option<&str>) {
        for selection in &set.items {
            match &selection.node {
                Selection::Field(field) => {
                    let of = parent.and_then(|parent| self.field(field, parent));
                    self.selections(&field.node.selection_set.node, of);
                }
                Selection::InlineFragment(inline) => {
                    let on = inline.node.type_condition.as_ref().map(|on| on.node.on.node.as_str());
                    self.selections(&inline.node.selection_set.node, on.or(parent));
                }
                Selection::FragmentSpread(_) => {}
            }
        }
    }

    /// Looks at a field; its type, if it is known.
    fn field(&mut self, field: &Positioned<Field>, parent: &str) -> Option<&'a str> {
        let (types, name) = (self.types, field.node.name.node.as_str());
        let Some(known) = types.field(parent, name) else {
            self.note(field.pos, nearest(name, types.field_names(parent)));
            let arguments = field.node.arguments.iter();
            self.below.extend(arguments.map(|(argument, _)| (argument.pos.line, argument.pos.column)));
            return None;
        };
        for (argument, _) in &field.node.arguments {
            let is = |known: &&InputMember| known.name == argument.node.as_str();
            if !known.arguments.iter().any(|known| is(&known)) {
                let names = known.arguments.iter().map(|known| known.name.as_str());
                self.note(argument.pos, nearest(&argument.node, names));
            }
        }
        Some(&known.of)
    }

    fn note(&mut self, pos: Pos, nearest: Option<&'a str>) {
        self.nearest.extend(nearest.map(|known| ((pos.line, pos.column), known)));
    }
}
