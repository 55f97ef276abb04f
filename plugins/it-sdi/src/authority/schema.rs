//! Whether a file fits its schema: what can be wrong with the elements that are written, by the types of
//! `Schema_VFPR12_v1.2.3.xsd` and `Schema_VFSM10_v1.0.2.xsd`.

use einvoice_gobl::date::Date;
use einvoice_gobl::email::is_email;

use crate::fattura::{
    ADMINISTRATION_FORMAT, Address, Fattura, Line, PRIVATE_FORMAT, Payment, Summary, TaxId,
};
use crate::tables::{FISCAL_REGIMES, RETENTION_REASONS_OF_FILES};
use einvoice_gobl::decimal::Decimal;

const TYPES: [&str; 20] = [
    "TD01", "TD02", "TD03", "TD04", "TD05", "TD06", "TD16", "TD17", "TD18", "TD19", "TD20", "TD21", "TD22",
    "TD23", "TD24", "TD25", "TD26", "TD27", "TD28", "TD29",
];
const SIMPLIFIED_TYPES: [&str; 3] = ["TD07", "TD08", "TD09"];
const NATURES: [&str; 24] = [
    "N1", "N2", "N2.1", "N2.2", "N3", "N3.1", "N3.2", "N3.3", "N3.4", "N3.5", "N3.6", "N4", "N5", "N6",
    "N6.1", "N6.2", "N6.3", "N6.4", "N6.5", "N6.6", "N6.7", "N6.8", "N6.9", "N7",
];
/// How many of them a simplified document knows.
const SIMPLIFIED_NATURES: usize = 13;
const LINE_MAX: u32 = 9999;
const MEANS_MAX: u32 = 23;
const RATE_MAX: Decimal = Decimal::hundredths(10_000);
const AMOUNT_DIGITS_MAX: usize = 11;
const QUANTITY_DIGITS_MAX: usize = 12;

pub(super) fn is_valid(fattura: &Fattura) -> bool {
    let body = if fattura.is_simplified() { is_simplified_body(fattura) } else { is_ordinary_body(fattura) };
    is_transmission(fattura) && are_parties(fattura) && is_heading(fattura) && body
}

fn is_transmission(fattura: &Fattura) -> bool {
    let format = [ADMINISTRATION_FORMAT, PRIVATE_FORMAT].contains(&fattura.format.as_str());
    let code = fattura.destination.as_str();
    let mail = fattura.certified_mail.as_deref();
    let length = if fattura.is_simplified() { 7..=7 } else { 6..=7 };
    (format || fattura.is_simplified())
        && is_basic(&fattura.progressive, 10)
        && length.contains(&code.len())
        && code.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        && mail.is_none_or(|mail| is_email(mail) && mail.is_ascii() && mail.len() <= 256)
}

fn are_parties(fattura: &Fattura) -> bool {
    let (supplier, customer) = (&fattura.supplier, &fattura.customer);
    let registration = supplier.registration.as_ref();
    let fiscal_code = |code: &String| {
        (11..=16).contains(&code.len())
            && code.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    };
    is_tax_id(&supplier.tax_id)
        && is_latin(&supplier.name, 80)
        && FISCAL_REGIMES.contains(&supplier.regime.as_str())
        && is_address(&supplier.address)
        && registration.is_none_or(|registration| {
            is_capitals(&registration.office, 2)
                && is_basic(&registration.entry, 20)
                && registration.capital.is_none_or(is_amount)
        })
        && customer.tax_id.as_ref().is_none_or(is_tax_id)
        && customer.fiscal_code.as_ref().is_none_or(fiscal_code)
        && is_latin(&customer.name, 80)
        && is_address(&customer.address)
}

fn is_tax_id(id: &TaxId) -> bool {
    is_capitals(&id.country, 2) && (1..=28).contains(&id.code.chars().count())
}

fn is_address(address: &Address) -> bool {
    is_latin(&address.street, 60)
        && address.house_number.as_ref().is_none_or(|number| is_basic(number, 8))
        && address.postcode.len() == 5
        && address.postcode.bytes().all(|byte| byte.is_ascii_digit())
        && is_latin(&address.locality, 60)
        && address.province.as_ref().is_none_or(|province| is_capitals(province, 2))
        && is_capitals(&address.country, 2)
}

