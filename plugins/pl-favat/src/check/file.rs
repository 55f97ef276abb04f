//! What the file in the logical structure FA(3) would be refused for, before there is a file.

use einvoice_eu::{Findings, codes, parties};
use einvoice_gobl::ext::of_document_or_recipient;
use einvoice_gobl::text::excerpt;
use einvoice_plugin::{Address, Context, Identity, Invoice, Preceding};

use crate::authority::STAMP_NUMBER;
use crate::fa3;
use crate::faults::{
    ADDRESS_LENGTH, CHARACTER, DAY_RANGE, DECIMALS, KSEF_NUMBER, LINES_TOO_MANY, REASON_LENGTH, SIZE,
    UNIT_NUMBER,
};
use crate::tables::{EXT, MEMBERSHIPS};

/// Where the platform keeps what a document refers to.
const PRECEDING_PATH: &str = "/referenced_document_ids";

/// Everything the file would be refused for that the other checks do not find.
pub(super) fn check(
    invoice: &Invoice,
    context: &Context,
    identity: Option<&Identity>,
    findings: &mut Findings,
) {
    check_days(invoice, findings);
    check_corrected(invoice, findings);
    check_supplier(context, findings);
    check_recipient(invoice, identity, findings);
    check_lines(invoice, findings);
    check_characters(invoice, context, findings);
    check_size(invoice, findings);
}

fn check_days(invoice: &Invoice, findings: &mut Findings) {
    let due = invoice.payment.as_ref().and_then(|terms| terms.due_date.as_deref());
    let lines = invoice.lines.iter().enumerate().filter_map(|(at, line)| {
        Some((format!("/lines/{at}/period"), line.period.as_ref()?.end.as_str(), fa3::DAY))
    });
    let corrected =
        invoice.preceding.iter().map(|one| (PRECEDING_PATH.to_owned(), one.issue_date.as_str(), fa3::DAY));
    let days = invoice.operation_date.as_deref().map(|day| ("/operation_date".to_owned(), day, fa3::DAY));
    let due = due.map(|day| ("/payment/due_date".to_owned(), day, fa3::PAYMENT_DAY));
    for (path, day, of) in days.into_iter().chain(corrected).chain(lines).chain(due) {
        // What is no day at all has a fault already.
        if day.parse::<einvoice_gobl::date::Date>().is_ok() && !(of.allows)(day) {
            let message = format!("{day} must {} for KSeF; use another.", of.demand);
            findings.error(DAY_RANGE, path, message);
        }
    }
}

fn check_corrected(invoice: &Invoice, findings: &mut Findings) {
    for stamp in invoice.preceding.iter().flat_map(|one| &one.stamps) {
        if stamp.provider == STAMP_NUMBER && !(fa3::KSEF_NUMBER.allows)(&stamp.value) {
            let message = format!(
                "'{}' is no number of KSeF, so the correction cannot name what it corrects; have the proof of that document corrected.",
                excerpt(&stamp.value)
            );
            findings.error(KSEF_NUMBER, PRECEDING_PATH, message);
        }
    }
    let reason = fa3::reason(invoice.preceding.iter().filter_map(|one| one.reason.as_deref()));
    if reason.is_some_and(|reason| !(fa3::TEXT.allows)(&reason)) {
        let message =
            "The reasons of the correction must have 256 characters at most together; shorten them.";
        findings.error(REASON_LENGTH, PRECEDING_PATH, message);
    }
}

fn check_supplier(context: &Context, findings: &mut Findings) {
    let supplier = &context.supplier;
    check_address(supplier.address.as_ref(), "/supplier/address", findings);
}

fn check_recipient(invoice: &Invoice, identity: Option<&Identity>, findings: &mut Findings) {
    let Some(recipient) = &invoice.recipient else { return };
    let (_, address, _) = parties::contact(recipient);
    check_address(address, "/recipient/address", findings);
    if let Some(Identity::TaxId(tax_id)) = identity {
        let fits = (fa3::IDENTIFIER.allows)(&tax_id.code);
        if !fits {
            let message = "The tax number must have 50 characters at most for KSeF; ask the recipient for the right one.";
            findings.error(codes::TAX_NUMBER, parties::TAX_NUMBER_PATH, message);
        }
    }
    for membership in &MEMBERSHIPS {
        let Some((code, path)) = of_document_or_recipient(EXT, invoice, membership.code_key) else {
            continue;
        };
        check_unit(code.value.trim(), path, findings);
    }
}

