//! Everything that would make an access point, or the structured format, refuse a document.

use einvoice_eu::check::{self, Rules};
use einvoice_eu::parties::{self, contact};
use einvoice_eu::{Findings, codes, settings, taxes};
use einvoice_gobl::text::{excerpt, non_blank};
use einvoice_gobl::{Mapping, Row, country, ext};
use einvoice_plugin::{Context, DocumentKind, Fault, Invoice, Line, Recipient, TaxIdentity};

use crate::countries::{self, SupplierCountry};
use crate::endpoints::{self, SchemeNumber};
use crate::faults::{
    ADDRESS_ABROAD, DELIVERY_DATE, EXEMPTION_CODE, INBOX_OF_RECIPIENT, INBOX_OF_SUPPLIER, LEGAL_ID,
    OUTSIDE_SCOPE_MIXED, REFERENCE, REFERENCE_MISSING, SCHEME_NUMBER, SCHEME_NUMBER_UNUSUAL,
    VAT_NUMBER_MISSING,
};
use crate::national::{self, Trade, TradeDocument};
use crate::rows::Rows;
use crate::settings::{SchemeSetting, Settings};
use crate::tables::{EXEMPTIONS, EXT, RULES, currency, is_register, vatex_of_exempt};
use crate::{PREFIX, identity, schemes};

/// Characters of a code in the format.
const CODE_CHARS_MAX: usize = 64;
/// Decimals of an amount (BR-DEC-*).
const AMOUNT_DECIMALS_MAX: u8 = 2;

/// What was found, and what the conversion goes by.
pub(crate) struct Examination {
    pub(crate) findings: Findings,
    pub(crate) settings: Settings,
    /// None of a country that has no suppliers here.
    pub(crate) home: Option<&'static SupplierCountry>,
    /// UNTDID 1001.
    pub(crate) doc_type: &'static str,
    /// The supplier's VAT number, without the country.
    pub(crate) vat_code: Option<String>,
    pub(crate) supplier: Party,
    pub(crate) recipient: Party,
    /// Of the recipient.
    pub(crate) identity: Option<TaxIdentity>,
    pub(crate) rows: Rows,
}

/// What is known of a party by schemes.
#[derive(Debug, Default)]
pub(crate) struct Party {
    pub(crate) inbox: Option<SchemeNumber>,
    pub(crate) legal_id: Option<SchemeNumber>,
}

/// Checks a document.
pub(crate) fn examine(invoice: &Invoice, context: &Context) -> Examination {
    let mut findings = Findings::new(PREFIX);
    let settings: Settings = settings::read(context, &RULES, &mut findings);
    let doc_type = choose_doc_type(invoice, &mut findings);
    let home = countries::find(&context.supplier.country);
    let trade = Trade { supplier: home.map_or("", |home| home.country), recipient: country_of(invoice) };
    let rules = rules(invoice, home, trade);
    check::common(invoice, context, &rules, &mut findings);
    check::correction(invoice, trade.supplier == "NL", &mut findings);
    check_currency(invoice, home, &mut findings);
    let vat_code = home.and_then(|home| check_tax_id(context, home, &mut findings));
    check_place(context, home, &mut findings);
    let identity = invoice.recipient.as_ref().and_then(|recipient| match recipient {
        Recipient::Company(company) => identity::of_company(company, &mut findings),
        // The standard identifies no natural persons.
        Recipient::Individual(_) => None,
    });
    let supplier = supplier_numbers(&settings, home, vat_code.as_deref(), &mut findings);
    let recipient = recipient_numbers(invoice, identity.as_ref(), &mut findings);
    check_exemptions(invoice, identity.is_some(), &mut findings);
    let rows = Rows { vatex_of_exempt: exemption_code(invoice, &settings, &mut findings) };
    check_references(invoice, &settings, &mut findings);
    check_payment(invoice, &settings, &mut findings);
    let path = find_ext(invoice, "legal-id").map(|entry| entry.path);
    let own_email = settings.contact.as_ref().and_then(|contact| contact.email.as_deref());
    let document = TradeDocument {
        trade,
        invoice,
        settings: &settings,
        doc_type,
        has_email: non_blank(context.supplier.email.as_deref()).or(own_email).is_some(),
        has_buyer_reference: buyer_reference(invoice, &settings).is_some(),
        supplier_legal_id: supplier.legal_id.as_ref(),
        recipient_legal_id: recipient.legal_id.as_ref(),
        recipient_legal_id_path: path.as_deref().unwrap_or("/recipient/ext/legal-id"),
    };
    national::check(&document, &mut findings);
    let treatment_of = |line: &Line| rows.treatment(&Row::of_line(line));
    findings.ext(ext::objections(RULES.system, EXT, invoice, treatment_of));
    Examination { findings, settings, home, doc_type, vat_code, supplier, recipient, identity, rows }
}

