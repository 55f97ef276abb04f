//! Where two versions of a document differ.

use serde_json::{Map, Value};

/// The places where two JSON values differ, as JSON Pointers, each as deep as both versions have the same shape: a list of another
/// length is one place. A member that is null is one that is not there.
pub fn differences(before: &Value, after: &Value) -> Vec<String> {
    let mut places = Vec::new();
    collect(before, after, String::new(), &mut places);
    places
}

fn collect(before: &Value, after: &Value, at: String, places: &mut Vec<String>) {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => members(before, after, &at, places),
        (Value::Array(before), Value::Array(after)) if before.len() == after.len() => {
            for (index, (before, after)) in before.iter().zip(after).enumerate() {
                collect(before, after, format!("{at}/{index}"), places);
            }
        }
        (before, after) if before == after => {}
        (
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_),
            _,
        ) => places.push(at),
    }
}

fn members(before: &Map<String, Value>, after: &Map<String, Value>, at: &str, places: &mut Vec<String>) {
    let added = after.keys().filter(|name| !before.contains_key(*name));
    for name in before.keys().chain(added) {
        let member = |version: &Map<String, Value>| version.get(name).cloned().unwrap_or(Value::Null);
        let escaped = name.replace('~', "~0").replace('/', "~1");
        collect(&member(before), &member(after), format!("{at}/{escaped}"), places);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn places_are_as_deep_as_both_versions_have_the_same_shape() {
        let before = json!({"notes": null, "recipient": {"name": "Jane", "address": null},
            "lines": [{"description": "Stay", "quantity": "1"}], "ext": {"a/b": "1"}});
        for (after, places) in [
            (before.clone(), &[][..]),
            (json!({"recipient": {"name": "Jane"}, "lines": before["lines"], "ext": {"a/b": "1"}}), &[]),
            (
                json!({"notes": "Late", "recipient": {"name": "Joan", "address": {"country": "ES"}},
                    "lines": [{"description": "Night", "quantity": "1"}], "ext": {"a/b": "2"}}),
                &["/ext/a~1b", "/lines/0/description", "/notes", "/recipient/address", "/recipient/name"],
            ),
            (json!({"recipient": before["recipient"], "lines": [], "ext": {}}), &["/ext/a~1b", "/lines"]),
            (json!({"recipient": null, "lines": before["lines"], "ext": before["ext"]}), &["/recipient"]),
        ] {
            let mut found = differences(&before, &after);
            found.sort();
            assert_eq!(found, places, "{after}");
        }
    }
}
