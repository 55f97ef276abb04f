//! What the agency demands of a row under each special regime, beside what it demands of every row.
//!
//! | regime (list L8A of VAT, L8B of IGIC) | the row | the document |
//! |---|---|---|
//! | 02 exports | is exempt (1286) | |
//! | 03 used goods, art, antiques | S1 (1200) | |
//! | 04 investment gold | S2 or exempt (1201) | |
//! | 06 groups of entities | has a base at cost, which documents do not carry (1202) | |
//! | 07 cash basis | S1, or exempt but for E2 to E5 (1203) | |
//! | 08 tax of another territory | N2 (1252) | |
//! | 10 collections for third parties | N1 (1205) | F1, a recipient with NIF (1205) |
//! | 11 rent of business premises, VAT only | at 21 % (1206) | |
//! | 14 certified works | | an operation after the day of issue (1147), F1 or R1 to R4 (1148), a public body as recipient (1149) |
//! | 20 of IGIC: subject to IPSI | N2 (1293) | |
//!
//! What an export may not be under the general regime (1199) and what belongs to the equivalence surcharge (1279, 1280) are
//! rules of those rows, not of the regime's.

use einvoice_es::doc_type::DocType;
use einvoice_es::taxes::Category;
use einvoice_plugin::Amount;

/// Regimes under which an operation may lie after the day of issue: certified works, continuing supplies.
const BILLED_AHEAD: [&str; 2] = ["14", "15"];
/// What NIFs of public bodies begin with.
const PUBLIC_BODIES: [char; 4] = ['P', 'Q', 'S', 'V'];
/// The rate of rented business premises.
const RENT: Amount = Amount::new(21, 0);

/// A row of the breakdown in the agency's terms.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row<'a> {
    /// Of list L8.
    pub(crate) regime: &'a str,
    /// VAT or IGIC: other taxes have no regimes.
    pub(crate) category: Category,
    /// Of list L9. None for what is exempt.
    pub(crate) class: Option<&'a str>,
    /// Of list L10.
    pub(crate) exemption: Option<&'a str>,
    /// None where no tax is charged.
    pub(crate) percent: Option<Amount>,
}

/// What regimes demand of the document around a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Document<'a> {
    /// None when the agency has no such type.
    pub(crate) doc_type: Option<DocType>,
    /// The recipient's.
    pub(crate) nif: Option<&'a str>,
    /// Whether the operation lies after the day of issue.
    pub(crate) is_billed_ahead: bool,
}

