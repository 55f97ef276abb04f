//! What a workspace may choose.

use einvoice_es::check::Choices;
use einvoice_es::doc_type::CreditNoteType;
use serde::Deserialize;

use crate::codes::{Product, Region};

/// JSON Schema of [`Settings`].
pub const SCHEMA: &str = include_str!("settings.schema.json");

/// As what a document to Bizkaia is shown on its way over the wire.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BizkaiaRecord {
    /// The TicketBAI file alone.
    #[default]
    TicketBai,
    /// The message to the register of economic operations, with the file inside.
    Lroe,
}

/// A workspace's settings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Treats every warning as an error.
    pub refuse_warnings: bool,
    /// Why credit notes that say nothing themselves correct.
    pub credit_note_type: CreditNoteType,
    /// The province, where the supplier's address does not tell.
    pub region: Option<Region>,
    /// What documents sell that say nothing themselves.
    pub product: Product,
    /// The description of operations whose documents have no notes.
    pub description: Option<String>,
    /// The economic activity of a natural person in Bizkaia.
    pub activity: Option<String>,
    /// Whether the supplier is in the simplified VAT regime.
    pub simplified_regime: bool,
    /// As what documents to Bizkaia are shown.
    pub bizkaia_record: BizkaiaRecord,
}

impl Settings {
    /// Reads the settings; nothing at all means the defaults. The error says what does not fit.
    pub fn parse(json: &str) -> Result<Self, String> {
        let settings: Self = einvoice_gobl::settings::parse(json)?;
        let described = settings.description.as_deref().map(str::chars).map(Iterator::count);
        if described.is_some_and(|chars| chars == 0 || chars > crate::SYSTEM.notes_chars_max) {
            return Err("the description has no characters or too many".to_owned());
        }
        if settings.activity.as_deref().is_some_and(|activity| !crate::codes::is_activity(activity)) {
            return Err("the activity is no code of one to seven digits".to_owned());
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
            region: Some(Region::Bizkaia),
            product: Product::Goods,
            activity: Some("147213".to_owned()),
            bizkaia_record: BizkaiaRecord::Lroe,
            ..Settings::default()
        };
        let json = r#"{"region":"BI","product":"goods","activity":"147213","bizkaia_record":"lroe"}"#;
        assert_eq!(Settings::parse(json), Ok(chosen));
    }

    #[test]
    fn unknown_members_and_wrong_values_are_refused() {
        for json in [
            r#"{"strict":true}"#,
            r#"{"region":"NA"}"#,
            r#"{"product":"software"}"#,
            r#"{"credit_note_type":"R5"}"#,
            r#"{"description":""}"#,
            r#"{"activity":"1a"}"#,
            r#"{"activity":"12345678"}"#,
            r#"{"bizkaia_record":"LROE"}"#,
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
        let known = [
            "refuse_warnings",
            "credit_note_type",
            "region",
            "product",
            "description",
            "activity",
            "simplified_regime",
            "bizkaia_record",
        ];
        assert_eq!(members, known);
    }
}
