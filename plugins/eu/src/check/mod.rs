//! The checks every country makes, under the [`Rules`] of one.
//!
//! What the structured format's own rules refuse is an error here; what only the authority may object to is a warning.

mod lines;
mod parties;

use einvoice_gobl::clock::today;
use einvoice_gobl::currency;
use einvoice_gobl::date::Date;
use einvoice_gobl::text::{composed, excerpt, is_uuid, non_blank};
use einvoice_plugin::{Amount, Context, DocumentKind, Invoice, Preceding};

use crate::taxes::{Exemption, Rate};
use crate::{Findings, codes};

/// What differs between the countries.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// ISO code of the country.
    pub country: &'static str,
    /// The system's name in a sentence: `SdI`.
    pub system: &'static str,
    /// ISO code of the one currency; none when the system takes any.
    pub currency: Option<&'static str>,
    /// Kinds the system knows.
    pub kinds: &'static [DocumentKind],
    /// Characters of a name.
    pub name_chars_max: usize,
    /// Characters of a line's description.
    pub description_chars_max: usize,
    /// Characters of a number.
    pub number_chars_max: usize,
    /// Characters of the notes.
    pub notes_chars_max: usize,
    /// Digits before the point of a total; the format carries [`TOTAL_DIGITS_MAX`].
    pub total_digits_max: u32,
    /// Whether names and descriptions take Latin-1 only.
    pub latin1: bool,
    /// The first day of issue.
    pub first_issue_date: Option<Date>,
    /// Whether a day of issue in the future is refused.
    pub future_refused: bool,
    /// What the supplier's address must have.
    pub supplier_address: AddressNeeds,
    /// What the recipient's address must have.
    pub recipient_address: AddressNeeds,
    /// Whether a document goes out without recipient.
    pub anonymous: fn(&Invoice) -> bool,
    /// Rates of VAT. None where any percent is usual.
    pub rates: &'static [Rate],
    /// Why a percent cannot go out, whatever the day.
    pub rate_refused: fn(Amount) -> Option<String>,
    /// Reasons not to tax.
    pub exemptions: &'static [Exemption],
    /// Taxes a recipient withholds.
    pub retentions: &'static [(&'static str, &'static str)],
}

/// The members an address must have: `street`, `locality`, `postcode`, `country`. None when there need be none.
pub type AddressNeeds = Option<&'static [&'static str]>;

/// Digits before the point of a total in the format: with the cents, and a digit for what is computed with them, it has 18.
pub const TOTAL_DIGITS_MAX: u32 = 15;
/// Where the platform keeps what a document refers to.
const PRECEDING_PATH: &str = "/referenced_document_ids";

/// Everything the countries share, in the order of the document's members. Kind, tax ids and what only one system
/// demands are the plugin's.
pub fn common(invoice: &Invoice, context: &Context, rules: &Rules, findings: &mut Findings) {
    check_document(invoice, rules, findings);
    check_dates(invoice, context, rules, findings);
    let issued = invoice.issue_date.parse().ok();
    for one in &invoice.preceding {
        check_preceding(one, issued, rules, findings);
    }
    parties::supplier(context, rules, findings);
    parties::recipient(invoice, rules, findings);
    lines::lines(invoice, rules, findings);
    lines::retentions(invoice, rules, findings);
    check_totals(invoice, rules, findings);
    if let Some(notes) = &invoice.notes {
        check_prose(notes, rules.notes_chars_max, codes::NOTES, "/notes", "The notes", findings);
    }
    if let Some(note) = invoice.payment.as_ref().and_then(|terms| terms.note.as_ref()) {
        check_prose(
            note,
            rules.notes_chars_max,
            codes::PAYMENT_TERMS,
            "/payment/note",
            "The payment terms",
            findings,
        );
    }
}

fn check_document(invoice: &Invoice, rules: &Rules, findings: &mut Findings) {
    let system = rules.system;
    if !rules.kinds.contains(&invoice.kind) {
        let message =
            format!("{system} has no document of this kind here; issue an invoice or a credit note.");
        findings.error(codes::KIND, "/document_type", message);
    }
    if !is_uuid(&invoice.uuid) {
        findings.error(codes::UUID, "/uuid", "The document's identifier is no UUID; give it one.");
    }
    check_currency(invoice, rules, findings);
    if let Some(number) = &invoice.number {
        check_number(number, rules, findings);
    }
}

