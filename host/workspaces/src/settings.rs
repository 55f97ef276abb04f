//! What a workspace sets against the JSON Schema of whom it is for: settings of its tax regime, the template of the renderer.

use gateway_domain::ports::Converter;
use gateway_domain::regime::RegimeKey;
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_input::nearest;
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
    let mistakes = against(Owner::Regime, &description.settings_schema, settings);
    if mistakes.is_empty() { SettingsCheck::Sound } else { SettingsCheck::Mistakes(mistakes) }
}

/// Who gives the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The plugin of a tax regime, of `settings`.
    Regime,
    /// The renderer, of `template`.
    Renderer,
}

impl Owner {
    /// Who it is to people, and what of theirs is installed.
    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Regime => ("regime", "plugin"),
            Self::Renderer => ("renderer", "renderer"),
        }
    }

    const fn field(self) -> &'static str {
        match self {
            Self::Regime => "settings",
            Self::Renderer => "template",
        }
    }

    const fn code(self) -> ErrorCode {
        match self {
            Self::Regime => ErrorCode::SettingsInvalid,
            Self::Renderer => ErrorCode::TemplateInvalid,
        }
    }
}

/// Every mistake of `settings`, at most [`MISTAKES_MAX`].
pub(crate) fn against(owner: Owner, schema: &Value, settings: &Value) -> Vec<FieldError> {
    let field = owner.field();
    let validator = match jsonschema::validator_for(schema) {
        Ok(validator) => validator,
        Err(error) => {
            let (_, component) = owner.names();
            tracing::warn!("The {component}'s {field} schema cannot be used: {error}");
            let message = format!(
                "the {component}'s {field} schema cannot be used: install another version of the {component}"
            );
            return vec![FieldError::new(field, ErrorCode::PluginUnusable, message)];
        }
    };
    let mistakes = validator.iter_errors(settings).take(MISTAKES_MAX);
    mistakes
        .map(|error| {
            // `/a/b` as the errors list names it: `settings.a.b`.
            let path = error.instance_path().to_string().replace('/', ".");
            FieldError::new(
                format!("{field}{path}"),
                owner.code(),
                sentence(owner, error.kind(), || known_settings(schema, error.instance_path().as_str())),
            )
        })
        .collect()
}

/// What to do about a setting that breaks the schema.
fn sentence(owner: Owner, kind: &ValidationErrorKind, known: impl FnOnce() -> Vec<String>) -> String {
    use ValidationErrorKind as Kind;
    let (name, _) = owner.names();
    match kind {
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            let is_one = unexpected.len() == 1;
            let known = if is_one { known() } else { Vec::new() };
            let near = unexpected.first().and_then(|typed| nearest(typed, known.iter().map(String::as_str)));
            let remedy =
                near.map_or_else(|| "leave it out".to_owned(), |near| format!("did you mean {near}?"));
            format!("{} is no setting of this {name}: {remedy}", unexpected.join(", "))
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
        other => format!("breaks the rule '{}' of the {name}'s {} schema", other.keyword(), owner.field()),
    }
}

/// The members that an object of the settings may have, by its JSON Pointer; none where the schema does not name them in place.
fn known_settings(schema: &Value, path: &str) -> Vec<String> {
    let mut steps = path.split('/').filter(|step| !step.is_empty());
    let object = steps.try_fold(schema, |schema, step| schema.get("properties")?.get(step));
    let members = object.and_then(|object| object.get("properties")).and_then(Value::as_object);
    members.into_iter().flatten().map(|(name, _)| name.clone()).collect()
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
        assert_eq!(against(Owner::Regime, &schema, &json!({"strict": true})), []);
        let mistakes = against(Owner::Regime, &schema, &json!({"strict": 1, "deep": {}, "other": 2}));
        let messages: Vec<_> = mistakes.iter().map(|mistake| mistake.message.as_str()).collect();
        for words in
            ["must be true or false", "x is missing", "other is no setting of this regime: leave it out"]
        {
            assert!(messages.contains(&words), "{words}: {messages:?}");
        }
        let misspelt = against(Owner::Regime, &schema, &json!({"deep": {"x": 1}, "stict": true}));
        assert_eq!(misspelt[0].message, "stict is no setting of this regime: did you mean strict?");
        let mut fields: Vec<_> = mistakes.iter().map(|mistake| mistake.field.as_str()).collect();
        fields.sort_unstable();
        assert_eq!(fields, ["settings", "settings.deep", "settings.strict"]);
    }
}
