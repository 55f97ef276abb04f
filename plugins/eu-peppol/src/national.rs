//! What OpenPEPPOL demands of the suppliers of one country, or of trade within one: its rules DE, DK, GR, IS, IT, NL, NO and
//! SE, as far as they are not met by how documents are made.

use einvoice_eu::{Findings, codes};
use einvoice_gobl::text::{excerpt, non_blank};
use einvoice_plugin::{Amount, DocumentKind, Invoice};

use crate::endpoints::SchemeNumber;
use crate::faults;
use crate::settings::Settings;
use crate::tables::{ADDRESS_MEMBERS, MEANS};

/// What Norwegian companies state (NO-R-002).
const REGISTER_OF_NORWAY: &str = "Foretaksregisteret";
/// What Swedish companies state (SE-R-005).
const REGISTRATION_OF_SWEDEN: &str = "godkänd för f-skatt";
/// Means of payment that are allowed between Danes (DK-R-005).
const MEANS_OF_DENMARK: &[&str] = &["1", "10", "31", "42", "48", "49", "50", "58", "59", "93", "97"];
/// Means of payment that are allowed between Dutch (NL-R-008).
const MEANS_OF_THE_NETHERLANDS: &[&str] = &["30", "48", "49", "57", "58", "59"];
const REGISTER_OF_DENMARK: &str = "0184";
const REGISTER_OF_ICELAND: &str = "0196";
const REGISTERS_OF_THE_NETHERLANDS: &[&str] = &["0106", "0190"];
const SUPPLIER_LEGAL_ID: &str = "/settings/legal_id";

/// Between whom a document goes: countries by ISO 3166-1, the recipient's by its address.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Trade {
    pub(crate) supplier: &'static str,
    pub(crate) recipient: Option<&'static str>,
}

impl Trade {
    /// Whether both are of this country.
    pub(crate) fn is_within(self, country: &str) -> bool {
        self.supplier == country && self.recipient == Some(country)
    }

    /// The members that the supplier's address must have.
    pub(crate) fn supplier_address(self) -> &'static [&'static str] {
        match self.supplier {
            "DE" if self.is_within("DE") => &["locality", "postcode", "country"],
            "IS" => &["street", "postcode", "country"],
            "IT" | "NL" => &["street", "locality", "postcode", "country"],
            _ => ADDRESS_MEMBERS,
        }
    }

    /// The members that the recipient's address must have.
    pub(crate) fn recipient_address(self) -> &'static [&'static str] {
        match self.supplier {
            "DE" if self.is_within("DE") => &["locality", "postcode", "country"],
            "IS" if self.is_within("IS") => &["street", "postcode", "country"],
            "NL" if self.is_within("NL") => &["street", "locality", "postcode", "country"],
            _ => ADDRESS_MEMBERS,
        }
    }

    /// Why a percent cannot go out.
    pub(crate) fn rate_refused(self) -> fn(Amount) -> Option<String> {
        if self.supplier == "SE" { refused_in_sweden } else { |_| None }
    }
}

/// SE-R-006.
fn refused_in_sweden(percent: Amount) -> Option<String> {
    let usual = [0, 6, 12, 25].map(|percent| Amount::new(percent, 0));
    let known = usual.into_iter().any(|usual| usual.same_value(percent));
    (!known).then(|| {
        format!(
            "Swedish suppliers charge 25, 12 or 6 % in Peppol (SE-R-006), not {percent}; correct the rate."
        )
    })
}

/// A document with what national rules look at.
#[derive(Debug)]
pub(crate) struct TradeDocument<'a> {
    pub(crate) trade: Trade,
    pub(crate) invoice: &'a Invoice,
    pub(crate) settings: &'a Settings,
    /// UNTDID 1001.
    pub(crate) doc_type: &'a str,
    /// Whether the supplier can be written to.
    pub(crate) has_email: bool,
    /// Whether the document has one.
    pub(crate) has_buyer_reference: bool,
    pub(crate) supplier_legal_id: Option<&'a SchemeNumber>,
    pub(crate) recipient_legal_id: Option<&'a SchemeNumber>,
    /// Where it stands, or would.
    pub(crate) recipient_legal_id_path: &'a str,
}

/// Checks a document by the rules of its supplier's country.
pub(crate) fn check(document: &TradeDocument<'_>, findings: &mut Findings) {
    match document.trade.supplier {
        "DE" if document.trade.is_within("DE") => within_germany(document, findings),
        "DK" => denmark(document, findings),
        "GR" => {
            let message = "Invoices of Greek suppliers carry the registration number of myDATA, which Peppol does not give \
                           (GR-R-001 to GR-R-010); use the tax regime gr-mydata.";
            findings.error(faults::GREECE, "/supplier/country", message);
        }
        "IS" => iceland(document, findings),
        "IT" => italy(document, findings),
        "NL" => netherlands(document, findings),
        "NO" => norway(document, findings),
        "SE" => sweden(document, findings),
        _ => {}
    }
}

