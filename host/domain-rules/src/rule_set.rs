//! What a plugin lists of rules that change on a day: release 1.8 of the contract, `wit/v1.8`.

use jiff::civil::Date;
use serde::Serialize;
use std::collections::BTreeSet;
use utoipa::ToSchema;

/// Rule sets of one plugin.
pub const RULE_SETS_MAX: usize = 200;
/// Longest id, characters.
const ID_CHARS_MAX: usize = 64;
/// Longest sentence, characters.
const SUMMARY_CHARS_MAX: usize = 300;
/// Characters of `2027-01-01`; longer texts are times, of which the day alone would be read.
const DATE_CHARS: usize = 10;

/// What rules are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum RuleKind {
    /// Rates of tax.
    Rates,
    /// Codes that documents or records may state.
    Codes,
    /// What a record, or the file that it travels in, looks like.
    Formats,
    /// Amounts from which, or up to which, something is allowed or asked for.
    Thresholds,
}

impl RuleKind {
    /// As written in JSON.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The day of a document by which the law decides whether a rule holds for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum DecidingDate {
    /// The day of issue.
    Issue,
    /// The day of the operation, and the day of issue of a document that names none.
    Operation,
}

/// The days of a document by which rules are picked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocumentDates {
    /// When it is issued.
    pub issue: Date,
    /// When the supply took place, if on another day.
    pub operation: Option<Date>,
}

impl DocumentDates {
    /// The day that the law names.
    pub fn deciding(self, by: DecidingDate) -> Date {
        match by {
            DecidingDate::Issue => self.issue,
            DecidingDate::Operation => self.operation.unwrap_or(self.issue),
        }
    }
}

/// Rules that begin together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct RuleSet {
    /// Stable for ever: 1 to 64 characters of a-z, 0-9 and hyphens.
    #[schema(examples("sepa-2027"))]
    pub id: String,
    /// What the rules are about.
    pub kind: RuleKind,
    /// One sentence in English: what changes, and the law that says so.
    #[schema(examples("From 2027 on the reduced rate is 11 % (act 1/2026)."))]
    pub summary: String,
    /// The first day on which they hold.
    #[schema(value_type = String, format = Date, examples("2027-01-01"))]
    pub from: Date,
    /// The last one; null while no end is known.
    #[schema(required, value_type = Option<String>, format = Date)]
    pub until: Option<Date>,
    /// The day of a document that decides.
    pub decided_by: DecidingDate,
}

/// A rule set as a plugin writes it, before anything of it was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleSetParts {
    /// Should be an id.
    pub id: String,
    /// What the rules are about.
    pub kind: RuleKind,
    /// Should be a sentence.
    pub summary: String,
    /// Should be a day, `YYYY-MM-DD`.
    pub from: String,
    /// The same.
    pub until: Option<String>,
    /// The day of a document that decides.
    pub decided_by: DecidingDate,
}

/// Why something is no rule set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotARuleSet {
    /// The id is none.
    #[error("the rule set '{}', whose id is not 1 to 64 characters of a-z, 0-9 and hyphens", .0.escape_debug())]
    Id(String),
    /// Two have one id.
    #[error("two rule sets with the id '{0}'")]
    Twice(String),
    /// The sentence is none.
    #[error("the rule set '{0}', whose summary is not one line of 1 to 300 characters")]
    Summary(String),
    /// A day is none.
    #[error("the rule set '{id}' with the day '{}', which is none such as 2027-01-01", .day.escape_debug())]
    Day {
        /// Of the rule set.
        id: String,
        /// What stands in the place of a day.
        day: String,
    },
    /// It is over before it begins.
    #[error("the rule set '{0}', which ends before it begins")]
    Backwards(String),
}

impl TryFrom<RuleSetParts> for RuleSet {
    type Error = NotARuleSet;

    fn try_from(parts: RuleSetParts) -> Result<Self, NotARuleSet> {
        let RuleSetParts { id, kind, summary, from, until, decided_by } = parts;
        let is_id = (1..=ID_CHARS_MAX).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        if !is_id {
            return Err(NotARuleSet::Id(id.chars().take(ID_CHARS_MAX).collect()));
        }
        let is_sentence = !summary.trim().is_empty()
            && summary.chars().count() <= SUMMARY_CHARS_MAX
            && !summary.chars().any(char::is_control);
        if !is_sentence {
            return Err(NotARuleSet::Summary(id));
        }
        let day = |text: String| match text.parse() {
            Ok(day) if text.len() == DATE_CHARS => Ok(day),
            Ok(_) | Err(_) => {
                Err(NotARuleSet::Day { id: id.clone(), day: text.chars().take(ID_CHARS_MAX).collect() })
            }
        };
        let (from, until) = (day(from)?, until.map(day).transpose()?);
        if until.is_some_and(|until| until < from) {
            return Err(NotARuleSet::Backwards(id));
        }
        Ok(Self { id, kind, summary, from, until, decided_by })
    }
}

impl RuleSet {
    /// Whether it holds on a day.
    pub fn holds_on(&self, day: Date) -> bool {
        self.from <= day && self.until.is_none_or(|until| day <= until)
    }

    /// Whether it holds for a document, by the day that the law names.
    pub fn applies_to(&self, dates: DocumentDates) -> bool {
        self.holds_on(dates.deciding(self.decided_by))
    }
}

/// Rule sets of which no two have one id.
///
/// # Errors
/// The first id that stands there twice.
pub fn unique(sets: Vec<RuleSet>) -> Result<Vec<RuleSet>, NotARuleSet> {
    let mut ids = BTreeSet::new();
    match sets.iter().find(|set| !ids.insert(set.id.as_str())) {
        Some(twice) => Err(NotARuleSet::Twice(twice.id.clone())),
        None => Ok(sets),
    }
}
