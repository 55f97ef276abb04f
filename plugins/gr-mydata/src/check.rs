//! Everything that would make myDATA, or the structured format, refuse a document.

use einvoice_eu::parties::{contact, number_path};
use einvoice_eu::{Findings, check, codes, settings, vat};
use einvoice_gobl::text::{composed, excerpt, non_blank};
use einvoice_gobl::{Mapping, Row, clock, country, ext};
use einvoice_plugin::{Amount, Context, DocumentKind, Identity, Invoice, Line, Stamp};

use crate::PREFIX;
use crate::faults::{
    CORRELATED, COUNTRY, LINE_AMOUNT, MARK_MISSING, MARK_WRONG, NUMBER_DIGITS, PAYMENT_CODE,
    SUPPLIER_IS_RECIPIENT,
};
use crate::identity;
use crate::income;
use crate::number;
use crate::rows::Rows;
use crate::rules::{RETAIL_RULES, RULES};
use crate::settings::Settings;
use crate::tables::{EXT, EXT_INCOME_CATEGORY, EXT_INCOME_TYPE, EXT_PAYMENT_MEANS, MEANS};
use crate::types::{self, DocType, Market};

/// The stamp with the registration number (MARK).
pub const STAMP_MARK: &str = "iapr-mark";
/// Where the platform keeps what a document refers to.
const PRECEDING_PATH: &str = "/referenced_document_ids";
/// Characters of street and town (`AddressType`).
const ADDRESS_CHARS_MAX: usize = 150;
/// Countries that are not in myDATA's list yet.
const FOREIGN_TO_MYDATA: [&str; 4] = ["BQ", "CW", "SS", "SX"];

/// What was found, and what the conversion goes by.
pub(crate) struct Examination {
    pub(crate) findings: Findings,
    pub(crate) settings: Settings,
    pub(crate) doc_type: DocType,
    pub(crate) market: Market,
    pub(crate) vat_number: String,
    pub(crate) identity: Option<Identity>,
}

/// Checks a document.
pub(crate) fn examine(invoice: &Invoice, context: &Context) -> Examination {
    let mut findings = Findings::new(PREFIX);
    let settings: Settings = settings::read(context, &RULES, &mut findings);
    let doc_type = types::choose(invoice, settings.sells_goods(), &mut findings);
    let rules = if doc_type.is_retail() { RETAIL_RULES } else { RULES };
    check::common(invoice, &by_greek_day(context), &rules, &mut findings);
    if let Some(number) = invoice.number.as_deref().filter(|number| !number.trim().is_empty()) {
        check_number(number, &mut findings);
    }
    check_preceding(invoice, doc_type, &mut findings);
    let vat_number = vat::parse("GR", &context.supplier.tax_id).unwrap_or_else(|wrong| {
        let tax_id = excerpt(&context.supplier.tax_id);
        let message = format!("The workspace's VAT number '{tax_id}' {wrong}; correct the workspace.");
        findings.error(codes::SUPPLIER_TAX_ID, "/supplier/tax_id", message);
        String::new()
    });
    let identity = check_recipient(invoice, doc_type, &vat_number, &mut findings);
    invoice.lines.iter().enumerate().for_each(|(at, line)| check_amount(at, line, &mut findings));
    income::check(invoice, &mut findings);
    check_means(invoice, &mut findings);
    let market = Market::of(invoice);
    findings.ext(ext::objections(RULES.system, EXT, invoice, |line| {
        let mut treatment = Rows.treatment(&Row::of_line(line))?;
        let income = income::of_line(line, &settings, market);
        treatment.ext.push((EXT_INCOME_CATEGORY, income.category.into()));
        treatment.ext.push((EXT_INCOME_TYPE, income.kind.into()));
        Some(treatment)
    }));
    Examination { findings, settings, doc_type, market, vat_number, identity }
}

/// The same surroundings at noon of the day in Greece: the checks of all countries go by central Europe, where that is the
/// same day.
fn by_greek_day(context: &Context) -> Context {
    let now = clock::eastern_europe(&context.now).map(|local| format!("{}T12:00:00Z", local.day));
    Context { now: now.unwrap_or_else(|| context.now.clone()), ..context.clone() }
}

fn check_number(number: &str, findings: &mut Findings) {
    if !number::is_aa(number) {
        let message = "myDATA numbers documents by digits alone (error 212); let the workspace's number patterns be such \
                       as {year}{number:06}, and name the series in its settings.";
        findings.error(NUMBER_DIGITS, "/display_document_number", message);
    }
}

