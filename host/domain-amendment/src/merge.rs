//! What members are to become.

use serde_json::{Map, Value};

/// `target` with the members of `changes`: RFC 7396. A member that is null is taken away, a list is put in whole.
pub fn merged(target: Value, changes: &Map<String, Value>) -> Value {
    let mut members = match target {
        Value::Object(members) => members,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
    };
    for (name, change) in changes {
        match change {
            Value::Null => {
                members.remove(name);
            }
            Value::Object(inner) => {
                let before = members.remove(name).unwrap_or(Value::Null);
                members.insert(name.clone(), merged(before, inner));
            }
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                members.insert(name.clone(), change.clone());
            }
        }
    }
    Value::Object(members)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn members_are_merged_taken_away_and_lists_put_in_whole() {
        let before = json!({"notes": "Late", "recipient": {"name": "Jane", "email": "j@example.com"}, "lines": [1, 2]});
        let changes =
            json!({"notes": null, "recipient": {"name": "Joan"}, "lines": [3], "ext": {"regime": "01"}});
        let after = json!({"recipient": {"name": "Joan", "email": "j@example.com"}, "lines": [3], "ext": {"regime": "01"}});
        assert_eq!(merged(before, changes.as_object().unwrap()), after);
    }
}
