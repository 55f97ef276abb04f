//! What the agency's schema demands of texts and figures that a document could get wrong. Such a message is refused
//! as a whole.

use einvoice_es::text::{IDENTITY_CHARS_MAX, NAME_CHARS_MAX, NUMBER_CHARS_MAX};

use crate::authority::document::Identification;
use crate::authority::figures::Figure;
use crate::authority::filed::{Filed, number};
use crate::authority::message::percent;

/// The message does not fit the schema.
const MISFIT: &str = "4102";
/// Rows of the breakdown.
const ROWS_MAX: usize = 12;
/// Documents that one document may correct or replace.
const REFERENCES_MAX: usize = 1000;
/// Characters of a NIF.
const NIF_CHARS: usize = 9;

pub(super) fn broken(filed: &Filed) -> Option<&'static str> {
    let rows = filed.invoice.totals.taxes.rows().count();
    let fits = header_fits(filed)
        && (1..=ROWS_MAX).contains(&rows)
        && references_fit(filed)
        && recipient_fits(filed)
        && figures_fit(filed);
    (!fits).then_some(MISFIT)
}

pub(super) fn broken_cancellation(filed: &Filed) -> Option<&'static str> {
    (!header_fits(filed)).then_some(MISFIT)
}

fn header_fits(filed: &Filed) -> bool {
    fits(&filed.invoice.supplier.name, NAME_CHARS_MAX) && fits(&filed.number, NUMBER_CHARS_MAX)
}

fn references_fit(filed: &Filed) -> bool {
    let references = &filed.invoice.preceding;
    references.len() <= REFERENCES_MAX
        && references.iter().all(|reference| {
            fits(&number(reference.series.as_deref(), &reference.code), NUMBER_CHARS_MAX)
                && reference.issue_date.parse::<einvoice_es::date::Date>().is_ok()
        })
}

fn recipient_fits(filed: &Filed) -> bool {
    let Some(customer) = &filed.invoice.customer else { return true };
    match customer.identification() {
        None => true,
        Some(Identification::Nif(nif)) => {
            fits(&customer.name, NAME_CHARS_MAX) && nif.chars().count() == NIF_CHARS
        }
        Some(Identification::Other { id, .. }) => {
            fits(&customer.name, NAME_CHARS_MAX) && fits(&id, IDENTITY_CHARS_MAX)
        }
    }
}

fn figures_fit(filed: &Filed) -> bool {
    let amount = |figure: &str| Figure::read(&filed.stated(figure)).is_some();
    let rate = |figure: &str| Figure::read_percent(percent(figure)).is_some();
    let rows_fit = filed.invoice.totals.taxes.rows().all(|(_, row)| {
        amount(&row.base)
            && amount(&row.amount)
            && row.percent.as_deref().is_none_or(rate)
            && row.surcharge.as_ref().is_none_or(|extra| rate(&extra.percent) && amount(&extra.amount))
    });
    rows_fit && Figure::read(&filed.tax).is_some() && Figure::read(&filed.total).is_some()
}

fn fits(text: &str, chars_max: usize) -> bool {
    (1..=chars_max).contains(&text.trim().chars().count())
}
