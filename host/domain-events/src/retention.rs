//! How long entries of the logs stay in the database.

use jiff::{SignedDuration, Timestamp};

/// The age from which entries may leave the database, days of 24 hours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionDays(pub u32);

impl RetentionDays {
    /// Of the audit trail: seven years. Spanish companies store their books, correspondence and evidence for six years from the
    /// last entry of the books (Código de Comercio, article 30.1), which may be a year younger than what is evidence for it; the
    /// four years of the Ley General Tributaria (article 66) end before.
    pub const AUDIT: Self = Self(2557);

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