/// What is demanded of documents between these parties.
fn rules(invoice: &Invoice, home: Option<&'static SupplierCountry>, trade: Trade) -> Rules {
    let usual = home.map_or("EUR", |home| home.currency);
    Rules {
        country: home.map_or(RULES.country, |home| home.country),
        currency: Some(currency(&invoice.currency).unwrap_or(usual)),
        rates: home.map_or(RULES.rates, |home| home.rates),
        rate_refused: trade.rate_refused(),
        supplier_address: Some(trade.supplier_address()),
        recipient_address: Some(trade.recipient_address()),
        ..RULES
    }
}

/// The country of the recipient's address.
fn country_of(invoice: &Invoice) -> Option<&'static str> {
    let (_, address, _) = contact(invoice.recipient.as_ref()?);
    country::normalise(address?.country.as_deref()?)
}

fn choose_doc_type(invoice: &Invoice, findings: &mut Findings) -> &'static str {
    let allowed: &[&'static str] = match invoice.kind {
        DocumentKind::CreditNote => &["381"],
        DocumentKind::DebitNote => &["383"],
        DocumentKind::Invoice | DocumentKind::SimplifiedInvoice | DocumentKind::ReplacementInvoice => {
            &["380", "386"]
        }
    };
    let usual = allowed.first().copied().unwrap_or("380");
    let Some(requested) = find_ext(invoice, "doc-type") else { return usual };
    allowed.iter().find(|code| **code == requested.value).copied().unwrap_or_else(|| {
        let value = excerpt(requested.value);
        let message = format!("This document cannot go out as '{value}'; use {}.", allowed.join(" or "));
        findings.error(codes::DOC_TYPE, requested.path, message);
        usual
    })
}

/// What stands in `ext`, and where.
struct ExtEntry<'a> {
    value: &'a str,
    path: String,
}

/// What the document says, else its recipient.
fn find_ext<'a>(invoice: &'a Invoice, key: &str) -> Option<ExtEntry<'a>> {
    let (ext, path) = ext::of_document_or_recipient(EXT, invoice, key)?;
    non_blank(Some(&ext.value)).map(|value| ExtEntry { value, path })
}

/// A currency whose amounts do not fit two decimals, or in which the VAT is not declared.
fn check_currency(invoice: &Invoice, home: Option<&SupplierCountry>, findings: &mut Findings) {
    const PATH: &str = "/currency";
    let reported = |fault: &Fault| fault.path == PATH && fault.is_error();
    if findings.faults.iter().any(reported) {
        return;
    }
    if invoice.totals.payable.scale > AMOUNT_DECIMALS_MAX {
        let message = format!(
            "Peppol takes no amounts of more than two decimals, as those in {} are; issue the invoice in another currency.",
            excerpt(&invoice.currency)
        );
        return findings.error(codes::CURRENCY, PATH, message);
    }
    if let Some(home) = home.filter(|home| home.currency != invoice.currency) {
        let message = format!(
            "The law wants the VAT in {} too, which the document does not state; issue it in that currency.",
            home.currency
        );
        findings.warning(codes::CURRENCY_FOREIGN, PATH, message);
    }
}

fn check_tax_id(context: &Context, home: &SupplierCountry, findings: &mut Findings) -> Option<String> {
    let text = &context.supplier.tax_id;
    let parsed = parties::tax_number(home.country, text);
    if let Err(wrong) = parsed {
        let message =
            format!("The workspace's VAT number '{}' {wrong}; correct the workspace.", excerpt(text));
        findings.error(codes::SUPPLIER_TAX_ID, "/supplier/tax_id", message);
    }
    parsed.ok()
}

