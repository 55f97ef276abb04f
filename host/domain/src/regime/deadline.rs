//! Until when the law wants a document filed, and what a late filing carries: release 1.7 of the contract, `wit/v1.7`.

use jiff::{Timestamp, Zoned};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Outages that one question to a plugin names.
pub const OUTAGES_MAX: usize = 100;
/// Longest name of a mark, characters.
const MARK_CHARS_MAX: usize = 64;

/// Whose part did not work.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    ToSchema,
    strum::IntoStaticStr,
    strum::EnumString,
    strum::VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum OutageSide {
    /// The issuer's own: the gateway, or its way to the provider.
    Issuer,
    /// The provider, through whom documents are filed.
    Provider,
    /// The authority.
    Authority,
}

impl OutageSide {
    /// Every side.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// As written in JSON and in the database.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A span in which nothing could be filed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredOutage {
    /// Whose part did not work.
    pub side: OutageSide,
    /// When the first call failed.
    pub since: Timestamp,
    /// None while it lasts.
    pub until: Option<Timestamp>,
}

/// What bears on the filing of one document, beside the context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilingFacts {
    /// When the document was issued, with the offset of the workspace's time zone.
    pub issued_at: Zoned,
    /// Those that lasted at some time between `issued_at` and now, oldest first; at most [`OUTAGES_MAX`].
    pub outages: Vec<DeclaredOutage>,
}

/// What a plugin says of the filing of a document at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FilingTerms {
    /// Until when it has to be filed; none when the law sets no limit.
    pub file_by: Option<Timestamp>,
    /// What a filing made now carries.
    pub mark: Option<FilingMark>,
    /// One sentence for people who see the limit.
    pub note: Option<String>,
}

/// What a late filing, or one that an outage held up, carries: a name that its plugin alone understands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(transparent)]
pub struct FilingMark(String);

/// A text that names no mark.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{}' is no name of a mark: 1 to 64 characters of a-z, 0-9 and hyphens", .0.escape_debug())]
pub struct NotAFilingMark(pub String);

impl FilingMark {
    /// As the plugin names it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for FilingMark {
    type Error = NotAFilingMark;

    fn try_from(text: String) -> Result<Self, NotAFilingMark> {
        let is_name = (1..=MARK_CHARS_MAX).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        if is_name { Ok(Self(text)) } else { Err(NotAFilingMark(text)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_a_short_name_in_small_letters() {
        for name in ["incidencia", "offline-24", "x"] {
            assert_eq!(FilingMark::try_from(name.to_owned()).unwrap().as_str(), name);
        }
        for wrong in ["", "Incidencia", "a b", "ñ", &"x".repeat(MARK_CHARS_MAX + 1)] {
            assert!(FilingMark::try_from((*wrong).to_owned()).is_err(), "{wrong:?}");
        }
    }
}
