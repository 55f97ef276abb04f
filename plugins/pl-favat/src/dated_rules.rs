//! Rules that change on a day: from when on whose invoices go through KSeF (act of 16 June 2023 on KSeF, Dz.U. 2023 item 1598,
//! as amended in 2024 and 2025).

use crate::PlFavat;
use einvoice_plugin::{RuleKind, RuleSet, Rules};

impl Rules for PlFavat {
    fn rule_sets() -> Vec<RuleSet> {
        vec![
            RuleSet::new(
                "fa-3",
                RuleKind::Formats,
                "2026-02-01",
                "Files are of structure FA(3) and no more FA(2), and sellers of over 200 million PLN a year issue through KSeF (act of 16 June 2023, Dz.U. 2023 item 1598, as amended).",
            ),
            RuleSet::new(
                "ksef-2026-04",
                RuleKind::Thresholds,
                "2026-04-01",
                "Every seller of over 10,000 PLN a month issues through KSeF (act of 16 June 2023, Dz.U. 2023 item 1598, as amended).",
            ),
            RuleSet::new(
                "ksef-2027",
                RuleKind::Thresholds,
                "2027-01-01",
                "Sellers of up to 10,000 PLN a month issue through KSeF too, and breaches are fined (act of 16 June 2023, Dz.U. 2023 item 1598, as amended).",
            ),
        ]
    }
}
