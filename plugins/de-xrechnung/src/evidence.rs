//! What the gateway checks by itself of a platform's answers: nothing. There is no clearance in Germany, and what a
//! platform gives or says of a number that it has seen is its own affair.

use einvoice_plugin::{Evidence, EvidenceDescription};

use crate::DeXrechnung;

impl Evidence for DeXrechnung {
    fn evidence() -> EvidenceDescription {
        EvidenceDescription::without_address(&[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::authority::SYSTEM;

    #[test]
    fn a_platform_gives_no_address_and_its_codes_are_its_own() {
        assert_eq!(SYSTEM.qr_stamp, None);
        assert_eq!(DeXrechnung::evidence(), EvidenceDescription::at(&[], None, &[]));
    }
}
