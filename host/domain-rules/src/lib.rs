//! Rules of tax systems that change on a day: which rule sets a plugin lists, which of them hold for a document, and what of a draft
//! will be refused once others do. No I/O, no clock, no country: which rules there are, and what they refuse, is the plugins'.
//!
//! | module | what it holds |
//! |---|---|
//! | `rule_set` | what a plugin lists (release 1.8 of the contract, `wit/v1.8`), and for which documents it holds |
//! | `draft` | a draft as it would be issued on another day |
//! | `moment` | when something changes for a draft, within [`HORIZON_DAYS`] |
//! | `outlook` | what is refused then and is not today, as warnings of a dry run or as the answer of a check |
//! | [`ports`] | who knows which version will be in force, and calls it |
//!
//! A version that is scheduled and a rule set that begins are looked at alike: the draft is checked as of that moment, by the
//! version that is in force by then, and what stops it then and does not stop it today is told.
//!
//! Not here: plugins (`gateway-plugin-host`), schedules (`gateway-registry`), where drafts come from (`gateway-rules`).

#![deny(missing_docs)]
#![deny(clippy::wildcard_enum_match_arm, clippy::float_arithmetic, clippy::as_conversions)]

mod draft;
mod moment;
mod outlook;
pub mod ports;
mod rule_set;
#[cfg(test)]
mod tests;

pub use draft::{Draft, DraftDates};
pub use moment::{HORIZON_DAYS, Moment, moments, rules_begun};
pub use outlook::{
    DraftOutcome, RULES_COMING, RULES_UNCHECKED, WARNINGS_MAX, newly_refused, outcome_at, warnings_ahead,
};
pub use rule_set::{
    DecidingDate, DocumentDates, NotARuleSet, RULE_SETS_MAX, RuleKind, RuleSet, RuleSetParts, unique,
};
