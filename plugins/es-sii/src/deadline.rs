//! Until when an invoice has to be in the books: four days after its issue, Saturdays, Sundays and national holidays not counted,
//! and in any case before the 16th of the month after the operation; a correction within the four days alone (regulation of VAT,
//! RD 1624/1992, article 69 bis, as RD 596/2016 and RD 1075/2017 wrote it). The books take no mark of a late entry.

use einvoice_es::date::Date;
use einvoice_gobl::deadline::{Calendar, unknown_mark};
use einvoice_plugin::{
    Context, Deadline, Document, DocumentKind, Faults, FilingFacts, FilingLimits, Invoice, Limit,
};

use crate::{EsSii, SYSTEM};

/// Days that an invoice may take.
const DAYS: u8 = 4;
/// The last day of the month after the operation.
const LAST_DAY: u8 = 15;

/// The days that are holidays in all of Spain, by the lists that the Directorate-General for Employment publishes in the BOE each
/// autumn (RD 2001/1983, article 45; for 2026 the resolution of 17 October 2025): those that no community replaces, and the Epiphany,
/// which each of them kept in these years. Good Friday besides. A holiday on a Sunday moves to Monday in some communities alone, so
/// that Monday counts. A year whose list is not here has no holidays: its limits come too early rather than too late.
const CALENDAR: Calendar = Calendar {
    source: "BOE, lists of holidays by RD 2001/1983, article 45",
    years: (2024, 2026),
    fixed: &[(1, 1), (1, 6), (5, 1), (8, 15), (10, 12), (11, 1), (12, 6), (12, 8), (12, 25)],
    after_easter: &[-2],
};

impl Deadline for EsSii {
    fn due(invoice: &Invoice, _: &Context, _: &FilingFacts) -> FilingLimits {
        let limit = limit(invoice);
        FilingLimits {
            file_by: limit.map(|limit| Limit::EndOf(limit.to_string())),
            mark: None,
            note: limit.and_then(|limit| CALENDAR.note(limit)),
        }
    }

    fn marked(_: Document, mark: &str) -> Result<Document, Faults> {
        Err(unknown_mark(SYSTEM.prefix, mark))
    }
}

/// Whether an invoice of these days comes too late `today`.
pub(crate) fn is_over(issued: Date, operation: Date, today: Date) -> bool {
    let after_issue = CALENDAR.working_days_after(issued, DAYS);
    after_issue.is_some_and(|last| today > last) || today > last_day_after(operation)
}

/// The last day. What is issued after the 15th of the month after its operation is late from the beginning: it is due on its day.
fn limit(invoice: &Invoice) -> Option<Date> {
    let issued: Date = invoice.issue_date.parse().ok()?;
    let within_days = CALENDAR.working_days_after(issued, DAYS)?;
    let corrects = match invoice.kind {
        DocumentKind::CreditNote | DocumentKind::DebitNote => true,
        DocumentKind::Invoice | DocumentKind::SimplifiedInvoice | DocumentKind::ReplacementInvoice => false,
    };
    if corrects {
        return Some(within_days);
    }
    let operation: Date = invoice.operation_date.as_deref().map_or(Ok(issued), str::parse).ok()?;
    let of_month = last_day_after(operation).max(issued);
    Some(within_days.min(of_month))
}

