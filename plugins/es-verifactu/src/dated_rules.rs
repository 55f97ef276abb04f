//! Rules that change on a day: those of every Spanish system, and from when on invoices go through VERI*FACTU.

use crate::{EsVerifactu, SYSTEM};
use einvoice_es::dated_rules;
use einvoice_plugin::{RuleKind, RuleSet, Rules};

impl Rules for EsVerifactu {
    fn rule_sets() -> Vec<RuleSet> {
        let formats =
            |id: &str, from: &str, summary: &str| RuleSet::new(id, RuleKind::Formats, from, summary);
        let mut sets = dated_rules::vat();
        sets.push(dated_rules::simplified_invoices());
        sets.extend([
            formats(
                "records-2024",
                &SYSTEM.first_issue_date.to_string(),
                "Records state no day of issue before this one (royal decree 1007/2023, order HAC/1177/2024; the agency's error 1152).",
            ),
            // A ministry's note of October 2026 announces October 2028: no law yet.
            formats(
                "duty-companies-2027",
                "2027-01-01",
                "Invoices of corporate tax payers go through a system of royal decree 1007/2023 (royal decree-law 15/2025).",
            ),
            formats(
                "duty-everybody-2027",
                "2027-07-01",
                "Invoices of everybody else go through a system of royal decree 1007/2023 (royal decree-law 15/2025).",
            ),
        ]);
        sets
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use einvoice_es::date::Date;

    #[test]
    fn every_rule_set_has_an_id_of_its_own_a_law_and_days() {
        let sets = EsVerifactu::rule_sets();
        for (at, set) in sets.iter().enumerate() {
            assert!(sets.iter().take(at).all(|other| other.id != set.id), "{}", set.id);
            assert!(set.summary.contains("royal decree") && set.summary.len() <= 300, "{}", set.id);
            let from = set.from.parse::<Date>().unwrap();
            assert!(
                set.until.as_ref().is_none_or(|until| until.parse::<Date>().unwrap() > from),
                "{}",
                set.id
            );
        }
    }
}
