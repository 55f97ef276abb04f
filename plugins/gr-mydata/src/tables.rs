//! Rates, exemptions, classifications of income, means of payment.

use einvoice_eu::payment::Means;
use einvoice_eu::taxes::{Exemption, Rate, exemption, rate};
use einvoice_gobl::date::Date;
use einvoice_gobl::ext::ExtKey;
use einvoice_plugin::Amount;

/// The document type (`invoiceType`).
pub const EXT_INVOICE_TYPE: &str = "gr-mydata-invoice-type";
/// The category of the rate (`vatCategory`).
pub const EXT_VAT_RATE: &str = "gr-mydata-vat-rate";
/// Why there is no VAT (`vatExemptionCategory`).
pub const EXT_EXEMPTION: &str = "gr-mydata-exemption";
/// How it is paid (`paymentMethodDetails/type`).
pub const EXT_PAYMENT_MEANS: &str = "gr-mydata-payment-means";
/// What the income is from (`classificationCategory`).
pub const EXT_INCOME_CATEGORY: &str = "gr-mydata-income-cat";
/// Where the income stands in the form E3 (`classificationType`).
pub const EXT_INCOME_TYPE: &str = "gr-mydata-income-type";

/// The category of what is not taxed.
pub const UNTAXED: &str = "7";

/// What documents and lines may say in `ext`.
pub const EXT: &[ExtKey] = &[
    ExtKey::of_document(
        &[EXT_INVOICE_TYPE, "invoice-type"],
        "Type of the document: 2.1, 5.2, 11.1 and others",
    ),
    ExtKey::of_document(&[EXT_PAYMENT_MEANS, "payment-means"], "How it is paid: 1 to 7, 5 is on credit"),
    ExtKey::of_tax(
        &[EXT_INCOME_CATEGORY, "income-category"],
        "What the income is from: category1_3 is services",
    ),
    ExtKey::of_tax(&[EXT_INCOME_TYPE, "income-type"], "Where the income stands in the form E3: E3_561_001"),
    ExtKey::of_tax(
        &[EXT_EXEMPTION, "exemption"],
        "Why there is no VAT, as the line's exemption says it: 1 to 31",
    ),
];

/// 1 June 2016.
const LAW_4389: Option<Date> = Some(Date::new(2016, 6, 1));
/// 20 July 2015.
const LAW_4334: Option<Date> = Some(Date::new(2015, 7, 20));
/// 1 January 2011.
const LAW_3899: Option<Date> = Some(Date::new(2011, 1, 1));

/// VAT (ΦΠΑ). On islands with reduced rates they are lower by 30 %.
pub const RATES: &[Rate] = &[
    rate("general", "General rate", 24, LAW_4389),
    rate("reduced", "Reduced rate", 13, LAW_3899),
    rate("super-reduced", "Super-reduced rate", 6, LAW_4334),
    rate("general+island", "General rate on islands", 17, LAW_4389),
    rate("reduced+island", "Reduced rate on islands", 9, LAW_3899),
    rate("super-reduced+island", "Super-reduced rate on islands", 4, LAW_4334),
];

/// `vatCategory` of each row of [`RATES`].
const VAT_CATEGORIES: [&str; 6] = ["1", "2", "3", "4", "5", "6"];

/// `vatCategory` of a percent; none when myDATA has none for it, or the format does not know it (3 %).
pub fn vat_category(percent: Amount) -> Option<&'static str> {
    let at = RATES.iter().position(|rate| rate.percent.same_value(percent))?;
    VAT_CATEGORIES.get(at).copied()
}

const fn article(key: &'static str, title: &'static str, format_key: &'static str) -> Exemption {
    // The key is the code behind `e`.
    let (_, code) = key.split_at(1);
    exemption(key, title, format_key, code)
}