/// Warns of a type that the country's own rules do not list.
fn expect_usual_type(document: &TradeDocument<'_>, rule: &str, findings: &mut Findings) {
    if !["380", "381"].contains(&document.doc_type) {
        let message = format!(
            "Recipients expect no documents of type {} from suppliers of {} ({rule}); issue an invoice or a credit note.",
            document.doc_type, document.trade.supplier
        );
        findings.warning(faults::TYPE_UNUSUAL, "/document_type", message);
    }
}

fn within_germany(document: &TradeDocument<'_>, findings: &mut Findings) {
    if document.settings.contact.is_none() || !document.has_email {
        let message = "Between Germans an invoice names a person, a telephone and an address for electronic mail of the supplier \
                       (DE-R-005 to DE-R-007); add contact to the settings.";
        findings.error(faults::GERMANY_CONTACT, "/settings/contact", message);
    }
    if !document.has_buyer_reference {
        let message = "Between Germans an invoice has a buyer reference beside the order (DE-R-015); say buyer-reference in \
                       the recipient's ext, or add buyer_reference to the settings.";
        findings.error(faults::GERMANY_REFERENCE, "/ext/buyer-reference", message);
    }
    demand_payment(document, "DE-R-001", findings);
    expect_usual_type(document, "DE-R-017", findings);
    let note = document.invoice.payment.as_ref().and_then(|terms| terms.note.as_deref());
    let of_settings = match document.invoice.kind {
        DocumentKind::CreditNote => document.settings.credit_terms.as_deref(),
        DocumentKind::Invoice
        | DocumentKind::SimplifiedInvoice
        | DocumentKind::ReplacementInvoice
        | DocumentKind::DebitNote => document.settings.payment_terms.as_deref(),
    };
    let (terms, path) = match non_blank(note) {
        Some(note) => (Some(note), "/payment/note"),
        None => (of_settings, "/settings/payment_terms"),
    };
    if terms.is_some_and(|terms| terms.lines().any(|line| line.trim_start().starts_with('#'))) {
        let message = "Between Germans a line of the payment terms that starts with # is Skonto (DE-R-018), which is the business \
                       of the tax regime de-xrechnung; start it with something else.";
        findings.error(faults::GERMANY_TERMS, path, message);
    }
}

/// Refuses a document that does not say how it is paid.
fn demand_payment(document: &TradeDocument<'_>, rule: &str, findings: &mut Findings) {
    if document.settings.payment.is_none() {
        let message = format!(
            "Suppliers of {} say how they are paid ({rule}); add payment to the settings.",
            document.trade.supplier
        );
        findings.error(codes::PAYMENT_MEANS, "/settings/payment", message);
    }
}

/// The code of the workspace's means of payment, unless it is one of `allowed`.
fn forbidden_means(settings: &Settings, allowed: &[&str]) -> Option<&'static str> {
    let means = &settings.payment.as_ref()?.means;
    let (_, code) = MEANS.iter().find(|(key, _)| key == means)?;
    (!allowed.contains(code)).then_some(*code)
}

fn denmark(document: &TradeDocument<'_>, findings: &mut Findings) {
    let demand_cvr = |number: Option<&SchemeNumber>, path: &str, findings: &mut Findings| {
        if number.is_some_and(|number| number.scheme != REGISTER_OF_DENMARK) {
            let message =
                "Danes are registered under their CVR number (DK-R-014, DK-R-017); use the scheme 0184.";
            findings.error(faults::DENMARK_LEGAL_ID, path, message);
        }
    };
    demand_cvr(document.supplier_legal_id, SUPPLIER_LEGAL_ID, findings);
    if !document.trade.is_within("DK") {
        return;
    }
    demand_cvr(document.recipient_legal_id, document.recipient_legal_id_path, findings);
    let is_credit_note = document.invoice.kind == DocumentKind::CreditNote;
    if let Some(code) = forbidden_means(document.settings, MEANS_OF_DENMARK).filter(|_| !is_credit_note) {
        let message = format!(
            "Between Danes the means of payment {code} is not allowed (DK-R-005); pay by credit-transfer+sepa, cash or netting."
        );
        findings.error(faults::DENMARK_MEANS, "/settings/payment/means", message);
    }
    if is_credit_note && document.invoice.totals.payable.is_negative() {
        let message =
            "Between Danes a credit note has no negative total (DK-R-016); issue an invoice instead.";
        findings.error(faults::DENMARK_TOTAL, "/lines", message);
    }
}