fn check_currency(invoice: &Invoice, rules: &Rules, findings: &mut Findings) {
    const PATH: &str = "/currency";
    let stated = invoice.currency.as_str();
    match rules.currency {
        Some(only) if stated == only => {}
        Some(only) => {
            let message = format!(
                "{} takes amounts in {only}, not in '{}'; issue the invoice in that currency.",
                rules.system,
                excerpt(stated)
            );
            findings.error(codes::CURRENCY, PATH, message);
        }
        None if stated == "EUR" => {}
        None if !currency::is_known(stated) => {
            let message = format!("'{}' is no currency; use its code such as EUR.", excerpt(stated));
            findings.error(codes::CURRENCY, PATH, message);
        }
        None if !currency::is_kept(stated, figures(invoice)) => {
            let decimals = currency::decimals_of_the_format(stated);
            let message = format!(
                "The structured format computes amounts in {stated} with {decimals} decimals, which changes those of this \
                 invoice; issue it in another currency."
            );
            findings.error(codes::CURRENCY, PATH, message);
        }
        None => {
            let message =
                "The law wants the VAT in euro too, which the document does not state; issue it in euro.";
            findings.warning(codes::CURRENCY_FOREIGN, PATH, message);
        }
    }
}

/// Every figure of the totals.
fn figures(invoice: &Invoice) -> impl Iterator<Item = Amount> {
    let totals = &invoice.totals;
    let rates = totals.categories.iter().flat_map(|category| &category.rates);
    let retained = totals.retentions.iter().flat_map(|retention| [retention.base, retention.amount]);
    [totals.sum, totals.net, totals.tax, totals.gross, totals.payable]
        .into_iter()
        .chain(rates.flat_map(|rate| [rate.base, rate.amount]))
        .chain(retained)
}

fn check_number(number: &str, rules: &Rules, findings: &mut Findings) {
    const PATH: &str = "/display_document_number";
    let chars = number.chars().count();
    if number.trim().is_empty() {
        let message = "The invoice number is empty; correct the workspace's number pattern.";
        return findings.error(codes::NUMBER_MISSING, PATH, message);
    }
    if chars > rules.number_chars_max {
        let message = format!(
            "The invoice number has {chars} characters, {} takes {}; shorten the workspace's number pattern.",
            rules.system, rules.number_chars_max
        );
        findings.error(codes::NUMBER_LENGTH, PATH, message);
    }
    if let Some(refused) = forbidden_character(number) {
        let message = format!(
            "{} refuses the character {refused:?} in invoice numbers; remove it from the workspace's number pattern.",
            rules.system
        );
        findings.error(codes::NUMBER_CHARACTER, PATH, message);
    }
}

/// Printable ASCII, no space at either end: what every system and the format carry unchanged.
fn forbidden_character(number: &str) -> Option<char> {
    let at_the_end = || (number.starts_with(' ') || number.ends_with(' ')).then_some(' ');
    number.chars().find(|c| !matches!(c, ' '..='~')).or_else(at_the_end)
}

fn check_dates(invoice: &Invoice, context: &Context, rules: &Rules, findings: &mut Findings) {
    const PATH: &str = "/issue_date";
    let issued: Option<Date> = invoice.issue_date.parse().ok();
    match issued {
        None => {
            let message = "The issue date is no date; write it as YYYY-MM-DD.";
            findings.error(codes::DATE_MALFORMED, PATH, message);
        }
        Some(day) => {
            if let Some(first) = rules.first_issue_date.filter(|first| day < *first) {
                let message =
                    format!("{} takes invoices issued from {first} on; use a later date.", rules.system);
                findings.error(codes::DATE_TOO_EARLY, PATH, message);
            }
            if today(&context.now).is_some_and(|today| day > today) {
                let message = format!(
                    "The issue date lies in the future in {}; use the date of today there.",
                    rules.country
                );
                if rules.future_refused {
                    findings.error(codes::DATE_FUTURE, PATH, message);
                } else {
                    findings.warning(codes::DATE_FUTURE, PATH, message);
                }
            }
        }
    }
    if invoice.operation_date.as_deref().is_some_and(|day| day.parse::<Date>().is_err()) {
        let message = "The operation date is no date; write it as YYYY-MM-DD.";
        findings.error(codes::OPERATION_DATE_MALFORMED, "/operation_date", message);
    }
    let due_date = invoice.payment.as_ref().and_then(|terms| terms.due_date.as_deref());
    if due_date.is_some_and(|day| day.parse::<Date>().is_err()) {
        let message = "The due date is no date; write it as YYYY-MM-DD.";
        findings.error(codes::DUE_DATE_MALFORMED, "/payment/due_date", message);
    }
}

