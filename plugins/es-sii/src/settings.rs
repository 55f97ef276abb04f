//! What a workspace may choose.

use einvoice_es::check::Choices;
use einvoice_es::doc_type::CreditNoteType;
use serde::Deserialize;

use crate::codes::{self, Product};

/// JSON Schema of [`Settings`].
pub const SCHEMA: &str = include_str!("settings.schema.json");

/// A workspace's settings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Treats every warning as an error.
    pub refuse_warnings: bool,
    /// How the agency files corrections that say nothing themselves.
    pub credit_note_type: CreditNoteType,
    /// The regime of documents that say nothing themselves.
    pub regime: Option<String>,
    /// What lines sell that say nothing themselves.
    pub product: Option<Product>,
}

impl Settings {
    /// Reads the settings; nothing at all means the defaults. The error says what does not fit.
    pub fn parse(json: &str) -> Result<Self, String> {
        let settings: Self = einvoice_gobl::settings::parse(json)?;
        if settings.regime.as_deref().is_some_and(|code| codes::regime(code).is_none()) {
            return Err("the regime is in no list".to_owned());
        }
        Ok(settings)
    }
}

impl From<&Settings> for Choices {
    fn from(settings: &Settings) -> Self {
        Self { refuse_warnings: settings.refuse_warnings, credit_note_type: settings.credit_note_type }
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
        let chosen = Settings {
            regime: Some("05".to_owned()),
            product: Some(Product::Services),
            ..Settings::default()
        };
        assert_eq!(Settings::parse(r#"{"regime":"05","product":"services"}"#), Ok(chosen));
    }

    #[test]
    fn unknown_members_and_wrong_values_are_refused() {
        for json in [
            r#"{"strict":true}"#,
            r#"{"regime":"18"}"#,
            r#"{"product":"resale"}"#,
            r#"{"credit_note_type":"R5"}"#,
            "[]",
        ] {
            assert!(Settings::parse(json).is_err(), "{json}");
        }
    }

    #[test]
    fn the_schema_takes_what_is_read_and_nothing_else() {
        let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
        assert_eq!(schema["additionalProperties"], false);
        let members: Vec<_> = schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(members, ["refuse_warnings", "credit_note_type", "regime", "product"]);
        let listed: Vec<_> = schema["properties"]["regime"]["enum"]
            .as_array()
            .unwrap()
            .iter()
            .map(|code| code.as_str().unwrap())
            .collect();
        assert!(
            listed.iter().all(|code| codes::regime(code).is_some()) && listed.len() == codes::REGIMES.len()
        );
    }
}
