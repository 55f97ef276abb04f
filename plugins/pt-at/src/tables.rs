//! Rates by region, exemptions, document types and what documents may say besides.

use einvoice_eu::check::{Rules, TOTAL_DIGITS_MAX};
use einvoice_eu::payment::Means;
use einvoice_eu::taxes::{Exemption, Rate, exemption, rate};
use einvoice_gobl::date::Date;
use einvoice_gobl::ext::ExtKey;
use einvoice_plugin::{Amount, DocumentKind, Invoice};

/// The document type (`InvoiceType`).
pub const EXT_DOCUMENT_TYPE: &str = "pt-saft-invoice-type";
/// Who made the document (`SourceBilling`): `P`, this program.
pub const EXT_SOURCE: &str = "pt-saft-source";
/// Where the tax is due (`TaxCountryRegion`).
pub const EXT_REGION: &str = "pt-region";
/// Which of the region's rates it is (`TaxCode`).
pub const EXT_TAX_RATE: &str = "pt-saft-tax-rate";
/// Why there is no VAT (`TaxExemptionCode`).
pub const EXT_EXEMPTION: &str = "pt-saft-exemption";
/// Goods or services (`ProductType`).
pub const EXT_PRODUCT_TYPE: &str = "pt-saft-product-type";
/// How it was paid (`PaymentMechanism`).
pub const EXT_PAYMENT_MEANS: &str = "pt-saft-payment-means";
/// How it was paid, by the format's key.
pub const PAYMENT_MEANS: &str = "payment-means";

/// What documents and lines may say in `ext`.
pub const EXT: &[ExtKey] = &[
    ExtKey::of_document(&[EXT_DOCUMENT_TYPE, "doc-type"], "Type of an invoice: FT, or FR once it is paid"),
    ExtKey::of_document(&[PAYMENT_MEANS], "How an invoice-receipt (FR) was paid: cash, card and others"),
    ExtKey::of_any_tax(
        &[EXT_REGION, "region"],
        "Where the tax is due: PT, PT-AC (Azores) or PT-MA (Madeira)",
    ),
    ExtKey::of_any_tax(
        &[EXT_PRODUCT_TYPE, "product-type"],
        "What is sold: S services, P goods, O other, E excise duties, I fees",
    ),
    ExtKey::of_tax(
        &[EXT_EXEMPTION, "exemption"],
        "Why there is no VAT, as the line's exemption says it: M01 to M99",
    ),
    ExtKey::of_tax(&[EXT_TAX_RATE], "Which rate it is, as the line's percent says it: NOR, INT, RED or ISE"),
];

/// Mainland, Azores, Madeira (`TaxCountryRegion`).
pub const REGIONS: [&str; 3] = [MAINLAND, "PT-AC", "PT-MA"];
/// The mainland.
pub const MAINLAND: &str = "PT";
/// `ProductType`.
pub const PRODUCT_TYPES: [&str; 5] = ["P", "S", "O", "E", "I"];
/// `TaxCode` of what is not taxed.
pub const EXEMPT: &str = "ISE";

/// The first day of documents with an ATCUD.
const FIRST_DAY: Date = Date::new(2023, 1, 1);
/// Madeira's reduced rate fell to 4 %.
pub(crate) const MADEIRA_REDUCED: Date = Date::new(2024, 10, 1);

/// A rate of a region from a day on; of a region and key, the newest stands first.
#[derive(Debug, Clone, Copy)]
pub struct RegionRate {
    /// `TaxCountryRegion`.
    pub region: &'static str,
    /// `TaxCode`.
    pub code: &'static str,
    /// The format's key.
    pub key: &'static str,
    /// 23 for 23 %.
    pub percent: Amount,
    /// The first day.
    pub since: Date,
}

const fn of(
    region: &'static str,
    code: &'static str,
    key: &'static str,
    percent: i64,
    since: Date,
) -> RegionRate {
    RegionRate { region, code, key, percent: Amount::new(percent, 0), since }
}

