//! Whoever writes an unknown name is told which known one is near: of fields and arguments, members of inputs and values
//! of enums alike. async-graphql does this for the first two, and takes names for near that differ in half their letters.

use super::document::root_type;
use super::schema_types::{InputMember, SchemaTypes};
use async_graphql::parser::types::{ExecutableDocument, Field, Selection, SelectionSet};
use async_graphql::{Pos, Positioned, ServerError};
use std::collections::HashMap;

/// Longer names are not compared: the schema has none, and comparing takes a time that grows with the length.
const NAME_CHARS_MAX: usize = 64;

/// How many letters may differ, be missing, be too many or stand in each other's place, whatever their case.
const fn edits_max(chars: usize) -> usize {
    match chars {
        0..=4 => 1,
        5..=8 => 2,
        _ => 3,
    }
}

/// The known name that is nearest, if one is near.
pub(super) fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let chars = name.chars().count();
    if chars > NAME_CHARS_MAX {
        return None;
    }
    let lower = name.to_lowercase();
    let distances =
        known.into_iter().map(|known| (strsim::osa_distance(&lower, &known.to_lowercase()), known));
    distances.filter(|(edits, _)| *edits <= edits_max(chars)).min().map(|(_, known)| known)
}

/// Adds what was probably meant to the errors about unknown fields and arguments of a document that was not executed.
pub fn add_suggestions(types: &SchemaTypes, document: &ExecutableDocument, errors: &mut [ServerError]) {
    if errors.iter().all(|error| error.locations.is_empty() || !error.path.is_empty()) {
        return;
    }
    let mut unknown = UnknownNames { types, nearest: HashMap::new() };
    for (_, operation) in document.operations.iter() {
        unknown.selections(&operation.node.selection_set.node, Some(root_type(&operation.node)));
    }
    for fragment in document.fragments.values() {
        let on = fragment.node.type_condition.node.on.node.as_str();
        unknown.selections(&fragment.node.selection_set.node, Some(on));
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_near_when_few_letters_differ() {
        let known = ["id", "code", "status", "startDate", "endDate", "workspaceId", "ACTIVE", "INACTIVE"];
        for (name, expected) in [
            ("Id", Some("id")),
            ("ids", Some("id")),
            ("stauts", Some("status")),
            ("StartDat", Some("startDate")),
            ("start_date", Some("startDate")),
            ("workspaceID", Some("workspaceId")),
            ("workspace", Some("workspaceId")),
            ("active", Some("ACTIVE")),
            ("ACTVE", Some("ACTIVE")),
            ("name", None),
            ("x", None),
            ("begin", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, known), expected, "{name}");
        }
        assert_eq!(nearest(&"a".repeat(65), ["a".repeat(65).as_str()]), None);
    }
}
