//! Rules that change on a day.

use crate::{DecidingDate, RuleKind, RuleSet};

/// Which rules hold from which day on, because a law says so: before such a day a gateway of release 1.8 checks drafts as of it, and
/// a dry run warns of what [`check`](crate::Country::check) will refuse then. A system whose rules stand still does without it.
///
/// ```
/// use einvoice_plugin::{Amount, Context, DecidingDate, Fault, Invoice, RuleKind, RuleSet, Rules};
/// struct Nowhere;
/// impl Rules for Nowhere {
///     fn rule_sets() -> Vec<RuleSet> {
///         let summary = "The general rate is 22 % and no more 21 % (act 7/2026, article 3).";
///         vec![RuleSet::new("general-rate-2027", RuleKind::Rates, "2027-01-01", summary).by(DecidingDate::Operation)]
///     }
/// }
/// /// Called by `check`: the day that the law names decides, not today.
/// fn check_rate(invoice: &Invoice, _: &Context) -> Option<Fault> {
///     let day = invoice.operation_date.as_ref().unwrap_or(&invoice.issue_date);
///     let percent = Amount::new(if day.as_str() < "2027-01-01" { 21 } else { 22 }, 0);
///     let line = invoice.lines.iter().find(|line| line.tax.rate.is_some_and(|rate| !rate.same_value(percent)))?;
///     let path = format!("/lines/{}/tax/rate", line.index - 1);
///     Some(Fault::error("NOWHERE-02", path, format!("The general rate is {percent} % on {day}; use it.")))
/// }
/// assert_eq!(Nowhere::rule_sets()[0].from, "2027-01-01");
/// ```
pub trait Rules {
    /// Those that hold, those that are known to come, and those of the past that documents may still be issued under. At most 200,
    /// each with an id that stands for ever (1 to 64 characters of a-z, 0-9 and hyphens) and a sentence of at most 300 characters
    /// that names the law. Called once, when the plugin is loaded.
    fn rule_sets() -> Vec<RuleSet>;
}

impl RuleSet {
    /// Rules that hold from this day (`2027-01-01`) on, for documents that are issued then; no end is known.
    ///
    /// ```
    /// use einvoice_plugin::{DecidingDate, RuleKind, RuleSet};
    /// let food = RuleSet::new("food-2024", RuleKind::Rates, "2024-10-01", "Oil goes at 2 % (decree 4/2024).")
    ///     .until("2024-12-31")
    ///     .by(DecidingDate::Operation);
    /// assert_eq!((food.from.as_str(), food.until.as_deref()), ("2024-10-01", Some("2024-12-31")));
    /// ```
    pub fn new(
        id: impl Into<String>,
        kind: RuleKind,
        from: impl Into<String>,
        summary: impl Into<String>,
    ) -> Self {
        let (id, summary, from) = (id.into(), summary.into(), from.into());
        Self { id, kind, summary, from, until: None, decided_by: DecidingDate::Issue }
    }

    /// The last day on which they hold.
    #[must_use]
    pub fn until(self, day: impl Into<String>) -> Self {
        Self { until: Some(day.into()), ..self }
    }

    /// The day of a document by which the law decides.
    #[must_use]
    pub fn by(self, decided_by: DecidingDate) -> Self {
        Self { decided_by, ..self }
    }
}
