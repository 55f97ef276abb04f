//! Whether a file fits its schema: what can be wrong with the elements that are written, by the types of
//! `SAFTPT1.04_01.xsd`.

use einvoice_gobl::date::Date;

use crate::saft::{Address, AuditFile, Line, Payment, Settlement, Tax};
use crate::tables::{DOC_TYPES, MEANS, PRODUCT_TYPES, REGIONS};
use einvoice_gobl::decimal::Decimal;

const SIGNATURE_CHARS_MAX: usize = 172;

pub(super) fn is_valid(file: &AuditFile) -> bool {
    is_header(file) && is_master(file) && is_document(file)
}

fn is_header(file: &AuditFile) -> bool {
    let postcode = &file.company_address.postcode;
    let digits = |byte: (usize, u8)| if byte.0 == 4 { byte.1 == b'-' } else { byte.1.is_ascii_digit() };
    is_number(&file.tax_number)
        && is_text(&file.company_name, 100)
        && is_address(&file.company_address)
        && postcode.len() == 8
        && postcode.bytes().enumerate().all(digits)
        && file.company_address.country == "PT"
        && file.currency == "EUR"
        && !file.certificate_number.is_empty()
        && file.certificate_number.bytes().all(|byte| byte.is_ascii_digit())
        && file.entry.entered.len() == "2026-11-20T08:30:00".len()
}

/// `SAFPTPortugueseVatNumber`.
fn is_number(text: &str) -> bool {
    text.len() == 9 && !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_master(file: &AuditFile) -> bool {
    let customer = &file.customer;
    is_text(&customer.tax_number, 30)
        && is_text(&customer.name, 100)
        && is_address(&customer.address)
        && file.products.iter().all(|product| {
            PRODUCT_TYPES.contains(&product.kind.as_str())
                && (2..=200).contains(&product.description.chars().count())
        })
        && file.tax_table.iter().all(is_tax)
}

fn is_address(address: &Address) -> bool {
    is_text(&address.detail, 210)
        && is_text(&address.city, 50)
        && is_text(&address.postcode, 20)
        && address.region.as_ref().is_none_or(|region| is_text(region, 50))
        && is_text(&address.country, 12)
}

fn is_tax(tax: &Tax) -> bool {
    REGIONS.contains(&tax.region.as_str()) && is_text(&tax.code, 10) && !tax.percent.is_negative()
}

fn is_document(file: &AuditFile) -> bool {
    let entry = &file.entry;
    let withheld = |(kind, amount): &(String, Decimal)| {
        ["IRS", "IRC", "IS"].contains(&kind.as_str()) && !amount.is_negative()
    };
    is_text(&file.number, 60)
        && is_text(&file.atcud, 100)
        && is_text(&entry.signature, SIGNATURE_CHARS_MAX)
        && is_date(&file.date)
        && DOC_TYPES.contains(&file.doc_type.as_str())
        && !file.lines.is_empty()
        && file.lines.iter().all(is_line)
        && ![file.tax, file.net, file.gross].into_iter().any(Decimal::is_negative)
        && file.settlements.iter().all(is_settlement)
        && file.payments.iter().all(is_payment)
        && file.withheld.iter().all(withheld)
}

fn is_line(line: &Line) -> bool {
    let figures = [line.quantity, line.price, line.amount];
    let exemption = line.tax.exemption.as_deref();
    !figures.into_iter().any(Decimal::is_negative)
        && is_date(&line.tax_point)
        && is_tax(&line.tax)
        && line.references.iter().all(|(number, reason)| is_text(number, 60) && is_text(reason, 50))
        && exemption.is_none_or(|code| {
            code.len() == 3 && code.starts_with('M') && code.bytes().skip(1).all(|byte| byte.is_ascii_digit())
        })
}

fn is_settlement(settlement: &Settlement) -> bool {
    settlement.due.as_ref().is_none_or(|(amount, date)| !amount.is_negative() && is_date(date))
}

fn is_payment(payment: &Payment) -> bool {
    let means = payment.means.as_deref();
    means.is_none_or(|means| MEANS.iter().any(|(_, code)| *code == means))
        && !payment.amount.is_negative()
        && is_date(&payment.date)
}

fn is_date(text: &str) -> bool {
    text.parse().is_ok_and(|day: Date| day >= Date::new(2000, 1, 1))
}

fn is_text(text: &str, chars_max: usize) -> bool {
    (1..=chars_max).contains(&text.chars().count()) && !text.contains(char::is_control)
}
