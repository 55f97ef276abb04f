//! What the gateway checks by itself of KSeF's proofs.

use einvoice_plugin::{Evidence, EvidenceDescription};

use crate::PlFavat;
use crate::authority::DUPLICATE;
use crate::qr::Environment;

impl Evidence for PlFavat {
    // The address carries a digest of the file, not the number.
    fn evidence() -> EvidenceDescription {
        EvidenceDescription::at(&Environment::ALL.map(Environment::host), None, &[DUPLICATE])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::qr::invoice_address;
    use einvoice_gobl::date::Date;
    use einvoice_plugin::harness;

    #[test]
    fn the_address_of_ksef_has_a_host_of_its_own() {
        let digest = [7; 32];
        for environment in Environment::ALL {
            let address = invoice_address(environment, "9876543210", Date::new(2026, 11, 20), &digest);
            assert_eq!(harness::number_in(&PlFavat::evidence(), &address), Ok(None));
        }
        assert_eq!(PlFavat::evidence().duplicate_codes, ["440"]);
    }
}
