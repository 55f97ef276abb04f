//! The reference's examples, as far as our document can say them.
//!
//! `GOBL_EXAMPLES` names the folder with `es-in` and `es-out`.

#![cfg(test)]

use std::path::Path;

use einvoice_es::harness::DIALECT;
use einvoice_gobl::harness::examples;
use einvoice_plugin::Country;
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
    let Some(folder) = std::env::var_os("GOBL_EXAMPLES") else {
        println!("GOBL_EXAMPLES names no folder: the reference's examples were not compared");
        return;
    };
    let folder = Path::new(&folder);
    for (name, ignored) in EXAMPLES {
        let file = format!("{name}.json");
        let (input, output) =
            examples::read(&folder.join("es-in").join(&file), &folder.join("es-out").join(&file)).unwrap();
        let dialect = examples::Dialect { ignored, ..DIALECT };
        let example = examples::example(&input, dialect).unwrap_or_else(|why| panic!("{name}: {why}"));
        let ours = EsVerifactu::convert(&example.invoice, &example.context)
            .unwrap_or_else(|faults| panic!("{name}: {faults:?}"));
        let differences = examples::differences(&ours.body, &output, dialect).unwrap();
        assert!(differences.is_empty(), "{name}: {differences:#?}");
    }
}
