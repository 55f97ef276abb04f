//! A workspace's settings against the JSON Schema its tax regime gives.

use gateway_domain::ports::Converter;
use gateway_domain::regime::RegimeKey;
use gateway_domain::{ErrorCode, FieldError};
use serde_json::Value;

/// Most mistakes told at once.
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
            let message =
                format!("the plugin's settings schema cannot be used ({error}): install another version");
            return vec![FieldError::new("settings", ErrorCode::PluginUnusable, message)];
        }
    };
    let mistakes = validator.iter_errors(settings).take(MISTAKES_MAX);
    mistakes
        .map(|error| {
            FieldError::new(
                field(&error.instance_path().to_string()),
                ErrorCode::SettingsInvalid,
                error.to_string(),
            )
        })
        .collect()
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
        let mut fields: Vec<_> = mistakes.iter().map(|mistake| mistake.field.as_str()).collect();
        fields.sort_unstable();
        assert_eq!(fields, ["settings", "settings.deep", "settings.strict"]);
    }
}
