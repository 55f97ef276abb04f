//! What the gateway checks by itself of a platform's answers: there is no clearance in France and no address at which anybody
//! verifies an invoice; one code says that a platform has a document of this number already.

use einvoice_plugin::{Evidence, EvidenceDescription};

use crate::FrFacturx;
use crate::authority::DUPLICATE;

impl Evidence for FrFacturx {
    fn evidence() -> EvidenceDescription {
        EvidenceDescription::without_address(&[DUPLICATE])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::authority::SYSTEM;

    #[test]
    fn a_platform_gives_no_address_and_one_code_of_duplicates() {
        assert_eq!(SYSTEM.qr_stamp, None);
        assert_eq!(FrFacturx::evidence(), EvidenceDescription::at(&[], None, &["REJ_UNI"]));
    }
}
