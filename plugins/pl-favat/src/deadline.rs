//! Until when an invoice has to be sent to KSeF, and how one is sent that was issued offline.
//!
//! An invoice is issued in KSeF, or offline: then it is sent by the end of the next working day after its issue (offline24, article
//! 106nda of the VAT act), and after an outage of KSeF by the end of the next working day after it ended, as where KSeF is down as
//! announced (article 106nh): a failure that the ministry announces gives seven (article 106nf), and nobody here knows of that.
//! Working days are those from Monday to Friday that no law makes a holiday. The file has no mark of it; the provider opens the
//! session in offline mode where `meta` of the document asks for it.

use einvoice_gobl::clock::{central_europe, today};
use einvoice_gobl::date::Date;
use einvoice_gobl::deadline::{Calendar, end_of_outages, unknown_mark, was_held_up, with_meta};
use einvoice_plugin::{Context, Deadline, Document, Faults, FilingFacts, FilingLimits, Invoice, Limit, Side};

use crate::{PREFIX, PlFavat};

/// What an invoice that was issued offline is sent with.
pub const MARK: &str = "offline24";
/// The member of the document's `meta` that has the provider send it in offline mode.
pub const META_MODE: &str = "pl-favat-mode";

/// The holidays of the act of 18 January 1951 on days off work; Christmas Eve is one since 2025. Sundays among them are left out.
const CALENDAR: Calendar = Calendar {
    source: "act of 18 January 1951 on days off work",
    years: (2025, 2030),
    fixed: &[(1, 1), (1, 6), (5, 1), (5, 3), (8, 15), (11, 1), (11, 11), (12, 24), (12, 25), (12, 26)],
    // Easter Monday and Corpus Christi.
    after_easter: &[1, 60],
};

impl Deadline for PlFavat {
    fn due(invoice: &Invoice, context: &Context, facts: &FilingFacts) -> FilingLimits {
        let issued: Option<Date> = invoice.issue_date.parse().ok();
        let of_authority: Vec<_> =
            facts.outages.iter().filter(|outage| outage.side == Side::Authority).cloned().collect();
        let resumed = end_of_outages(&of_authority, central_europe).map(|end| end.day);
        let limit = issued
            .map(|issued| resumed.map_or(issued, |resumed| resumed.max(issued)))
            .and_then(|from| CALENDAR.working_days_after(from, 1));
        let is_late = issued.zip(today(&context.now)).is_some_and(|(issued, today)| issued < today);
        FilingLimits {
            file_by: limit.map(|limit| Limit::EndOf(limit.to_string())),
            mark: (is_late || was_held_up(&facts.outages)).then(|| MARK.to_owned()),
            note: limit.and_then(|limit| CALENDAR.note(limit)),
        }
    }

    fn marked(document: Document, mark: &str) -> Result<Document, Faults> {
        match mark {
            MARK => with_meta(document, PREFIX, META_MODE, MARK),
            other => Err(unknown_mark(PREFIX, other)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use einvoice_plugin::{Outage, harness};
    use serde_json::json;

    fn due(issued: &str, now: &str, outages: &[(Side, &str, &str)]) -> FilingLimits {
        let invoice = harness::invoice(&json!({
            "number": "F-1", "issue_date": issued,
            "lines": [{"description": "Night", "quantity": "1", "unit_price": "100.00",
                       "tax": {"category": "VAT", "rate": "23.0"}}]
        }));
        let outage = |(side, since, until): &(Side, &str, &str)| Outage {
            side: *side,
            since: (*since).to_owned(),
            until: Some((*until).to_owned()),
        };
        let facts = FilingFacts {
            issued_at: format!("{issued}T09:30:00+01:00"),
            outages: outages.iter().map(outage).collect(),
        };
        let context = Context { now: now.to_owned(), ..harness::context() };
        PlFavat::due(&invoice.unwrap(), &context, &facts)
    }

    fn end_of(day: &str) -> Limit {
        Limit::EndOf(day.to_owned())
    }

    #[test]
    fn an_invoice_is_due_on_the_next_working_day() {
        for (issued, last) in [
            ("2026-11-19", "2026-11-20"),
            ("2026-11-20", "2026-11-23"),
            ("2026-11-10", "2026-11-12"),
            // Christmas Eve, two days of Christmas, a Sunday.
            ("2026-12-23", "2026-12-28"),
            ("2026-06-03", "2026-06-05"),
        ] {
            let limits = due(issued, &format!("{issued}T12:00:00+01:00"), &[]);
            assert_eq!(
                (limits.file_by, limits.mark, limits.note),
                (Some(end_of(last)), None, None),
                "{issued}"
            );
        }
    }

    #[test]
    fn what_is_sent_on_a_later_day_or_was_held_up_goes_offline() {
        let next_day = due("2026-11-20", "2026-11-23T08:00:00+01:00", &[]);
        assert_eq!((next_day.mark.as_deref(), next_day.file_by), (Some(MARK), Some(end_of("2026-11-23"))));
        let provider = [(Side::Provider, "2026-11-20T09:00:00+01:00", "2026-11-20T11:00:00+01:00")];
        let held_up = due("2026-11-20", "2026-11-20T12:00:00+01:00", &provider);
        assert_eq!((held_up.mark.as_deref(), held_up.file_by), (Some(MARK), Some(end_of("2026-11-23"))));
    }

    #[test]
    fn an_outage_of_ksef_moves_the_limit_to_the_working_day_after_its_end() {
        let ksef = [(Side::Authority, "2026-11-20T09:00:00+01:00", "2026-11-24T11:00:00+01:00")];
        assert_eq!(due("2026-11-20", "2026-11-24T12:00:00+01:00", &ksef).file_by, Some(end_of("2026-11-25")));
    }

    #[test]
    fn a_year_without_holidays_is_named() {
        assert!(due("2031-05-02", "2031-05-02T12:00:00+02:00", &[]).note.unwrap().contains("of 2031"));
    }

    #[test]
    fn a_marked_document_says_that_it_was_issued_offline() {
        let document = || Document::json(r#"{"code":"1"}"#.to_owned(), einvoice_plugin::Amount::new(0, 2));
        let marked = PlFavat::marked(document(), MARK).unwrap();
        assert_eq!(marked.body, r#"{"code":"1","meta":{"pl-favat-mode":"offline24"}}"#);
        assert_eq!(PlFavat::marked(document(), "incidencia").unwrap_err()[0].code, "PL-FAVAT-MARK-01");
    }
}
