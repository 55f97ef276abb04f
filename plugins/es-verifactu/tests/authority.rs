//! The messages to the agency, as the sandbox makes them.
//!
//! Every story below tells its last message to its file under `tests/golden/es-verifactu/authority`;
//! `UPDATE_GOLDEN=1` rewrites them. With `AEAT_XSD`, a folder with the agency's schemas, and `xmllint` every message is
//! checked against them too; `AEAT_XSD_REQUIRED=1` makes it an error when that cannot be done.

#![cfg(test)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use einvoice_plugin::{Authority, Outcome, Submission};
use es_verifactu::EsVerifactu;
use proptest::prelude::*;
use serde_json::{Value, json};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/es-verifactu")
}

/// A document of the plugin's golden files.
fn converted(case: &str) -> Value {
    let file = folder().join(format!("expected/{case}.json"));
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

/// An issuer's chain as it grows, with what the agency holds of the last document.
#[derive(Default)]
struct Chain {
    previous: Option<String>,
    registered: BTreeMap<String, String>,
    records: usize,
}

impl Chain {
    /// Sends a document; every record is made a minute after the one before.
    fn send(&mut self, document: &Value, amends: bool, forced_code: Option<&str>) -> Outcome {
        let document = document.to_string();
        let key = EsVerifactu::file(&document).unwrap().record_key;
        let outcome = EsVerifactu::submit(&Submission {
            document,
            now: format!("2026-11-20T09:{:02}:00+01:00", 30 + self.records),
            previous: self.previous.clone(),
            registered: self.registered.get(&key).cloned(),
            amends: amends.then(|| key.clone()),
            forced_code: forced_code.map(str::to_owned),
        })
        .unwrap();
        self.records += 1;
        self.previous.clone_from(&outcome.record);
        self.registered.extend(outcome.record.clone().map(|record| (key, record)));
        outcome
    }
}

fn cancelling(document: &Value) -> Value {
    let mut document = document.clone();
    document["meta"] = json!({"es-verifactu-record": "cancellation"});
    document
}

/// Messages by the name of their story.
#[derive(Default)]
struct Stories(BTreeMap<&'static str, String>);

impl Stories {
    fn report(&mut self, name: &'static str, accepted: bool, outcome: Outcome) {
        assert_eq!(outcome.accepted, accepted, "{name}: {:?}", outcome.faults);
        assert!(self.0.insert(name, outcome.payload.unwrap()).is_none(), "{name} is told twice");
    }

    /// First records of every kind of document.
    fn kinds(&mut self) {
        for (name, case) in [
            ("f1_company", "company_spanish"),
            ("f1_company_foreign", "company_foreign"),
            ("f1_individual_passport", "identity_passport"),
            ("f1_operation_date", "operation_date"),
            ("f1_notes", "notes"),
            ("f1_unicode", "unicode_names"),
            ("f1_exempt", "exemption_article_20"),
            ("f1_export", "exemption_article_21"),
            ("f1_reverse_charge", "exemption_reverse_charge"),
            ("f1_outside_scope", "exemption_outside_scope"),
            ("f1_igic", "igic"),
            ("f1_ipsi", "ipsi"),
            ("f1_surcharge", "surcharge"),
            ("f1_withheld", "retention_irpf"),
            ("f2", "simplified_invoice"),
            ("f2_by_name", "simplified_invoice_by_name"),
            ("f3", "replacement_invoice"),
            ("r1", "credit_note_of_type_r1"),
            ("r2", "credit_note_of_the_workspace_s_type"),
            ("r4", "credit_note"),
            ("r5", "credit_note_of_a_simplified_invoice"),
        ] {
            self.report(name, true, Chain::default().send(&converted(case), false, None));
        }
        let mut bad_debt = converted("credit_note_of_the_workspace_s_type");
        bad_debt["tax"]["ext"]["es-verifactu-doc-type"] = json!("R3");
        self.report("r3", true, Chain::default().send(&bad_debt, false, None));
    }

    /// The same invoice once more, after what happened to it before.
    fn corrections(&mut self) {
        let corrections: [(&str, bool, &[Step], Step); 6] = [
            ("refused_then_corrected", true, &[(false, Some("1110"))], (false, None)),
            ("message_refused_then_sent_again", true, &[(false, Some("4102"))], (false, None)),
            ("duplicate", false, &[(false, None)], (false, None)),
            ("amended", true, &[(false, Some("2001"))], (true, None)),
            ("amended_after_a_refused_amendment", true, &[(false, None), (true, Some("1100"))], (true, None)),
            ("remarked", true, &[], (false, Some("2001"))),
        ];
        let invoice = converted("company_spanish");
        for (name, accepted, before, (amends, code)) in corrections {
            let mut chain = Chain::default();
            for (amends, code) in before {
                chain.send(&invoice, *amends, *code);
            }
            self.report(name, accepted, chain.send(&invoice, amends, code));
        }
        let mut chain = Chain::default();
        chain.send(&invoice, false, Some("1110"));
        let other = chain.send(&converted("rate_general"), false, None);
        self.report("another_invoice_after_a_refused_one", true, other);
    }

    fn cancellations(&mut self) {
        let invoice = converted("company_spanish");
        let cancellation = cancelling(&invoice);
        let mut chain = Chain::default();
        chain.send(&invoice, false, None);
        self.report("cancelled", true, chain.send(&cancellation, true, None));
        let other = chain.send(&converted("rate_general"), false, None);
        self.report("an_invoice_after_a_cancellation", true, other);
        let mut chain = Chain::default();
        chain.send(&invoice, false, Some("1110"));
        self.report("refused_then_cancelled", true, chain.send(&cancellation, false, None));
        let mut chain = Chain::default();
        chain.send(&invoice, false, None);
        chain.send(&cancellation, true, Some("1100"));
        let again = chain.send(&cancellation, true, None);
        self.report("cancelled_after_a_refused_cancellation", true, again);
    }
}

/// A record on the way to the one that is told: whether it amends, and the code a tester asks for.
type Step = (bool, Option<&'static str>);

/// One message per story, by name.
fn stories() -> BTreeMap<&'static str, String> {
    let mut stories = Stories::default();
    stories.kinds();
    stories.corrections();
    stories.cancellations();
    stories.0
}

#[test]
fn every_story_ends_in_its_golden_message() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let expected = folder().join("authority");
    let stories = stories();
    let mut wrong = Vec::new();
    for (name, message) in &stories {
        let file = expected.join(format!("{name}.xml"));
        if update {
            std::fs::create_dir_all(&expected).unwrap();
            std::fs::write(&file, message).unwrap();
        } else if std::fs::read_to_string(&file).unwrap_or_default() != *message {
            wrong.push(format!("{name}:\n{message}"));
        }
    }
    assert!(wrong.is_empty(), "UPDATE_GOLDEN=1 rewrites these, if they are right:\n{}", wrong.join("\n"));
    for entry in std::fs::read_dir(expected).unwrap() {
        let name = entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned();
        assert!(stories.contains_key(name.as_str()), "{name}.xml is left over");
    }
}

/// The messages of all stories and of every golden document that the agency takes.
fn messages() -> Vec<(String, String)> {
    let mut messages: Vec<_> =
        stories().into_iter().map(|(name, message)| (name.to_owned(), message)).collect();
    for entry in std::fs::read_dir(folder().join("expected")).unwrap() {
        let name = entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned();
        let document = converted(&name);
        if document["faults"].is_null() {
            let outcome = Chain::default().send(&document, false, None);
            messages.extend(outcome.payload.filter(|_| outcome.accepted).map(|message| (name, message)));
        }
    }
    messages
}

#[test]
fn every_figure_of_the_document_is_in_the_message() {
    for (name, message) in messages() {
        let read = roxmltree::Document::parse(&message).unwrap_or_else(|why| panic!("{name}: {why}"));
        let root = read.root_element();
        let prefixes: Vec<_> = root.namespaces().filter_map(roxmltree::Namespace::name).collect();
        assert_eq!((root.tag_name().name(), prefixes), ("RegFactuSistemaFacturacion", vec!["sum", "sum1"]));
        let texts = |tag: &str| -> Vec<String> {
            let nodes = read.descendants().filter(|node| node.tag_name().name() == tag);
            nodes.map(|node| node.text().unwrap_or_default().to_owned()).collect()
        };
        assert_eq!(texts("Huella").last().unwrap().len(), 64, "{name}");
        if texts("RegistroAlta").is_empty() {
            continue;
        }
        let cents = |text: &String| text.replace('.', "").parse::<i64>().unwrap();
        let sum = |tag: &str| texts(tag).iter().map(cents).sum::<i64>();
        let tax = sum("CuotaRepercutida") + sum("CuotaRecargoEquivalencia");
        let difference = tax - sum("CuotaTotal");
        assert!(difference.abs() <= 2, "{name}: cents may be lost in rounding only");
        let difference = sum("BaseImponibleOimporteNoSujeto") + tax - sum("ImporteTotal");
        assert!(difference.abs() <= 2, "{name}: cents may be lost in rounding only");
    }
}

proptest! {
    #[test]
    fn any_text_is_in_the_message_or_replaced(name in any::<String>(), item: String, code in "[ -~]{1,70}", note: String) {
        let mut document = converted("company_spanish");
        document["customer"]["name"] = json!(name);
        document["lines"][0]["item"]["name"] = json!(item);
        document["notes"] = json!([{"text": note}]);
        document["code"] = json!(format!("F{code}"));
        let outcome = Chain::default().send(&document, false, None);
        let message = outcome.payload.unwrap();
        prop_assert!(roxmltree::Document::parse(&message).is_ok(), "{}", message);
    }
}

/// The agency's schemas and the program that reads them; none when one is missing, which is then said.
fn schemas() -> Option<PathBuf> {
    let found = match std::env::var_os("AEAT_XSD") {
        None => Err("AEAT_XSD names no folder with the agency's schemas"),
        Some(folder) => match Command::new("xmllint").arg("--version").output() {
            Ok(_) => Ok(PathBuf::from(folder)),
            Err(_) => Err("xmllint is not installed"),
        },
    };
    match found {
        Ok(folder) => Some(folder),
        Err(why) => {
            assert!(std::env::var_os("AEAT_XSD_REQUIRED").is_none(), "{why}");
            println!("{why}: the messages were not checked against the schemas");
            None
        }
    }
}

/// What `xmllint` says of these files; nothing when all are valid. It opens no connection: the schemas' own wrapper
/// imports the signature's schema from beside it.
fn complaints(schemas: &Path, files: &[PathBuf]) -> Option<String> {
    let schema = schemas.join("main.xsd");
    let output = Command::new("xmllint")
        .args(["--nonet", "--noout", "--schema"])
        .arg(schema)
        .args(files)
        .output()
        .unwrap();
    (!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn every_message_is_valid_against_the_agencys_schemas() {
    let Some(schemas) = schemas() else { return };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("aeat");
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, message: &str| {
        let file = folder.join(format!("{name}.xml"));
        std::fs::write(&file, message).unwrap();
        file
    };
    let messages = messages();
    let files: Vec<_> = messages.iter().map(|(name, message)| write(name, message)).collect();
    assert_eq!(complaints(&schemas, &files), None);
    println!("{} messages are valid against {}", files.len(), schemas.display());

    let (_, sound) = messages.first().unwrap();
    for (part, other) in [
        ("<sum1:IDVersion>1.0</sum1:IDVersion>", ""),
        (">F1<", ">F9<"),
        (">89890001K<", ">1<"),
        ("sum1:Huella", "sum1:Hash"),
    ] {
        assert!(sound.contains(part), "{part} is not in the message");
        let file = write("wrong", &sound.replace(part, other));
        assert!(complaints(&schemas, &[file]).is_some(), "the schemas take a message without {part}");
    }
}