/// National rules go by the address as well as by the VAT number.
fn check_place(context: &Context, home: Option<&SupplierCountry>, findings: &mut Findings) {
    let stated = context.supplier.address.as_ref().and_then(|address| address.country.as_deref());
    let Some((home, country)) = home.zip(stated.and_then(country::normalise)) else { return };
    if home.country != country {
        let message = format!(
            "The supplier's address lies in {country}, the workspace is of {}; correct one of them.",
            home.country
        );
        findings.error(ADDRESS_ABROAD, "/supplier/address/country", message);
    }
}

fn supplier_numbers(
    settings: &Settings,
    home: Option<&SupplierCountry>,
    vat_code: Option<&str>,
    findings: &mut Findings,
) -> Party {
    let own = settings.inbox.as_ref().map(SchemeSetting::number);
    let of_vat_number = || endpoints::of_vat_number(home?.country, vat_code?);
    let inbox = own.or_else(of_vat_number);
    match &inbox {
        Some(inbox) => check_form(inbox, "/settings/inbox", findings),
        // A wrong VAT number was complained about.
        None if vat_code.is_some() => {
            let message = "The supplier has no electronic address that follows from its VAT number; add inbox to the settings.";
            findings.error(INBOX_OF_SUPPLIER, "/settings/inbox", message);
        }
        None => {}
    }
    let danish = || vat_code.filter(|_| home.is_some_and(|home| home.country == "DK"));
    let registered = settings.legal_id.as_ref().map(SchemeSetting::number);
    let legal_id = registered.or_else(|| danish().map(|code| SchemeNumber::new("0184", code)));
    if let Some(legal) = &legal_id {
        check_form(legal, "/settings/legal_id", findings);
    }
    Party { inbox, legal_id }
}

fn recipient_numbers(invoice: &Invoice, identity: Option<&TaxIdentity>, findings: &mut Findings) -> Party {
    if invoice.recipient.is_none() {
        return Party::default();
    }
    let stated = find_ext(invoice, "inbox");
    let path = stated.as_ref().map_or("/recipient/ext/inbox", |entry| entry.path.as_str());
    let inbox = match &stated {
        Some(entry) => SchemeNumber::read(entry.value).filter(|inbox| endpoints::is_scheme(&inbox.scheme)),
        None => identity
            .and_then(|identity| endpoints::of_vat_number(identity::country_of(identity), &identity.code)),
    };
    if let Some(inbox) = &inbox {
        check_form(inbox, path, findings);
    } else {
        let message = if stated.is_some() {
            "The recipient's electronic address is no scheme of the list EAS with a number, such as 0088:5790000435968; \
             correct it."
        } else {
            "Peppol needs an electronic address of the recipient, and none follows from a VAT number; say inbox in the \
             recipient's ext, such as 0088:5790000435968."
        };
        findings.error(INBOX_OF_RECIPIENT, path, message);
    }
    // In Iceland both are the kennitala.
    let of_inbox = || inbox.clone().filter(|inbox| inbox.scheme == "0196");
    Party { legal_id: legal_id_of_recipient(invoice, findings).or_else(of_inbox), inbox }
}

fn legal_id_of_recipient(invoice: &Invoice, findings: &mut Findings) -> Option<SchemeNumber> {
    let entry = find_ext(invoice, "legal-id")?;
    let legal = SchemeNumber::read(entry.value).filter(|legal| is_register(&legal.scheme));
    if let Some(legal) = &legal {
        check_form(legal, &entry.path, findings);
    } else {
        let message = "What the recipient is registered under is no scheme of ISO/IEC 6523 with a number, such as 0007:5567037485; \
                       correct it.";
        findings.error(LEGAL_ID, entry.path, message);
    }
    legal
}

/// A number that has not the form of its scheme.
fn check_form(number: &SchemeNumber, path: &str, findings: &mut Findings) {
    let Some(rule) = schemes::broken(&number.scheme, &number.code) else { return };
    let message = format!("'{}' is no {} ({}); correct it.", excerpt(&number.code), rule.name, rule.id);
    if rule.is_fatal {
        findings.error(SCHEME_NUMBER, path, message);
    } else {
        findings.warning(SCHEME_NUMBER_UNUSUAL, path, message);
    }
}