/// All rates since documents have an ATCUD.
pub const REGION_RATES: &[RegionRate] = &[
    of(MAINLAND, "NOR", "general", 23, FIRST_DAY),
    of(MAINLAND, "INT", "intermediate", 13, FIRST_DAY),
    of(MAINLAND, "RED", "reduced", 6, FIRST_DAY),
    of("PT-AC", "NOR", "general", 16, FIRST_DAY),
    of("PT-AC", "INT", "intermediate", 9, FIRST_DAY),
    of("PT-AC", "RED", "reduced", 4, FIRST_DAY),
    of("PT-MA", "NOR", "general", 22, FIRST_DAY),
    of("PT-MA", "INT", "intermediate", 12, FIRST_DAY),
    of("PT-MA", "RED", "reduced", 4, MADEIRA_REDUCED),
    of("PT-MA", "RED", "reduced", 5, FIRST_DAY),
];

/// The region's rate of this percent that is in force on a day.
pub fn region_rate(region: &str, percent: Amount, day: Date) -> Option<&'static RegionRate> {
    let of_region = |rate: &&RegionRate| rate.region == region && rate.since <= day;
    REGION_RATES.iter().enumerate().find_map(|(at, rate)| {
        let newer = REGION_RATES.iter().take(at).filter(of_region).any(|newer| newer.key == rate.key);
        (of_region(&rate) && !newer && rate.percent.same_value(percent)).then_some(rate)
    })
}

/// The same rates, each under a key of its own, as the description lists them.
pub const RATES: &[Rate] = &[
    rate("general", "Normal rate", 23, None),
    rate("intermediate", "Intermediate rate", 13, None),
    rate("reduced", "Reduced rate", 6, None),
    rate("azores_general", "Normal rate, Azores", 16, None),
    rate("azores_intermediate", "Intermediate rate, Azores", 9, None),
    rate("azores_reduced", "Reduced rate, Azores", 4, None),
    rate("madeira_general", "Normal rate, Madeira", 22, None),
    rate("madeira_intermediate", "Intermediate rate, Madeira", 12, None),
    rate("madeira_reduced", "Reduced rate, Madeira", 4, Some(MADEIRA_REDUCED)),
    rate("madeira_reduced", "Reduced rate, Madeira", 5, Some(FIRST_DAY)),
];

