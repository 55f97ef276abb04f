//! What the gateway checks by itself of SdI's answers. SdI gives no address for verifying an invoice.

use einvoice_plugin::{Evidence, EvidenceDescription};

use crate::ItSdi;
use crate::authority::DUPLICATE;

impl Evidence for ItSdi {
    fn evidence() -> EvidenceDescription {
        EvidenceDescription::without_address(&[DUPLICATE])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::authority::SYSTEM;

    #[test]
    fn sdi_gives_no_address_and_has_one_code_for_an_invoice_that_it_holds() {
        assert_eq!(SYSTEM.qr_stamp, None);
        assert_eq!(ItSdi::evidence(), EvidenceDescription::at(&[], None, &["00404"]));
    }
}
