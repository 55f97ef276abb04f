//! The fatal rules of France that a stored document can break, beside those of the standard in `einvoice_en16931::rules`:
//! BR-FR of flux 2 (schematron 1.4.0.03 of FNFE-MPE) for invoices, those of flux 10 for reports.
//!
//! Rules of terms that no document here has are left out: attachments, payees, agents, lines in groups, invoices of
//! several sellers.

mod invoice;
mod report;

use einvoice_en16931::rules as standard;
use einvoice_en16931::rules::Rule;

use crate::wire::Record;
pub use report::ReportRule;

/// What has no record at all: the platform's step before its rules.
pub const NOT_VALID: &str = "IRR_SYNTAX";

/// The rules of an invoice, those of the standard first.
pub fn of_invoices() -> impl Iterator<Item = &'static Rule> {
    standard::all().chain(invoice::rules())
}

/// The rules of a report.
pub fn of_reports() -> impl Iterator<Item = &'static ReportRule> {
    report::RULES.iter()
}

/// The ids of the rules that a record breaks, in the order of the rules.
pub fn broken(record: &Record) -> Vec<&'static str> {
    match record {
        Record::Invoice(invoice) => {
            of_invoices().filter(|rule| (rule.is_broken)(invoice)).map(|rule| rule.id).collect()
        }
        Record::Report(report) => {
            of_reports().filter(|rule| (rule.is_broken)(report)).map(|rule| rule.id).collect()
        }
    }
}

/// What a rule says, with what to do next; none of one that is not here.
pub fn meaning(id: &str) -> Option<&'static str> {
    let of_invoice = of_invoices().find(|rule| rule.id == id).map(|rule| rule.meaning);
    of_invoice.or_else(|| of_reports().find(|rule| rule.id == id).map(|rule| rule.meaning))
}
