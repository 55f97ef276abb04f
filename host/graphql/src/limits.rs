//! What a request may cost, found out before anything of it runs.
//!
//! The text is looked over before it is parsed, so that no parser meets endless nesting; the document is measured with
//! every fragment counted where it is spread, without spreading it. What pages cost in addition is the schema's
//! complexity ([`COMPLEXITY_MAX`]).

use async_graphql::Name;
use async_graphql::Positioned;
use async_graphql::parser::types::{ExecutableDocument, FragmentDefinition, Selection, SelectionSet};
use std::collections::HashMap;

/// Longest query text, bytes.
const TEXT_BYTES_MAX: usize = 128 * 1024;
/// Most names, numbers and signs of a query.
const TOKENS_MAX: usize = 8_000;
/// Deepest nesting of brackets of any kind.
const BRACKETS_MAX: usize = 48;
/// Most operations and fragments of a document.
const DEFINITIONS_MAX: usize = 50;
/// Deepest nesting of fields. The introspection of usual tools has 15.
const DEPTH_MAX: usize = 18;
/// Most fields, with fragments counted as often as they are spread.
const FIELDS_MAX: usize = 1_500;
/// Most aliases.
const ALIASES_MAX: usize = 50;
/// Most directives in all, and on one field.
const DIRECTIVES_MAX: usize = 50;
const DIRECTIVES_PER_FIELD_MAX: usize = 5;
/// Deepest nesting of selections, of fields and fragments alike.
pub(crate) const SELECTIONS_MAX: usize = 32;
/// How often introspection may go from types to their members and back: usual tools do it once.
const LISTS_OF_MEMBERS_MAX: usize = 2;
const LISTS_OF_MEMBERS: [&str; 4] = ["fields", "inputFields", "interfaces", "possibleTypes"];
/// Most points that pages and fields may cost together ([`crate::costs`]).
pub(crate) const COMPLEXITY_MAX: usize = 20_000;

/// What is said of a document that the parser gives up on.
pub(crate) const BRACKETS: &str = "brackets and values are nested too deep";

/// Why a query is not run: one sentence.
pub(crate) type LimitExceeded = String;

/// Looks over a query that was not parsed yet.
pub(crate) fn check_text(query: &str) -> Result<(), LimitExceeded> {
    if query.len() > TEXT_BYTES_MAX {
        return Err(format!("a query has at most {TEXT_BYTES_MAX} bytes"));
    }
    let (mut tokens, mut open) = (0_usize, 0_usize);
    let mut rest = query;
    while let Some(letter) = rest.chars().next() {
        let length = match letter {
            '#' => rest.find(['\n', '\r']).unwrap_or(rest.len()),
            '"' => string_length(rest),
            _ if letter.is_alphanumeric() || letter == '_' => {
                rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())
            }
            _ => letter.len_utf8(),
        };
        match letter {
            '{' | '[' | '(' => open = open.saturating_add(1),
            '}' | ']' | ')' => open = open.saturating_sub(1),
            _ => {}
        }
        if !(letter.is_whitespace() || letter == '#') {
            tokens = tokens.saturating_add(1);
        }
        if open > BRACKETS_MAX {
            return Err(format!("brackets are nested at most {BRACKETS_MAX} deep"));
        }
        if tokens > TOKENS_MAX {
            return Err(format!("a query has at most {TOKENS_MAX} names, values and signs"));
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    Ok(())
}

/// How long the string is that `text` begins with. One that does not end is left to the parser.
fn string_length(text: &str) -> usize {
    let block = "\"\"\"";
    let (quote, from) = if text.starts_with(block) { (block, block.len()) } else { ("\"", 1) };
    let mut at = from;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with(quote) {
            return at.saturating_add(quote.len());
        }
        let letter = rest.chars().next().map_or(1, char::len_utf8);
        let escaped = if rest.starts_with('\\') { rest.chars().nth(1).map_or(0, char::len_utf8) } else { 0 };
        at = at.saturating_add(letter).saturating_add(escaped);
    }
    text.len()
}

/// What a selection amounts to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Size {
    depth: usize,
    fields: usize,
    aliases: usize,
    directives: usize,
    lists_of_members: usize,
}

impl Size {
    fn combine(self, other: Self) -> Self {
        Self {
            depth: self.depth.max(other.depth),
            fields: self.fields.saturating_add(other.fields),
            aliases: self.aliases.saturating_add(other.aliases),
            directives: self.directives.saturating_add(other.directives),
            lists_of_members: self.lists_of_members.max(other.lists_of_members),
        }
    }

