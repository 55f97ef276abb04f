//! Whether a record fits its schema: what can be wrong with the elements that are written, by the types of
//! `InvoicesDoc-v2.0.2.xsd`.

use einvoice_gobl::country;
use einvoice_gobl::date::Date;

use crate::check::is_mark;
use crate::invoices_doc::{Income, InvoicesDoc, Line, Party, Tax};
use crate::tables::{INCOME_CATEGORIES, INCOME_TYPES};
use einvoice_gobl::decimal::Decimal;

/// `InvoiceType`: those of suppliers, then the others.
const TYPES: [&str; 55] = [
    "1.1", "1.2", "1.3", "1.4", "1.5", "1.6", "2.1", "2.2", "2.3", "2.4", "5.1", "5.2", "6.1", "6.2", "7.1",
    "8.1", "8.2", "8.4", "8.5", "8.6", "11.1", "11.2", "11.3", "11.4", "11.5", "3.1", "3.2", "4", "9.1",
    "9.2", "9.3", "10.1", "10.2", "12", "13.1", "13.2", "13.3", "13.4", "13.30", "13.31", "14.1", "14.2",
    "14.3", "14.4", "14.5", "14.30", "14.31", "15.1", "16.1", "17.1", "17.2", "17.3", "17.4", "17.5", "17.6",
];
/// How many of them a supplier sends.
const TYPES_OF_SUPPLIERS: usize = 25;
/// Countries of ISO 3166 that are not in `CountryType`.
const MISSING_COUNTRIES: [&str; 4] = ["BQ", "CW", "SS", "SX"];
/// Above the largest amount: 15 digits in all.
const AMOUNT_LIMIT: Decimal = Decimal::hundredths(1_000_000_000_000_000);

/// Whether a type is one of a supplier's documents.
pub(super) fn is_of_suppliers(doc_type: &str) -> bool {
    TYPES.iter().take(TYPES_OF_SUPPLIERS).any(|known| *known == doc_type)
}

pub(super) fn is_valid(record: &InvoicesDoc) -> bool {
    is_party(&record.issuer)
        && record.counterpart.as_ref().is_none_or(is_party)
        && is_header(record)
        && record.payment_means.as_deref().is_none_or(|means| is_number(means, 8))
        && !record.lines.is_empty()
        && record.lines.iter().all(is_line)
        && record.taxes.iter().all(is_tax)
        && [record.net, record.vat, record.gross].into_iter().all(is_amount)
}

fn is_header(record: &InvoicesDoc) -> bool {
    let currency = record.currency.as_bytes();
    is_within(&record.series, 50)
        && is_within(&record.aa, 50)
        && record.date.parse::<Date>().is_ok()
        && TYPES.contains(&record.doc_type.as_str())
        && currency.len() == 3
        && currency.iter().all(u8::is_ascii_uppercase)
        && record.correlated.iter().all(|mark| is_mark(mark))
}

fn is_party(party: &Party) -> bool {
    let address = party.address.as_ref();
    is_within(&party.vat_number, 30)
        && country::normalise(&party.country) == Some(party.country.as_str())
        && !MISSING_COUNTRIES.contains(&party.country.as_str())
        && party.name.as_ref().is_none_or(|name| is_within(name, 200))
        && address.is_none_or(|address| {
            address.street.as_ref().is_none_or(|street| is_within(street, 150))
                && is_within(&address.city, 150)
        })
}

fn is_line(line: &Line) -> bool {
    line.index > 0
        && i32::try_from(line.index).is_ok()
        && is_amount(line.net)
        && is_number(&line.vat_category, 10)
        && is_amount(line.vat)
        && line.exemption.as_ref().is_none_or(|exemption| is_number(exemption, 31))
        && line.income.as_ref().is_none_or(is_income)
}

fn is_income(income: &Income) -> bool {
    let (kind, category) = (income.kind.as_str(), income.category.as_str());
    INCOME_TYPES.contains(&kind) && (INCOME_CATEGORIES.contains(&category) || category == "category3")
}

fn is_tax(tax: &Tax) -> bool {
    let category = tax.category.as_ref();
    is_number(&tax.kind, 5)
        && category.is_none_or(|category| is_number(category, i32::MAX))
        && is_amount(tax.amount)
}

fn is_within(text: &str, chars_max: usize) -> bool {
    text.chars().count() <= chars_max
}

/// Whether a text is a whole number from 1 on.
fn is_number(text: &str, max: i32) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
        && text.parse::<i32>().is_ok_and(|number| (1..=max).contains(&number))
}

fn is_amount(amount: Decimal) -> bool {
    !amount.is_negative() && amount.rounded() < AMOUNT_LIMIT
}
