//! Texts that were read before: most programs send the same few, with other variables.
//!
//! Parsing, and the rules of validation, ask the same of a text each time. What was found of one is kept, as many texts as fit
//! into [`BYTES_MAX`], the least used ones going first: its document, and with which variables it was valid and cost no more
//! than it may. Strings among the variables decide neither, so requests that differ in ids and cursors only are the same.

use async_graphql::parser::types::ExecutableDocument;
use async_graphql::{Value, Variables};
use gateway_graphql_compliance::EntityKeyCount;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::fmt::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Memory for all of them, about.
const BYTES_MAX: u64 = 32 << 20;
/// What a document takes for each byte of its text, about.
const BYTES_OF_A_LETTER: u64 = 24;
/// Texts that the memory is prepared for.
const TEXTS: usize = 1_000;
/// Kinds of variables that are remembered of a text, and how long the name of a kind may be, bytes.
const KINDS_MAX: usize = 64;
const KIND_BYTES_MAX: usize = 1 << 10;

/// The memory.
pub(crate) struct KnownTexts(Cache<String, Arc<KnownText>, Weights>);

impl fmt::Debug for KnownTexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KnownTexts({} texts)", self.0.len())
    }
}

#[derive(Debug, Clone, Copy)]
struct Weights;

impl Weighter<String, Arc<KnownText>> for Weights {
    fn weight(&self, text: &String, _: &Arc<KnownText>) -> u64 {
        let document = u64::try_from(text.len()).unwrap_or(u64::MAX).saturating_mul(BYTES_OF_A_LETTER);
        document.saturating_add((KINDS_MAX * KIND_BYTES_MAX / 8) as u64)
    }
}

impl Default for KnownTexts {
    fn default() -> Self {
        Self(Cache::with_weighter(TEXTS, BYTES_MAX, Weights))
    }
}

impl KnownTexts {
    pub(crate) fn find(&self, text: &str) -> Option<Arc<KnownText>> {
        self.0.get(text)
    }

    /// Keeps a text whose document is within the limits, until others need its place.
    pub(crate) fn add(&self, text: &str, document: ExecutableDocument) -> Arc<KnownText> {
        let known = Arc::new(KnownText { document, valid: Mutex::default() });
        self.0.insert(text.to_owned(), Arc::clone(&known));
        known
    }
}

/// What is known of a text.
#[derive(Debug)]
pub(crate) struct KnownText {
    /// As it was parsed.
    pub(crate) document: ExecutableDocument,
    /// The kinds of requests with which it was valid.
    valid: Mutex<Vec<Kind>>,
}

impl KnownText {
    pub(crate) fn is_valid_with(&self, kind: &Kind) -> bool {
        self.valid.lock().unwrap_or_else(PoisonError::into_inner).contains(kind)
    }

    /// Notes that a request of this kind was validated, its cost included.
    pub(crate) fn was_valid_with(&self, kind: &Kind) {
        let mut valid = self.valid.lock().unwrap_or_else(PoisonError::into_inner);
        if valid.contains(kind) {
            return;
        }
        if valid.len() >= KINDS_MAX {
            valid.clear();
        }
        valid.push(kind.clone());
    }
}

/// What decides, beside the text, whether a request is valid and what it costs: the operation, which variables are given, how long
/// their lists are, their numbers and truth values, and how many things are asked for by key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kind(String);

impl Kind {
    /// None when it would be too long to be remembered.
    pub(crate) fn of(
        operation: Option<&str>,
        variables: &Variables,
        entity_keys: EntityKeyCount,
    ) -> Option<Self> {
        let mut kind = Short(String::new());
        // Names of GraphQL have no blanks.
        write!(kind, "{} {}", operation.unwrap_or_default(), entity_keys.per_field).ok()?;
        for (name, value) in variables.iter() {
            write!(kind, " {name}=").ok()?;
            kind.add(value).ok()?;
        }
        Some(Self(kind.0))
    }
}

/// A text that refuses to become long.
struct Short(String);

impl Write for Short {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len().saturating_add(text.len()) > KIND_BYTES_MAX {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

impl Short {
    fn add(&mut self, value: &Value) -> fmt::Result {
        match value {
            Value::Null => self.write_str("null"),
            Value::String(_) | Value::Binary(_) => self.write_str("''"),
            Value::Number(number) => write!(self, "{number}"),
            Value::Boolean(truth) => write!(self, "{truth}"),
            Value::Enum(name) => write!(self, "{name}"),
            Value::List(items) => {
                self.write_str("[")?;
                for item in items {
                    self.add(item)?;
                    self.write_str(",")?;
                }
                self.write_str("]")
            }
            Value::Object(members) => {
                self.write_str("{")?;
                for (name, member) in members {
                    // Of an input object or of free JSON: its names may hold anything.
                    write!(self, "{:?}:", name.as_str())?;
                    self.add(member)?;
                    self.write_str(",")?;
                }
                self.write_str("}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_graphql::parser::parse_query;
    use serde_json::json;

    fn kind(variables: serde_json::Value) -> Option<Kind> {
        Kind::of(None, &Variables::from_json(variables), EntityKeyCount::default())
    }

    #[test]
    fn ids_and_cursors_make_no_other_kind_and_numbers_do() {
        let one = kind(json!({"id": "a", "first": 25, "only": true, "in": [{"x": "1"}]}));
        assert!(one.is_some());
        assert_eq!(one, kind(json!({"id": "b", "first": 25, "only": true, "in": [{"x": "2"}]})));
        for other in [
            json!({"id": "a", "first": 26, "only": true, "in": [{"x": "1"}]}),
            json!({"id": "a", "first": 25, "only": false, "in": [{"x": "1"}]}),
            json!({"id": "a", "first": 25, "only": true, "in": [{"x": "1"}, {"x": "1"}]}),
            json!({"id": "a", "first": 25, "only": true, "in": [{"y": "1"}]}),
            json!({"id": null, "first": 25, "only": true, "in": [{"x": "1"}]}),
            json!({"first": 25, "only": true, "in": [{"x": "1"}]}),
        ] {
            assert_ne!(one, kind(other.clone()), "{other}");
        }
    }

    #[test]
    fn the_operation_and_the_number_of_keys_make_another_kind() {
        let variables = Variables::default();
        let of = |operation, per_field| Kind::of(operation, &variables, EntityKeyCount { per_field });
        assert_ne!(of(None, 1), of(Some("A"), 1));
        assert_ne!(of(None, 1), of(None, 2));
    }

    #[test]
    fn a_request_with_very_many_variables_is_not_remembered() {
        let many: serde_json::Map<_, _> = (0..500).map(|n| (format!("v{n}"), json!(n))).collect();
        assert_eq!(kind(many.into()), None);
    }

    #[test]
    fn memory_is_bounded_by_the_length_of_texts() {
        let known = KnownTexts::default();
        let document = parse_query("{ a }").unwrap();
        for n in 0..200 {
            known.add(&format!("{{ a }} # {n} {}", "x".repeat(50_000)), document.clone());
        }
        assert!((1..=40).contains(&known.0.len()), "{known:?}");
        let text = known.add("{ a }", document);
        let kind = kind(json!({"first": 1})).unwrap();
        assert!(!text.is_valid_with(&kind));
        text.was_valid_with(&kind);
        assert!(known.find("{ a }").is_some_and(|text| text.is_valid_with(&kind)));
    }
}