/// Why no VAT is charged (`vatExemptionCategory`), each with the situation that the format has for it.
pub const EXEMPTIONS: &[Exemption] = &[
    article("e1", "Without VAT, article 3 of the VAT Code", "outside-scope"),
    article("e2", "Without VAT, article 5 of the VAT Code", "outside-scope"),
    article("e3", "Without VAT, article 13 of the VAT Code", "exempt"),
    article("e4", "Without VAT, article 14 of the VAT Code (place of supply of services)", "outside-scope"),
    article("e5", "Without VAT, article 16 of the VAT Code", "exempt"),
    article("e6", "Without VAT, article 19 of the VAT Code", "exempt"),
    article("e7", "Without VAT, article 22 of the VAT Code (exempt supplies)", "exempt"),
    article("e8", "Without VAT, article 24 of the VAT Code (exports)", "export"),
    article("e9", "Without VAT, article 25 of the VAT Code", "export"),
    article("e10", "Without VAT, article 26 of the VAT Code", "export"),
    article("e11", "Without VAT, article 27 of the VAT Code", "exempt"),
    article("e12", "Without VAT, article 27 of the VAT Code, seagoing vessels", "exempt"),
    article("e13", "Without VAT, article 27.1.c of the VAT Code, seagoing vessels", "exempt"),
    article("e14", "Without VAT, article 28 of the VAT Code (intra-Community supplies)", "intra-community"),
    article("e15", "Without VAT, article 39 of the VAT Code (small businesses)", "exempt"),
    article("e16", "Without VAT, article 39a of the VAT Code (reverse charge)", "reverse-charge"),
    article("e17", "Without VAT, article 40 of the VAT Code", "exempt"),
    article("e18", "Without VAT, article 41 of the VAT Code", "exempt"),
    article("e19", "Without VAT, article 47 of the VAT Code", "exempt"),
    article("e20", "VAT included, article 43 of the VAT Code (travel agencies)", "exempt"),
    article("e21", "VAT included, article 44 of the VAT Code", "exempt"),
    article("e22", "VAT included, article 45 of the VAT Code (second-hand goods)", "exempt"),
    article("e23", "VAT included, article 46 of the VAT Code", "exempt"),
    article("e24", "Without VAT, article 6 of the VAT Code", "outside-scope"),
    article("e25", "Without VAT, circular 1029/1995", "exempt"),
    article("e26", "Without VAT, circular 1167/2015", "exempt"),
    article("e27", "Other exemptions from VAT", "exempt"),
    article("e28", "Without VAT, article 24.1.b of the VAT Code (tax free)", "export"),
    article("e29", "Without VAT, article 47b of the VAT Code (OSS, non-Union scheme)", "outside-scope"),
    article("e30", "Without VAT, article 47c of the VAT Code (OSS, Union scheme)", "outside-scope"),
    article("e31", "Without VAT, article 47d of the VAT Code (IOSS)", "outside-scope"),
];

/// What income is from, as lines may say it (`IncomeClassificationCategoryType`).
pub const INCOME_CATEGORIES: [&str; 11] = [
    "category1_1",
    "category1_2",
    "category1_3",
    "category1_4",
    "category1_5",
    "category1_6",
    "category1_7",
    "category1_8",
    "category1_9",
    "category1_10",
    "category1_95",
];

/// Where income stands in the form E3, as lines may say it (`IncomeClassificationValueType`).
pub const INCOME_TYPES: [&str; 34] = [
    "E3_106",
    "E3_205",
    "E3_210",
    "E3_305",
    "E3_310",
    "E3_318",
    "E3_561_001",
    "E3_561_002",
    "E3_561_003",
    "E3_561_004",
    "E3_561_005",
    "E3_561_006",
    "E3_561_007",
    "E3_562",
    "E3_563",
    "E3_564",
    "E3_565",
    "E3_566",
    "E3_567",
    "E3_568",
    "E3_570",
    "E3_595",
    "E3_596",
    "E3_597",
    "E3_880_001",
    "E3_880_002",
    "E3_880_003",
    "E3_880_004",
    "E3_881_001",
    "E3_881_002",
    "E3_881_003",
    "E3_881_004",
    "E3_598_001",
    "E3_598_003",
];

/// Means of payment with myDATA's codes.
pub const MEANS: Means = &[
    ("credit-transfer", "1"),
    ("credit-transfer+foreign", "2"),
    ("cash", "3"),
    ("cheque", "4"),
    ("promissory-note", "5"),
    ("online", "6"),
    ("card", "7"),
];

/// The code of what is on credit: nothing says how it was paid.
pub const ON_CREDIT: &str = "5";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_exemption_has_its_own_code() {
        let codes: Vec<_> = EXEMPTIONS.iter().map(|exemption| exemption.code.to_owned()).collect();
        assert_eq!(codes, (1..=31).map(|code| code.to_string()).collect::<Vec<_>>());
    }

    #[test]
    fn every_rate_has_its_category_and_no_other_percent_has_one() {
        let category = |percent| vat_category(Amount::new(percent, 1));
        let known = [240, 130, 60, 170, 90, 40].map(category);
        assert_eq!(known, VAT_CATEGORIES.map(Some));
        assert_eq!([0, 30, 230, 241].map(category), [None; 4]);
    }
}
