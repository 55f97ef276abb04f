//! What a tax regime says of itself, whatever documents look like: its key, the choices it offers, how it rounds.

use crate::money::{Percent, Rounding};
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use std::fmt;
use utoipa::ToSchema;

/// Which tax regime: the key of a plugin, `es-verifactu`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(try_from = "String", into = "String")]
#[schema(value_type = String, pattern = "^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$", examples("es-verifactu"))]
pub struct RegimeKey(String);

/// A text is no regime key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is no regime key: use lower-case letters, digits and hyphens, at most 64, such as es-verifactu"
)]
pub struct NotARegimeKey(pub String);

impl RegimeKey {
    /// 1 to 64 lower-case letters, digits and hyphens: `es-verifactu`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for RegimeKey {
    type Error = NotARegimeKey;

    fn try_from(text: String) -> Result<Self, NotARegimeKey> {
        let sound = (1..=64).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
            && !text.starts_with('-')
            && !text.ends_with('-');
        if sound { Ok(Self(text)) } else { Err(NotARegimeKey(text)) }
    }
}

impl std::str::FromStr for RegimeKey {
    type Err = NotARegimeKey;

    fn from_str(text: &str) -> Result<Self, NotARegimeKey> {
        text.to_owned().try_into()
    }
}

impl From<RegimeKey> for String {
    fn from(key: RegimeKey) -> Self {
        key.0
    }
}

impl fmt::Display for RegimeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A choice a document may make, with a title for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Choice {
    /// The key documents use.
    #[schema(examples("article_20"))]
    pub key: String,
    /// For people.
    #[schema(examples("Article 20"))]
    pub title: String,
}

/// A rate that holds from a date on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct RateChoice {
    /// The regime's name of the rate: `general`.
    #[schema(examples("general"))]
    pub key: String,
    /// For people.
    #[schema(examples("General rate"))]
    pub title: String,
    /// Percent.
    pub percent: Percent,
    /// Equivalence surcharge that may stand beside it, percent.
    #[schema(required)]
    pub surcharge: Option<Percent>,
    /// First day it holds.
    #[schema(required, value_type = Option<String>, format = Date, examples("2012-09-01"))]
    pub since: Option<Date>,
}

/// A tax category with the rates in use; an empty list means any percent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct CategoryChoice {
    /// The key documents use: `VAT`.
    #[schema(examples("VAT"))]
    pub key: String,
    /// For people.
    #[schema(examples("Value added tax"))]
    pub title: String,
    /// Known rates, by name and date.
    pub rates: Vec<RateChoice>,
}

/// What a plugin says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RegimeDescription {
    /// The key workspaces are configured with.
    pub key: RegimeKey,
    /// For people.
    pub title: String,
    /// ISO 3166-1 alpha-2.
    pub country: String,
    /// `VERI*FACTU`.
    pub tax_system: String,
    /// Semantic version of the plugin.
    pub version: String,
    /// Kinds of document it converts.
    pub kinds: Vec<RegimeDocumentKind>,
    /// Tax categories.
    pub categories: Vec<CategoryChoice>,
    /// Reasons for a line without tax.
    pub exemptions: Vec<Choice>,
    /// Taxes a recipient may withhold.
    pub retentions: Vec<CategoryChoice>,
    /// How its format rounds.
    pub rounding: Rounding,
    /// JSON Schema of a workspace's settings.
    pub settings_schema: serde_json::Value,
    /// Members of the supplier that a workspace has to fill.
    pub required_workspace_fields: Vec<String>,
    /// What `ext` of a document or of a line may say, by key.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ext: Vec<Choice>,
}

/// The kinds of document the WIT contract knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RegimeDocumentKind {
    /// A regular invoice.
    Invoice,
    /// Without recipient, or below the limit that asks for one.
    SimplifiedInvoice,
    /// A full invoice that replaces simplified ones.
    ReplacementInvoice,
    /// Cancels all or part of others.
    CreditNote,
    /// Adds to others.
    DebitNote,
}
