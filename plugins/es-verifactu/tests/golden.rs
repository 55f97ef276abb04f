//! Every case under `tests/golden/es-verifactu/cases` converts to its file under `expected`.
//!
//! A case is a document as the platform's API carries it, plus what differs from the usual context. A refused one
//! expects its faults. `UPDATE_GOLDEN=1` rewrites the expectations; `GOBL_SCHEMAS` names a folder with the format's
//! JSON Schemas, against which every document is then checked too.

#![cfg(test)]

mod schemas;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use einvoice_plugin::{Authority, Context, Country, Fault, Submission, harness};
use es_verifactu::EsVerifactu;
use serde_json::{Value, json};

struct Case {
    name: String,
    document: Value,
    context: Context,
}

impl Case {
    /// What the plugin makes of it: the structured document or its faults.
    fn converted(&self) -> Result<(String, einvoice_plugin::Invoice), Vec<Fault>> {
        let invoice = harness::invoice(&self.document).unwrap_or_else(|why| panic!("{}: {why}", self.name));
        EsVerifactu::convert(&invoice, &self.context).map(|document| (document.body, invoice))
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/es-verifactu")
}

fn cases() -> Vec<Case> {
    let mut files: Vec<_> = std::fs::read_dir(folder().join("cases"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "there are no cases");
    files.iter().map(|path| read_case(path)).collect()
}

fn read_case(path: &Path) -> Case {
    let case: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut context = harness::context();
    if let Some(settings) = case.pointer("/context/settings") {
        context.settings = settings.to_string();
    }
    if let Some(supplier) = case.pointer("/context/supplier") {
        let text = |member: &str| supplier[member].as_str().unwrap_or_default().to_owned();
        (context.supplier.legal_name, context.supplier.tax_id) = (text("legal_name"), text("tax_id"));
        (context.supplier.country, context.supplier.address) = (text("country"), None);
    }
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    Case { name, document: case["document"].clone(), context }
}

fn fault_json(fault: &Fault) -> Value {
    let severity = if fault.is_error() { "error" } else { "warning" };
    json!({"code": fault.code, "path": fault.path, "message": fault.message, "severity": severity})
}

fn expectation(case: &Case) -> String {
    let value = match case.converted() {
        Ok((body, _)) => serde_json::from_str(&body).unwrap(),
        Err(faults) => json!({"faults": faults.iter().map(fault_json).collect::<Vec<_>>()}),
    };
    serde_json::to_string_pretty(&value).unwrap() + "\n"
}

#[test]
fn every_case_converts_to_its_golden_file() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let expected = folder().join("expected");
    let mut wrong = Vec::new();
    for case in cases() {
        let (made, file) = (expectation(&case), expected.join(format!("{}.json", case.name)));
        if update {
            std::fs::create_dir_all(&expected).unwrap();
            std::fs::write(&file, &made).unwrap();
        } else if std::fs::read_to_string(&file).unwrap_or_default() != made {
            wrong.push(format!("{}:\n{made}", case.name));
        }
    }
    assert!(wrong.is_empty(), "UPDATE_GOLDEN=1 rewrites these, if they are right:\n{}", wrong.join("\n"));
}

#[test]
fn every_golden_file_has_its_case() {
    let names: Vec<_> = cases().into_iter().map(|case| format!("{}.json", case.name)).collect();
    for entry in std::fs::read_dir(folder().join("expected")).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        assert!(names.contains(&name), "{name} is left over");
    }
}

#[test]
fn the_figures_of_every_document_are_those_of_the_invoice() {
    for case in cases() {
        let Ok((body, invoice)) = case.converted() else { continue };
        let document: Value = serde_json::from_str(&body).unwrap();
        let totals = &document["totals"];
        let figures =
            [&invoice.totals.net, &invoice.totals.tax, &invoice.totals.gross, &invoice.totals.payable];
        let printed =
            ["total", "tax", "total_with_tax", "payable"].map(|member| totals[member].as_str().unwrap());
        assert_eq!(figures.map(ToString::to_string), printed, "{}", case.name);
    }
}

#[test]
fn the_only_tags_are_those_from_which_the_format_derives_the_type() {
    for case in cases() {
        let Ok((body, _)) = case.converted() else { continue };
        let document: Value = serde_json::from_str(&body).unwrap();
        let tags = match document["tax"]["ext"]["es-verifactu-doc-type"].as_str().unwrap() {
            "F2" | "R5" => json!(["simplified"]),
            "F3" => json!(["replacement"]),
            _ => Value::Null,
        };
        assert_eq!(document["$tags"], tags, "{}", case.name);
    }
}

#[test]
fn no_simplified_document_identifies_its_recipient() {
    let mut named = 0;
    for case in cases() {
        let Ok((body, _)) = case.converted() else { continue };
        let document: Value = serde_json::from_str(&body).unwrap();
        let customer = &document["customer"];
        if document["$tags"] == json!(["simplified"]) {
            assert!(customer["tax_id"].is_null() && customer["identities"].is_null(), "{}", case.name);
            named += usize::from(customer.is_object());
        } else {
            assert!(customer["tax_id"].is_object() || customer["identities"].is_array(), "{}", case.name);
        }
    }
    assert!(named > 0);
}

#[test]
fn the_agency_takes_every_document() {
    for case in cases() {
        let Ok((body, _)) = case.converted() else { continue };
        let now = case.context.now.clone();
        let submission = Submission {
            document: body,
            now,
            previous: None,
            registered: None,
            amends: None,
            forced_code: None,
        };
        let outcome = EsVerifactu::submit(&submission).unwrap();
        assert!(outcome.accepted, "{}: {:?}", case.name, outcome.faults);
    }
}

#[test]
fn every_document_fits_the_formats_schemas() {
    let Some(folder) = std::env::var_os("GOBL_SCHEMAS") else {
        println!("GOBL_SCHEMAS names no folder: the documents were not checked against the JSON Schemas");
        return;
    };
    let schema = schemas::invoice(Path::new(&folder));
    assert!(!schema.is_valid(&json!({"type": "standard"})), "the schemas refuse nothing");
    let mut wrong = BTreeMap::new();
    for case in cases() {
        let Ok((body, _)) = case.converted() else { continue };
        let document: Value = serde_json::from_str(&body).unwrap();
        let errors: Vec<_> = schema
            .iter_errors(&document)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        if !errors.is_empty() {
            wrong.insert(case.name, errors);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
