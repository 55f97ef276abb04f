//! What the gateway checks by itself of an access point's answers: nothing. Peppol clears no invoices, and what an access
//! point gives or says of a number that it has is its own affair.

use einvoice_plugin::{Evidence, EvidenceDescription};

use crate::EuPeppol;

impl Evidence for EuPeppol {
    fn evidence() -> EvidenceDescription {
        EvidenceDescription::without_address(&[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::authority::SYSTEM;

    #[test]
    fn an_access_point_gives_no_address_and_its_codes_are_its_own() {
        assert_eq!(SYSTEM.qr_stamp, None);
        assert_eq!(EuPeppol::evidence(), EvidenceDescription::at(&[], None, &[]));
    }
}