    fn check(self) -> Result<(), LimitExceeded> {
        let limits = [
            (self.depth, DEPTH_MAX, "fields are nested at most"),
            (self.fields, FIELDS_MAX, "fields of a query, with its fragments spread, are at most"),
            (self.aliases, ALIASES_MAX, "aliases of a query are at most"),
            (self.directives, DIRECTIVES_MAX, "directives of a query are at most"),
            (self.lists_of_members, LISTS_OF_MEMBERS_MAX, "members of types of members are nested at most"),
        ];
        match limits.iter().find(|(size, most, _)| size > most) {
            Some((size, most, what)) => Err(format!("{what} {most}, these are {size}")),
            None => Ok(()),
        }
    }
}

/// Measures a document.
pub(crate) fn check_document(document: &ExecutableDocument) -> Result<(), LimitExceeded> {
    let definitions = document.operations.iter().count().saturating_add(document.fragments.len());
    if definitions > DEFINITIONS_MAX {
        return Err(format!("a document has at most {DEFINITIONS_MAX} operations and fragments"));
    }
    let mut measure = Measurement { fragments: &document.fragments, sizes: HashMap::new() };
    for (_, operation) in document.operations.iter() {
        let variables = operation.node.variable_definitions.iter();
        let on_variables: usize = variables.map(|variable| variable.node.directives.len()).sum();
        let mut size = measure.selections(&operation.node.selection_set.node);
        let own = operation.node.directives.len().saturating_add(on_variables);
        size.directives = size.directives.saturating_add(own);
        size.check()?;
    }
    Ok(())
}

/// Follows every selection of a document that was measured. A fragment that spreads itself has no end.
pub(crate) fn check_nesting(document: &ExecutableDocument) -> Result<(), LimitExceeded> {
    document
        .operations
        .iter()
        .try_for_each(|(_, operation)| check_depth(document, &operation.node.selection_set.node, 0))
}

fn check_depth(document: &ExecutableDocument, set: &SelectionSet, depth: usize) -> Result<(), LimitExceeded> {
    if depth > SELECTIONS_MAX {
        return Err(format!("selections are nested at most {SELECTIONS_MAX} deep, with fragments spread"));
    }
    for selection in &set.items {
        let below = match &selection.node {
            Selection::Field(field) => {
                if field.node.directives.len() > DIRECTIVES_PER_FIELD_MAX {
                    return Err(format!("directives of a field are at most {DIRECTIVES_PER_FIELD_MAX}"));
                }
                Some(&field.node.selection_set.node).filter(|below| !below.items.is_empty())
            }
            Selection::InlineFragment(inline) => Some(&inline.node.selection_set.node),
            Selection::FragmentSpread(spread) => {
                let fragment = document.fragments.get(&spread.node.fragment_name.node);
                fragment.map(|fragment| &fragment.node.selection_set.node)
            }
        };
        if let Some(below) = below {
            check_depth(document, below, depth.saturating_add(1))?;
        }
    }
    Ok(())
}

struct Measurement<'a> {
    fragments: &'a HashMap<Name, Positioned<FragmentDefinition>>,
    /// Fragments measured already; none while it is being done, so that a cycle ends.
    sizes: HashMap<&'a Name, Option<Size>>,
}

impl<'a> Measurement<'a> {
    fn selections(&mut self, set: &'a SelectionSet) -> Size {
        let mut all = Size::default();
        for selection in &set.items {
            let mut size = match &selection.node {
                Selection::Field(field) => {
                    let below = self.selections(&field.node.selection_set.node);
                    let members = LISTS_OF_MEMBERS.contains(&field.node.name.node.as_str());
                    Size {
                        depth: below.depth.saturating_add(1),
                        fields: below.fields.saturating_add(1),
                        aliases: below.aliases.saturating_add(usize::from(field.node.alias.is_some())),
                        lists_of_members: below.lists_of_members.saturating_add(usize::from(members)),
                        ..below
                    }
                }
                Selection::InlineFragment(inline) => self.selections(&inline.node.selection_set.node),
                Selection::FragmentSpread(spread) => self.fragment(&spread.node.fragment_name.node),
            };
            size.directives = size.directives.saturating_add(selection.node.directives().len());
            all = all.combine(size);
        }
        all
    }

