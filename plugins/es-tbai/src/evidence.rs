//! What the gateway checks by itself of the treasuries' proofs.

use einvoice_plugin::{Evidence, EvidenceDescription};

use crate::EsTbai;
use crate::answers::{BIZKAIA_DUPLICATE, BIZKAIA_REGISTERED, DUPLICATE};

/// The hosts of the services behind the QR code: Araba, Bizkaia (one for both) and Gipuzkoa, production and test.
const HOSTS: [&str; 5] = [
    "ticketbai.araba.eus",
    "pruebas-ticketbai.araba.eus",
    "batuz.eus",
    "tbai.egoitza.gipuzkoa.eus",
    "tbai.prep.gipuzkoa.eus",
];
/// The parameter with the number inside its series. Documents of this plugin have no series, so it is the whole number.
const NUMBER: &str = "nf";

impl Evidence for EsTbai {
    fn evidence() -> EvidenceDescription {
        EvidenceDescription::at(&HOSTS, Some(NUMBER), &[DUPLICATE, BIZKAIA_DUPLICATE, BIZKAIA_REGISTERED])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::STAMP_QR;
    use einvoice_plugin::{Authority, Country, Submission, harness};
    use serde_json::{Value, json};

    fn submission(region: &str, number: &str) -> Submission {
        let invoice = harness::invoice(&json!({
            "number": number, "issue_date": "2026-11-20", "notes": "Stay",
            "recipient": {"type": "company", "name": "Acme", "tax_number": "B85905495", "country": "ES",
                          "address": {"street": "Calle Mayor 43", "locality": "Madrid", "postcode": "28003"}},
            "lines": [{"description": "Night", "quantity": "1", "unit_price": "100.00",
                       "tax": {"category": "VAT", "rate": "21.0"}}],
            "ext": {"region": region}
        }));
        harness::submission(
            &EsTbai::convert(&invoice.unwrap(), &harness::context()).unwrap().body,
            "2026-11-20T09:30:00+01:00",
        )
    }

    #[test]
    fn the_address_of_each_treasury_states_the_whole_number_at_a_host_of_its_own() {
        for (region, number) in [("VI", "F-2026-000001"), ("BI", "F/2026-1"), ("SS", "F-1")] {
            let submission = submission(region, number);
            let document: Value = serde_json::from_str(&submission.document).unwrap();
            assert_eq!((document.get("series"), document["code"].as_str()), (None, Some(number)));
            let outcome = EsTbai::submit(&submission).unwrap();
            let qr = outcome.stamps.iter().find(|stamp| stamp.provider == STAMP_QR).unwrap();
            assert_eq!(harness::number_in(&EsTbai::evidence(), &qr.value), Ok(Some(number.to_owned())));
        }
    }

    #[test]
    fn each_treasury_says_that_it_holds_an_invoice_with_a_code_that_is_described() {
        for region in ["VI", "BI", "SS"] {
            let registered = EsTbai::submit(&submission(region, "F-1")).unwrap().record;
            let again = Submission { registered, ..submission(region, "F-1") };
            let refused = EsTbai::submit(&again).unwrap();
            let code = refused.faults[0].code.as_ref().unwrap();
            assert!(!refused.accepted && EsTbai::evidence().duplicate_codes.contains(code), "{refused:?}");
        }
    }
}