/// Why no VAT is charged (`TaxExemptionCode`). M34 is left out: the format's add-on makes M40 of it.
pub const EXEMPTIONS: &[Exemption] = &[
    exemption(
        "m01",
        "Article 16.6 a) to d) of the VAT code: sums received on behalf of the recipient",
        "exempt",
        "M01",
    ),
    exemption("m02", "Article 6 of Decree-Law 198/90: supplies to exporters", "exempt", "M02"),
    exemption("m04", "Article 13 of the VAT code: imports", "export", "M04"),
    exemption("m05", "Article 14 of the VAT code: exports", "export", "M05"),
    exemption("m06", "Article 15 of the VAT code: suspension regimes", "exempt", "M06"),
    exemption("m07", "Article 9 of the VAT code: health, education, rentals and others", "exempt", "M07"),
    exemption("m09", "Article 62 b) of the VAT code: no right to deduct", "exempt", "M09"),
    exemption("m10", "Article 57 of the VAT code: small businesses", "exempt", "M10"),
    exemption("m11", "Decree-Law 346/85: tobacco", "exempt", "M11"),
    exemption("m12", "Decree-Law 221/85: travel agencies", "exempt", "M12"),
    exemption("m13", "Decree-Law 199/96: second-hand goods", "exempt", "M13"),
    exemption("m14", "Decree-Law 199/96: works of art", "exempt", "M14"),
    exemption("m15", "Decree-Law 199/96: collectors' items and antiques", "exempt", "M15"),
    exemption("m16", "Article 14 of the RITI: intra-Community supplies", "intra-community", "M16"),
    exemption("m19", "Other exemptions of temporary laws", "exempt", "M19"),
    exemption("m20", "Article 59-D.2 of the VAT code: flat-rate scheme of farmers", "exempt", "M20"),
    exemption("m21", "Article 72.4 of the VAT code: resale of fuel", "exempt", "M21"),
    exemption("m25", "Article 38.1 a) of the VAT code: goods on consignment", "exempt", "M25"),
    exemption("m26", "Law 17/2023: basket of basic foods, until 4 January 2024", "exempt", "M26"),
    exemption(
        "m30",
        "Reverse charge, article 2.1 i) of the VAT code: waste and scrap",
        "reverse-charge",
        "M30",
    ),
    exemption("m31", "Reverse charge, article 2.1 j) of the VAT code: construction", "reverse-charge", "M31"),
    exemption(
        "m32",
        "Reverse charge, article 2.1 l) of the VAT code: emission rights",
        "reverse-charge",
        "M32",
    ),
    exemption(
        "m33",
        "Reverse charge, article 2.1 m) of the VAT code: cork and wood",
        "reverse-charge",
        "M33",
    ),
    exemption(
        "m40",
        "Reverse charge, article 6.6 a) of the VAT code: services abroad",
        "reverse-charge",
        "M40",
    ),
    exemption(
        "m41",
        "Reverse charge, article 8.3 of the RITI: triangular operations",
        "reverse-charge",
        "M41",
    ),
    exemption("m42", "Reverse charge, Decree-Law 21/2007: real estate", "reverse-charge", "M42"),
    exemption("m43", "Reverse charge, Decree-Law 362/99: investment gold", "reverse-charge", "M43"),
    exemption("m44", "Article 6 of the VAT code: services located elsewhere", "outside-scope", "M44"),
    exemption("m45", "Article 58-A of the VAT code: cross-border exemption", "outside-scope", "M45"),
    exemption("m46", "Decree-Law 19/2017: tax-free sales to travellers", "outside-scope", "M46"),
    exemption("m99", "Not subject to VAT, or not taxed", "outside-scope", "M99"),
];

/// The last day of [`FOOD_BASKET`].
pub const FOOD_BASKET_LAST_DAY: Date = Date::new(2024, 1, 4);
/// The exemption that is over.
pub const FOOD_BASKET: &str = "m26";

/// Taxes a recipient withholds (`WithholdingTaxType`).
pub const RETENTIONS: &[(&str, &str)] =
    &[("IRS", "Income tax of natural persons"), ("IRC", "Income tax of companies")];

/// The field of the QR code has no place for rates of no region; a rate of nought is an exemption.
fn rate_refused(percent: Amount) -> Option<String> {
    percent
        .is_zero()
        .then(|| "Portugal has no VAT of 0 %; name the exemption (M01 to M99) instead.".to_owned())
}

/// What the AT demands of any document.
pub const RULES: Rules = Rules {
    country: "PT",
    system: "AT",
    currency: Some("EUR"),
    kinds: &[
        DocumentKind::Invoice,
        DocumentKind::SimplifiedInvoice,
        DocumentKind::CreditNote,
        DocumentKind::DebitNote,
    ],
    name_chars_max: 100,
    description_chars_max: 200,
    number_chars_max: 60,
    notes_chars_max: 1000,
    total_digits_max: TOTAL_DIGITS_MAX,
    latin1: false,
    first_issue_date: Some(FIRST_DAY),
    future_refused: true,
    supplier_address: Some(&["street", "locality", "postcode", "country"]),
    recipient_address: None,
    anonymous: may_be_anonymous,
    rates: RATES,
    rate_refused,
    exemptions: EXEMPTIONS,
    retentions: RETENTIONS,
};

