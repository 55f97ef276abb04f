//! What has no place in the file for SdI, though the structured format takes it: SdI refuses such a file (error 00200).

use einvoice_eu::parties::{contact, number_path};
use einvoice_eu::taxes::exempt_by;
use einvoice_eu::{Findings, codes};
use einvoice_gobl::text::{composed, non_blank};
use einvoice_plugin::{Address, Amount, Context, Identity, Invoice, Line};

use crate::faults::{RETENTION_DECIMALS, RETENTION_REASON, SIMPLIFIED_EXEMPTION, SIMPLIFIED_RETENTION};
use crate::identity::RecipientIdentity;
use crate::tables::{
    DocType, EXEMPTIONS, RETENTION_REASONS_OF_FILES, Settings, has_more_decimals, is_simplified,
};

/// Characters of street and town (`String60LatinType`).
const ADDRESS_CHARS_MAX: usize = 60;
/// Characters of a tax number (`CodiceType`).
const TAX_NUMBER_CHARS_MAX: usize = 28;
/// Decimals of quantities and prices.
const DECIMALS_MAX: u8 = 8;
/// Above the largest quantity (`QuantitaType`).
const QUANTITY_LIMIT: Amount = Amount::new(1_000_000_000_000, 0);
/// Above the largest amount (`Amount8DecimalType`).
const AMOUNT_LIMIT: Amount = Amount::new(100_000_000_000, 0);

/// Reports all of it.
pub(crate) fn check(
    invoice: &Invoice,
    context: &Context,
    settings: &Settings,
    doc_type: DocType,
    findings: &mut Findings,
) {
    let supplier = context.supplier.address.as_ref();
    check_address(supplier, codes::SUPPLIER_ADDRESS, "/supplier/address", findings);
    let recipient = invoice.recipient.as_ref().and_then(|recipient| contact(recipient).1);
    check_address(recipient, codes::RECIPIENT_ADDRESS, "/recipient/address", findings);
    check_prose(invoice.notes.as_deref(), codes::NOTES, "/notes", findings);
    let terms = invoice.payment.as_ref().and_then(|terms| terms.note.as_deref());
    check_prose(terms, codes::PAYMENT_TERMS, "/payment/note", findings);
    invoice.lines.iter().enumerate().for_each(|(at, line)| check_figures(at, line, findings));
    check_retentions(invoice, settings, findings);
    if is_simplified(doc_type.code) {
        check_simplified(invoice, findings);
    }
}

/// A tax number that is too long. Those of countries whose form is known are shorter.
pub(crate) fn check_tax_number(invoice: &Invoice, identified: &RecipientIdentity, findings: &mut Findings) {
    let Some(Identity::TaxId(tax_id)) = &identified.identity else { return };
    if let Some(recipient) = invoice.recipient.as_ref().filter(|_| tax_id.code.len() > TAX_NUMBER_CHARS_MAX) {
        let message = "FatturaPA takes tax numbers of up to 28 characters; correct the recipient's.";
        findings.error(codes::IDENTITY_NUMBER, number_path(recipient), message);
    }
}

fn check_address(address: Option<&Address>, code: &str, path: &str, findings: &mut Findings) {
    let Some(address) = address else { return };
    for (member, text) in [("street", &address.street), ("locality", &address.locality)] {
        let text = non_blank(text.as_deref()).unwrap_or_default();
        if composed(text).chars().count() > ADDRESS_CHARS_MAX {
            let message = format!("FatturaPA takes a {member} of up to 60 characters; shorten it.");
            findings.error(code, format!("{path}/{member}"), message);
        }
    }
}

fn check_prose(text: Option<&str>, code: &str, path: &str, findings: &mut Findings) {
    if let Some(foreign) = composed(text.unwrap_or_default()).chars().find(|c| u32::from(*c) > 0xFF) {
        let message = format!("The text contains {foreign:?}, which is no Latin-1 character; replace it.");
        findings.error(code, path, message);
    }
}

fn check_figures(at: usize, line: &Line, findings: &mut Findings) {
    let members =
        [("quantity", line.quantity, QUANTITY_LIMIT), ("unit_price", line.unit_price, AMOUNT_LIMIT)];
    for (member, figure, limit) in members {
        let magnitude = Amount::new(figure.units.saturating_abs(), figure.scale);
        // What the format does not take either is reported once.
        let reported = !figure.is_representable();
        if !reported && (has_more_decimals(figure, DECIMALS_MAX) || magnitude.cmp_value(limit).is_ge()) {
            let message =
                "FatturaPA takes eight decimals, and eleven digits before the point; round the figure.";
            findings.error(codes::FIGURE_TOO_LARGE, format!("/lines/{at}/{member}"), message);
        }
    }
}

fn check_retentions(invoice: &Invoice, settings: &Settings, findings: &mut Findings) {
    let reason = settings.retention_reason.as_str();
    if !invoice.totals.retentions.is_empty() && !RETENTION_REASONS_OF_FILES.contains(&reason) {
        let message = format!(
            "FatturaPA has no reason '{reason}' for withheld taxes; correct retention_reason in the settings."
        );
        findings.error(RETENTION_REASON, "/settings/retention_reason", message);
    }
    for (at, retention) in invoice.totals.retentions.iter().enumerate() {
        if has_more_decimals(retention.rate, 2) {
            let message = "FatturaPA has rates of two decimals; round the retention's rate.";
            findings.error(RETENTION_DECIMALS, format!("/retentions/{at}/rate"), message);
        }
    }
}

/// A simplified document names no retained taxes, and knows fewer reasons not to tax.
fn check_simplified(invoice: &Invoice, findings: &mut Findings) {
    if !invoice.totals.retentions.is_empty() {
        let message = "A simplified document has no place for withheld taxes; issue a regular invoice.";
        findings.error(SIMPLIFIED_RETENTION, "/retentions", message);
    }
    for (at, line) in invoice.lines.iter().enumerate() {
        let exemption = line.tax.exemption.as_deref().and_then(|key| exempt_by(EXEMPTIONS, key));
        if exemption.is_some_and(|known| known.code.starts_with("N6") || known.code == "N7") {
            let message = "A simplified document knows no reverse charge and no N7; issue a regular invoice.";
            findings.error(SIMPLIFIED_EXEMPTION, format!("/lines/{at}/tax/exemption"), message);
        }
    }
}