/// What the European standard demands beside lines without VAT, and the structured format does not.
fn check_exemptions(invoice: &Invoice, identified: bool, findings: &mut Findings) {
    let has = |key: &str| taxes::any_line(invoice, EXEMPTIONS, key);
    if !identified && (has("reverse-charge") || has("intra-community")) {
        let message =
            "A supply whose recipient accounts for the tax needs the recipient's VAT number; add it.";
        findings.error(VAT_NUMBER_MISSING, "/recipient/tax_number", message);
    }
    let dated = invoice.operation_date.is_some() || invoice.lines.iter().any(|line| line.period.is_some());
    if !dated && has("intra-community") {
        let message = "An intra-Community supply says when it was delivered; add the operation date.";
        findings.error(DELIVERY_DATE, "/operation_date", message);
    }
    let outside = |exemption: Option<&str>| exemption == Some("outside_scope");
    let count = invoice.lines.iter().filter(|line| outside(line.tax.exemption.as_deref())).count();
    if ![0, invoice.lines.len()].contains(&count) {
        let message =
            "What is outside the scope of VAT may not stand beside other lines; issue two invoices.";
        findings.error(OUTSIDE_SCOPE_MIXED, "/lines", message);
    }
}

/// Why exempt lines are (VATEX), as the document or the workspace says.
fn exemption_code(invoice: &Invoice, settings: &Settings, findings: &mut Findings) -> Option<&'static str> {
    let Some(entry) = find_ext(invoice, "vatex") else {
        return settings.exemption_code.as_deref().and_then(vatex_of_exempt);
    };
    let known = vatex_of_exempt(entry.value);
    if known.is_none() {
        let message = format!(
            "'{}' is no code of the list VATEX for exempt lines; use one such as VATEX-EU-132-1I.",
            excerpt(entry.value)
        );
        findings.error(EXEMPTION_CODE, entry.path, message);
    } else if !taxes::any_line(invoice, EXEMPTIONS, "exempt") {
        let message = "The code of exempt lines stands on a document without any; remove it.";
        findings.error(EXEMPTION_CODE, entry.path, message);
    }
    known
}

/// The buyer reference of the document, else of its recipient, else of the workspace.
pub(crate) fn buyer_reference<'a>(invoice: &'a Invoice, settings: &'a Settings) -> Option<&'a str> {
    let stated = find_ext(invoice, "buyer-reference").map(|entry| entry.value);
    stated.or_else(|| non_blank(settings.buyer_reference.as_deref()))
}

/// The buyer's number of the order.
pub(crate) fn order_reference(invoice: &Invoice) -> Option<&str> {
    find_ext(invoice, "order-reference").map(|entry| entry.value)
}

fn check_references(invoice: &Invoice, settings: &Settings, findings: &mut Findings) {
    let references = [
        ("buyer-reference", buyer_reference(invoice, settings)),
        ("order-reference", order_reference(invoice)),
    ];
    if references.iter().all(|(_, reference)| reference.is_none()) {
        let message = "Peppol needs a buyer reference or an order; say buyer-reference or order-reference in ext, or add \
                       buyer_reference to the settings.";
        findings.error(REFERENCE_MISSING, "/ext/buyer-reference", message);
    }
    for (key, reference) in references {
        let fits = |text: &str| text.chars().count() <= CODE_CHARS_MAX && !text.contains(char::is_control);
        if reference.is_some_and(|reference| !fits(reference)) {
            let path = find_ext(invoice, key).map(|entry| entry.path);
            let message =
                format!("The {key} has more than {CODE_CHARS_MAX} or control characters; shorten it.");
            findings.error(
                REFERENCE,
                path.unwrap_or_else(|| "/settings/buyer_reference".to_owned()),
                message,
            );
        }
    }
}

/// The structured format wants terms where something is due.
fn check_payment(invoice: &Invoice, settings: &Settings, findings: &mut Findings) {
    let owed = invoice.kind != DocumentKind::CreditNote && !invoice.totals.payable.is_zero();
    let noted = invoice.payment.as_ref().is_some_and(|terms| non_blank(terms.note.as_deref()).is_some());
    if owed && !noted && check::due_date(invoice).is_none() && settings.payment_terms.is_none() {
        let message = "An invoice says by when to pay; add a due date, or payment_terms to the settings.";
        findings.error(codes::PAYMENT_TERMS, "/payment", message);
    }
}
