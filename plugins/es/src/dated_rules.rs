//! Rules that hold from a day on for every Spanish system: rates of VAT, and the limit of simplified invoices.

use einvoice_plugin::{DecidingDate, RuleKind, RuleSet};

/// The rates of VAT by the day of the operation (VAT act 37/1992, article 90.2: the rate of the day on which tax is due), as
/// [`vat_percent`](crate::rates::vat_percent) holds documents to them.
pub fn vat() -> Vec<RuleSet> {
    let rates = |id: &str, from: &str, summary: &str| {
        RuleSet::new(id, RuleKind::Rates, from, summary).by(DecidingDate::Operation)
    };
    vec![
        rates(
            "vat-2012",
            "2012-09-01",
            "VAT is 21 % and 10 %, and no more 18 % and 8 % (royal decree-law 20/2012, article 23).",
        ),
        rates(
            "vat-temporary-5",
            "2022-07-01",
            "VAT of energy, and from 2023 on of oil and pasta, is 5 % for a time (royal decree-laws 11/2022, 20/2022 and 4/2024).",
        )
        .until("2024-09-30"),
        rates(
            "vat-food-2024",
            "2024-10-01",
            "VAT of basic foods and olive oil is 2 %, of pasta and seed oils 7.5 %, for a quarter (royal decree-law 4/2024).",
        )
        .until("2024-12-31"),
    ]
}

/// How far an invoice may be a simplified one.
pub fn simplified_invoices() -> RuleSet {
    let summary = "Simplified invoices go up to 400 EUR, in hotels and some other trades up to 3,000 EUR (royal decree 1619/2012, article 4).";
    RuleSet::new("simplified-2013", RuleKind::Thresholds, "2013-01-01", summary)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::date::Date;
    use crate::rates::{VatPercent, vat_percent};
    use einvoice_plugin::Amount;

    fn rule_set(id: &str) -> RuleSet {
        vat().into_iter().find(|set| set.id == id).unwrap()
    }

    #[test]
    fn a_temporary_rate_is_accepted_on_the_days_of_its_rule_set() {
        for (id, tenths) in [("vat-temporary-5", 50), ("vat-food-2024", 75), ("vat-food-2024", 20)] {
            let RuleSet { from, until, .. } = rule_set(id);
            let days = (from.parse::<Date>().unwrap(), until.unwrap().parse::<Date>().unwrap());
            let on = |day| vat_percent(Amount::new(tenths, 1), day);
            assert_eq!((on(days.0), on(days.1)), (VatPercent::Accepted, VatPercent::Accepted), "{id}");
            let after = days.1.following_day().unwrap();
            assert_eq!(on(after), VatPercent::Temporary(days.0, days.1), "{id}");
        }
    }

    #[test]
    fn the_usual_rates_are_those_of_their_rule_set() {
        let since = rule_set("vat-2012").from;
        for key in ["general", "reduced"] {
            let rate = crate::rates::VAT.iter().find(|rate| rate.key == key).unwrap();
            assert_eq!(rate.since.unwrap().to_string(), since, "{key}");
        }
    }
}
