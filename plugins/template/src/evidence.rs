//! What the gateway checks by itself of the authority's proofs: an address that leads elsewhere or states another number
//! proves nothing.

use einvoice_plugin::{Evidence, EvidenceDescription};

use crate::XxTemplate;
use crate::authority::DUPLICATE;

impl Evidence for XxTemplate {
    fn evidence() -> EvidenceDescription {
        EvidenceDescription::at(&["authority.example"], Some("number"), &[DUPLICATE])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpret::STAMP_QR;
    use einvoice_plugin::{Authority, harness};
    use serde_json::json;

    #[test]
    fn the_address_of_the_authority_states_the_number_at_a_host_of_its_own() {
        for number in ["F-1", "F 1/ñ&2"] {
            let document = json!({"code": number, "supplier": {"tax_id": {"country": "XX", "code": "1"}}});
            let outcome =
                XxTemplate::submit(&harness::submission(&document.to_string(), "2026-11-20T09:30:00+01:00"));
            let stamps = outcome.unwrap().stamps;
            let qr = stamps.iter().find(|stamp| stamp.provider == STAMP_QR).unwrap();
            assert_eq!(harness::number_in(&XxTemplate::evidence(), &qr.value), Ok(Some(number.to_owned())));
        }
    }
}