    /// A fragment that does not exist, or spreads itself, is left to validation; until then it counts like a field,
    /// because validation follows every spread.
    fn fragment(&mut self, name: &'a Name) -> Size {
        let unread = Size { fields: 1, ..Size::default() };
        if let Some(known) = self.sizes.get(name) {
            return known.unwrap_or(unread);
        }
        let Some(fragment) = self.fragments.get(name) else { return unread };
        self.sizes.insert(name, None);
        let mut size = self.selections(&fragment.node.selection_set.node);
        size.directives = size.directives.saturating_add(fragment.node.directives.len());
        self.sizes.insert(name, Some(size));
        size
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_graphql::parser::parse_query;
    use std::fmt::Write;

    fn refused(query: &str) -> Option<LimitExceeded> {
        check_text(query).and_then(|()| check_document(&parse_query(query).unwrap())).err()
    }

    #[test]
    fn an_ordinary_query_passes() {
        let query = r"query Q($a: ID!) { # a comment with { brackets
            a: catalog { productGroup(id: $a) { ...F products { totalCount } } } }
            fragment F on ProductGroup { id internalReference @include(if: true) }";
        assert_eq!(refused(query), None);
    }

    #[test]
    fn strings_are_passed_over() {
        let brackets = "{".repeat(100);
        assert_eq!(refused(&format!("{{ a(b: \"{brackets}\\\"{brackets}\") }}")), None);
        assert_eq!(refused(&format!("{{ a(b: \"\"\"{brackets}\"{brackets}\\\"\"\"\"\"\") }}")), None);
        assert_eq!(check_text("{ a(b: \"never ends"), Ok(()));
        assert_eq!(string_length("\"é\\\"é\"x"), "\"é\\\"é\"".len());
    }

    #[test]
    fn nesting_without_end_never_reaches_a_parser() {
        assert!(check_text(&"{a".repeat(100_000)).is_err());
        assert!(check_text(&format!("{{ a(b: {}", "[".repeat(50_000))).is_err());
        assert!(check_text(&"a ".repeat(20_000)).unwrap_err().contains("names"));
        assert!(check_text(&" ".repeat(200_000)).unwrap_err().contains("bytes"));
    }

    #[test]
    fn fragments_that_double_at_each_step_are_counted_whatever_is_at_their_end() {
        for end in ["__typename", "...Nowhere", "...F0", "...F30"] {
            let mut query = String::from("{ ...F0 }");
            for n in 0..30 {
                write!(query, " fragment F{n} on Query {{ ...F{next} ...F{next} }}", next = n + 1).unwrap();
            }
            write!(query, " fragment F30 on Query {{ {end} }}").unwrap();
            assert!(refused(&query).unwrap().contains("fragments spread"), "{end}");
        }
    }

    #[test]
    fn depth_aliases_and_directives_are_limited() {
        let deep = format!("{}{}", "{a".repeat(19), "}".repeat(19));
        assert!(refused(&deep).unwrap().contains("nested"));
        let mut wide = String::from("{");
        for n in 0..51 {
            write!(wide, " a{n}: a").unwrap();
        }
        assert!(refused(&format!("{wide} }}")).unwrap().contains("aliases"));
        assert!(
            refused(&format!("{{ a {} }}", "@skip(if: false)".repeat(51))).unwrap().contains("directives")
        );
    }

    #[test]
    fn fragments_count_as_often_as_they_are_spread() {
        let mut bomb = String::from("{ ...f0 }");
        for n in 0..20 {
            write!(bomb, " fragment f{n} on Query {{ ...f{0} ...f{0} }}", n + 1).unwrap();
        }
        bomb.push_str(" fragment f20 on Query { a }");
        assert!(refused(&bomb).unwrap().contains("spread"));
        assert_eq!(refused("{ ...a } fragment a on Query { ...a b }"), None);
    }

    #[test]
    fn selections_without_end_and_heaps_of_directives_are_told_in_our_words() {
        let too_much = |query: &str| check_nesting(&parse_query(query).unwrap()).err();
        assert_eq!(too_much("{ a @skip(if: false) { ... { b } } }"), None);
        let inline = format!("{{ {} a {} }}", "... {".repeat(33), "}".repeat(33));
        assert!(too_much(&inline).unwrap().contains("nested at most 32"));
        assert!(too_much("{ ...a } fragment a on Query { ...a b }").unwrap().contains("nested"));
        let heap = format!("{{ a {} }}", "@skip(if: false)".repeat(6));
        assert!(too_much(&heap).unwrap().contains("directives of a field"));
    }

    #[test]
    fn introspection_does_not_go_round_in_circles() {
        let once =
            "{ __schema { types { fields { type { name ofType { name } } } possibleTypes { name } } } }";
        assert_eq!(refused(once), None);
        let round = "{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }";
        assert!(refused(round).unwrap().contains("members"));
    }
}
