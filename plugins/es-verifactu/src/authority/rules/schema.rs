//! What the agency's schema demands of texts and figures that a document could get wrong. Such a message is refused
//! as a whole.

use einvoice_es::date::Date;
use einvoice_es::identification::Identification;
use einvoice_es::stored::number;
use einvoice_es::text::{IDENTITY_CHARS_MAX, NAME_CHARS_MAX, NUMBER_CHARS_MAX};

use crate::authority::figures;
use crate::authority::filed_document::FiledDocument;
use crate::authority::message::percent;

/// The message does not fit the schema.
const SCHEMA_VIOLATION: &str = "4102";
/// Rows of the breakdown.
const ROWS_MAX: usize = 12;
/// Documents that one document may correct or replace.
const REFERENCES_MAX: usize = 1000;
/// Characters of a NIF.
const NIF_CHARS: usize = 9;

pub(super) fn violation(filed: &FiledDocument) -> Option<&'static str> {
    let rows = filed.invoice.rows().count();
    let is_valid = header_is_valid(filed)
        && (1..=ROWS_MAX).contains(&rows)
        && references_are_valid(filed)
        && recipient_is_valid(filed)
        && figures_are_valid(filed);
    (!is_valid).then_some(SCHEMA_VIOLATION)
}

pub(super) fn cancellation_violation(filed: &FiledDocument) -> Option<&'static str> {
    (!header_is_valid(filed)).then_some(SCHEMA_VIOLATION)
}

fn header_is_valid(filed: &FiledDocument) -> bool {
    is_valid(&filed.invoice.supplier.name, NAME_CHARS_MAX) && is_valid(&filed.number, NUMBER_CHARS_MAX)
}

fn references_are_valid(filed: &FiledDocument) -> bool {
    let references = &filed.invoice.preceding;
    references.len() <= REFERENCES_MAX
        && references.iter().all(|reference| {
            is_valid(&number(reference.series.as_deref(), &reference.code), NUMBER_CHARS_MAX)
                && reference.issue_date.as_deref().is_some_and(|day| day.parse::<Date>().is_ok())
        })
}

fn recipient_is_valid(filed: &FiledDocument) -> bool {
    let Some(customer) = &filed.invoice.customer else { return true };
    match filed.recipient() {
        None => true,
        Some(Identification::Nif(nif)) => {
            is_valid(&customer.name, NAME_CHARS_MAX) && nif.chars().count() == NIF_CHARS
        }
        Some(Identification::Other { id, .. }) => {
            is_valid(&customer.name, NAME_CHARS_MAX) && is_valid(&id, IDENTITY_CHARS_MAX)
        }
    }
}

fn figures_are_valid(filed: &FiledDocument) -> bool {
    let amount = |figure: &str| figures::read(&filed.stated(figure)).is_some();
    let rate = |figure: &str| figures::read_percent(percent(figure)).is_some();
    let rows_fit = filed.invoice.rows().all(|row| {
        amount(&row.base)
            && amount(&row.amount)
            && row.percent.as_deref().is_none_or(rate)
            && row.surcharge.as_ref().is_none_or(|extra| rate(&extra.percent) && amount(&extra.amount))
    });
    rows_fit && figures::read(&filed.tax).is_some() && figures::read(&filed.total).is_some()
}

fn is_valid(text: &str, chars_max: usize) -> bool {
    (1..=chars_max).contains(&text.trim().chars().count())
}
