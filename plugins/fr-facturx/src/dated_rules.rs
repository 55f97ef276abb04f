//! Rules that change on a day: from when on who issues electronic invoices (finance act for 2024, no. 2023-1322, article 91).

use crate::FrFacturx;
use einvoice_plugin::{RuleKind, RuleSet, Rules};

impl Rules for FrFacturx {
    fn rule_sets() -> Vec<RuleSet> {
        let formats =
            |id: &str, from: &str, summary: &str| RuleSet::new(id, RuleKind::Formats, from, summary);
        vec![
            formats(
                "issue-large-2026",
                "2026-09-01",
                "Every business takes electronic invoices, and large and mid-size ones issue them (act 2023-1322, article 91).",
            ),
            formats(
                "issue-small-2027",
                "2027-09-01",
                "Small and medium-sized businesses issue electronic invoices too (act 2023-1322, article 91).",
            ),
        ]
    }
}