/// A simplified invoice, and what corrects one, may go to somebody unknown: the final consumer.
fn may_be_anonymous(invoice: &Invoice) -> bool {
    let simplified = |kind: DocumentKind| kind == DocumentKind::SimplifiedInvoice;
    let corrects_simplified =
        !invoice.preceding.is_empty() && invoice.preceding.iter().all(|one| simplified(one.kind));
    simplified(invoice.kind) || (is_correction(invoice.kind) && corrects_simplified)
}

/// Whether a document corrects another.
pub fn is_correction(kind: DocumentKind) -> bool {
    matches!(kind, DocumentKind::CreditNote | DocumentKind::DebitNote)
}

/// An invoice that is its own receipt.
pub const INVOICE_RECEIPT: &str = "FR";
/// A credit note, whose lines stand on the other side.
pub const CREDIT_NOTE: &str = "NC";

/// All types of sales documents that are issued here (`InvoiceType`).
pub const DOC_TYPES: [&str; 5] = ["FT", "FS", INVOICE_RECEIPT, CREDIT_NOTE, "ND"];

/// The types a document of a kind may have, the usual one first.
pub const fn doc_types(kind: DocumentKind) -> &'static [&'static str] {
    match kind {
        DocumentKind::Invoice | DocumentKind::ReplacementInvoice => &["FT", INVOICE_RECEIPT],
        DocumentKind::SimplifiedInvoice => &["FS"],
        DocumentKind::CreditNote => &[CREDIT_NOTE],
        DocumentKind::DebitNote => &["ND"],
    }
}

/// Means of payment with the codes of SAF-T (`PaymentMechanism`).
pub const MEANS: Means = &[
    ("card", "CC"),
    ("card+debit", "CD"),
    ("cash", "NU"),
    ("cheque", "CH"),
    ("credit-transfer", "TB"),
    ("debit-transfer", "TB"),
    ("direct-debit", "TB"),
    ("netting", "CS"),
    ("online", "DE"),
    ("promissory-note", "LC"),
    ("other", "OU"),
];

/// The code of means of payment.
pub fn means_code(key: &str) -> Option<&'static str> {
    MEANS.iter().find(|(known, _)| *known == key).map(|(_, code)| *code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_exemption_has_its_own_code() {
        let codes: Vec<_> = EXEMPTIONS.iter().map(|exemption| exemption.code).collect();
        assert_eq!(codes.len(), 31);
        assert!(codes.is_sorted() && codes.iter().enumerate().all(|(at, code)| !codes[..at].contains(code)));
        assert!(EXEMPTIONS.iter().all(|exemption| exemption.key == exemption.code.to_lowercase()));
    }

    #[test]
    fn a_percent_is_a_rate_of_its_region_while_it_is_in_force() {
        let code = |region: &str, percent, day: &str| {
            region_rate(region, Amount::new(percent, 0), day.parse().unwrap()).map(|rate| rate.code)
        };
        assert_eq!(code("PT", 23, "2026-11-20"), Some("NOR"));
        assert_eq!(code("PT", 22, "2026-11-20"), None);
        assert_eq!(code("PT-MA", 22, "2026-11-20"), Some("NOR"));
        assert_eq!(code("PT-AC", 9, "2026-11-20"), Some("INT"));
        assert_eq!(code("PT-MA", 5, "2024-09-30"), Some("RED"));
        assert_eq!(code("PT-MA", 5, "2024-10-01"), None);
        assert_eq!(code("PT-MA", 4, "2024-10-01"), Some("RED"));
        assert_eq!(code("PT-MA", 4, "2024-09-30"), None);
        assert_eq!(code("PT", 23, "2022-12-31"), None);
    }

    #[test]
    fn the_description_lists_every_rate_of_a_region() {
        let percents = |rates: Vec<Amount>| rates.iter().map(ToString::to_string).collect::<Vec<_>>();
        let of_regions = percents(REGION_RATES.iter().map(|rate| rate.percent).collect());
        assert_eq!(percents(RATES.iter().map(|rate| rate.percent).collect()), of_regions);
    }
}
