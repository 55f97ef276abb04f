//! What the gateway checks by itself of KSeF's proofs.

use einvoice_plugin::{Evidence, EvidenceDescription};

use crate::PlFavat;
use crate::authority::AUTHORITY;
use crate::qr::Environment;

impl Evidence for PlFavat {
    // The address carries a digest of the file, not the number.
    fn evidence() -> EvidenceDescription {
        EvidenceDescription::at(&Environment::ALL.map(Environment::host), None, &[AUTHORITY.duplicate])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::authority::STAMP_QR;
    use einvoice_plugin::harness;

    const DOCUMENT: &str = r#"{"type":"standard","code":"F-1","issue_date":"2026-11-20",
        "supplier":{"tax_id":{"country":"PL","code":"9876543210"},"addresses":[{}]},
        "tax":{"ext":{"pl-favat-invoice-type":"VAT"}}}"#;

    #[test]
    fn the_address_of_ksef_has_a_host_of_its_own() {
        let outcome = AUTHORITY.submit(&harness::submission(DOCUMENT, "2026-11-20T09:30:00+01:00")).unwrap();
        let qr = outcome.stamps.iter().find(|stamp| stamp.provider == STAMP_QR);
        let qr = qr.unwrap_or_else(|| panic!("{outcome:?}"));
        assert_eq!(harness::number_in(&PlFavat::evidence(), &qr.value), Ok(None));
        assert_eq!(PlFavat::evidence().duplicate_codes, ["440"]);
    }
}
