//! The reference's examples, as far as our document can say them.
//!
//! `GOBL_EXAMPLES` names the folder with `es-in` and `es-out`.

#![cfg(test)]

use einvoice_es::harness::reproduced;
use es_verifactu::EsVerifactu;

/// Examples that our document can say, and members that differ on purpose: companies abroad are identities of type 04,
/// which the agency does not look up in VIES; a type that a document does not say is R4.
const EXAMPLES: &[(&str, &[&str])] = &[
    ("invoice-es-es-verifactu", &[]),
    ("invoice-es-es-verifactu-N2", &["customer/tax_id", "customer/identities"]),
    ("invoice-es-es-verifactu-replacement", &[]),
    ("invoice-es-es-verifactu-credit-note-no-preceding", &["tax/ext/es-verifactu-doc-type"]),
];

#[test]
fn the_references_examples_are_reproduced() {
    assert_eq!(reproduced::<EsVerifactu>(EXAMPLES, &[]), Ok(()));
}
