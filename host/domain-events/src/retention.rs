//! What leaves the database with age, and when.

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use std::fmt;

/// What leaves the database with age. Documents, their numbers and submissions, and the events of documents never do: authorities
/// may ask for them, and copies are made again from them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RetainedKind {
    /// Entries of the audit trail.
    Audit,
    /// Events of the platform's own data (`/platform`) that everybody who follows the feed has read; the youngest of each
    /// subject stays, because it counts them.
    Events,
    /// What was sent to tax authorities, byte for byte, by attempts that ended.
    Messages,
}

impl RetainedKind {
    /// Each of them.
    pub const ALL: [Self; 3] = [Self::Audit, Self::Events, Self::Messages];

    /// As reports, files and settings call it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Audit => "audit",
            Self::Events => "events",
            Self::Messages => "messages",
        }
    }

    /// Whether it may only be moved to files: the record of an invoice is evidence for as long as the invoice is.
    pub const fn is_only_moved(self) -> bool {
        match self {
            Self::Audit | Self::Events => false,
            Self::Messages => true,
        }
    }
}

impl fmt::Display for RetainedKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The age from which each kind leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionPolicy {
    /// Of entries of the audit trail.
    pub audit: RetentionDays,
    /// Of events of the platform's own data.
    pub events: RetentionDays,
    /// Of what was sent to tax authorities.
    pub messages: RetentionDays,
}

impl RetentionPolicy {
    /// The age of a kind.
    pub const fn age(&self, kind: RetainedKind) -> RetentionDays {
        match kind {
            RetainedKind::Audit => self.audit,
            RetainedKind::Events => self.events,
            RetainedKind::Messages => self.messages,
        }
    }
}

impl Default for RetentionPolicy {
    fn default() -> Self {
        let (audit, events) = (RetentionDays::AUDIT, RetentionDays::EVENTS);
        Self { audit, events, messages: RetentionDays::MESSAGES }
    }
}

/// The age from which entries may leave the database, days of 24 hours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionDays(pub u32);

impl RetentionDays {
    /// Of the audit trail: seven years. Spanish companies store their books, correspondence and evidence for six years from the
    /// last entry of the books (Código de Comercio, article 30.1), which may be a year younger than what is evidence for it; the
    /// four years of the Ley General Tributaria (article 66) end before.
    pub const AUDIT: Self = Self(2557);
    /// Of events of the platform's own data: a year, so that an integrator who comes once a year misses none. No law asks for
    /// them.
    pub const EVENTS: Self = Self(366);
    /// Of what was sent to tax authorities: as long as [`Self::AUDIT`], for the same laws.
    pub const MESSAGES: Self = Self::AUDIT;
    /// Of what webhooks were sent, with every try. No law asks for it.
    pub const DELIVERIES: Self = Self(30);

    /// Entries from before this instant are old enough; one of exactly this instant is not.
    pub fn cutoff(self, now: Timestamp) -> Timestamp {
        let age = SignedDuration::from_hours(i64::from(self.0).saturating_mul(24));
        now.checked_sub(age).unwrap_or(Timestamp::MIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn the_cutoff_is_whole_days_before_now() {
        assert_eq!(RetentionDays(1).cutoff(at("2026-11-27T08:30:00Z")), at("2026-11-26T08:30:00Z"));
        assert_eq!(RetentionDays(0).cutoff(at("2026-11-27T08:30:00Z")), at("2026-11-27T08:30:00Z"));
    }

    #[test]
    fn an_age_before_all_time_leaves_everything() {
        assert_eq!(RetentionDays(u32::MAX).cutoff(at("2026-11-27T08:30:00Z")), Timestamp::MIN);
    }

    #[test]
    fn evidence_outlives_six_years_from_the_end_of_its_year() {
        let last_entry_of_books = at("2026-12-31T23:59:59Z");
        let written = at("2026-01-01T00:00:00Z");
        let six_years_later = at("2032-12-31T23:59:59Z");
        assert!(written < last_entry_of_books);
        assert!(written >= RetentionDays::AUDIT.cutoff(six_years_later));
    }
}
