//! Everything that would make the agency, or the structured format, refuse a document.
//!
//! It runs before a number exists (pre-flight) and again, with the number, at the start of the conversion.

mod lines;
mod parties;
mod preceding;

use einvoice_es::date::Date;
use einvoice_es::text::{self, DESCRIPTION_CHARS_MAX, Misfit, NUMBER_CHARS_MAX};
use einvoice_gobl::text::{excerpt, is_uuid};
use einvoice_plugin::{Amount, Context, Fault, Invoice};

use crate::doc_type::{self, DocType};
use crate::faults::{self, Findings};
use crate::settings::Settings;

/// The first issue date the agency's system takes (error 1152).
const FIRST_ISSUE_DATE: Date = Date::new(2024, 10, 28);
/// How far back an operation may lie (error 1133).
const YEARS_MAX: u16 = 20;
/// Rows of the breakdown (`DetalleDesglose`).
const BREAKDOWN_ROWS_MAX: usize = 12;
/// Digits before the point of an amount at the agency.
const TOTAL_MAX: Amount = Amount::new(1_000_000_000_000, 0);
/// The most a simplified invoice may come to, taxes included, in euro (error 1150).
const SIMPLIFIED_MAX: Amount = Amount::new(3000, 0);

/// All faults of a document, errors and warnings, in the order of the document's members.
pub fn check(invoice: &Invoice, context: &Context) -> Vec<Fault> {
    examine(invoice, context).findings.faults
}

/// What [`check`] found, and as what the document would go out.
pub(crate) struct Examined {
    pub(crate) findings: Findings,
    pub(crate) doc_type: DocType,
}

/// [`check`], for the conversion.
pub(crate) fn examine(invoice: &Invoice, context: &Context) -> Examined {
    let mut findings = Findings::default();
    let settings = Settings::parse(&context.settings).unwrap_or_else(|error| {
        let message =
            format!("The workspace's VERI*FACTU settings do not fit their schema ({error}); correct them.");
        findings.error(faults::SETTINGS, "/settings", message);
        Settings::default()
    });
    findings.refuse_warnings = settings.refuse_warnings;
    let doc_type = doc_type::choose(invoice, settings.credit_note_type, &mut findings);
    document(invoice, &mut findings);
    let operation_day = dates(invoice, context, &mut findings);
    preceding::preceding(invoice, doc_type, &mut findings);
    parties::supplier(context, &mut findings);
    parties::recipient(invoice, doc_type, context, &mut findings);
    lines::lines(invoice, operation_day, &mut findings);
    lines::reverse_charge(invoice, doc_type, &mut findings);
    lines::retentions(invoice, &mut findings);
    totals(invoice, doc_type, &mut findings);
    if let Some(notes) = &invoice.notes {
        notes_fit(notes, &mut findings);
    }
    Examined { findings, doc_type }
}

fn document(invoice: &Invoice, findings: &mut Findings) {
    if !is_uuid(&invoice.uuid) {
        findings.error(faults::UUID, "/uuid", "The document's identifier is no UUID; give it one.");
    }
    if invoice.currency != "EUR" {
        let message = format!(
            "VERI*FACTU takes amounts in EUR, not in '{}'; issue the invoice in euro.",
            excerpt(&invoice.currency)
        );
        findings.error(faults::CURRENCY, "/currency", message);
    }
    if let Some(number) = &invoice.number {
        number_fits(number, findings);
    }
}

fn number_fits(number: &str, findings: &mut Findings) {
    const PATH: &str = "/display_document_number";
    match text::number(number) {
        Ok(()) => {}
        Err(Misfit::Empty) => {
            let message = "The invoice number is empty; correct the workspace's number pattern.";
            findings.error(faults::NUMBER_MISSING, PATH, message);
        }
        Err(Misfit::TooLong { chars }) => {
            let message = format!(
                "The invoice number has {chars} characters, the tax agency takes {NUMBER_CHARS_MAX}; shorten the \
                 workspace's number pattern."
            );
            findings.error(faults::NUMBER_LENGTH, PATH, message);
        }
        Err(Misfit::Character(character)) => {
            let message = format!(
                "The tax agency refuses the character {character:?} in invoice numbers; remove it from the \
                 workspace's number pattern."
            );
            findings.error(faults::NUMBER_CHARACTER, PATH, message);
        }
    }
}

