//! Texts that were read before: most programs send the same few, with other variables.
//!
//! Parsing, and the rules of validation, ask the same of a text each time. What was found of one is kept, as many texts as fit
//! into [`BYTES_MAX`], the least used ones going first: its document, and the kinds of requests with which it was valid and cost no
//! more than it may, each with what runs for them. Strings among the variables decide none of it, so requests that differ in ids and
//! cursors only are the same.

use async_graphql::parser::types::ExecutableDocument;
use async_graphql::{Name, Value, Variables};
use gateway_graphql_compliance::{self as compliance, EntityKeyCount, InputFaults, SchemaTypes};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::collections::HashSet;
use std::fmt::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Memory for all of them, about.
const BYTES_MAX: u64 = 64 << 20;
/// What a document takes for each byte of its text, about, and at most: it has [`limits`](crate::limits) for its parts.
const BYTES_OF_A_LETTER: u64 = 24;
const DOCUMENT_BYTES_MAX: u64 = 2 << 20;
/// Texts that the memory is prepared for: so few that it has two parts, for a text must fit into one with all that runs of it.
const TEXTS: usize = 64;
/// Kinds of variables that are remembered of a text, and how long the name of a kind may be, bytes.
const KINDS_MAX: usize = 64;
const KIND_BYTES_MAX: usize = 1 << 10;
/// Documents that are kept of a text beside the one that was sent: there is one for each choice of variables that are given.
const RUNNABLES_MAX: usize = 2;

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
        let document = document.min(DOCUMENT_BYTES_MAX);
        // As it was sent, and as it runs, which may be two documents.
        let documents = document.saturating_mul(1 + 2 * RUNNABLES_MAX as u64);
        documents.saturating_add((KINDS_MAX * KIND_BYTES_MAX / 8) as u64)
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
    /// What runs for the kinds of requests with which it was valid.
    valid: Mutex<Vec<(Kind, Arc<Runnable>)>>,
}

/// What runs for requests that give the same variables, and the same truth values among them.
#[derive(Debug)]
pub(crate) struct Runnable {
    given: Given,
    /// As it was sent, without what stands for a variable that is not given.
    pub(crate) document: ExecutableDocument,
    /// What runs instead, where fields had to be merged.
    pub(crate) merged: Option<ExecutableDocument>,
}

impl Runnable {
    /// Checks the inputs of an operation, and makes of its document what runs.
    pub(crate) fn of(
        types: &SchemaTypes,
        mut document: ExecutableDocument,
        operation: Option<&str>,
        variables: &Variables,
    ) -> Result<(Arc<Self>, EntityKeyCount), InputFaults> {
        let entity_keys = compliance::check(types, &mut document, operation, variables)?;
        let merged = compliance::merge_fields(types, &document, operation, variables);
        Ok((Arc::new(Self { given: given(operation, variables), document, merged }), entity_keys))
    }
}

/// What decides what runs of a text: the operation, which variables are given, and which of them are true.
type Given = (Option<String>, Vec<(Name, Option<bool>)>);

fn given(operation: Option<&str>, variables: &Variables) -> Given {
    let truth = |value: &Value| if let Value::Boolean(truth) = value { Some(*truth) } else { None };
    let variables = variables.iter().map(|(name, value)| (name.clone(), truth(value)));
    (operation.map(str::to_owned), variables.collect())
}

impl KnownText {
    /// What runs for a kind of requests that were valid.
    pub(crate) fn runnable(&self, kind: &Kind) -> Option<Arc<Runnable>> {
        let valid = self.valid.lock().unwrap_or_else(PoisonError::into_inner);
        valid.iter().find(|(known, _)| known == kind).map(|(_, runnable)| Arc::clone(runnable))
    }

    /// Notes that a request of this kind was validated, its cost included.
    pub(crate) fn was_valid_with(&self, kind: &Kind, runnable: &Arc<Runnable>) {
        let mut valid = self.valid.lock().unwrap_or_else(PoisonError::into_inner);
        if valid.iter().any(|(known, _)| known == kind) {
            return;
        }
        let same = valid.iter().map(|(_, known)| known).find(|known| known.given == runnable.given);
        let runnable = Arc::clone(same.unwrap_or(runnable));
        let others = valid.iter().map(|(_, known)| &known.given);
        let others: HashSet<&Given> = others.filter(|given| **given != runnable.given).collect();
        if valid.len() >= KINDS_MAX || others.len() >= RUNNABLES_MAX {
            valid.clear();
        }
        valid.push((kind.clone(), runnable));
    }
}

/// What decides, beside the text, what runs, whether it is valid, and what it costs: the operation, which variables are given, how
/// long their lists are, their numbers and truth values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kind(String);

impl Kind {
    /// None when it would be too long to be remembered.
    pub(crate) fn of(operation: Option<&str>, variables: &Variables) -> Option<Self> {
        let mut kind = Short(String::new());
        kind.write_str(operation.unwrap_or_default()).ok()?;
        for (name, value) in variables.iter() {
            // What is given and not defined may have any name.
            write!(kind, " {:?}=", name.as_str()).ok()?;
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
        Kind::of(None, &Variables::from_json(variables))
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
            json!({"id": "a", "first": 25, "only\"=true \"in": [{"x": "1"}]}),
        ] {
            assert_ne!(one, kind(other.clone()), "{other}");
        }
    }

    #[test]
    fn the_operation_makes_another_kind() {
        let variables = Variables::default();
        assert_ne!(Kind::of(None, &variables), Kind::of(Some("A"), &variables));
    }

    #[test]
    fn a_request_with_very_many_variables_is_not_remembered() {
        let many: serde_json::Map<_, _> = (0..500).map(|n| (format!("v{n}"), json!(n))).collect();
        assert_eq!(kind(many.into()), None);
    }

    #[test]
    fn kinds_that_give_the_same_variables_share_what_runs() {
        let document = parse_query("{ a }").unwrap();
        let text = KnownTexts::default().add("{ a }", document.clone());
        let note = |variables: serde_json::Value| {
            let kind = kind(variables.clone()).unwrap();
            let given = given(None, &Variables::from_json(variables));
            text.was_valid_with(
                &kind,
                &Arc::new(Runnable { given, document: document.clone(), merged: None }),
            );
            kind
        };
        let (one, two) = (note(json!({"first": 1})), note(json!({"first": 2})));
        assert!(Arc::ptr_eq(&text.runnable(&one).unwrap(), &text.runnable(&two).unwrap()));
        let only = note(json!({"first": 1, "only": true}));
        assert!(!Arc::ptr_eq(&text.runnable(&one).unwrap(), &text.runnable(&only).unwrap()));
        // There are not endlessly many.
        let not_only = note(json!({"first": 1, "only": false}));
        assert!(text.runnable(&not_only).is_some());
        assert!([one, two, only].iter().all(|kind| text.runnable(kind).is_none()));
    }

    #[test]
    fn memory_is_bounded_by_the_length_of_texts() {
        let known = KnownTexts::default();
        let document = parse_query("{ a }").unwrap();
        for n in 0..200 {
            known.add(&format!("{{ a }} # {n} {}", "x".repeat(50_000)), document.clone());
        }
        assert!((1..=40).contains(&known.0.len()), "{known:?}");
        let text = known.add("{ a }", document.clone());
        let kind = kind(json!({"first": 1})).unwrap();
        assert!(text.runnable(&kind).is_none());
        text.was_valid_with(&kind, &Arc::new(Runnable { given: Given::default(), document, merged: None }));
        assert!(known.find("{ a }").is_some_and(|text| text.runnable(&kind).is_some()));
    }
}