fn iceland(document: &TradeDocument<'_>, findings: &mut Findings) {
    expect_usual_type(document, "IS-R-001", findings);
    let lacks =
        |number: Option<&SchemeNumber>| number.is_none_or(|number| number.scheme != REGISTER_OF_ICELAND);
    if lacks(document.supplier_legal_id) {
        let message = "Suppliers of Iceland state their kennitala (IS-R-002); add legal_id to the settings, with the scheme 0196.";
        findings.error(faults::ICELAND_SUPPLIER, SUPPLIER_LEGAL_ID, message);
    }
    if document.trade.is_within("IS") && lacks(document.recipient_legal_id) {
        let message = "Between Icelanders an invoice states the recipient's kennitala (IS-R-004); say legal-id in the recipient's \
                       ext, such as 0196:5501692829.";
        findings.error(faults::ICELAND_RECIPIENT, document.recipient_legal_id_path, message);
    }
}

fn italy(document: &TradeDocument<'_>, findings: &mut Findings) {
    let has_form = |text: &str| {
        (11..=16).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
    };
    if let Some(text) = document.settings.tax_registration.as_deref().filter(|text| !has_form(text.trim())) {
        let message = format!(
            "'{}' is no fiscal code of an Italian supplier (IT-R-001); correct tax_registration in the settings.",
            excerpt(text)
        );
        findings.error(faults::ITALY_REGISTRATION, "/settings/tax_registration", message);
    }
}

fn netherlands(document: &TradeDocument<'_>, findings: &mut Findings) {
    let is_within = document.trade.is_within("NL");
    let of_recipient = document.recipient_legal_id.filter(|_| is_within);
    for (number, path) in
        [(document.supplier_legal_id, SUPPLIER_LEGAL_ID), (of_recipient, document.recipient_legal_id_path)]
    {
        if number.is_some_and(|number| !REGISTERS_OF_THE_NETHERLANDS.contains(&number.scheme.as_str())) {
            let message = "In the Netherlands a party is registered under its KVK or OIN number (NL-R-003, NL-R-005); use the \
                           scheme 0106 or 0190.";
            findings.error(faults::NETHERLANDS_LEGAL_ID, path, message);
        }
    }
    let payable = document.invoice.totals.payable;
    let is_owed = match document.invoice.kind {
        DocumentKind::CreditNote => payable.is_negative(),
        DocumentKind::Invoice
        | DocumentKind::SimplifiedInvoice
        | DocumentKind::ReplacementInvoice
        | DocumentKind::DebitNote => !payable.is_negative() && !payable.is_zero(),
    };
    if is_owed {
        demand_payment(document, "NL-R-007", findings);
    }
    if let Some(code) = forbidden_means(document.settings, MEANS_OF_THE_NETHERLANDS).filter(|_| is_within) {
        let message = format!(
            "Between Dutch the means of payment {code} is not allowed (NL-R-008); pay by credit-transfer or credit-transfer+sepa."
        );
        findings.error(faults::NETHERLANDS_MEANS, "/settings/payment/means", message);
    }
}

fn norway(document: &TradeDocument<'_>, findings: &mut Findings) {
    if document.settings.tax_registration.as_deref().map(str::trim) != Some(REGISTER_OF_NORWAY) {
        let message = "Norwegian companies state Foretaksregisteret (NO-R-002); add it as tax_registration to the settings, \
                       unless yours is a sole proprietorship.";
        findings.warning(faults::NORWAY_REGISTER, "/settings/tax_registration", message);
    }
}

fn sweden(document: &TradeDocument<'_>, findings: &mut Findings) {
    let Some(legal) = document.supplier_legal_id else { return };
    if !crate::schemes::is_sound("0007", &legal.code) {
        let message = "In Sweden a supplier is registered under its organisation number of ten digits (SE-R-003, SE-R-004, \
                       SE-R-013); correct legal_id in the settings.";
        findings.error(faults::SWEDEN_LEGAL_ID, SUPPLIER_LEGAL_ID, message);
    }
    let stated = document.settings.tax_registration.as_deref().map(|text| text.trim().to_lowercase());
    if stated.is_some_and(|stated| stated != REGISTRATION_OF_SWEDEN) {
        let message = "A Swedish supplier states nothing but 'Godkänd för F-skatt' of its tax registration (SE-R-005); correct \
                       tax_registration in the settings.";
        findings.error(faults::SWEDEN_REGISTRATION, "/settings/tax_registration", message);
    }
}
