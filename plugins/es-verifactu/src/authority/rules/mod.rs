//! What the agency demands of a record: the code of the first rule that a document breaks.
//!
//! What it can only know from its own registers (the census, VIES) is not played; a tester asks for those codes.

mod breakdown;
mod recipient;
mod schema;
#[cfg(test)]
mod tests;

use einvoice_es::date::Date;
use einvoice_es::nif::Nif;
use einvoice_es::text::{self, TextProblem};
use einvoice_gobl::clock::today;
use einvoice_gobl::decimal::Decimal;

use super::figures;
use super::filed_document::FiledDocument;
use crate::codes::{EXT_ARTICLE_7, EXT_REGIME};
use crate::doc_type::{DocType, EXT_CORRECTION_TYPE};
use crate::regimes::may_be_billed_ahead;

/// The first issue date the agency's system takes.
const FIRST_ISSUE_DATE: Date = Date::new(2024, 10, 28);
/// How far back an invoice or an operation may lie.
const YEARS_MAX: u16 = 20;
/// What a simplified invoice to a named recipient may come to.
const SIMPLIFIED_MAX: Decimal = figures::euros(3000);

/// Why the agency refuses the record that registers a document. `now` is RFC 3339.
pub(super) fn violation(filed: &FiledDocument, now: &str) -> Option<&'static str> {
    issuer(filed)
        .or_else(|| schema::violation(filed))
        .or_else(|| identified(filed))
        .or_else(|| dates(filed, today(now)))
        .or_else(|| by_type(filed))
        .or_else(|| recipient::violation(filed))
        .or_else(|| breakdown::violation(filed))
}

/// Why the agency refuses the record that cancels a document.
pub(super) fn cancellation_violation(filed: &FiledDocument) -> Option<&'static str> {
    issuer(filed).or_else(|| schema::cancellation_violation(filed)).or_else(|| identified(filed))
}

/// What the agency remarks about figures it accepts nevertheless.
pub(super) fn remarks(filed: &FiledDocument) -> Vec<&'static str> {
    let stated = |figure: &str| figures::read(&filed.stated(figure)).unwrap_or_default();
    let (mut tax, mut total) = (Decimal::ZERO, Decimal::ZERO);
    for rate in filed.invoice.rows() {
        let surcharge =
            rate.surcharge.as_ref().map(|surcharge| stated(&surcharge.amount)).unwrap_or_default();
        let charged = stated(&rate.amount).plus(surcharge);
        tax = tax.plus(charged);
        total = total.plus(stated(&rate.base)).plus(charged);
    }
    let differs =
        |text: &str, sum: Decimal| figures::read(text).is_some_and(|figure| !figures::are_close(figure, sum));
    [("2005", differs(&filed.total, total)), ("2006", differs(&filed.tax, tax))]
        .into_iter()
        .filter_map(|(code, differs)| differs.then_some(code))
        .collect()
}

/// What the agency refuses and the sandbox accepts with a remark.
pub(super) fn tolerated_violation(filed: &FiledDocument) -> Option<&'static str> {
    recipient::tolerated_violation(filed)
}

fn issuer(filed: &FiledDocument) -> Option<&'static str> {
    let known = Nif::parse(&filed.issuer).is_ok_and(|nif| nif.as_str() == filed.issuer);
    (!known).then_some("4116")
}

fn identified(filed: &FiledDocument) -> Option<&'static str> {
    match text::number(&filed.number) {
        Err(TextProblem::Character(_)) => Some("1130"),
        Err(TextProblem::Empty | TextProblem::TooLong { .. }) | Ok(()) => None,
    }
}

fn dates(filed: &FiledDocument, today: Option<Date>) -> Option<&'static str> {
    if filed.day < FIRST_ISSUE_DATE {
        return Some("1152");
    }
    let today = today?;
    if filed.day > today {
        return Some("1112");
    }
    let operation = filed.operation_day()?;
    let billed_ahead =
        filed.invoice.rows().any(|rate| rate.code_of(EXT_REGIME).is_some_and(may_be_billed_ahead));
    if operation < today.years_earlier(YEARS_MAX) {
        Some("1134")
    } else if operation.year() > today.year() + 1 {
        Some("1125")
    } else if billed_ahead {
        None
    } else if operation > today {
        Some("1173")
    } else if operation > filed.day {
        Some("1146")
    } else {
        None
    }
}

/// References, recipient and limits of the document's type.
fn by_type(filed: &FiledDocument) -> Option<&'static str> {
    let Some(doc_type) = filed.doc_type() else { return Some("1106") };
    let invoice = &filed.invoice;
    let customer = invoice.customer.as_ref();
    let identified = filed.recipient().is_some();
    let over_limit = figures::read(&filed.total).is_some_and(|total| total > SIMPLIFIED_MAX);
    match (doc_type.is_correction(), invoice.code_of(EXT_CORRECTION_TYPE)) {
        (true, None) => return Some("1114"),
        (true, Some("I")) | (false, None) => {}
        // By substitution: the document does not carry what it replaces.
        (true, Some("S")) => return Some("1118"),
        (true, Some(_)) => return Some("1107"),
        (false, Some(_)) => return Some("1115"),
    }
    if doc_type.is_simplified() && invoice.code_of(EXT_ARTICLE_7) == Some("S") {
        return Some("1183");
    }
    match doc_type {
        DocType::F2 | DocType::R5 if identified => Some("1190"),
        DocType::F2 if over_limit && customer.is_some() => Some("1150"),
        DocType::F2 | DocType::R5 => None,
        _ if !identified => Some("1189"),
        DocType::F1 | DocType::F3 | DocType::R1 | DocType::R2 | DocType::R3 | DocType::R4 => None,
    }
}
