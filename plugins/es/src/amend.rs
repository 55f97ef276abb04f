//! What of an invoice may be said anew under its number: what is no figure of it and no rate, and leaves recipient, number and day
//! whose they are. Other figures are a corrective invoice's (RD 1619/2012, article 15), whichever books the invoice is in.

use einvoice_plugin::AmendDescription;

const PATHS: [&str; 12] = [
    "/notes",
    "/payment",
    "/operation_date",
    "/recipient/name",
    "/recipient/identity_document",
    "/recipient/tax_number",
    "/recipient/country",
    "/recipient/address",
    "/recipient/email",
    "/lines/*/description",
    "/lines/*/period",
    "/lines/*/ext",
];

/// What may be amended, and members of `ext` besides: how a system classifies the invoice.
pub fn description(ext: &[&str]) -> AmendDescription {
    let of_ext = ext.iter().map(|key| format!("/ext/{key}"));
    AmendDescription { allowed_paths: PATHS.iter().map(|path| (*path).to_owned()).chain(of_ext).collect() }
}
