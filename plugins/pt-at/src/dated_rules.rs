//! Rules that change on a day: rates of Madeira, codes of laws that ended, and how a document is signed.

use crate::PtAt;
use crate::tables::MADEIRA_REDUCED;
use einvoice_plugin::{DecidingDate, RuleKind, RuleSet, Rules};

impl Rules for PtAt {
    fn rule_sets() -> Vec<RuleSet> {
        vec![
            RuleSet::new(
                "m26",
                RuleKind::Codes,
                "2023-04-18",
                "M26 is the code of the basket of basic foods without VAT, for a time (law 17/2023).",
            )
            .until("2024-01-04")
            .by(DecidingDate::Operation),
            RuleSet::new(
                "madeira-reduced-2024",
                RuleKind::Rates,
                MADEIRA_REDUCED.to_string(),
                "The reduced rate of Madeira is 4 % and no more 5 % (regional legislative decree 6/2024/M).",
            )
            .by(DecidingDate::Operation),
            RuleSet::new(
                "qualified-signature-2027",
                RuleKind::Formats,
                "2027-01-01",
                "A PDF counts as an electronic invoice with a qualified signature or seal only (state budget act for 2026).",
            ),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::{REGION_RATES, region_rate};
    use einvoice_plugin::Amount;

    #[test]
    fn the_reduced_rate_of_madeira_changes_on_the_day_of_its_rule_set() {
        let sets = PtAt::rule_sets();
        let from = &sets.iter().find(|set| set.id == "madeira-reduced-2024").unwrap().from;
        let day = from.parse().unwrap();
        let before = REGION_RATES.iter().map(|rate| rate.since).find(|since| *since < day).unwrap();
        let holds = |percent, day| region_rate("PT-MA", Amount::new(percent, 0), day).is_some();
        assert_eq!((holds(4, day), holds(5, day)), (true, false));
        assert_eq!((holds(4, before), holds(5, before)), (false, true));
    }
}
