//! What the agency demands of an invoice: the code of the first rule that a document breaks.
//!
//! What it can only know from its own registers (the census, VIES, open periods) is not played; a tester asks for those
//! codes. Where the agency's own code of a rule is in no public source, the general ones stand: 1100 for a wrong value, 4102
//! for one that its schema misses.

mod recipient;
mod rows;

use einvoice_es::date::Date;
use einvoice_es::doc_type::DocType;
use einvoice_es::nif::Nif;
use einvoice_es::stored::{FiledDocument, Invoice};
use einvoice_es::text;
use einvoice_gobl::clock::today;

use super::message::{Record, operation_day};
use crate::SYSTEM;
use crate::answers::{FIELD_MISSING, HOLDER_MALFORMED, TAX_DIFFERS, TOTAL_DIFFERS, WRONG_VALUE};
use crate::codes::{EXT_ARTICLE_7, EXT_CORRECTION_TYPE, EXT_DOC_TYPE};

pub(super) use recipient::tolerated_violation;

/// Regimes whose total is no sum of the rows: used goods, travel agencies, groups, other taxes and more.
const REGIMES_WITHOUT_SUM: [&str; 5] = ["03", "05", "06", "08", "09"];

/// Why the agency refuses the record of a document. `record` is none when a figure fits no schema; `now` is RFC 3339.
pub(super) fn violation(
    filed: &FiledDocument,
    record: Option<&Record<'_>>,
    now: &str,
) -> Option<&'static str> {
    if Nif::parse(&filed.issuer).is_err() {
        return Some(HOLDER_MALFORMED);
    }
    let invoice = &filed.invoice;
    let Some(code) = invoice.code_of(EXT_DOC_TYPE) else { return Some(FIELD_MISSING) };
    let Some(doc_type) = DocType::of_code(code) else { return Some(WRONG_VALUE) };
    by_type(invoice, doc_type)
        .or_else(|| texts(filed))
        .or_else(|| dates(filed, today(now)))
        .or_else(|| recipient::violation(invoice, doc_type))
        .or_else(|| match record {
            None => Some(WRONG_VALUE),
            Some(record) => rows::violation(record),
        })
}

/// What the agency remarks about figures it accepts nevertheless.
pub(super) fn remarks(record: &Record<'_>) -> Vec<&'static str> {
    let mut rows = record.breakdown.parts().flat_map(|part| &part.taxed);
    let tax_differs = rows.any(|row| !row.tax.is_about_percent(row.percent, row.base));
    let (regime, additional) = record.regimes();
    let summed =
        ![Some(regime), additional].into_iter().flatten().any(|one| REGIMES_WITHOUT_SUM.contains(&one));
    let total_differs = summed && !record.total.is_about(record.breakdown.total());
    [(TAX_DIFFERS, tax_differs), (TOTAL_DIFFERS, total_differs)]
        .into_iter()
        .filter_map(|(code, differs)| differs.then_some(code))
        .collect()
}

fn by_type(invoice: &Invoice, doc_type: DocType) -> Option<&'static str> {
    match (doc_type.is_correction(), invoice.code_of(EXT_CORRECTION_TYPE)) {
        // By substitution: the document does not carry what it replaces.
        (true, None | Some("S")) => return Some(FIELD_MISSING),
        (true, Some("I")) | (false, None) => {}
        (true | false, Some(_)) => return Some(WRONG_VALUE),
    }
    let marked = invoice.code_of(EXT_ARTICLE_7).is_some_and(|mark| !["S", "N"].contains(&mark));
    if doc_type.is_correction() != invoice.corrects() || marked {
        return Some(WRONG_VALUE);
    }
    let nothing = invoice.lines.is_empty() || invoice.rows().next().is_none();
    nothing.then_some(FIELD_MISSING)
}

fn texts(filed: &FiledDocument) -> Option<&'static str> {
    let invoice = &filed.invoice;
    let referred = invoice.preceding.iter().any(|reference| {
        reference.issue_date.as_deref().is_none_or(|date| date.parse::<Date>().is_err())
            || reference.code.trim().is_empty()
    });
    let wrong = text::number_of(&filed.number, SYSTEM.number_chars_max).is_err()
        || text::name(&invoice.supplier.name).is_err()
        || referred;
    wrong.then_some(WRONG_VALUE)
}

/// The books begin in 2017, and hold nothing that is still to come.
fn dates(filed: &FiledDocument, today: Option<Date>) -> Option<&'static str> {
    let is_early = filed.day < SYSTEM.first_issue_date;
    let is_late = |day: Date| today.is_some_and(|today| day > today);
    let operation_is_none =
        filed.invoice.op_date.as_deref().is_some_and(|date| date.parse::<Date>().is_err());
    let wrong =
        is_early || is_late(filed.day) || operation_is_none || operation_day(filed).is_some_and(is_late);
    wrong.then_some(WRONG_VALUE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_regimes_without_sum_are_regimes() {
        assert!(REGIMES_WITHOUT_SUM.iter().all(|code| crate::codes::regime(code).is_some()));
    }
}
