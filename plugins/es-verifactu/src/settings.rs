//! What a workspace may choose.

use serde::Deserialize;

/// JSON Schema of [`Settings`].
pub const SCHEMA: &str = r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","title":"VERI*FACTU","properties":{"refuse_warnings":{"type":"boolean","title":"Refuse warnings","description":"Treat every warning as an error: an invoice the tax agency may object to is not issued.","default":false}},"additionalProperties":false}"#;

/// A workspace's settings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Treats every warning as an error.
    pub refuse_warnings: bool,
}

impl Settings {
    /// Reads the settings; nothing at all means the defaults. The error says what does not fit.
    pub fn parse(json: &str) -> Result<Self, String> {
        let json = json.trim();
        if json.is_empty() {
            return Ok(Self::default());
        }
        // A list would pass for the members in order.
        if json.starts_with('[') {
            return Err("expected an object".to_owned());
        }
        serde_json::from_str(json).map_err(|error| error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_settings_are_the_defaults() {
        assert_eq!(
            [Settings::parse(""), Settings::parse("{}")],
            [Ok(Settings::default()), Ok(Settings::default())]
        );
        assert_eq!(Settings::parse(r#"{"refuse_warnings":true}"#), Ok(Settings { refuse_warnings: true }));
    }

    #[test]
    fn unknown_members_and_wrong_types_are_refused() {
        for json in [r#"{"strict":true}"#, r#"{"refuse_warnings":1}"#, "[]", "[true]", "{"] {
            assert!(Settings::parse(json).is_err(), "{json}");
        }
    }

    #[test]
    fn the_schema_is_json() {
        assert!(serde_json::from_str::<serde_json::Value>(SCHEMA).is_ok());
    }
}
