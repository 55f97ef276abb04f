//! Rules that change on a day, out of the guest's own account of them.

use super::wit_rules as wit;
use crate::defect::{Failure, unusable};
use gateway_domain_rules::{DecidingDate, RULE_SETS_MAX, RuleKind, RuleSet, RuleSetParts, unique};

pub(super) fn rule_sets(listed: Vec<wit::RuleSet>) -> Result<Vec<RuleSet>, Failure> {
    if listed.len() > RULE_SETS_MAX {
        return Err(Failure::Oversize("too many rule sets", RULE_SETS_MAX));
    }
    let sets = listed.into_iter().map(|set| RuleSet::try_from(parts(set))).collect::<Result<_, _>>();
    sets.and_then(unique).map_err(|error| unusable(error.to_string()))
}

fn parts(set: wit::RuleSet) -> RuleSetParts {
    let wit::RuleSet { id, kind, summary, from, until, decided_by } = set;
    let kind = match kind {
        wit::Kind::Rates => RuleKind::Rates,
        wit::Kind::Codes => RuleKind::Codes,
        wit::Kind::Formats => RuleKind::Formats,
        wit::Kind::Thresholds => RuleKind::Thresholds,
    };
    let decided_by = match decided_by {
        wit::DecidingDate::Issue => DecidingDate::Issue,
        wit::DecidingDate::Operation => DecidingDate::Operation,
    };
    RuleSetParts { id, kind, summary, from, until, decided_by }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(id: &str, from: &str) -> wit::RuleSet {
        wit::RuleSet {
            id: id.to_owned(),
            kind: wit::Kind::Thresholds,
            summary: "The limit rises (act 1/2026).".to_owned(),
            from: from.to_owned(),
            until: None,
            decided_by: wit::DecidingDate::Operation,
        }
    }

    #[test]
    fn what_a_plugin_lists_is_read_as_it_stands() {
        let read = rule_sets(vec![listed("limit-2027", "2027-01-01")]).unwrap();
        let [RuleSet { id, kind, from, until, decided_by, .. }] = &read[..] else { panic!("{read:?}") };
        assert_eq!(
            (id.as_str(), *kind, *decided_by),
            ("limit-2027", RuleKind::Thresholds, DecidingDate::Operation)
        );
        assert_eq!((from.to_string().as_str(), *until), ("2027-01-01", None));
    }

    #[test]
    fn rule_sets_are_bounded_each_has_an_id_of_its_own_and_a_day() {
        let many =
            |count: usize| -> Vec<_> { (0..count).map(|n| listed(&format!("r{n}"), "2027-01-01")).collect() };
        assert!(rule_sets(many(RULE_SETS_MAX)).is_ok());
        assert!(matches!(rule_sets(many(RULE_SETS_MAX + 1)), Err(Failure::Oversize(..))));
        for wrong in [vec![listed("r", "soon")], vec![listed("r", "2027-01-01"), listed("r", "2028-01-01")]] {
            assert!(matches!(rule_sets(wrong), Err(Failure::Unusable(_))));
        }
    }
}
