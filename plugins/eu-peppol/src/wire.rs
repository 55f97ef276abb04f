//! What goes over the wire: the invoice in the terms of EN 16931, under the identifiers of Peppol BIS Billing 3, as UBL.
//!
//! `einvoice-en16931` derives it from the stored document and prints it; here is what Peppol makes of it:
//!
//! | term | is |
//! |---|---|
//! | specification (BT-24), process (BT-23) | Billing 3, profile 01 |
//! | note (BT-22) | without a subject, which the profile has no place for |
//! | VAT number (BT-31, BT-48) of Norway | with `MVA` behind it (NO-R-001) |
//! | tax registration (BT-32) | what the supplier says of it, in the scheme `TAX` (NO-R-002, SE-R-005) |
//! | identifier (BT-29) | none beside a legal registration (BT-30), which identifies as well (BR-CO-26; DK-R-013) |
//! | rate (BT-119) between Germans | nought where nothing is subject to VAT (DE-R-014) |

use einvoice_en16931::model::Party;
use einvoice_en16931::{Invoice, Profile, Syntax, Underivable, derive};
use einvoice_plugin::Amount;

/// Peppol BIS Billing 3.
pub const PROFILE: Profile = Profile {
    customization_id: "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0",
    process_id: "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0",
    tax_number_key: TAX_REGISTRATION_KEY,
    rate_of_not_subject: false,
};

/// The format's key of what a supplier says of its tax registration.
pub(crate) const TAX_REGISTRATION_KEY: &str = "tax-registration";
/// What UBL calls the scheme of BT-32.
const TAX_SCHEME: &str = "TAX";

/// The invoice of a stored document.
pub fn invoice(json: &str) -> Result<Invoice, Underivable> {
    let mut invoice = derive(json, PROFILE)?;
    for note in &mut invoice.notes {
        note.subject.clear();
    }
    invoice.seller.tax_number_scheme = Some(TAX_SCHEME);
    if invoice.seller.legal_id.is_some() {
        invoice.seller.identifier = None;
    }
    let is_german = |party: &Party| party.address.as_ref().is_some_and(|address| address.country == "DE");
    if is_german(&invoice.seller) && is_german(&invoice.buyer) {
        for row in &mut invoice.tax_rows {
            row.rate = row.rate.or(Some(Amount::new(0, 0)));
        }
    }
    Ok(invoice)
}

/// The XML of a stored document; none of one that has no form in the standard.
pub fn xml(json: &str) -> Option<String> {
    invoice(json).ok().map(|invoice| Syntax::Ubl.write(&invoice))
}
