//! A form made from the JSON Schema of a tax system's settings, and the settings that were typed into it.
//!
//! Texts, numbers, choices and yes-or-no have fields of their own; whatever else a schema may ask for is typed as JSON.

use crate::choices::{Choice, choices};
use crate::fields::{Fields, decimal_point};
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

    /// A setting as its field shows it.
    fn text(self, set: Option<&Value>) -> String {
        match set {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) if self != Self::Json => text.clone(),
            Some(other) => other.to_string(),
        }
    }
}

/// A field of the form.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "attributes of a field, for its template")]
pub struct SettingField {
    /// In the form that is sent: `settings.payment.iban`.
    pub name: String,
    /// Of the schema, else made of the name.
    pub title: String,
    /// Of the schema; empty: it has none.
    pub description: String,
    /// As typed or set; empty: nothing is.
    pub value: String,
    /// Of a list; empty: it is none.
    pub choices: Vec<Choice>,
    /// Whether it is a box to tick.
    pub is_flag: bool,
    /// Whether that box is ticked.
    pub is_ticked: bool,
    /// Whether a number is typed.
    pub is_number: bool,
    /// Whether JSON is typed.
    pub is_json: bool,
    /// Whether the schema asks for it.
    pub is_required: bool,
}

/// The texts of an `enum` in which every value is one.
fn texts(schema: &Value) -> impl Iterator<Item = &str> {
    let values = schema.get("enum").and_then(Value::as_array);
    let all = values.filter(|values| values.iter().all(Value::is_string));
    all.into_iter().flatten().filter_map(Value::as_str)
}

fn properties(schema: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let members = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    members.map(|(name, rule)| (name.as_str(), rule))
}

fn is_required(schema: &Value, name: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|names| names.iter().any(|required| required == name))
}