/// Checks the dates; the day of the operation decides which rates hold.
fn dates(invoice: &Invoice, context: &Context, findings: &mut Findings) -> Option<Date> {
    let issued: Option<Date> = invoice.issue_date.parse().ok();
    match issued {
        None => findings.error(
            faults::DATE_MALFORMED,
            "/issue_date",
            "The issue date is no date; write it as YYYY-MM-DD.",
        ),
        Some(day) if day < FIRST_ISSUE_DATE => findings.error(
            faults::DATE_TOO_EARLY,
            "/issue_date",
            format!("VERI*FACTU takes invoices issued from {FIRST_ISSUE_DATE} on; use a later issue date."),
        ),
        Some(day) if context.today.parse().is_ok_and(|today: Date| day > today) => findings.error(
            faults::DATE_FUTURE,
            "/issue_date",
            "The issue date lies in the future, which the tax agency refuses; use today's date.",
        ),
        Some(_) => {}
    }
    due_date(invoice, findings);
    let Some(operation) = &invoice.operation_date else { return issued };
    let Ok(operation) = operation.parse::<Date>() else {
        let message = "The operation date is no date; write it as YYYY-MM-DD.";
        findings.error(faults::OPERATION_DATE_MALFORMED, "/operation_date", message);
        return issued;
    };
    if let Some(issued) = issued {
        if operation > issued {
            findings.error(
                faults::OPERATION_DATE_LATE,
                "/operation_date",
                "The operation lies after the issue date, which the tax agency refuses; leave the operation date \
                 out or issue the invoice later.",
            );
        } else if operation < issued.years_earlier(YEARS_MAX) {
            let message = "The operation lies more than twenty years back; correct its date.";
            findings.error(faults::OPERATION_DATE_OLD, "/operation_date", message);
        }
    }
    Some(operation)
}

fn due_date(invoice: &Invoice, findings: &mut Findings) {
    let due = invoice.payment.as_ref().and_then(|terms| terms.due_date.as_ref());
    if due.is_some_and(|due| due.parse::<Date>().is_err()) {
        let message = "The due date is no date; write it as YYYY-MM-DD.";
        findings.error(faults::DUE_DATE_MALFORMED, "/payment/due_date", message);
    }
}

fn totals(invoice: &Invoice, doc_type: DocType, findings: &mut Findings) {
    let totals = &invoice.totals;
    let rows: usize = totals.categories.iter().map(|category| category.rates.len()).sum();
    if rows > BREAKDOWN_ROWS_MAX {
        let message = format!(
            "The invoice has {rows} different tax rows, the tax agency takes {BREAKDOWN_ROWS_MAX}; split it into \
             several invoices."
        );
        findings.error(faults::BREAKDOWN_ROWS, "/totals/rates", message);
    }
    let too_large = |amount: Amount| {
        Amount::new(amount.units.saturating_abs(), amount.scale).cmp_value(TOTAL_MAX).is_ge()
    };
    if [totals.sum, totals.net, totals.gross, totals.payable].into_iter().any(too_large) {
        let message = "The total has more digits than the tax agency takes; split the invoice.";
        findings.error(faults::TOTAL_TOO_LARGE, "/totals/gross", message);
    }
    if doc_type == DocType::F2 && totals.gross.cmp_value(SIMPLIFIED_MAX).is_gt() {
        let message = format!(
            "The simplified invoice comes to {} EUR, more than the {SIMPLIFIED_MAX} EUR allowed; issue a regular \
             invoice to an identified recipient.",
            totals.gross
        );
        findings.error(faults::SIMPLIFIED_LIMIT, "/totals/gross", message);
    }
    if doc_type.is_correction() && totals.gross.is_negative() {
        let message = format!(
            "The credit note credits {} EUR, so the recipient would owe more; give what is credited as a positive \
             amount, or bill the difference in an invoice.",
            totals.gross
        );
        findings.warning(faults::CREDIT_NEGATIVE, "/totals/gross", message);
    }
}

fn notes_fit(notes: &str, findings: &mut Findings) {
    let message = match text::prose(notes, DESCRIPTION_CHARS_MAX) {
        Ok(()) | Err(Misfit::Empty) => return,
        Err(Misfit::TooLong { chars }) => format!(
            "The notes have {chars} characters, the tax agency takes {DESCRIPTION_CHARS_MAX}; shorten them."
        ),
        Err(Misfit::Character(character)) => {
            format!("The notes contain the control character {character:?}; remove it.")
        }
    };
    findings.error(faults::NOTES, "/notes", message);
}
