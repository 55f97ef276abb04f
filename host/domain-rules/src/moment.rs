//! When something changes for a draft: a version comes in force, rules begin or end.

use crate::draft::Draft;
use crate::ports::{ComingRules, DueVersion, ServingVersion};
use crate::rule_set::RuleSet;
use jiff::civil::Date;
use jiff::{SignedDuration, Zoned};
use std::collections::BTreeMap;

/// How far ahead a dry run looks, days.
pub const HORIZON_DAYS: i64 = 60;
/// Moments that a dry run looks at, the nearest first: each costs a call of the plugin.
const MOMENTS_MAX: usize = 4;
/// Hours of a day, for spans of days.
const DAY_H: i64 = 24;

/// A moment at which something changes for a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Moment {
    /// In the time zone of the draft's workspace.
    pub at: Zoned,
    /// What changes then, for people: `es-verifactu@0.6.0 comes in force`.
    pub causes: Vec<String>,
}

/// The next moments within [`HORIZON_DAYS`] at which something changes for a draft, the nearest first; at most four. A rule set
/// counts only where it begins or ends to apply to this draft, by the day that the law names.
pub fn moments(rules: &dyn ComingRules, draft: &Draft) -> Vec<Moment> {
    let now = draft.now();
    let Ok(horizon) = now.date().checked_add(SignedDuration::from_hours(HORIZON_DAYS.saturating_mul(DAY_H)))
    else {
        return Vec::new();
    };
    let mut found = BTreeMap::<_, Moment>::new();
    let mut add = |at: Zoned, cause: String| {
        let moment = found.entry(at.timestamp()).or_insert_with(|| Moment { at, causes: Vec::new() });
        if !moment.causes.contains(&cause) {
            moment.causes.push(cause);
        }
    };
    let mut versions: Vec<ServingVersion> =
        rules.version_at(&draft.document, &draft.regime, now.timestamp()).into_iter().collect();
    for DueVersion { at, plugin } in rules.due_versions(draft.document.workspace, &draft.regime) {
        let at = at.to_zoned(now.time_zone().clone());
        if at > *now && at.date() <= horizon {
            versions.extend(rules.version_at(&draft.document, &draft.regime, at.timestamp()));
            add(at, format!("{}@{} comes in force", plugin.key, plugin.version));
        }
    }
    for set in versions.iter().flat_map(|version| version.rule_sets.iter()) {
        for (day, cause) in turning_days(set) {
            let is_ahead = now.date() < day && day <= horizon;
            if is_ahead
                && changes_on(set, draft, day)
                && let Ok(at) = day.to_zoned(now.time_zone().clone())
            {
                add(at, cause);
            }
        }
    }
    found.into_values().take(MOMENTS_MAX).collect()
}

/// The first day of a rule set, and the first one after it.
fn turning_days(set: &RuleSet) -> impl Iterator<Item = (Date, String)> {
    let begin = (set.from, format!("the rules {} begin", set.id));
    let end = set.until.and_then(|until| until.tomorrow().ok());
    [begin].into_iter().chain(end.map(|day| (day, format!("the rules {} end", set.id))))
}

/// Ids of the rule sets of a version that apply to a draft that is issued then, and do not to one that is issued now.
pub fn rules_begun(version: &ServingVersion, draft: &Draft, at: &Zoned) -> Vec<String> {
    let applies = |set: &RuleSet, day: Date| set.applies_to(draft.dates.on(day));
    let (now, then) = (draft.now().date(), at.date());
    let begun = version.rule_sets.iter().filter(|set| applies(set, then) && !applies(set, now));
    begun.map(|set| set.id.clone()).collect()
}

/// Whether the rule set applies to the draft on that day and did not the day before, or the other way round.
fn changes_on(set: &RuleSet, draft: &Draft, day: Date) -> bool {
    let Ok(before) = day.yesterday() else { return false };
    set.applies_to(draft.dates.on(day)) != set.applies_to(draft.dates.on(before))
}