/// KSeF makes an invoice visible to a unit under its NIP or its internal id only.
fn check_unit(code: &str, path: String, findings: &mut Findings) {
    if !(fa3::IDENTIFIER.allows)(code) {
        findings.error(UNIT_NUMBER, path, "The number must have 50 characters at most for KSeF; correct it.");
    } else if !(fa3::NIP.allows)(code) && !(fa3::INTERNAL_ID.allows)(code) {
        let message = "KSeF shows the invoice to the unit under its NIP, or its internal id (NIP, hyphen, five digits), only; use one of them.";
        findings.warning(UNIT_NUMBER, path, message);
    }
}

fn check_address(address: Option<&Address>, path: &str, findings: &mut Findings) {
    let Some(address) = address else { return };
    let (street, postcode) = (address.street.as_deref(), address.postcode.as_deref());
    let (locality, region) = (address.locality.as_deref(), address.region.as_deref());
    let lines = fa3::address_lines(street, postcode, locality, region);
    let fits = lines.is_none_or(|(first, second)| {
        [Some(first), second].into_iter().flatten().all(|line| (fa3::LONG_TEXT.allows)(&line))
    });
    if !fits {
        let message =
            "Postcode, locality and region must have 512 characters at most together; shorten them.";
        findings.error(ADDRESS_LENGTH, path, message);
    }
}

fn check_lines(invoice: &Invoice, findings: &mut Findings) {
    if invoice.lines.len() > fa3::LINES_MAX {
        let message = format!("KSeF takes {} lines; split the invoice.", fa3::LINES_MAX);
        findings.error(LINES_TOO_MANY, "/lines", message);
    }
    for (at, line) in invoice.lines.iter().enumerate() {
        let figures = [
            ("quantity", fa3::is_quantity(line.quantity), fa3::QUANTITY.demand),
            ("unit_price", fa3::is_price(line.unit_price), fa3::PRICE.demand),
            ("unit_price", fa3::is_amount(line.total), fa3::AMOUNT.demand),
        ];
        for (member, _, demand) in figures.into_iter().filter(|(_, fits, _)| !fits) {
            let message =
                format!("The line's figures do not fit: one must {demand} for KSeF; round or split it.");
            findings.error(DECIMALS, format!("/lines/{at}/{member}"), message);
        }
    }
    let rates = invoice.totals.categories.iter().flat_map(|category| &category.rates);
    if !rates.flat_map(|row| [row.base, row.amount]).all(fa3::is_amount) {
        let message = format!("A sum must {} for KSeF; split the invoice.", fa3::AMOUNT.demand);
        findings.error(DECIMALS, "/totals/payable", message);
    }
}

/// Characters that other checks let pass and KSeF refuses a file for.
fn check_characters(invoice: &Invoice, context: &Context, findings: &mut Findings) {
    let supplier = &context.supplier;
    let mut texts = vec![("/supplier/legal_name".to_owned(), Some(&supplier.legal_name))];
    texts.push(("/supplier/email".to_owned(), supplier.email.as_ref()));
    texts.extend(address_texts(supplier.address.as_ref(), "/supplier/address"));
    if let Some(recipient) = &invoice.recipient {
        let (name, address, email) = parties::contact(recipient);
        texts.extend([("/recipient/name".to_owned(), Some(name)), ("/recipient/email".to_owned(), email)]);
        texts.extend(address_texts(address, "/recipient/address"));
    }
    texts.extend(invoice.preceding.iter().map(|one| (PRECEDING_PATH.to_owned(), one.reason.as_ref())));
    let lines = invoice.lines.iter().enumerate();
    texts.extend(lines.map(|(at, line)| (format!("/lines/{at}/description"), Some(&line.description))));
    texts.push(("/notes".to_owned(), invoice.notes.as_ref()));
    let note = invoice.payment.as_ref().and_then(|terms| terms.note.as_ref());
    texts.push(("/payment/note".to_owned(), note));
    for membership in &MEMBERSHIPS {
        let code = of_document_or_recipient(EXT, invoice, membership.code_key);
        texts.extend(code.map(|(code, path)| (path, Some(&code.value))));
    }
    for (path, text) in texts {
        if let Some(character) = text.and_then(|text| fa3::refused_character(text)) {
            let message = format!(
                "KSeF refuses a file with the character U+{:04X}; remove it from the text.",
                u32::from(character)
            );
            findings.error(CHARACTER, path, message);
        }
    }
}

