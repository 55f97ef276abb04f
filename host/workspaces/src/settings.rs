//! A workspace's settings against the JSON Schema its tax regime gives.

use gateway_domain::ports::Converter;
use gateway_domain::regime::RegimeKey;
use gateway_domain::{ErrorCode, FieldError};
use jsonschema::JsonType;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;

/// Most mistakes of one answer.
const MISTAKES_MAX: usize = 20;

/// What the schema says.
#[derive(Debug, PartialEq, Eq)]
pub enum SettingsCheck {
    /// No mistake was found by the plugin's schema.
    Sound,
    /// They do not; at least one.
    Mistakes(Vec<FieldError>),
    /// No plugin serves the regime, so there is nothing to check against.
    NoPlugin,
}

/// Checks `settings` against the schema of the active plugin.
pub fn check(regimes: &dyn Converter, regime: &RegimeKey, settings: &Value) -> SettingsCheck {
    let Some((description, _)) = regimes.describe(regime) else { return SettingsCheck::NoPlugin };
    let mistakes = against(&description.settings_schema, settings);
    if mistakes.is_empty() { SettingsCheck::Sound } else { SettingsCheck::Mistakes(mistakes) }
}

fn against(schema: &Value, settings: &Value) -> Vec<FieldError> {
    let validator = match jsonschema::validator_for(schema) {
        Ok(validator) => validator,
        Err(error) => {
            tracing::warn!("The plugin's settings schema cannot be used: {error}");
            let message =
                "the plugin's settings schema cannot be used: install another version of the plugin";
            return vec![FieldError::new("settings", ErrorCode::PluginUnusable, message)];
        }
    };
    let mistakes = validator.iter_errors(settings).take(MISTAKES_MAX);
    mistakes
        .map(|error| {
            FieldError::new(
                field(&error.instance_path().to_string()),
                ErrorCode::SettingsInvalid,
                sentence(error.kind()),
            )
        })
        .collect()
}

/// What to do about a setting that breaks the schema.
fn sentence(kind: &ValidationErrorKind) -> String {
    use ValidationErrorKind as Kind;
    match kind {
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            format!("{} is no setting of this regime: leave it out", unexpected.join(", "))
        }
        Kind::Required { property } => {
            format!("{} is missing", property.as_str().unwrap_or("a setting"))
        }
        Kind::Type { kind: TypeKind::Single(kind) } => format!("must be {}", words(*kind)),
        Kind::Type { kind: TypeKind::Multiple(kinds) } => {
            format!("must be {}", kinds.iter().map(words).collect::<Vec<_>>().join(" or "))
        }
        Kind::Enum { options } => {
            let options = options.as_array().into_iter().flatten();
            format!("use one of {}", options.map(plain).collect::<Vec<_>>().join(", "))
        }
        Kind::Constant { expected_value } => format!("use {}", plain(expected_value)),
        Kind::Minimum { limit } => format!("must be {limit} or more"),
        Kind::Maximum { limit } => format!("must be {limit} or less"),
        Kind::ExclusiveMinimum { limit } => format!("must be more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("must be less than {limit}"),
        Kind::MinLength { limit } => format!("use at least {limit} characters"),
        Kind::MaxLength { limit } => format!("use at most {limit} characters"),
        Kind::MinItems { limit } => format!("give at least {limit}"),
        Kind::MaxItems { limit } => format!("give at most {limit}"),
        Kind::MinProperties { limit } => format!("give at least {limit} members"),
        Kind::MaxProperties { limit } => format!("give at most {limit} members"),
        Kind::UniqueItems => "give each once".to_owned(),
        Kind::Pattern { pattern } => format!("must fit the pattern {pattern}"),
        Kind::Format { format } => format!("must be written as its format '{format}'"),
        other => format!("breaks the rule '{}' of the regime's settings schema", other.keyword()),
    }
}

fn words(kind: JsonType) -> &'static str {
    match kind {
        JsonType::Null => "null",
        JsonType::Boolean => "true or false",
        JsonType::Integer => "a whole number",
        JsonType::Number => "a number",
        JsonType::String => "a text",
        JsonType::Array => "a list",
        JsonType::Object => "an object",
    }
}

/// A value as somebody would type it.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// `/a/b` as the errors list names it: `settings.a.b`.
fn field(pointer: &str) -> String {
    format!("settings{}", pointer.replace('/', "."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_mistake_is_named_by_its_member() {
        let schema = json!({
            "type": "object", "additionalProperties": false,
            "properties": {"strict": {"type": "boolean"}, "deep": {"type": "object", "required": ["x"]}},
        });
        assert_eq!(against(&schema, &json!({"strict": true})), []);
        let mistakes = against(&schema, &json!({"strict": 1, "deep": {}, "other": 2}));
        let messages: Vec<_> = mistakes.iter().map(|mistake| mistake.message.as_str()).collect();
        for words in
            ["must be true or false", "x is missing", "other is no setting of this regime: leave it out"]
        {
            assert!(messages.contains(&words), "{words}: {messages:?}");
        }
        let mut fields: Vec<_> = mistakes.iter().map(|mistake| mistake.field.as_str()).collect();
        fields.sort_unstable();
        assert_eq!(fields, ["settings", "settings.deep", "settings.strict"]);
    }
}
