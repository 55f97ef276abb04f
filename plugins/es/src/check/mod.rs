//! Everything that would make the agency, or the structured format, refuse a document.
//!
//! It runs before a number exists (pre-flight) and again, with the number, at the start of the conversion.

mod lines;
mod parties;
mod preceding;

use einvoice_gobl::clock::today;
use einvoice_gobl::text::{excerpt, is_uuid};
use einvoice_plugin::{Amount, Context, DocumentKind, Ext, Invoice};

use crate::date::Date;
use crate::doc_type::{self, CreditNoteType, DocType};
use crate::faults::{Findings, codes};
use crate::system::System;
use crate::text::{self, TextProblem};

pub use parties::listed_country;

/// How far back an operation may lie (error 1134).
const YEARS_MAX: u16 = 20;
/// Above the largest amount of the agency, which has twelve digits before the point.
const TOTAL_LIMIT: Amount = Amount::new(1_000_000_000_000, 0);
/// The most a simplified invoice may come to, taxes included, in euro (error 1150).
const SIMPLIFIED_MAX: Amount = Amount::new(3000, 0);

/// The settings every system has.
#[derive(Debug, Clone, Copy, Default)]
pub struct Choices {
    /// Treats every warning as an error.
    pub refuse_warnings: bool,
    /// How the agency files credit notes that say nothing themselves.
    pub credit_note_type: CreditNoteType,
}

/// What was found, and as what the document would go out.
#[derive(Debug)]
pub struct Examination {
    /// All faults of the document, errors and warnings, in the order of the document's members.
    pub findings: Findings,
    /// The nearest type, after an error was found.
    pub doc_type: DocType,
}

/// Examines a document by the rules all systems share. `settings` may not have fitted their schema, for this reason.
pub fn examine(
    system: &'static System,
    invoice: &Invoice,
    context: &Context,
    settings: Result<Choices, String>,
) -> Examination {
    let mut findings = Findings::new(system);
    let settings = settings.unwrap_or_else(|error| {
        let name = system.name;
        let message =
            format!("The workspace's {name} settings do not fit their schema ({error}); correct them.");
        findings.error(codes::SETTINGS, "/settings", message);
        Choices::default()
    });
    findings.refuse_warnings = settings.refuse_warnings;
    let doc_type = doc_type::choose(invoice, settings.credit_note_type, &mut findings);
    check_document(invoice, &mut findings);
    let operation_day = check_dates(invoice, context, &mut findings);
    preceding::preceding(invoice, doc_type, &mut findings);
    parties::supplier(context, &mut findings);
    parties::recipient(invoice, doc_type, context, &mut findings);
    lines::lines(invoice, operation_day, &mut findings);
    lines::reverse_charge(invoice, doc_type, &mut findings);
    lines::retentions(invoice, &mut findings);
    check_totals(invoice, doc_type, &mut findings);
    if let Some(notes) = &invoice.notes {
        check_notes(notes, &mut findings);
    }
    Examination { findings, doc_type }
}

/// The mark of articles 7.2 and 7.3 of the regulation of invoices, which systems may carry: error 1183.
pub fn article_7(entry: Option<&Ext>, doc_type: DocType, findings: &mut Findings) {
    let Some(entry) = entry else { return };
    let message = match entry.value.as_str() {
        "N" => return,
        "S" if !doc_type.is_simplified() => return,
        "S" => {
            "A simplified document has no recipient whose data could be missing; leave the mark of articles 7.2 and \
             7.3 out."
        }
        _ => "The mark of articles 7.2 and 7.3 is neither S nor N; use one of them.",
    };
    findings.error("ARTICLE-7-01", format!("/ext/{}", entry.key), message);
}

fn check_document(invoice: &Invoice, findings: &mut Findings) {
    if !is_uuid(&invoice.uuid) {
        findings.error(codes::UUID, "/uuid", "The document's identifier is no UUID; give it one.");
    }
    if invoice.currency != "EUR" {
        let message = format!(
            "{} takes amounts in EUR, not in '{}'; issue the invoice in euro.",
            findings.system.name,
            excerpt(&invoice.currency)
        );
        findings.error(codes::CURRENCY, "/currency", message);
    }
    if let Some(number) = &invoice.number {
        check_number(number, findings);
    }
}

fn check_number(number: &str, findings: &mut Findings) {
    const PATH: &str = "/display_document_number";
    let chars_max = findings.system.number_chars_max;
    match text::number_of(number, chars_max) {
        Ok(()) => {}
        Err(TextProblem::Empty) => {
            let message = "The invoice number is empty; correct the workspace's number pattern.";
            findings.error(codes::NUMBER_MISSING, PATH, message);
        }
        Err(TextProblem::TooLong { chars }) => {
            let message = format!(
                "The invoice number has {chars} characters, the tax agency takes {chars_max}; shorten the \
                 workspace's number pattern."
            );
            findings.error(codes::NUMBER_LENGTH, PATH, message);
        }
        Err(TextProblem::Character(character)) => {
            let message = format!(
                "The tax agency refuses the character {character:?} in invoice numbers; remove it from the \
                 workspace's number pattern."
            );
            findings.error(codes::NUMBER_CHARACTER, PATH, message);
        }
    }
}