fn address_texts<'a>(address: Option<&'a Address>, path: &str) -> Vec<(String, Option<&'a String>)> {
    let Some(address) = address else { return Vec::new() };
    let parts = [
        ("street", &address.street),
        ("locality", &address.locality),
        ("region", &address.region),
        ("postcode", &address.postcode),
    ];
    parts.map(|(member, text)| (format!("{path}/{member}"), text.as_ref())).to_vec()
}

/// A file that would be too large. It is not made here, but it has no more bytes than this says.
fn check_size(invoice: &Invoice, findings: &mut Findings) {
    let bytes = file_bytes_max(invoice);
    if bytes > fa3::FILE_BYTES_MAX {
        let message = format!(
            "The file comes to about {bytes} bytes, KSeF takes {}; split the invoice or shorten its texts.",
            fa3::FILE_BYTES_MAX
        );
        findings.error(SIZE, "/lines", message);
    }
}

/// No file of the document has more bytes.
fn file_bytes_max(invoice: &Invoice) -> usize {
    /// Header, parties with the longest names and addresses, sums, annotations and payment.
    const FRAME: usize = 60_000;
    /// The elements of a row with the longest figures.
    const LINE: usize = 300;
    /// The elements of what a correction corrects.
    const CORRECTED: usize = 300;
    let lines = invoice.lines.iter().map(|line| LINE + written_bytes(&line.description));
    let corrected = |one: &Preceding| CORRECTED + written_bytes(&one.number);
    let note = invoice.payment.as_ref().and_then(|terms| terms.note.as_deref());
    let prose = [invoice.notes.as_deref(), note].into_iter().flatten().map(written_bytes);
    FRAME
        + lines.sum::<usize>()
        + invoice.preceding.iter().map(corrected).sum::<usize>()
        + prose.sum::<usize>()
}

/// Bytes of a text in XML.
fn written_bytes(text: &str) -> usize {
    let bytes = |character: char| match character {
        '&' | '\r' => 5,
        '<' | '>' => 4,
        '"' => 6,
        other => other.len_utf8(),
    };
    text.chars().map(bytes).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PlFavat;
    use einvoice_plugin::{Authority, Country, Supplier, harness};
    use serde_json::json;

    #[test]
    fn no_file_has_more_bytes_than_the_check_expects() {
        let line = json!({"description": "&\"".repeat(256), "quantity": "12345.123456", "unit_price": "12345.12345678",
                          "period": {"start": "2026-11-17", "end": "2026-11-19"},
                          "tax": {"category": "VAT", "exemption": "outside_scope"}});
        let mut last = line.clone();
        last["period"]["end"] = json!("2026-11-18");
        let corrected = json!({"number": "\"".repeat(64), "issue_date": "2026-11-18", "reason": "\"".repeat(256),
                               "stamps": [{"provider": STAMP_NUMBER, "value": "5265877635-20250826-0100001AF629-AF"}]});
        let address = json!({"street": "\"".repeat(500), "locality": "\"".repeat(400), "country": "PL"});
        let written = json!({
            "document_type": "credit_note", "number": "\"".repeat(64), "issue_date": "2026-11-20", "currency": "PLN",
            "recipient": {"type": "individual", "name": "\"".repeat(512), "address": address},
            "lines": [line, last], "preceding": [corrected, corrected], "notes": "\"".repeat(3500),
            "payment": {"due_date": "2026-12-04", "note": "\"".repeat(3500)}
        });
        let invoice = harness::invoice(&written).unwrap();
        let address = Address {
            street: Some("\"".repeat(500)),
            locality: None,
            region: None,
            postcode: None,
            country: Some("PL".to_owned()),
        };
        let supplier = Supplier {
            legal_name: "\"".repeat(512),
            tax_id: "9876543210".to_owned(),
            country: "PL".to_owned(),
            address: Some(address),
            email: None,
            ext: Vec::new(),
        };
        let converted = PlFavat::convert(&invoice, &Context { supplier, ..harness::context() }).unwrap();
        let outcome =
            PlFavat::submit(&harness::submission(&converted.body, "2026-11-20T09:30:00+01:00")).unwrap();
        let bytes = outcome.payload.unwrap().len();
        assert!(outcome.accepted && bytes <= file_bytes_max(&invoice), "{bytes}: {:?}", outcome.faults);
    }
}