/// The 15th of the month after a day.
const fn last_day_after(day: Date) -> Date {
    match day.month() {
        12 => Date::new(day.year() + 1, 1, LAST_DAY),
        month => Date::new(day.year(), month + 1, LAST_DAY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use einvoice_plugin::harness;
    use serde_json::json;

    fn invoice(issued: &str, operation: Option<&str>) -> Invoice {
        let invoice = harness::invoice(&json!({
            "number": "F-1", "issue_date": issued,
            "lines": [{"description": "Night", "quantity": "1", "unit_price": "100.00",
                       "tax": {"category": "VAT", "rate": "21.0"}}]
        }));
        Invoice { operation_date: operation.map(str::to_owned), ..invoice.unwrap() }
    }

    fn due(invoice: &Invoice) -> FilingLimits {
        let facts =
            FilingFacts { issued_at: format!("{}T09:30:00+01:00", invoice.issue_date), outages: Vec::new() };
        EsSii::due(invoice, &harness::context(), &facts)
    }

    fn end_of(day: &str) -> Limit {
        Limit::EndOf(day.to_owned())
    }

    #[test]
    fn four_days_are_counted_without_weekends_and_national_holidays() {
        for (issued, last) in [
            ("2026-11-20", "2026-11-26"),
            ("2026-11-27", "2026-12-03"),
            // The Immaculate Conception; the Constitution's day is a Sunday.
            ("2026-12-03", "2026-12-10"),
            ("2026-12-23", "2026-12-30"),
            // Good Friday, and the Epiphany.
            ("2026-04-01", "2026-04-08"),
            ("2025-12-31", "2026-01-08"),
            // All Saints is a Sunday: its Monday is a holiday in some communities only.
            ("2026-10-30", "2026-11-05"),
        ] {
            let limits = due(&invoice(issued, None));
            assert_eq!(
                (limits.file_by, limits.mark, limits.note),
                (Some(end_of(last)), None, None),
                "{issued}"
            );
        }
    }

    #[test]
    fn the_sixteenth_of_the_month_after_the_operation_comes_first() {
        assert_eq!(due(&invoice("2026-11-13", Some("2026-10-30"))).file_by, Some(end_of("2026-11-15")));
        assert_eq!(due(&invoice("2027-01-14", Some("2026-12-30"))).file_by, Some(end_of("2027-01-15")));
        // Late from the beginning.
        assert_eq!(due(&invoice("2026-11-20", Some("2026-09-30"))).file_by, Some(end_of("2026-11-20")));
        let correction =
            Invoice { kind: DocumentKind::CreditNote, ..invoice("2026-11-13", Some("2026-10-30")) };
        assert_eq!(due(&correction).file_by, Some(end_of("2026-11-19")));
    }

    #[test]
    fn a_year_whose_holidays_are_not_known_is_named_and_its_limits_come_early() {
        for (issued, last) in [("2026-12-31", "2027-01-06"), ("2027-04-29", "2027-05-05")] {
            let limits = due(&invoice(issued, None));
            assert_eq!(limits.file_by, Some(end_of(last)), "{issued}");
            let note = limits.note.unwrap();
            assert!(note.contains("2024 to 2026") && note.contains("of 2027 only weekends"), "{note}");
        }
    }

    #[test]
    fn the_books_take_no_mark() {
        let document = Document::json("{}".to_owned(), einvoice_plugin::Amount::new(0, 2));
        assert_eq!(EsSii::marked(document, "late").unwrap_err()[0].code, "ES-SII-MARK-01");
    }

    fn day(text: &str) -> Date {
        text.parse().unwrap()
    }

    #[test]
    fn weekends_and_holidays_give_time() {
        for (issued, last) in [
            ("2026-11-16", "2026-11-20"),
            ("2026-11-20", "2026-11-26"),
            ("2026-12-03", "2026-12-10"),
            ("2026-04-01", "2026-04-08"),
            ("2025-12-31", "2026-01-08"),
        ] {
            let (issued, last) = (day(issued), day(last));
            assert!(!is_over(issued, issued, last), "{issued}");
            assert!(is_over(issued, issued, last.following_day().unwrap()), "{issued}");
        }
    }

    #[test]
    fn the_books_of_a_month_close_in_the_middle_of_the_next() {
        let (issued, operation) = (day("2026-11-13"), day("2026-10-30"));
        assert!(!is_over(issued, operation, day("2026-11-15")));
        assert!(is_over(issued, operation, day("2026-11-16")));
        assert!(is_over(day("2027-01-15"), day("2026-12-31"), day("2027-01-16")));
    }
}