fn check_preceding(preceding: &Preceding, issued: Option<Date>, rules: &Rules, findings: &mut Findings) {
    let number = excerpt(&preceding.number);
    if !is_uuid(&preceding.uuid) {
        let message = format!("The identifier of '{number}' is no UUID; refer to another document.");
        findings.error(codes::PRECEDING_UUID, PRECEDING_PATH, message);
    }
    let chars = preceding.number.chars().count();
    let is_valid =
        (1..=rules.number_chars_max).contains(&chars) && forbidden_character(&preceding.number).is_none();
    if !is_valid {
        let message =
            format!("{} does not take the number '{number}' of a document referred to.", rules.system);
        findings.error(codes::PRECEDING_NUMBER, PRECEDING_PATH, message);
    }
    match preceding.issue_date.parse::<Date>() {
        Err(_) => {
            let message = format!("The issue date of '{number}' is no date; write it as YYYY-MM-DD.");
            findings.error(codes::PRECEDING_DATE, PRECEDING_PATH, message);
        }
        Ok(day) if issued.is_some_and(|issued| day > issued) => {
            let message =
                format!("'{number}' was issued on {day}, after this document; use a later issue date.");
            findings.warning(codes::PRECEDING_LATE, PRECEDING_PATH, message);
        }
        Ok(_) => {}
    }
}

/// A correction that names nothing: an error where the format refuses it, else a warning.
pub fn correction(invoice: &Invoice, refused: bool, findings: &mut Findings) {
    if !matches!(invoice.kind, DocumentKind::CreditNote | DocumentKind::DebitNote)
        || !invoice.preceding.is_empty()
    {
        return;
    }
    let message = "The document names no issued invoice that it corrects; refer to it.";
    if refused {
        findings.error(codes::CORRECTED_MISSING, PRECEDING_PATH, message);
    } else {
        findings.warning(codes::CORRECTED_MISSING, PRECEDING_PATH, message);
    }
}

/// Whether an amount has to be paid by a date, which has to be written down with instructions how.
pub fn due_date(invoice: &Invoice) -> Option<&str> {
    let terms = invoice.payment.as_ref()?;
    // The format refuses an instalment of nought.
    non_blank(terms.due_date.as_deref()).filter(|_| !invoice.totals.payable.is_zero())
}

fn check_totals(invoice: &Invoice, rules: &Rules, findings: &mut Findings) {
    let digits = rules.total_digits_max.min(TOTAL_DIGITS_MAX);
    let limit = Amount::new(10_i64.pow(digits), 0);
    let magnitude = |amount: Amount| Amount::new(amount.units.saturating_abs(), amount.scale);
    let is_valid = |amount: Amount| amount.is_representable() && magnitude(amount).cmp_value(limit).is_lt();
    if !figures(invoice).all(is_valid) {
        let message = format!(
            "A total has more than {digits} digits before the point, the most that {} takes; split the invoice.",
            rules.system
        );
        findings.error(codes::TOTAL_TOO_LARGE, "/totals/payable", message);
    }
}

fn check_prose(text: &str, chars_max: usize, code: &str, path: &str, what: &str, findings: &mut Findings) {
    let problem = if text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
        "contain a control character".to_owned()
    } else if composed(text.trim()).chars().count() > chars_max {
        format!("have more than {chars_max} characters")
    } else {
        return;
    };
    findings.error(code, path, format!("{what} {problem}; correct them."));
}

/// What is wrong with a line of text, as a clause that follows it.
fn text_problem(text: &str, chars_max: usize, latin1: bool) -> Option<String> {
    let trimmed = composed(text.trim());
    let chars = trimmed.chars().count();
    if trimmed.is_empty() {
        Some("is empty".to_owned())
    } else if let Some(control) = text.chars().find(|c| c.is_control()) {
        Some(format!("contains the control character {control:?}"))
    } else if chars > chars_max {
        Some(format!("has {chars} characters, {chars_max} fit"))
    } else {
        outside_latin1(&trimmed, latin1).map(|c| format!("contains {c:?}, which is no Latin-1 character"))
    }
}

fn outside_latin1(text: &str, latin1: bool) -> Option<char> {
    text.chars().find(|c| latin1 && u32::from(*c) > 0xFF)
}

#[cfg(test)]
mod tests;