fn is_heading(fattura: &Fattura) -> bool {
    let types = if fattura.is_simplified() { &SIMPLIFIED_TYPES[..] } else { &TYPES[..] };
    let references = &fattura.references;
    types.contains(&fattura.doc_type.as_str())
        && is_capitals(&fattura.currency, 3)
        && is_date(&fattura.date)
        && is_basic(&fattura.number, 20)
        && references.iter().all(|reference| {
            is_basic(&reference.number, 20) && reference.date.as_ref().is_none_or(|date| is_date(date))
        })
        && !fattura.lines.is_empty()
        && fattura.lines.iter().all(|line| is_line(line, fattura.is_simplified()))
}

fn is_line(line: &Line, simplified: bool) -> bool {
    let days = |(start, end): &(String, String)| is_date(start) && is_date(end);
    is_latin(&line.description, 1000)
        && is_rate(line.rate)
        && line.nature.as_deref().is_none_or(|nature| is_nature(nature, simplified))
        && (1..=LINE_MAX).contains(&line.index)
        && line.quantity.whole_digits() <= QUANTITY_DIGITS_MAX
        && line.period.as_ref().is_none_or(days)
        && [line.price, line.total, line.total_with_tax].into_iter().all(is_amount)
}

/// Retained taxes have no place there: a file without them would ask for more than is due.
fn is_simplified_body(fattura: &Fattura) -> bool {
    let first = fattura.references.first();
    fattura.retentions.is_empty()
        && first
            .is_none_or(|reference| reference.date.is_some() && reference.reason.chars().all(is_latin_char))
}

fn is_ordinary_body(fattura: &Fattura) -> bool {
    let retentions = fattura.retentions.iter().all(|retention| {
        !retention.kind.is_empty()
            && is_amount(retention.amount)
            && is_rate(retention.rate)
            && RETENTION_REASONS_OF_FILES.contains(&retention.reason.as_str())
    });
    retentions
        && is_amount(fattura.total)
        && fattura.remarks.iter().all(|remark| is_latin(remark, 200))
        && !fattura.summary.is_empty()
        && fattura.summary.iter().all(is_row)
        && fattura.payments.iter().all(is_payment)
}

fn is_row(row: &Summary) -> bool {
    is_rate(row.rate)
        && row.nature.as_deref().is_none_or(|nature| is_nature(nature, false))
        && is_amount(row.base)
        && is_amount(row.tax)
        && row.liability.as_deref().is_none_or(|liability| ["D", "I", "S"].contains(&liability))
}

fn is_payment(payment: &Payment) -> bool {
    let means = payment.means.strip_prefix("MP").filter(|digits| digits.len() == 2);
    let means = means.and_then(|digits| digits.parse().ok()).unwrap_or(0);
    let is_iban = |iban: &String| {
        (15..=34).contains(&iban.len())
            && iban.bytes().enumerate().all(|(at, byte)| match at {
                0 | 1 => byte.is_ascii_alphabetic(),
                2 | 3 => byte.is_ascii_digit(),
                _ => byte.is_ascii_alphanumeric(),
            })
    };
    (1..=MEANS_MAX).contains(&means)
        && payment.beneficiary.as_ref().is_none_or(|name| is_latin(name, 200))
        && payment.due_date.as_ref().is_none_or(|date| is_date(date))
        && is_amount(payment.amount)
        && payment.iban.as_ref().is_none_or(is_iban)
}

fn is_nature(nature: &str, simplified: bool) -> bool {
    let known = if simplified { SIMPLIFIED_NATURES } else { NATURES.len() };
    NATURES.iter().take(known).any(|one| *one == nature)
}

fn is_amount(amount: Decimal) -> bool {
    amount.whole_digits() <= AMOUNT_DIGITS_MAX
}

fn is_rate(rate: Decimal) -> bool {
    !rate.is_negative() && rate <= RATE_MAX && rate.is_in_hundredths()
}

fn is_date(text: &str) -> bool {
    text.parse().is_ok_and(|day: Date| day >= Date::new(1970, 1, 1))
}

fn is_latin_char(character: char) -> bool {
    u32::from(character) <= 0xFF && !character.is_control()
}

/// `String…LatinType`.
fn is_latin(text: &str, chars_max: usize) -> bool {
    (1..=chars_max).contains(&text.chars().count()) && text.chars().all(is_latin_char)
}

/// `String…Type`.
fn is_basic(text: &str, chars_max: usize) -> bool {
    (1..=chars_max).contains(&text.len()) && text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

fn is_capitals(text: &str, chars: usize) -> bool {
    text.len() == chars && text.bytes().all(|byte| byte.is_ascii_uppercase())
}
