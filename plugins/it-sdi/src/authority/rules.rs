//! What SdI refuses of a file, as far as the file alone tells: its controls of content, with its codes.
//!
//! The codes are those of the list of controls in SdI's technical specifications, which its notifications quote. 00419 and
//! 00443 both compare rates of lines with rates of rows: here the first misses a row, the second a line.

use einvoice_eu::vat;
use einvoice_gobl::clock::today;
use einvoice_gobl::date::Date;

use super::schema;
use crate::fattura::{ADMINISTRATION_FORMAT, Fattura, Line, Summary, TaxId};
use crate::fiscal_code;
use crate::tables::FLAT_RATE_REGIME;
use einvoice_gobl::decimal::Decimal;

/// The most a file may have, in bytes.
const FILE_BYTES_MAX: usize = 5 * 1024 * 1024;
const CENT: Decimal = Decimal::hundredths(1);
/// How far the base of a row may lie from its lines.
const BASE_TOLERANCE: Decimal = Decimal::hundredths(100);
/// The most a simplified document may come to, in euro.
const SIMPLIFIED_MAX: Decimal = Decimal::hundredths(40_000);
const PERCENT: Decimal = Decimal::hundredths(100);
/// Reasons not to tax that are too general since 2021.
const GENERAL_NATURES: [&str; 3] = ["N2", "N3", "N6"];

/// Types whose parties must not be the same.
const OF_TWO_PARTIES: [&str; 12] =
    ["TD01", "TD02", "TD03", "TD06", "TD16", "TD17", "TD18", "TD19", "TD20", "TD24", "TD25", "TD28"];
/// Types whose parties must be the same.
const OF_ONE_PARTY: [&str; 2] = ["TD21", "TD27"];
/// Types of what a supplier abroad did.
const OF_FOREIGN_SUPPLIERS: [&str; 4] = ["TD17", "TD18", "TD19", "TD28"];
/// Types that name the buyer's VAT number.
const OF_BUYERS_WITH_NUMBER: [&str; 8] = ["TD16", "TD17", "TD18", "TD19", "TD20", "TD22", "TD23", "TD28"];
/// Types without untaxed lines.
const TAXED: [&str; 1] = ["TD21"];

