//! What the gateway checks by itself of the agency's answers. The SII gives no address for verifying an invoice.

use einvoice_plugin::{Evidence, EvidenceDescription};

use crate::EsSii;
use crate::answers::DUPLICATE;

impl Evidence for EsSii {
    fn evidence() -> EvidenceDescription {
        EvidenceDescription::without_address(&[DUPLICATE])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use einvoice_plugin::{Authority, Country, Submission, harness};
    use serde_json::json;

    #[test]
    fn the_agency_gives_no_address_and_says_that_it_holds_an_invoice_with_a_code_that_is_described() {
        let invoice = harness::invoice(&json!({
            "number": "F-1", "issue_date": "2026-11-20", "notes": "Stay",
            "recipient": {"type": "company", "name": "Acme", "tax_number": "B85905495", "country": "ES"},
            "lines": [{"description": "Night", "quantity": "1", "unit_price": "100.00",
                       "tax": {"category": "VAT", "rate": "21.0"}}]
        }));
        let first = harness::submission(
            &EsSii::convert(&invoice.unwrap(), &harness::context()).unwrap().body,
            "2026-11-20T09:30:00+01:00",
        );
        let taken = EsSii::submit(&first).unwrap();
        assert!(taken.accepted && taken.stamps.is_empty() && EsSii::evidence().verification_hosts.is_empty());
        let refused = EsSii::submit(&Submission { registered: taken.record, ..first }).unwrap();
        let codes: Vec<_> = refused.faults.iter().filter_map(|fault| fault.code.clone()).collect();
        assert_eq!((refused.accepted, codes), (false, EsSii::evidence().duplicate_codes));
    }
}
