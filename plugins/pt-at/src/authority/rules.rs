//! What the AT refuses of a file, as far as the file and its series tell.

use crate::clock::portugal;
use einvoice_eu::vat;
use einvoice_gobl::date::Date;

use super::memory::SeriesEnd;
use super::schema;
use crate::identity::FINAL_CONSUMER;
use crate::number::{DocumentNumber, is_validation_code};
use crate::saft::{AuditFile, Line};
use crate::tables::{CREDIT_NOTE, EXEMPT, REGION_RATES};
use einvoice_gobl::decimal::Decimal;

/// How far lines may lie from the totals, for each.
const CENT: Decimal = Decimal::hundredths(1);
/// Documents are communicated until this day of the month that follows.
const LAST_DAY: u8 = 5;

/// Every code the AT refuses the file with. What does not fit the schema is not examined further.
pub(super) fn violations(file: &AuditFile, series_end: Option<&SeriesEnd>, now: &str) -> Vec<&'static str> {
    let Some(number) = DocumentNumber::read(&file.number) else { return vec!["NUMBER"] };
    let (code, digits) = file.atcud.rsplit_once('-').unwrap_or_default();
    if !is_validation_code(code) {
        return vec!["SERIES-UNKNOWN"];
    }
    if !schema::is_valid(file) {
        return vec!["SCHEMA"];
    }
    let ended = |holds: &dyn Fn(&SeriesEnd) -> bool| series_end.is_some_and(holds);
    let is_other_code = ended(&|end| end.validation_code != code);
    let today = portugal(now).map(|(day, _)| day);
    let issued = file.date.parse::<Date>().ok();
    let corrects = [CREDIT_NOTE, "ND"].contains(&file.doc_type.as_str());
    let unreferred = file.lines.iter().any(|line| line.references.is_empty());
    codes_of(&[
        (digits != number.sequence || is_other_code, "ATCUD"),
        (is_wrong_customer(file), "CUSTOMER-NIF"),
        (issued > today && today.is_some(), "DATE-FUTURE"),
        (ended(&|end| file.date < end.date), "DATE-ORDER"),
        (!file.lines.iter().all(has_reason), "EXEMPTION"),
        (number.doc_type != file.doc_type, "NUMBER-TYPE"),
        (corrects && unreferred, "REFERENCE"),
        (ended(&|end| number.position() <= end.position), "SEQUENCE"),
        (vat::parse("PT", &file.tax_number).is_err(), "SUPPLIER-NIF"),
        (!file.lines.iter().all(has_known_rate), "TAX-RATE"),
        (!are_totals(file), "TOTALS"),
    ])
}

/// The codes of what holds.
fn codes_of(broken: &[(bool, &'static str)]) -> Vec<&'static str> {
    broken.iter().filter(|(is_broken, _)| *is_broken).map(|(_, code)| *code).collect()
}

/// What the AT remarks of a file that it takes.
pub(super) fn remarks(file: &AuditFile, series_end: Option<&SeriesEnd>, now: &str) -> Vec<&'static str> {
    let position = DocumentNumber::read(&file.number).map_or(0, DocumentNumber::position);
    let is_gap = series_end.is_some_and(|end| position > end.position.saturating_add(1));
    codes_of(&[(is_late(file, now).unwrap_or(false), "LATE"), (is_gap, "SEQUENCE-GAP")])
}

/// After the fifth day of the month that follows.
fn is_late(file: &AuditFile, now: &str) -> Option<bool> {
    let (today, _) = portugal(now)?;
    let today_text = today.to_string();
    let months = |date: &str| {
        let (year, month) = (date.get(..4)?.parse::<u32>().ok()?, date.get(5..7)?.parse::<u32>().ok()?);
        Some(year * 12 + month)
    };
    let between = months(&today_text)?.saturating_sub(months(&file.date)?);
    Some(between > 1 || (between == 1 && today.day_of_month() > LAST_DAY))
}

fn is_wrong_customer(file: &AuditFile) -> bool {
    let customer = &file.customer;
    let is_known = customer.country == "PT" && customer.tax_number != FINAL_CONSUMER;
    is_known && vat::parse("PT", &customer.tax_number).is_err()
}

/// A reason where there is no VAT, and none where there is.
fn has_reason(line: &Line) -> bool {
    let is_exempt = line.tax.percent == Decimal::ZERO;
    is_exempt == line.tax.exemption.is_some() && is_exempt == (line.tax.code == EXEMPT)
}

fn has_known_rate(line: &Line) -> bool {
    let is_it = |percent: &str| Decimal::read(percent) == Some(line.tax.percent);
    line.tax.percent == Decimal::ZERO
        || REGION_RATES.iter().any(|rate| {
            rate.region == line.tax.region && rate.code == line.tax.code && is_it(&rate.percent.to_string())
        })
}

fn are_totals(file: &AuditFile) -> bool {
    let tolerance = file.lines.iter().fold(CENT, |sum, _| sum.plus(CENT));
    file.net.plus(file.tax).minus(file.gross).abs() <= CENT
        && file.sum_of_lines().minus(file.net).abs() <= tolerance
}
