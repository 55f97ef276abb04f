//! What a workspace may choose.

use einvoice_es::check::Choices;
use einvoice_es::doc_type::CreditNoteType;
use serde::Deserialize;

/// JSON Schema of [`Settings`].
pub const SCHEMA: &str = r#"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","title":"VERI*FACTU","properties":{"refuse_warnings":{"type":"boolean","title":"Refuse warnings","description":"Treat every warning as an error: an invoice the tax agency may object to is not issued.","default":false},"credit_note_type":{"type":"string","enum":["R1","R2","R3","R4"],"title":"Type of credit notes","description":"How the tax agency files a credit note: R1 (article 80.1, 80.2 and 80.6: error in law, returns, discounts), R2 (article 80.3: insolvency of the recipient), R3 (article 80.4: bad debt) or R4 (any other reason). A credit note for a simplified invoice always is R5.","default":"R4"}},"additionalProperties":false}"#;

/// A workspace's settings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Treats every warning as an error.
    pub refuse_warnings: bool,
    /// How the agency files credit notes that say nothing themselves.
    pub credit_note_type: CreditNoteType,
}

impl From<Settings> for Choices {
    fn from(settings: Settings) -> Self {
        Self { refuse_warnings: settings.refuse_warnings, credit_note_type: settings.credit_note_type }
    }
}

impl Settings {
    /// Reads the settings; nothing at all means the defaults. The error says what does not fit.
    pub fn parse(json: &str) -> Result<Self, String> {
        einvoice_gobl::settings::parse(json)
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
        let chosen = Settings { refuse_warnings: true, credit_note_type: CreditNoteType::R1 };
        assert_eq!(Settings::parse(r#"{"refuse_warnings":true,"credit_note_type":"R1"}"#), Ok(chosen));
    }

    #[test]
    fn unknown_members_and_wrong_types_are_refused() {
        for json in [
            r#"{"strict":true}"#,
            r#"{"refuse_warnings":1}"#,
            r#"{"credit_note_type":"R5"}"#,
            r#"{"credit_note_type":"F1"}"#,
            "[]",
            "[true]",
            "{",
        ] {
            assert!(Settings::parse(json).is_err(), "{json}");
        }
    }

    #[test]
    fn the_schema_is_json() {
        assert!(serde_json::from_str::<serde_json::Value>(SCHEMA).is_ok());
    }
}
