//! What the gateway checks by itself of myDATA's proofs and answers.

use einvoice_plugin::{Evidence, EvidenceDescription};

use crate::GrMydata;
use crate::authority::{DUPLICATE, TEST_HOST};

/// The hosts of the service behind the QR code: production and test.
const HOSTS: [&str; 2] = ["mydatapi.aade.gr", TEST_HOST];

impl Evidence for GrMydata {
    // The address carries a token, not the number.
    fn evidence() -> EvidenceDescription {
        EvidenceDescription::at(&HOSTS, None, &[DUPLICATE])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::authority::STAMP_QR;
    use einvoice_plugin::{Authority, harness};

    const DOCUMENT: &str = r#"{"series":"F","code":"1","issue_date":"2026-11-20","currency":"EUR",
        "supplier":{"tax_id":{"country":"EL","code":"094259216"}},
        "tax":{"ext":{"gr-mydata-invoice-type":"11.2"}},
        "lines":[{"i":1,"quantity":"1","item":{"price":"100.00","ext":{"gr-mydata-income-cat":"category1_3",
            "gr-mydata-income-type":"E3_561_003"}},"total":"100.00",
            "taxes":[{"cat":"VAT","percent":"13%","ext":{"gr-mydata-vat-rate":"2"}}]}],
        "payment":{"instructions":{"ext":{"gr-mydata-payment-means":"3"}}},
        "totals":{"total":"100.00","tax":"13.00","total_with_tax":"113.00"}}"#;

    #[test]
    fn the_address_of_mydata_has_a_host_of_its_own() {
        let outcome = GrMydata::submit(&harness::submission(DOCUMENT, "2026-11-20T09:30:00+02:00")).unwrap();
        let qr = outcome.stamps.iter().find(|stamp| stamp.provider == STAMP_QR);
        let qr = qr.unwrap_or_else(|| panic!("{outcome:?}"));
        assert_eq!(harness::number_in(&GrMydata::evidence(), &qr.value), Ok(None));
        assert_eq!(GrMydata::evidence().duplicate_codes, ["233"]);
    }
}