/// What the fields of a form show.
#[derive(Debug, Clone, Copy)]
pub enum FormValues<'a> {
    /// What is set.
    Set(&'a Value),
    /// What was typed, as it was typed.
    Typed(&'a Fields),
}

/// Members of an object in fields of their own, one level deep; of an object within one, nothing is known here.
fn members(schema: &Value) -> Option<&Value> {
    let is_object = schema.get("type").and_then(Value::as_str) == Some("object");
    Some(schema).filter(|schema| is_object && properties(schema).next().is_some())
}

/// The fields of a schema.
pub fn fields(schema: &Value, values: FormValues<'_>) -> Vec<SettingField> {
    let mut all = Vec::new();
    for (name, rule) in properties(schema) {
        let Some(object) = members(rule) else {
            all.push(field(schema, (name, rule), PREFIX, values));
            continue;
        };
        let prefix = format!("{PREFIX}{name}.");
        let nothing = Value::Null;
        let within = match values {
            FormValues::Set(settings) => FormValues::Set(settings.get(name).unwrap_or(&nothing)),
            FormValues::Typed(fields) => FormValues::Typed(fields),
        };
        let group = title(name, rule);
        for member in properties(object) {
            let field = field(object, member, &prefix, within);
            // The object may be left out as a whole; what it needs once it is there, its check says.
            all.push(SettingField {
                title: format!("{group}: {}", field.title),
                is_required: false,
                ..field
            });
        }
    }
    all
}

fn title(name: &str, rule: &Value) -> String {
    let given = rule.get("title").and_then(Value::as_str).filter(|title| !title.is_empty());
    given.map_or_else(|| crate::format::title(name), str::to_owned)
}

fn field(schema: &Value, (name, rule): (&str, &Value), prefix: &str, values: FormValues<'_>) -> SettingField {
    let (kind, full_name) = (Kind::of(rule), format!("{prefix}{name}"));
    let (value, is_ticked) = match values {
        FormValues::Set(settings) => {
            let preset = settings.get(name).or_else(|| rule.get("default"));
            (kind.text(preset), preset == Some(&Value::Bool(true)))
        }
        FormValues::Typed(fields) => (fields.text(&full_name).to_owned(), fields.is_ticked(&full_name)),
    };
    let none = [("", "not set".to_owned())];
    let values = texts(rule).map(|value| (value, value.to_owned()));
    SettingField {
        name: full_name,
        title: title(name, rule),
        description: rule.get("description").and_then(Value::as_str).unwrap_or_default().to_owned(),
        choices: if kind == Kind::Choice {
            choices(none.into_iter().chain(values), &value)
        } else {
            Vec::new()
        },
        is_flag: kind == Kind::Flag,
        is_ticked,
        is_number: matches!(kind, Kind::Integer | Kind::Number),
        is_json: kind == Kind::Json,
        is_required: is_required(schema, name) && kind != Kind::Flag,
        value,
    }
}

/// What was typed. What is left empty is not set; whether that may be, the schema says.
fn read(schema: &Value, fields: &Fields) -> Result<Value, FieldError> {
    let mut settings = Map::new();
    for (name, rule) in properties(schema) {
        let value = match members(rule) {
            None => read_field(rule, fields, &format!("{PREFIX}{name}"))?,
            Some(object) => read_object(object, fields, &format!("{PREFIX}{name}."))?,
        };
        settings.extend(value.map(|value| (name.to_owned(), value)));
    }
    Ok(Value::Object(settings))
}

/// An object of which nothing was typed is not set.
fn read_object(object: &Value, fields: &Fields, prefix: &str) -> Result<Option<Value>, FieldError> {
    let mut settings = Map::new();
    let mut is_typed = false;
    for (name, rule) in properties(object) {
        let field = format!("{prefix}{name}");
        is_typed |= fields.given(&field).is_some();
        settings.extend(read_field(rule, fields, &field)?.map(|value| (name.to_owned(), value)));
    }
    Ok(is_typed.then_some(Value::Object(settings)))
}

fn read_field(rule: &Value, fields: &Fields, field: &str) -> Result<Option<Value>, FieldError> {
    let given = fields.given(field);
    Ok(match (Kind::of(rule), given) {
        (Kind::Flag, given) => Some(Value::Bool(given.is_some())),
        (_, None) => None,
        (Kind::Choice | Kind::Text, Some(text)) => Some(Value::from(text)),
        (kind @ (Kind::Integer | Kind::Number | Kind::Json), Some(text)) => {
            let text = if kind == Kind::Number { decimal_point(text) } else { text.to_owned() };
            Some(serde_json::from_str(&text).map_err(|_| {
                let message = "cannot be read: type a number, or JSON";
                FieldError::new(field, ErrorCode::InvalidFormat, message)
            })?)
        }
    })
}

/// What was typed over what is stored: settings that the schema does not show stay.
///
/// # Errors
/// The field whose text is no number or JSON where one is asked for.
pub fn over(schema: &Value, stored: Value, fields: &Fields) -> Result<Value, FieldError> {
    let Value::Object(typed) = read(schema, fields)? else { return Ok(stored) };
    let mut settings = match stored {
        Value::Object(stored) => stored,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
    };
    settings.retain(|name, _| properties(schema).all(|(known, _)| known != *name));
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
        let set = json!({"mode": "b", "strict": true, "list": [1]});
        let form = fields(&schema, FormValues::Set(&set));
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

    #[test]
    fn members_of_an_object_have_fields_of_their_own_and_what_cannot_be_read_is_shown_as_typed() {
        let schema = json!({"properties": {"payment": {"type": "object", "title": "Payment", "required": ["iban"],
            "properties": {"iban": {"type": "string", "title": "IBAN"}, "days": {"type": "integer"}}}}});
        let set = json!({"payment": {"iban": "IT60"}});
        let form = fields(&schema, FormValues::Set(&set));
        let facts: Vec<_> = form
            .iter()
            .map(|field| (field.name.as_str(), field.title.as_str(), field.value.as_str()))
            .collect();
        assert_eq!(
            facts,
            [
                ("settings.payment.iban", "Payment: IBAN", "IT60"),
                ("settings.payment.days", "Payment: Days", "")
            ]
        );
        assert_eq!(read(&schema, &Fields::default()).unwrap(), json!({}));
        let typed = Fields::from([("settings.payment.iban", "DE89"), ("settings.payment.days", "30")]);
        assert_eq!(read(&schema, &typed).unwrap(), json!({"payment": {"iban": "DE89", "days": 30}}));
        let typed = Fields::from([("settings.payment.iban", "DE89"), ("settings.payment.days", "soon")]);
        assert_eq!(read(&schema, &typed).unwrap_err().field, "settings.payment.days");
        let form = fields(&schema, FormValues::Typed(&typed));
        assert_eq!([form[0].value.as_str(), form[1].value.as_str()], ["DE89", "soon"]);
    }
}
