//! What myDATA refuses of a record, as far as the record alone tells, with its codes.

use einvoice_eu::vat;
use einvoice_gobl::clock::eastern_europe;
use einvoice_gobl::date::Date;

use super::schema;
use crate::identity::is_member_state;
use crate::invoices_doc::{DEDUCTIONS, FEES, InvoicesDoc, OTHER_TAXES, Party, STAMP_DUTY, WITHHELD};
use crate::number::is_aa;
use crate::tables::UNTAXED;
use einvoice_gobl::decimal::Decimal;

/// `vatCategory` of records without VAT.
const NO_VAT_RECORD: &str = "8";
/// Types that name what they correct.
const CORRELATED: [&str; 3] = ["1.6", "2.4", "5.1"];
/// The type of a credit note that names nothing.
const UNCORRELATED_CREDIT: &str = "5.2";
/// Types for recipients in Greece, in other member states, in third countries.
const OF_GREECE: [&str; 2] = ["1.1", "2.1"];
const OF_UNION: [&str; 2] = ["1.2", "2.2"];
const OF_THIRD_COUNTRIES: [&str; 2] = ["1.3", "2.3"];

/// Every code myDATA refuses the record with. What does not fit the schema is not examined further.
pub(super) fn violations(record: &InvoicesDoc, day: Date, now: &str) -> Vec<&'static str> {
    if !schema::is_valid(record) {
        return vec!["101"];
    }
    if !schema::is_of_suppliers(&record.doc_type) {
        return vec!["223"];
    }
    let mut found = Vec::new();
    found.extend(parties(record));
    found.extend(header(record, day, now));
    found.extend(totals(record));
    found.extend(lines(record));
    found.sort_unstable();
    found.dedup();
    found
}

/// The codes of what holds.
fn codes_of(broken: &[(bool, &'static str)]) -> Vec<&'static str> {
    broken.iter().filter(|(is_broken, _)| *is_broken).map(|(_, code)| *code).collect()
}

fn parties(record: &InvoicesDoc) -> Vec<&'static str> {
    let is_of = |types: &[&str]| types.contains(&record.doc_type.as_str());
    let counterpart = record.counterpart.as_ref();
    let is_wrong = |party: &Party| party.country == "GR" && vat::parse("GR", &party.vat_number).is_err();
    let country = counterpart.map(|party| party.country.as_str());
    let is_abroad = |country: &str| country != "GR" && !is_member_state(country);
    let is_of_business = ["1.", "2.", "5."].iter().any(|head| record.doc_type.starts_with(head));
    codes_of(&[
        (is_wrong(&record.issuer) || counterpart.is_some_and(is_wrong), "202"),
        (is_of_business && counterpart.is_none(), "204"),
        (counterpart.is_some_and(|party| party.vat_number == record.issuer.vat_number), "235"),
        (record.issuer.country != "GR", "242"),
        (is_of(&OF_GREECE) && country.is_some_and(|country| country != "GR"), "242"),
        (is_of(&OF_UNION) && country.is_some_and(|country| !is_member_state(country)), "243"),
        (is_of(&OF_THIRD_COUNTRIES) && country.is_some_and(|country| !is_abroad(country)), "244"),
    ])
}

fn header(record: &InvoicesDoc, day: Date, now: &str) -> Vec<&'static str> {
    let demands = CORRELATED.contains(&record.doc_type.as_str());
    let forbids = record.doc_type == UNCORRELATED_CREDIT;
    let today = eastern_europe(now).map(|local| local.day);
    codes_of(&[
        (record.payment_means.is_none(), "204"),
        (demands && record.correlated.is_empty(), "204"),
        (forbids && !record.correlated.is_empty(), "205"),
        (record.currency != "EUR", "211"),
        (!is_aa(&record.aa), "212"),
        (today.is_some_and(|today| day > today), "260"),
    ])
}

fn totals(record: &InvoicesDoc) -> Vec<&'static str> {
    let sum = |figures: &mut dyn Iterator<Item = Decimal>| figures.fold(Decimal::ZERO, Decimal::plus);
    let net = sum(&mut record.lines.iter().map(|line| line.net));
    let vat = sum(&mut record.lines.iter().map(|line| line.vat));
    let added = sum(&mut [FEES, STAMP_DUTY, OTHER_TAXES].into_iter().map(|kind| record.tax(kind)));
    let subtracted = sum(&mut [WITHHELD, DEDUCTIONS].into_iter().map(|kind| record.tax(kind)));
    let gross = record.net.plus(record.vat).plus(added).minus(subtracted);
    codes_of(&[
        (gross != record.gross, "203"),
        (net != record.net, "207"),
        (vat != record.vat, "209"),
        (record.taxes.iter().any(|tax| tax.amount > record.net), "239"),
    ])
}

fn lines(record: &InvoicesDoc) -> Vec<&'static str> {
    let lines = &record.lines;
    let is_twice = |at: usize, index: u32| lines.iter().take(at).any(|other| other.index == index);
    let untaxed = |category: &str| category == UNTAXED;
    let classified = lines.iter().filter(|line| line.income.is_some()).count();
    codes_of(&[
        (lines.iter().any(|line| line.vat_category == NO_VAT_RECORD), "216"),
        (lines.iter().any(|line| untaxed(&line.vat_category) && line.exemption.is_none()), "217"),
        (classified == 0, "230"),
        (lines.iter().enumerate().any(|(at, line)| is_twice(at, line.index)), "261"),
        (lines.iter().any(|line| !untaxed(&line.vat_category) && line.exemption.is_some()), "271"),
        (classified > 0 && classified < lines.len(), "304"),
    ])
}
