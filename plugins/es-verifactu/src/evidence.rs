//! What the gateway checks by itself of the agency's proofs.

use einvoice_plugin::{Evidence, EvidenceDescription};

use crate::EsVerifactu;
use crate::authority::DUPLICATE;

/// The hosts of the service behind the QR code (`ValidarQR`), production and test: the agency's description of the QR
/// code, order HAC/1177/2024. `www1` and `www10` take records and verify nothing.
const HOSTS: [&str; 2] = ["www2.agenciatributaria.gob.es", "prewww2.aeat.es"];
/// The parameter with series and number as printed on the invoice.
const NUMBER: &str = "numserie";

impl Evidence for EsVerifactu {
    fn evidence() -> EvidenceDescription {
        EvidenceDescription::at(&HOSTS, Some(NUMBER), &[DUPLICATE])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use einvoice_es::record::{Environment, Record};
    use einvoice_plugin::{Authority, Country, Submission, harness};
    use serde_json::json;

    fn submission(number: &str) -> Submission {
        let invoice = harness::invoice(&json!({
            "number": number, "issue_date": "2026-11-20",
            "recipient": {"type": "company", "name": "Acme", "tax_number": "B85905495", "country": "ES"},
            "lines": [{"description": "Night", "quantity": "1", "unit_price": "100.00",
                       "tax": {"category": "VAT", "rate": "21.0"}}]
        }));
        harness::submission(
            &EsVerifactu::convert(&invoice.unwrap(), &harness::context()).unwrap().body,
            "2026-11-20T09:30:00+01:00",
        )
    }

    #[test]
    fn the_address_of_the_agency_states_the_number_at_a_host_of_its_own() {
        for number in ["F-2026-000001", "F/2026&1"] {
            let outcome = EsVerifactu::submit(&submission(number)).unwrap();
            let qr = outcome.stamps.iter().find(|stamp| stamp.provider == "verifactu-qr").unwrap();
            assert_eq!(harness::number_in(&EsVerifactu::evidence(), &qr.value), Ok(Some(number.to_owned())));
        }
        let record = Record {
            issuer: "89890001K",
            number: "12345678&G33",
            issue_date: "01-01-2024",
            document_type: "F1",
            tax: "41.95",
            total: "241.4",
            previous: "",
            generated_at: "2024-01-01T19:20:30+01:00",
        };
        let real = record.qr_url(Environment::Production);
        assert_eq!(harness::number_in(&EsVerifactu::evidence(), &real), Ok(Some("12345678&G33".to_owned())));
    }

    #[test]
    fn the_agency_says_that_it_holds_a_record_with_a_code_that_is_described() {
        let first = EsVerifactu::submit(&submission("F-1")).unwrap();
        assert!(first.accepted);
        let again =
            Submission { previous: first.record.clone(), registered: first.record, ..submission("F-1") };
        let refused = EsVerifactu::submit(&again).unwrap();
        let codes: Vec<_> = refused.faults.iter().filter_map(|fault| fault.code.as_deref()).collect();
        assert_eq!(
            (refused.accepted, codes),
            (false, vec![EsVerifactu::evidence().duplicate_codes[0].as_str()])
        );
    }
}
