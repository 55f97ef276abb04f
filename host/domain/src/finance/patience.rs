//! How long a provider may take with a job that it took, and how often it is asked meanwhile.

use jiff::SignedDuration;

/// Longest wait between two looks at a job that is overdue, unless webhooks are waited for longer than that.
const LOOK_EVERY_MAX: SignedDuration = SignedDuration::from_mins(10);

/// How long is waited for a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// How long a webhook is waited for before the provider is asked.
    pub poll_after: SignedDuration,
    /// How long the provider may take before somebody should look.
    pub overdue_after: SignedDuration,
}

impl Patience {
    /// Whether somebody should look, `waited` after the provider took the job.
    pub fn is_overdue(self, waited: SignedDuration) -> bool {
        waited >= self.overdue_after
    }

    /// How long to wait for the webhook before the provider is asked (again): what is overdue is asked for ever less
    /// often.
    pub fn next_look(self, waited: SignedDuration) -> SignedDuration {
        let overdue = waited.saturating_sub(self.overdue_after);
        overdue.clamp(self.poll_after, LOOK_EVERY_MAX.max(self.poll_after))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn mins(minutes: i64) -> SignedDuration {
        SignedDuration::from_mins(minutes)
    }

    #[test]
    fn a_job_is_overdue_after_its_time_and_asked_for_ever_less_often_from_then_on() {
        let patience = Patience { poll_after: mins(1), overdue_after: mins(60) };
        for (waited, overdue, next) in [
            (-1, false, 1),
            (0, false, 1),
            (59, false, 1),
            (60, true, 1),
            (62, true, 2),
            (64, true, 4),
            (68, true, 8),
            (90, true, 10),
            (100_000, true, 10),
        ] {
            assert_eq!(patience.is_overdue(mins(waited)), overdue, "{waited}");
            assert_eq!(patience.next_look(mins(waited)), mins(next), "{waited}");
        }
    }

    #[test]
    fn who_waits_long_for_webhooks_waits_as_long_for_what_is_overdue() {
        let patience = Patience { poll_after: mins(90), overdue_after: mins(60) };
        assert_eq!(patience.next_look(mins(0)), mins(90));
        assert_eq!(patience.next_look(mins(9_000)), mins(90));
    }
}
