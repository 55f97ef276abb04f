//! What the gateway checks by itself of the AT's answers. The AT gives no address for verifying an invoice: the QR code holds
//! fields, not an address.

use einvoice_plugin::{Evidence, EvidenceDescription};

use crate::PtAt;
use crate::authority::DUPLICATE;

impl Evidence for PtAt {
    fn evidence() -> EvidenceDescription {
        EvidenceDescription::without_address(&[DUPLICATE])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::authority::SYSTEM;

    #[test]
    fn the_authority_gives_no_address_and_has_one_code_for_a_document_that_it_holds() {
        assert_eq!(SYSTEM.qr_stamp, None);
        assert_eq!(PtAt::evidence(), EvidenceDescription::at(&[], None, &["DUPLICATE"]));
    }
}