/// What the document refers to, by the numbers under which myDATA holds it.
fn check_preceding(invoice: &Invoice, doc_type: DocType, findings: &mut Findings) {
    let code = doc_type.code;
    match doc_type.correlates {
        Some(true) if invoice.preceding.is_empty() => {
            let otherwise =
                if invoice.kind == DocumentKind::CreditNote { ", or credit without one as 5.2" } else { "" };
            let message = format!(
                "A document of type {code} names what it corrects; refer to an issued invoice{otherwise}."
            );
            findings.error(codes::CORRECTED_MISSING, PRECEDING_PATH, message);
        }
        Some(false) if !invoice.preceding.is_empty() => {
            let message = format!(
                "A document of type {code} refers to no other; remove the reference or choose another type."
            );
            findings.error(CORRELATED, PRECEDING_PATH, message);
        }
        Some(true | false) => {}
        None => check::correction(invoice, false, findings),
    }
    for one in &invoice.preceding {
        let number = excerpt(&one.number);
        match mark(&one.stamps) {
            None => {
                let message = format!(
                    "'{number}' has no registration number (MARK) of myDATA; refer to a document that myDATA accepted."
                );
                findings.error(MARK_MISSING, PRECEDING_PATH, message);
            }
            Some(mark) if !is_mark(mark) => {
                let message = format!(
                    "The registration number (MARK) '{}' of '{number}' is none; refer to another document.",
                    excerpt(mark)
                );
                findings.error(MARK_WRONG, PRECEDING_PATH, message);
            }
            Some(_) => {}
        }
    }
}

/// The registration number among the stamps of a document.
pub(crate) fn mark(stamps: &[Stamp]) -> Option<&str> {
    stamps.iter().find(|stamp| stamp.provider == STAMP_MARK).map(|stamp| stamp.value.as_str())
}

/// Whether a text is a registration number: digits (`xs:long`).
pub(crate) fn is_mark(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<i64>().is_ok()
}

fn check_recipient(
    invoice: &Invoice,
    doc_type: DocType,
    vat_number: &str,
    findings: &mut Findings,
) -> Option<Identity> {
    let recipient = invoice.recipient.as_ref()?;
    let identity = identity::identify(recipient, doc_type.is_retail(), findings);
    if doc_type.is_retail() {
        return identity;
    }
    let same = matches!(&identity,
        Some(Identity::TaxId(tax_id)) if tax_id.country == "EL" && tax_id.code == vat_number);
    if same {
        let message =
            "myDATA refuses a document whose recipient is the supplier (error 235); correct the recipient.";
        findings.error(SUPPLIER_IS_RECIPIENT, number_path(recipient), message);
    }
    if let Some(Identity::TaxId(tax_id)) = &identity
        && FOREIGN_TO_MYDATA.contains(&tax_id.country.as_str())
    {
        let message = format!(
            "myDATA does not know the country {}; ask your accountant how to report it.",
            tax_id.country
        );
        findings.error(COUNTRY, "/recipient/country", message);
    }
    let Some(address) = contact(recipient).1 else { return identity };
    if address.country.as_deref().and_then(country::normalise) == Some("GR") {
        // It is not sent.
        return identity;
    }
    for (member, text) in [("street", &address.street), ("locality", &address.locality)] {
        let text = non_blank(text.as_deref()).unwrap_or_default();
        if composed(text).chars().count() > ADDRESS_CHARS_MAX {
            let message = format!("myDATA takes a {member} of up to 150 characters; shorten it.");
            findings.error(codes::RECIPIENT_ADDRESS, format!("/recipient/address/{member}"), message);
        }
    }
    identity
}

/// The format takes lines above nought only, in credit notes too.
fn check_amount(at: usize, line: &Line, findings: &mut Findings) {
    let nought = Amount::new(0, 0);
    if !line.total.cmp_value(nought).is_gt() {
        let message = "myDATA takes lines above nought only; take a discount off the price, and credit what is too much.";
        findings.error(LINE_AMOUNT, format!("/lines/{at}/unit_price"), message);
    }
}

fn check_means(invoice: &Invoice, findings: &mut Findings) {
    let Some(stated) = ext::of(EXT, &invoice.ext, EXT_PAYMENT_MEANS) else { return };
    if MEANS.iter().all(|(_, code)| *code != stated.value) {
        let message = "How a document is paid is 1 to 7 (3 cash, 5 on credit, 7 card); write one of them.";
        findings.error(PAYMENT_CODE, format!("/ext/{}", stated.key), message);
    }
}
