//! Until when a document has to be filed.

use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::InvoiceNumber;
use gateway_domain::regime::FilingMark;
use jiff::{SignedDuration, Timestamp};

/// What the plugin of a document said of its filing when it was asked last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilingDeadline {
    /// The document.
    pub document: InvoiceId,
    /// Whose it is.
    pub workspace: WorkspaceId,
    /// The number under which it is filed.
    pub number: InvoiceNumber,
    /// From when on the time runs.
    pub issued_at: Timestamp,
    /// Until when it has to be filed; none when the law sets no limit.
    pub file_by: Option<Timestamp>,
    /// What its filing carries.
    pub mark: Option<FilingMark>,
    /// One sentence about the limit.
    pub note: Option<String>,
    /// When the plugin was asked.
    pub checked_at: Timestamp,
}

impl FilingDeadline {
    /// How much time is left, whole seconds; below nought of what is overdue.
    pub fn due_in_s(&self, now: Timestamp) -> Option<i64> {
        self.file_by.map(|limit| limit.duration_since(now).as_secs())
    }

    /// When somebody is told: so long before the limit, but not before half of the time has passed, for a limit of minutes would be
    /// said of every document.
    pub fn alert_at(&self, before: SignedDuration) -> Option<Timestamp> {
        let limit = self.file_by?;
        let half = limit.duration_since(self.issued_at) / 2;
        let half = self.issued_at.checked_add(half).unwrap_or(limit);
        Some(limit.checked_sub(before).unwrap_or(Timestamp::MIN).max(half))
    }
}

/// For people, in the greatest unit of which there are two: `3 d`, `5 h`, `40 min`, `12 s`, and `12 s late`.
pub fn time_left(seconds: i64) -> String {
    let (amount, unit) = match seconds.saturating_abs() {
        left @ 172_800.. => (left / 86_400, "d"),
        left @ 7_200.. => (left / 3_600, "h"),
        left @ 120.. => (left / 60, "min"),
        left => (left, "s"),
    };
    if seconds < 0 { format!("{amount} {unit} late") } else { format!("{amount} {unit}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn filing(issued_at: &str, file_by: Option<&str>) -> FilingDeadline {
        FilingDeadline {
            document: InvoiceId(Uuid::nil()),
            workspace: WorkspaceId(1),
            number: InvoiceNumber("F-1".to_owned()),
            issued_at: issued_at.parse().unwrap(),
            file_by: file_by.map(|limit| limit.parse().unwrap()),
            mark: None,
            note: None,
            checked_at: issued_at.parse().unwrap(),
        }
    }

    #[test]
    fn the_time_that_is_left_falls_below_nought() {
        let filing = filing("2026-11-20T09:00:00Z", Some("2026-11-20T10:00:00Z"));
        assert_eq!(filing.due_in_s("2026-11-20T09:59:00Z".parse().unwrap()), Some(60));
        assert_eq!(filing.due_in_s("2026-11-20T10:00:30Z".parse().unwrap()), Some(-30));
    }

    #[test]
    fn what_is_left_is_said_in_its_greatest_unit() {
        let said = [259_200, 172_799, 7_199, 119, 0, -90, -7_200].map(time_left);
        assert_eq!(said, ["3 d", "47 h", "119 min", "119 s", "0 s", "90 s late", "2 h late"]);
    }

    #[test]
    fn somebody_is_told_some_time_before_the_limit_and_never_in_the_first_half() {
        let before = SignedDuration::from_hours(24);
        for (limit, alert_at) in [
            ("2026-11-26T09:00:00Z", "2026-11-25T09:00:00Z"),
            ("2026-11-20T09:04:00Z", "2026-11-20T09:02:00Z"),
            // A limit that was over from the beginning.
            ("2026-11-20T08:00:00Z", "2026-11-20T08:30:00Z"),
        ] {
            let filing = filing("2026-11-20T09:00:00Z", Some(limit));
            assert_eq!(filing.alert_at(before), Some(alert_at.parse().unwrap()), "{limit}");
        }
        assert_eq!(filing("2026-11-20T09:00:00Z", None).alert_at(before), None);
    }
}
