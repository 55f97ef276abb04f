//! The rows of the tax breakdown: regime, treatment and figures.

use einvoice_es::stored::Rate;

use crate::answers::{EXPORT_REGIME, FIELD_MISSING, OPPOSITE_SIGNS, WRONG_VALUE};
use crate::authority::breakdown::{Breakdown, Part};
use crate::authority::message::Record;
use crate::codes::{self, EXPORT, EXT_EXEMPT, EXT_OUTSIDE_SCOPE, EXT_REGIME, GENERAL};

pub(super) fn violation(record: &Record<'_>) -> Option<&'static str> {
    of_schema(record).or_else(|| regimes(record)).or_else(|| {
        let mut rows = record.breakdown.parts().flat_map(|part| &part.taxed);
        rows.any(|row| row.tax.has_opposite_sign(row.base)).then_some(OPPOSITE_SIGNS)
    })
}

/// Whether the breakdown has the shape of the schema: a service carries no equivalence surcharge.
fn of_schema(record: &Record<'_>) -> Option<&'static str> {
    let rows_max = record.service.taxed_rows_max();
    let many = record.breakdown.parts().any(|part| part.taxed.len() > rows_max);
    let surcharged = |part: &Part| part.taxed.iter().any(|row| row.surcharge.is_some());
    let surcharged_service =
        matches!(&record.breakdown, Breakdown::ByOperation { services, .. } if surcharged(services));
    let of_list = |rate: &Rate| {
        matches!(rate.code_of(EXT_EXEMPT), None | Some("E1" | "E2" | "E3" | "E4" | "E5" | "E6"))
            && matches!(rate.code_of(EXT_OUTSIDE_SCOPE), None | Some("other" | "location"))
    };
    if many || surcharged_service {
        return Some(FIELD_MISSING);
    }
    (!record.filed.invoice.rows().all(of_list)).then_some(WRONG_VALUE)
}

/// One regime of the agency's list for the whole invoice. Exports have one of their own, for nothing else.
fn regimes(record: &Record<'_>) -> Option<&'static str> {
    let rows = record.filed.invoice.rows_by_category();
    let of_books = rows.filter(|(category, _)| category.code == record.service.tax().key());
    let rows: Vec<_> = of_books.map(|(_, rate)| rate).collect();
    let first = rows.first().and_then(|rate| rate.code_of(EXT_REGIME));
    let mixed = rows.iter().any(|rate| rate.code_of(EXT_REGIME) != first);
    let known = first.is_none_or(|code| codes::regime(code).is_some());
    let exported = |rate: &&Rate| matches!(rate.code_of(EXT_EXEMPT), Some("E2" | "E3"));
    let general = first == Some(GENERAL) && rows.iter().any(exported);
    if mixed || !known || general {
        return Some(WRONG_VALUE);
    }
    let all_exempt = rows.iter().all(|rate| rate.code_of(EXT_EXEMPT).is_some());
    (first == Some(EXPORT) && !all_exempt).then_some(EXPORT_REGIME)
}
