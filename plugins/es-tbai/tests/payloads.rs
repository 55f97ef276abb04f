//! The TicketBAI files of chosen documents, as the sandbox shows them, byte for byte.
//!
//! Each is compared with its file under `tests/golden/es-tbai/payloads`; `UPDATE_GOLDEN=1` rewrites them. The treasuries'
//! own schema is too large to be kept here: `GATEWAY_WIRE_PAYLOADS` writes what their validators are to read.

#![cfg(test)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use einvoice_gobl::harness::golden::{self, Suite};
use einvoice_gobl::harness::submission;
use einvoice_plugin::{Authority, Submission};
use es_tbai::EsTbai;

/// Golden cases of every kind of document and of breakdown.
const CASES: [&str; 20] = [
    "categories_mixed",
    "company_foreign_goods_and_services",
    "company_spanish",
    "credit_note",
    "credit_note_of_a_simplified_invoice",
    "credit_note_of_several_invoices",
    "debit_note",
    "exemption_article_20",
    "exemption_reverse_charge",
    "identity_passport",
    "ipsi",
    "message_to_the_register",
    "message_to_the_register_of_a_person",
    "operation_date",
    "products_of_lines_prices_included",
    "region_of_the_document",
    "retention_irpf",
    "simplified_invoice",
    "simplified_invoice_identified_in_gipuzkoa",
    "special_regimes",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/es-tbai")
}

/// The files by name, with that of an invoice after another one.
fn files() -> BTreeMap<String, String> {
    let outcomes = Suite::<EsTbai>::new(folder(), golden::usual).outcomes().unwrap();
    let mut files: BTreeMap<_, _> =
        CASES.iter().map(|name| ((*name).to_owned(), outcomes[*name].payload.clone().unwrap())).collect();
    let document = std::fs::read_to_string(folder().join("expected/credit_note.json")).unwrap();
    let previous = outcomes["company_spanish"].record.clone();
    let chained = Submission { previous, ..submission(&document, &golden::usual().now) };
    files.insert("chained".to_owned(), EsTbai::submit(&chained).unwrap().payload.unwrap());
    files
}

#[test]
fn the_files_of_chosen_documents_are_the_golden_ones() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let folder = folder().join("payloads");
    let mut wrong = Vec::new();
    for (name, made) in files() {
        let file = folder.join(format!("{name}.xml"));
        if update {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&file, &made).unwrap();
        } else if std::fs::read_to_string(&file).unwrap_or_default() != made {
            wrong.push(format!("{name}:\n{made}"));
        }
    }
    assert!(wrong.is_empty(), "UPDATE_GOLDEN=1 rewrites these, if they are right:\n{}", wrong.join("\n"));
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), CASES.len() + 1, "a file is left over");
}