/// Checks the dates; the day of the operation decides which rates hold.
fn check_dates(invoice: &Invoice, context: &Context, findings: &mut Findings) -> Option<Date> {
    let issued: Option<Date> = invoice.issue_date.parse().ok();
    match issued {
        None => findings.error(
            codes::DATE_MALFORMED,
            "/issue_date",
            "The issue date is no date; write it as YYYY-MM-DD.",
        ),
        Some(day) if day < findings.system.first_issue_date => findings.error(
            codes::DATE_TOO_EARLY,
            "/issue_date",
            format!(
                "{} takes invoices issued from {} on; use a later issue date.",
                findings.system.name, findings.system.first_issue_date
            ),
        ),
        Some(day) if today(&context.now).is_some_and(|today| day > today) => findings.error(
            codes::DATE_FUTURE,
            "/issue_date",
            "The issue date lies in the future in Spain, which the tax agency refuses; use the date of today there.",
        ),
        Some(_) => {}
    }
    check_due_date(invoice, findings);
    let Some(operation) = &invoice.operation_date else { return issued };
    let Ok(operation) = operation.parse::<Date>() else {
        let message = "The operation date is no date; write it as YYYY-MM-DD.";
        findings.error(codes::OPERATION_DATE_MALFORMED, "/operation_date", message);
        return issued;
    };
    if let Some(issued) = issued {
        check_operation(operation, issued, invoice, context, findings);
    }
    Some(operation)
}

fn check_operation(
    operation: Date,
    issued: Date,
    invoice: &Invoice,
    context: &Context,
    findings: &mut Findings,
) {
    const PATH: &str = "/operation_date";
    let may_be_later = (findings.system.may_be_billed_ahead)(invoice);
    // Error 1125.
    let is_far = || today(&context.now).is_some_and(|today| operation.year() > today.year() + 1);
    if operation > issued && !may_be_later {
        findings.error(
            codes::OPERATION_DATE_LATE,
            PATH,
            "The operation lies after the issue date, which the tax agency refuses; leave the operation date out or \
             issue the invoice later.",
        );
    } else if operation > issued && is_far() {
        let message =
            "The operation lies after the end of next year, which the tax agency refuses; correct its date.";
        findings.error(codes::OPERATION_DATE_LATE, PATH, message);
    } else if operation < issued.years_earlier(YEARS_MAX) {
        let message = "The operation lies more than twenty years back; correct its date.";
        findings.error(codes::OPERATION_DATE_OLD, PATH, message);
    }
}

fn check_due_date(invoice: &Invoice, findings: &mut Findings) {
    let due = invoice.payment.as_ref().and_then(|terms| terms.due_date.as_ref());
    let Some(due) = due else { return };
    if due.parse::<Date>().is_err() {
        let message = "The due date is no date; write it as YYYY-MM-DD.";
        findings.error(codes::DUE_DATE_MALFORMED, "/payment/due_date", message);
    } else if invoice.totals.payable.is_zero() {
        let message = "Nothing is payable, so nothing falls due, and the structured format takes no due date of nought; \
                       leave the due date out.";
        findings.error(codes::DUE_DATE_NOTHING, "/payment/due_date", message);
    }
}

fn check_totals(invoice: &Invoice, doc_type: DocType, findings: &mut Findings) {
    let totals = &invoice.totals;
    let rows: usize = totals.categories.iter().map(|category| category.rates.len()).sum();
    let rows_max = findings.system.breakdown_rows_max;
    if rows > rows_max {
        let message = format!(
            "The invoice has {rows} different tax rows, the tax agency takes {rows_max}; split it into \
             several invoices."
        );
        findings.error(codes::BREAKDOWN_ROWS, "/totals/rates", message);
    }
    let too_large = |amount: Amount| {
        Amount::new(amount.units.saturating_abs(), amount.scale).cmp_value(TOTAL_LIMIT).is_ge()
    };
    let rates = totals.categories.iter().flat_map(|category| &category.rates);
    let of_rates = rates.flat_map(|rate| [rate.base, rate.amount]);
    let of_document = [totals.sum, totals.net, totals.gross, totals.payable];
    if of_document.into_iter().chain(of_rates).any(too_large) {
        let message = "A total has more than 12 digits before the point, the most that the tax agency takes; split the invoice.";
        findings.error(codes::TOTAL_TOO_LARGE, "/totals/gross", message);
    }
    if doc_type == DocType::F2 && totals.gross.cmp_value(SIMPLIFIED_MAX).is_gt() {
        let message = format!(
            "The simplified invoice comes to {} EUR, more than the {SIMPLIFIED_MAX} EUR allowed; issue a regular \
             invoice to an identified recipient.",
            totals.gross
        );
        findings.error(codes::SIMPLIFIED_LIMIT, "/totals/gross", message);
    }
    if invoice.kind == DocumentKind::CreditNote && totals.gross.is_negative() {
        let message = format!(
            "The credit note credits {} EUR, so the recipient would owe more; give what is credited as a positive \
             amount, or bill the difference in an invoice.",
            totals.gross
        );
        findings.warning(codes::CREDIT_NEGATIVE, "/totals/gross", message);
    }
}

fn check_notes(notes: &str, findings: &mut Findings) {
    let chars_max = findings.system.notes_chars_max;
    let message = match text::prose(notes, chars_max) {
        Ok(()) | Err(TextProblem::Empty) => return,
        Err(TextProblem::TooLong { chars }) => {
            format!("The notes have {chars} characters, the tax agency takes {chars_max}; shorten them.")
        }
        Err(TextProblem::Character(character)) => {
            format!("The notes contain the control character {character:?}; remove it.")
        }
    };
    findings.error(codes::NOTES, "/notes", message);
}
