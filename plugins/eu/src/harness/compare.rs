//! Where two JSON documents differ.

use einvoice_plugin::Amount;
use serde_json::Value;

/// One line per place where `actual` differs from `expected`. Percents are equal when their values are.
pub fn differences(actual: &Value, expected: &Value) -> Vec<String> {
    let mut found = Vec::new();
    walk("", actual, expected, &mut found);
    found
}

fn walk(path: &str, actual: &Value, expected: &Value, found: &mut Vec<String>) {
    match (actual, expected) {
        (Value::Object(a), Value::Object(b)) => {
            for (key, value) in a {
                walk(&format!("{path}/{key}"), value, b.get(key).unwrap_or(&Value::Null), found);
            }
            for (key, value) in b.iter().filter(|(key, _)| !a.contains_key(*key)) {
                walk(&format!("{path}/{key}"), &Value::Null, value, found);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (at, (x, y)) in a.iter().zip(b).enumerate() {
                walk(&format!("{path}/{at}"), x, y, found);
            }
        }
        (a, b) if a == b || same_percent(a, b) => {}
        (a, b) => found.push(format!("{path}: {a} instead of {b}")),
    }
}

fn same_percent(a: &Value, b: &Value) -> bool {
    let percent = |value: &Value| value.as_str()?.strip_suffix('%')?.parse::<Amount>().ok();
    percent(a).zip(percent(b)).is_some_and(|(a, b)| a.same_value(b))
}
