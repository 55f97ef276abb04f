//! A form made from the JSON Schema of a tax system's settings, and the settings that were typed into it.
//!
//! Texts, numbers, choices and yes-or-no have fields of their own; whatever else a schema may ask for is typed as JSON.

use crate::choices::{Choice, choices};
use crate::session::Fields;
use gateway_domain::{ErrorCode, FieldError};
use serde_json::{Map, Value};

/// Before the names of settings, so that they are told from the other fields of the form.
const PREFIX: &str = "settings.";

/// How a setting is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Flag,
    Choice,
    Integer,
    Number,
    Text,
    Json,
}

impl Kind {
    fn of(schema: &Value) -> Self {
        match schema.get("type").and_then(Value::as_str) {
            _ if texts(schema).next().is_some() => Self::Choice,
            Some("boolean") => Self::Flag,
            Some("integer") => Self::Integer,
            Some("number") => Self::Number,
            Some("string") => Self::Text,
            _ => Self::Json,
        }
    }
}

/// A field of the form.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "attributes of a field, for its template")]
pub(super) struct SettingField {
    pub(super) name: String,
    pub(super) title: String,
    pub(super) description: String,
    pub(super) value: String,
    pub(super) choices: Vec<Choice>,
    pub(super) is_flag: bool,
    pub(super) is_ticked: bool,
    pub(super) is_number: bool,
    pub(super) is_json: bool,
    pub(super) is_required: bool,
}

/// The texts of an `enum` in which every value is one.
fn texts(schema: &Value) -> impl Iterator<Item = &str> {
    let values = schema.get("enum").and_then(Value::as_array);
    let all = values.filter(|values| values.iter().all(Value::is_string));
    all.into_iter().flatten().filter_map(Value::as_str)
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

fn is_required(schema: &Value, name: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|names| names.iter().any(|required| required == name))
}

/// The fields of a schema, with what is set.
pub(super) fn fields(schema: &Value, settings: &Value) -> Vec<SettingField> {
    let field = |(name, rule): (&String, &Value)| {
        let text = |member: &str| rule.get(member).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (kind, set) = (Kind::of(rule), settings.get(name));
        let preset = set.or_else(|| rule.get("default"));
        let value = match preset {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) if kind != Kind::Json => text.clone(),
            Some(other) => other.to_string(),
        };
        let title = text("title");
        let none = [("", "not set".to_owned())];
        let values = texts(rule).map(|value| (value, value.to_owned()));
        SettingField {
            name: format!("{PREFIX}{name}"),
            title: if title.is_empty() { crate::format::title(name) } else { title },
            description: text("description"),
            choices: if kind == Kind::Choice {
                choices(none.into_iter().chain(values), &value)
            } else {
                Vec::new()
            },
            is_flag: kind == Kind::Flag,
            is_ticked: preset == Some(&Value::Bool(true)),
            is_number: matches!(kind, Kind::Integer | Kind::Number),
            is_json: kind == Kind::Json,
            is_required: is_required(schema, name) && kind != Kind::Flag,
            value,
        }
    };
    properties(schema).map(field).collect()
}

/// What was typed. What is left empty is not set; whether that may be, the schema says.
pub(super) fn read(schema: &Value, fields: &Fields) -> Result<Value, FieldError> {
    let mut settings = Map::new();
    for (name, rule) in properties(schema) {
        let field = format!("{PREFIX}{name}");
        let given = fields.given(&field);
        let value = match (Kind::of(rule), given) {
            (Kind::Flag, given) => Some(Value::Bool(given.is_some())),
            (_, None) => None,
            (Kind::Choice | Kind::Text, Some(text)) => Some(Value::from(text)),
            (Kind::Integer | Kind::Number | Kind::Json, Some(text)) => {
                let read = serde_json::from_str(text);
                Some(read.map_err(|_| {
                    FieldError::new(
                        &field,
                        ErrorCode::InvalidFormat,
                        "cannot be read: type a number, or JSON",
                    )
                })?)
            }
        };
        settings.extend(value.map(|value| (name.clone(), value)));
    }
    Ok(Value::Object(settings))
}

/// What was typed over what is stored: settings that the schema does not show stay.
pub(super) fn over(schema: &Value, stored: Value, fields: &Fields) -> Result<Value, FieldError> {
    let Value::Object(typed) = read(schema, fields)? else { return Ok(stored) };
    let mut settings = match stored {
        Value::Object(stored) => stored,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
    };
    settings.retain(|name, _| properties(schema).all(|(known, _)| known != name));
    settings.extend(typed);
    Ok(Value::Object(settings))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_typed_into_the_form_of_a_schema_is_what_the_schema_asks_for() {
        let schema = json!({"required": ["name"], "properties": {
            "name": {"type": "string", "title": "Its name"}, "level": {"type": "integer", "default": 3},
            "mode": {"enum": ["a", "b"]}, "strict": {"type": "boolean"}, "list": {"type": "array"},
        }});
        let form = fields(&schema, &json!({"mode": "b", "strict": true, "list": [1]}));
        let facts: Vec<_> = form.iter().map(|field| (field.title.as_str(), field.value.as_str())).collect();
        assert_eq!(
            facts,
            [("Its name", ""), ("Level", "3"), ("Mode", "b"), ("Strict", "true"), ("List", "[1]")]
        );
        assert!(
            form[0].is_required && form[1].is_number && form[2].choices[2].is_chosen && form[3].is_ticked
        );
        let mut typed = Fields::default();
        for (name, value) in [("name", "x"), ("level", "4"), ("mode", ""), ("list", "[2]")] {
            typed.push(format!("settings.{name}"), value.to_owned());
        }
        assert_eq!(
            read(&schema, &typed).unwrap(),
            json!({"name": "x", "level": 4, "strict": false, "list": [2]})
        );
        let stored = json!({"level": 9, "unknown": 1});
        let expected = json!({"unknown": 1, "name": "x", "level": 4, "strict": false, "list": [2]});
        assert_eq!(over(&schema, stored, &typed).unwrap(), expected);
        typed = Fields::default();
        typed.push("settings.list".to_owned(), "[".to_owned());
        assert_eq!(read(&schema, &typed).unwrap_err().field, "settings.list");
    }
}