/// Every code SdI refuses the file with. What does not fit the schema is not examined further.
pub(super) fn violations(fattura: &Fattura, day: Date, bytes: usize, now: &str) -> Vec<&'static str> {
    if bytes > FILE_BYTES_MAX {
        return vec!["00003"];
    }
    if !schema::is_valid(fattura) {
        return vec!["00200"];
    }
    let mut found = Vec::new();
    found.extend(parties(fattura));
    found.extend(document(fattura, day, now));
    found.extend(lines(fattura));
    if !fattura.is_simplified() {
        found.extend(figures(fattura));
        found.extend(rows(fattura));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The codes of what holds.
fn codes_of(broken: &[(bool, &'static str)]) -> Vec<&'static str> {
    broken.iter().filter(|(is_broken, _)| *is_broken).map(|(_, code)| *code).collect()
}

fn parties(fattura: &Fattura) -> Vec<&'static str> {
    let (supplier, customer) = (&fattura.supplier.tax_id, fattura.customer.tax_id.as_ref());
    let is_of = |types: &[&str]| types.contains(&fattura.doc_type.as_str());
    let fiscal_code = fattura.customer.fiscal_code.as_deref();
    let is_wrong = |id: &TaxId| id.country == "IT" && vat::parse("IT", &id.code).is_err();
    let same = customer == Some(supplier);
    let abroad = |id: &TaxId| id.country != "IT";
    codes_of(&[
        (is_wrong(supplier), "00301"),
        (customer.is_some_and(is_wrong), "00305"),
        (fiscal_code.is_some_and(|code| fiscal_code::parse(code).is_err()), "00306"),
        (customer.is_none() && fiscal_code.is_none(), "00417"),
        (same && is_of(&OF_TWO_PARTIES), "00471"),
        (!same && is_of(&OF_ONE_PARTY), "00472"),
        (!abroad(supplier) && is_of(&OF_FOREIGN_SUPPLIERS), "00473"),
        (customer.is_none() && is_of(&OF_BUYERS_WITH_NUMBER), "00475"),
        (abroad(supplier) && customer.is_some_and(abroad), "00476"),
    ])
}

fn document(fattura: &Fattura, day: Date, now: &str) -> Vec<&'static str> {
    let length = if fattura.format == ADMINISTRATION_FORMAT { 6 } else { 7 };
    let dates = fattura.references.iter().filter_map(|reference| reference.date.as_deref()?.parse().ok());
    let corrects = !fattura.references.is_empty();
    let limited = fattura.is_simplified() && !corrects && fattura.supplier.regime != FLAT_RATE_REGIME;
    let total = fattura.lines.iter().fold(Decimal::ZERO, |sum, line| sum.plus(line.total_with_tax));
    let is_withheld = fattura.lines.iter().any(|line| line.is_withheld);
    codes_of(&[
        (today(now).is_some_and(|today| day > today), "00403"),
        (is_withheld && fattura.retentions.is_empty(), "00411"),
        (dates.max().is_some_and(|latest: Date| day < latest), "00418"),
        (!fattura.number.bytes().any(|byte| byte.is_ascii_digit()), "00425"),
        (fattura.destination.len() != length, "00427"),
        (limited && total > SIMPLIFIED_MAX, "00460"),
    ])
}

fn is_general(nature: Option<&str>) -> bool {
    nature.is_some_and(|nature| GENERAL_NATURES.contains(&nature))
}

/// A rate below 1 is none of a percent.
fn is_fraction(rate: Decimal) -> bool {
    rate > Decimal::ZERO && rate < PERCENT
}

fn lines(fattura: &Fattura) -> Vec<&'static str> {
    let untaxed = |line: &Line| line.rate == Decimal::ZERO;
    let any = |is_broken: &dyn Fn(&Line) -> bool| fattura.lines.iter().any(is_broken);
    codes_of(&[
        (any(&|line| untaxed(line) && line.nature.is_none()), "00400"),
        (any(&|line| !untaxed(line) && line.nature.is_some()), "00401"),
        (any(&|line| is_fraction(line.rate)), "00424"),
        (any(&|line| is_general(line.nature.as_deref())), "00445"),
        (TAXED.contains(&fattura.doc_type.as_str()) && any(&untaxed), "00474"),
    ])
}

/// Prices, quantities, bases and taxes.
fn figures(fattura: &Fattura) -> Vec<&'static str> {
    let is_product = |line: &Line| {
        let product = line.price.times(line.quantity);
        product.is_some_and(|product| product.minus(line.total).abs() <= CENT)
    };
    let is_taxed = |row: &Summary| {
        let tax = row.base.percent(row.rate);
        tax.is_some_and(|tax| tax.rounded().minus(row.tax).abs() <= CENT)
    };
    let is_base = |row: &Summary| {
        let of_row = |rate: Decimal, nature: &Option<String>| rate == row.rate && *nature == row.nature;
        let lines = fattura.lines.iter().filter(|line| of_row(line.rate, &line.nature));
        let lines = lines.fold(Decimal::ZERO, |sum, line| sum.plus(line.total));
        let rows = fattura.summary.iter().filter(|other| of_row(other.rate, &other.nature));
        let rows = rows.fold(Decimal::ZERO, |sum, other| sum.plus(other.base));
        lines.minus(rows).abs() <= BASE_TOLERANCE
    };
    codes_of(&[
        (!fattura.summary.iter().all(is_taxed), "00421"),
        (!fattura.summary.iter().all(is_base), "00422"),
        (!fattura.lines.iter().all(is_product), "00423"),
    ])
}

/// Rows against themselves and against the lines.
fn rows(fattura: &Fattura) -> Vec<&'static str> {
    let untaxed = |row: &Summary| row.rate == Decimal::ZERO;
    let any = |is_broken: &dyn Fn(&Summary) -> bool| fattura.summary.iter().any(is_broken);
    let has_row = |line: &Line| fattura.summary.iter().any(|row| row.rate == line.rate);
    let has_line = |row: &Summary| fattura.lines.iter().any(|line| line.rate == row.rate);
    let has_nature =
        |line: &Line| line.nature.is_none() || fattura.summary.iter().any(|row| row.nature == line.nature);
    let reverse_charge = |row: &Summary| row.nature.as_ref().is_some_and(|nature| nature.starts_with("N6"));
    codes_of(&[
        (!fattura.lines.iter().all(has_row), "00419"),
        (any(&|row| reverse_charge(row) && row.liability.as_deref() == Some("S")), "00420"),
        (any(&|row| is_fraction(row.rate)), "00424"),
        (any(&|row| untaxed(row) && row.nature.is_none()), "00429"),
        (any(&|row| !untaxed(row) && row.nature.is_some()), "00430"),
        (any(&|row| !has_line(row)), "00443"),
        (!fattura.lines.iter().all(has_nature), "00444"),
        (any(&|row| is_general(row.nature.as_deref())), "00445"),
    ])
}