/// What a regime demands. Texts go on after `Regime 03 is for`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Demand {
    /// How the row is taxed.
    Treatment(&'static str),
    /// At which rate.
    Rate(&'static str),
    /// A base at cost.
    CostBase,
    /// As what the document goes out.
    DocType(&'static str),
    /// Who receives it.
    Recipient(&'static str),
    /// An operation after the day of issue.
    OperationDate,
}

/// A demand that is not met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Breach {
    /// The agency's code.
    pub(crate) code: &'static str,
    pub(crate) demand: Demand,
}

/// Whether an operation under this regime may lie after the day of issue (errors 1146 and 1173).
pub(crate) fn may_be_billed_ahead(regime: &str) -> bool {
    BILLED_AHEAD.contains(&regime)
}

/// What a row's regime demands in vain, in the agency's order.
pub(crate) fn breaches(row: Row<'_>, document: Document<'_>) -> Vec<Breach> {
    let is_class = |class: &str| row.class == Some(class);
    let is_exempt = row.exemption.is_some();
    let unless = |is_met: bool, code, demand| (!is_met).then_some(Breach { code, demand });
    let outside_by_place = Demand::Treatment("what is outside the scope by the place of supply");
    let found = match (row.regime, row.category) {
        ("02", _) => [unless(is_exempt, "1286", Demand::Treatment("exempt exports")), None, None],
        ("03", _) => [unless(is_class("S1"), "1200", Demand::Treatment("what is taxed")), None, None],
        ("04", _) => {
            let is_met = is_class("S2") || is_exempt;
            [unless(is_met, "1201", Demand::Treatment("reverse charge and exemptions")), None, None]
        }
        ("06", _) => [unless(false, "1202", Demand::CostBase), None, None],
        ("07", _) => {
            let is_inland = is_exempt && !matches!(row.exemption, Some("E2" | "E3" | "E4" | "E5"));
            let demand = Demand::Treatment("what is taxed, or exempt inside the country");
            [unless(is_class("S1") || is_inland, "1203", demand), None, None]
        }
        ("08", _) => [unless(is_class("N2"), "1252", outside_by_place), None, None],
        ("10", _) => [
            unless(is_class("N1"), "1205", Demand::Treatment("what is outside the scope")),
            unless(document.doc_type == Some(DocType::F1), "1205", Demand::DocType("invoices (F1)")),
            unless(document.nif.is_some(), "1205", Demand::Recipient("recipients with a NIF")),
        ],
        ("11", Category::Vat) => {
            let is_met = row.percent.is_some_and(|percent| percent.same_value(RENT));
            [unless(is_met, "1206", Demand::Rate("a rate of 21 %")), None, None]
        }
        ("14", _) => {
            let of_type =
                document.doc_type.is_some_and(|found| !found.is_simplified() && found != DocType::F3);
            let is_public = document.nif.is_some_and(|nif| nif.starts_with(PUBLIC_BODIES));
            let types = Demand::DocType("invoices (F1) and their corrections");
            let public = Demand::Recipient("public bodies, whose NIF begins with P, Q, S or V,");
            [
                unless(document.is_billed_ahead, "1147", Demand::OperationDate),
                unless(of_type, "1148", types),
                unless(is_public, "1149", public),
            ]
        }
        ("20", Category::Igic) => [unless(is_class("N2"), "1293", outside_by_place), None, None],
        _ => [None, None, None],
    };
    found.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: Document<'_> =
        Document { doc_type: Some(DocType::F1), nif: Some("B85905495"), is_billed_ahead: false };

    fn codes(regime: &str, category: Category, treatment: &str, document: Document<'_>) -> Vec<&'static str> {
        let is_exemption = treatment.starts_with('E');
        let row = Row {
            regime,
            category,
            class: (!is_exemption).then_some(treatment),
            exemption: is_exemption.then_some(treatment),
            percent: (treatment == "S1").then_some(Amount::new(210, 1)),
        };
        breaches(row, document).into_iter().map(|breach| breach.code).collect()
    }

    #[test]
    fn every_regime_is_for_some_treatments_and_not_for_others() {
        let all = ["S1", "S2", "N1", "N2", "E1", "E2", "E3", "E4", "E5", "E6"];
        let exemptions = &all[4..];
        for (regime, code, taken) in [
            ("02", "1286", exemptions),
            ("03", "1200", &["S1"][..]),
            ("04", "1201", &["S2", "E1", "E2", "E3", "E4", "E5", "E6"]),
            ("06", "1202", &[]),
            ("07", "1203", &["S1", "E1", "E6"]),
            ("08", "1252", &["N2"]),
            ("10", "1205", &["N1"]),
            ("11", "1206", &["S1"]),
        ] {
            for treatment in all {
                let expected = if taken.contains(&treatment) { vec![] } else { vec![code] };
                assert_eq!(
                    codes(regime, Category::Vat, treatment, DOCUMENT),
                    expected,
                    "{regime} {treatment}"
                );
            }
        }
        for regime in ["01", "05", "09", "15", "17", "18", "19", "20"] {
            for treatment in all {
                assert_eq!(
                    codes(regime, Category::Vat, treatment, DOCUMENT),
                    [""; 0],
                    "{regime} {treatment}"
                );
            }
        }
    }

    #[test]
    fn premises_are_rented_at_the_general_rate_of_vat() {
        let row = |percent| Row {
            regime: "11",
            category: Category::Vat,
            class: Some("S1"),
            exemption: None,
            percent: Some(percent),
        };
        assert_eq!(breaches(row(Amount::new(21, 0)), DOCUMENT), []);
        assert_eq!(breaches(row(Amount::new(100, 1)), DOCUMENT)[0].code, "1206");
        assert_eq!(codes("11", Category::Igic, "S1", DOCUMENT), [""; 0]);
    }

    #[test]
    fn code_20_of_the_islands_is_for_what_ipsi_is_charged_on() {
        assert_eq!(codes("20", Category::Igic, "S1", DOCUMENT), ["1293"]);
        assert_eq!(codes("20", Category::Igic, "N2", DOCUMENT), [""; 0]);
    }

    #[test]
    fn some_regimes_are_of_certain_documents() {
        let foreign = Document { nif: None, ..DOCUMENT };
        let credit = Document { doc_type: Some(DocType::R4), ..DOCUMENT };
        assert_eq!(codes("10", Category::Vat, "N1", foreign), ["1205"]);
        assert_eq!(codes("10", Category::Vat, "N1", credit), ["1205"]);
        assert_eq!(codes("10", Category::Vat, "S1", Document { nif: None, ..credit }), ["1205"; 3]);
        let town = Document { nif: Some("P2807900B"), is_billed_ahead: true, ..DOCUMENT };
        assert_eq!(codes("14", Category::Vat, "S1", town), [""; 0]);
        assert_eq!(codes("14", Category::Vat, "S1", DOCUMENT), ["1147", "1149"]);
        for (doc_type, expected) in
            [(DocType::R2, vec![]), (DocType::F2, vec!["1148"]), (DocType::F3, vec!["1148"])]
        {
            let document = Document { doc_type: Some(doc_type), ..town };
            assert_eq!(codes("14", Category::Igic, "S1", document), expected, "{doc_type:?}");
        }
    }
}
