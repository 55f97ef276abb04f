//! Where two JSON values differ, by JSON Pointer.

use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt;

/// A place where two values differ.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Difference {
    /// JSON Pointer, empty for the whole.
    pointer: String,
    expected: Option<Value>,
    made: Option<Value>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.pointer.is_empty() { "the whole" } else { &self.pointer };
        match (&self.expected, &self.made) {
            (Some(expected), Some(made)) => write!(f, "{place}: expected {expected}, made {made}"),
            (Some(expected), None) => write!(f, "{place}: expected {expected}, made nothing"),
            (None, Some(made)) => write!(f, "{place}: expected nothing, made {made}"),
            (None, None) => write!(f, "{place}: differs"),
        }
    }
}

/// Every place where `made` is not what was `expected`: the deepest ones. The order of members does not matter.
pub(crate) fn between(expected: &Value, made: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    compare(String::new(), Some(expected), Some(made), &mut found);
    found
}

fn compare(pointer: String, expected: Option<&Value>, made: Option<&Value>, found: &mut Vec<Difference>) {
    match (expected, made) {
        (Some(Value::Object(expected)), Some(Value::Object(made))) => {
            for key in keys(expected, made) {
                let escaped = key.replace('~', "~0").replace('/', "~1");
                compare(format!("{pointer}/{escaped}"), expected.get(key), made.get(key), found);
            }
        }
        (Some(Value::Array(expected)), Some(Value::Array(made))) => {
            for index in 0..expected.len().max(made.len()) {
                compare(format!("{pointer}/{index}"), expected.get(index), made.get(index), found);
            }
        }
        (expected, made) if expected == made => {}
        (expected, made) => {
            found.push(Difference { pointer, expected: expected.cloned(), made: made.cloned() });
        }
    }
}

/// The keys of both, in the order of the first, then of the second.
fn keys<'a>(first: &'a Map<String, Value>, second: &'a Map<String, Value>) -> Vec<&'a String> {
    first.keys().chain(second.keys().filter(|key| !first.contains_key(*key))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn differences(expected: &Value, made: &Value) -> Vec<String> {
        between(expected, made).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_deepest_place_is_named() {
        let expected = json!({"totals": {"payable": "121.00", "tax": "21.00"}, "lines": [{"i": 1}]});
        let made = json!({"totals": {"payable": "120.00"}, "lines": [{"i": 1}, {"i": 2}], "a/b": null});
        assert_eq!(
            differences(&expected, &made),
            [
                r#"/totals/payable: expected "121.00", made "120.00""#,
                r#"/totals/tax: expected "21.00", made nothing"#,
                r#"/lines/1: expected nothing, made {"i":2}"#,
                "/a~1b: expected nothing, made null",
            ]
        );
    }

    #[test]
    fn the_order_of_members_is_no_difference_and_another_kind_is() {
        assert_eq!(differences(&json!({"a": 1, "b": 2}), &json!({"b": 2, "a": 1})), [""; 0]);
        assert_eq!(differences(&json!([]), &json!({})), ["the whole: expected [], made {}"]);
    }
}
