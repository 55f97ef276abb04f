//! What has no place in a SAF-T file, though the structured format takes it.

use einvoice_eu::parties::{contact, number_path};
use einvoice_eu::{Findings, codes};
use einvoice_gobl::country;
use einvoice_gobl::text::{composed, excerpt, non_blank};
use einvoice_plugin::{Address, Amount, Context, Identity, Invoice, Line};

use crate::faults::{LINE_NEGATIVE, POSTCODE, RETENTION_TOTAL};

/// Characters of `AddressDetail`, `City`, `PostalCode` and `Region`.
const ADDRESS_CHARS_MAX: [(&str, usize); 4] =
    [("street", 210), ("locality", 50), ("postcode", 20), ("region", 50)];
/// Characters of `CustomerTaxID`.
const TAX_NUMBER_CHARS_MAX: usize = 30;
/// Characters of `ProductDescription` at least.
const DESCRIPTION_CHARS_MIN: usize = 2;
/// Decimals of quantities and prices.
const DECIMALS_MAX: u8 = 8;

/// Reports all of it.
pub(crate) fn check(invoice: &Invoice, context: &Context, findings: &mut Findings) {
    let supplier = context.supplier.address.as_ref();
    check_address(supplier, codes::SUPPLIER_ADDRESS, "/supplier/address", findings);
    check_postcode(supplier, findings);
    let recipient = invoice.recipient.as_ref().and_then(|recipient| contact(recipient).1);
    check_address(recipient, codes::RECIPIENT_ADDRESS, "/recipient/address", findings);
    invoice.lines.iter().enumerate().for_each(|(at, line)| check_line(at, line, findings));
    if invoice.totals.payable.is_negative() {
        let message = "More is withheld than the document comes to; correct the retentions.";
        findings.error(RETENTION_TOTAL, "/retentions", message);
    }
}

/// A tax number that is too long.
pub(crate) fn check_tax_number(invoice: &Invoice, identity: &Identity, findings: &mut Findings) {
    let Identity::TaxId(tax_id) = identity else { return };
    if let Some(recipient) = invoice.recipient.as_ref().filter(|_| tax_id.code.len() > TAX_NUMBER_CHARS_MAX) {
        let message = "SAF-T takes tax numbers of up to 30 characters; correct the recipient's.";
        findings.error(codes::IDENTITY_NUMBER, number_path(recipient), message);
    }
}

fn check_address(address: Option<&Address>, code: &str, path: &str, findings: &mut Findings) {
    let Some(address) = address else { return };
    for (member, chars_max) in ADDRESS_CHARS_MAX {
        let text = match member {
            "street" => &address.street,
            "locality" => &address.locality,
            "postcode" => &address.postcode,
            _ => &address.region,
        };
        let text = non_blank(text.as_deref()).unwrap_or_default();
        if composed(text).chars().count() > chars_max {
            let message = format!("SAF-T takes a {member} of up to {chars_max} characters; shorten it.");
            findings.error(code, format!("{path}/{member}"), message);
        }
    }
}

/// Four digits, a hyphen, three digits.
fn is_portuguese_postcode(text: &str) -> bool {
    text.len() == 8
        && text
            .bytes()
            .enumerate()
            .all(|(at, byte)| if at == 4 { byte == b'-' } else { byte.is_ascii_digit() })
}

/// The workspace's; the file takes no other.
fn check_postcode(address: Option<&Address>, findings: &mut Findings) {
    const PATH: &str = "/supplier/address";
    let Some(address) = address else { return };
    if let Some(postcode) =
        non_blank(address.postcode.as_deref()).filter(|code| !is_portuguese_postcode(code))
    {
        let message = format!("'{}' is no Portuguese postcode; write it as 1234-567.", excerpt(postcode));
        findings.error(POSTCODE, format!("{PATH}/postcode"), message);
    }
    let stated = non_blank(address.country.as_deref());
    if let Some(other) = stated.and_then(country::normalise).filter(|country| *country != "PT") {
        let message = format!("The AT needs an address in Portugal, not in {other}; correct the workspace.");
        findings.error(codes::SUPPLIER_ADDRESS, format!("{PATH}/country"), message);
    }
}

fn check_line(at: usize, line: &Line, findings: &mut Findings) {
    let path = |member: &str| format!("/lines/{at}/{member}");
    if composed(line.description.trim()).chars().count() == DESCRIPTION_CHARS_MIN - 1 {
        let message = "SAF-T takes descriptions of two characters at least; write more.";
        findings.error(codes::LINE_DESCRIPTION, path("description"), message);
    }
    if line.quantity.is_negative() || line.quantity.is_zero() {
        let message =
            "The AT takes no quantity of nought or below; issue a credit note for what is taken off.";
        findings.error(LINE_NEGATIVE, path("quantity"), message);
    }
    if line.unit_price.is_negative() {
        let message = "The AT takes no price below nought; put what is taken off into the price, or issue a credit note.";
        findings.error(LINE_NEGATIVE, path("unit_price"), message);
    }
    for (member, figure) in [("quantity", line.quantity), ("unit_price", line.unit_price)] {
        if has_more_decimals(figure) && figure.is_representable() {
            let message = "The file has figures of up to eight decimals; round it.";
            findings.error(codes::FIGURE_TOO_LARGE, path(member), message);
        }
    }
}

fn has_more_decimals(figure: Amount) -> bool {
    figure.canonical(0).scale > DECIMALS_MAX
}
