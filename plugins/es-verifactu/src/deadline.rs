//! Until when a record has to be sent, and what one carries that an outage held up.
//!
//! Records are sent at once (RD 1007/2023, articles 15 and 16); the agency notes a record that was generated more than
//! [`TOLERANCE_S`] seconds before it arrives (error 2004). What could not be sent goes out as soon as it can, with `Incidencia` = `S`
//! (order HAC/1177/2024): a system tries again at least every hour, so it has [`RESUME_S`] seconds from the end of the outage on.

use einvoice_gobl::clock::{central_europe, seconds_after};
use einvoice_gobl::deadline::{end_of_outages, unknown_mark, was_held_up, with_meta};
use einvoice_plugin::{Context, Deadline, Document, Faults, FilingFacts, FilingLimits, Invoice, Limit};

use crate::{EsVerifactu, SYSTEM};

/// How long after its issue a record may arrive, seconds.
pub const TOLERANCE_S: u32 = 240;
/// How long after an outage what waited has to be sent, seconds.
pub const RESUME_S: u32 = 3600;
/// What a record that an outage held up carries.
pub const MARK: &str = "incidencia";
/// The member of the document's `meta` that the provider makes `Incidencia` of.
pub const META_INCIDENT: &str = "es-verifactu-incident";
/// Its value.
pub const YES: &str = "S";

impl Deadline for EsVerifactu {
    fn due(_: &Invoice, _: &Context, facts: &FilingFacts) -> FilingLimits {
        let resumed = end_of_outages(&facts.outages, central_europe);
        let limit = match resumed {
            Some(end) => seconds_after(&end.to_string(), RESUME_S),
            None => seconds_after(&facts.issued_at, TOLERANCE_S),
        };
        FilingLimits {
            file_by: limit.map(|limit| Limit::At(limit.to_string())),
            mark: was_held_up(&facts.outages).then(|| MARK.to_owned()),
            note: None,
        }
    }

    fn marked(document: Document, mark: &str) -> Result<Document, Faults> {
        match mark {
            MARK => with_meta(document, SYSTEM.prefix, META_INCIDENT, YES),
            other => Err(unknown_mark(SYSTEM.prefix, other)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use einvoice_plugin::{Amount, Authority, Country, Outage, Side, harness};
    use serde_json::json;

    fn invoice() -> Invoice {
        harness::invoice(&json!({
            "number": "F-1", "issue_date": "2026-11-20",
            "recipient": {"type": "individual", "name": "Jane Roe",
                          "identity_document": {"type": "passport", "number": "123456789", "country": "GB"}},
            "lines": [{"description": "Night", "quantity": "1", "unit_price": "100.00",
                       "tax": {"category": "VAT", "rate": "21.0"}}]
        }))
        .unwrap()
    }

    fn due(outages: &[(&str, Option<&str>)]) -> FilingLimits {
        let outage = |(since, until): &(&str, Option<&str>)| Outage {
            side: Side::Provider,
            since: (*since).to_owned(),
            until: until.map(str::to_owned),
        };
        let facts = FilingFacts {
            issued_at: "2026-11-20T09:30:00+01:00".to_owned(),
            outages: outages.iter().map(outage).collect(),
        };
        EsVerifactu::due(&invoice(), &harness::context(), &facts)
    }

    fn at(text: &str) -> Limit {
        Limit::At(text.to_owned())
    }

    #[test]
    fn a_record_is_due_at_once_and_carries_no_mark() {
        assert_eq!(
            due(&[]),
            FilingLimits { file_by: Some(at("2026-11-20T09:34:00+01:00")), mark: None, note: None }
        );
    }

    #[test]
    fn a_record_that_an_outage_held_up_has_an_hour_from_its_end_on_and_carries_the_mark() {
        let over = due(&[
            ("2026-11-20T09:00:00+01:00", Some("2026-11-20T09:40:00+01:00")),
            ("2026-11-20T10:00:00+01:00", Some("2026-11-20T12:00:00+01:00")),
        ]);
        assert_eq!((over.file_by, over.mark.as_deref()), (Some(at("2026-11-20T13:00:00+01:00")), Some(MARK)));
        let lasts = due(&[("2026-11-20T09:00:00+01:00", None)]);
        assert_eq!(
            (lasts.file_by, lasts.mark.as_deref()),
            (Some(at("2026-11-20T09:34:00+01:00")), Some(MARK))
        );
    }

    #[test]
    fn a_marked_document_goes_to_the_agency_with_incidencia() {
        let plain = EsVerifactu::convert(&invoice(), &harness::context()).unwrap();
        let marked = EsVerifactu::marked(plain.clone(), MARK).unwrap();
        assert_eq!(marked.payable, Amount::new(12100, 2));
        let payload = |document: &Document| {
            let submission = harness::submission(&document.body, "2026-11-20T12:30:00+01:00");
            EsVerifactu::submit(&submission).unwrap().payload.unwrap()
        };
        let text = payload(&marked).split_whitespace().collect::<String>().replace("sum1:", "");
        let header = "</ObligadoEmision><RemisionVoluntaria><Incidencia>S</Incidencia></RemisionVoluntaria></sum:Cabecera>";
        assert!(text.contains(header), "{text}");
        assert!(!payload(&plain).contains("Incidencia"));
        assert_eq!(EsVerifactu::marked(plain, "offline").unwrap_err()[0].code, "ES-VERIFACTU-MARK-01");
    }
}
