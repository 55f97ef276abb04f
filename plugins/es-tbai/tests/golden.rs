//! Every case under `tests/golden/es-tbai/cases` converts to its file under `expected`.

#![cfg(test)]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use einvoice_es::harness::combos;
use einvoice_gobl::harness::golden::{self, Suite};
use einvoice_plugin::{
    Authority, Context, Country, Description, Document, Fault, Faults, Filing, Identity, Invoice, Outcome,
    ProviderResult, Recipient, Submission, Verdict,
};
use es_tbai::EsTbai;
use serde_json::Value;

einvoice_gobl::golden_tests! { EsTbai, "es-tbai", golden::usual, addon "es-tbai-v1" }

#[test]
fn every_document_has_what_the_add_on_demands() {
    for (name, (document, _)) in suite().documents().unwrap() {
        assert!(document["tax"]["ext"]["es-tbai-region"].is_string(), "{name}");
        assert_eq!(document["notes"][0]["key"], "general", "{name}");
        let simplified = document["$tags"].is_array();
        assert_eq!(document["tax"]["ext"]["es-tbai-simplified"].is_string(), simplified, "{name}");
        let customer = &document["customer"];
        let identified = customer["tax_id"].is_object() || customer["identities"].is_array();
        assert!(simplified || identified, "{name}");
        let corrects = document["type"] != "standard";
        let preceding = document["preceding"].as_array().map_or(&[][..], Vec::as_slice);
        assert_eq!(corrects, !preceding.is_empty(), "{name}");
        assert!(preceding.iter().all(|one| one["ext"]["es-tbai-correction"].is_string()), "{name}");
        for combo in combos(&document) {
            let ext = &combo["ext"];
            assert!(ext["es-tbai-regime"].is_string(), "{name}");
            assert!(combo["key"] != "exempt" || ext["es-tbai-exemption"].is_string(), "{name}");
            assert_eq!(combo["cat"] == "VAT", ext["es-tbai-product"].is_string(), "{name}");
        }
    }
}

#[test]
fn the_treasury_stamps_every_document_twice() {
    for (name, outcome) in suite().outcomes().unwrap() {
        assert_eq!(outcome.stamps.len(), 2, "{name}");
    }
}

/// The plugin of a workspace that has invoices to Bizkaia shown as messages to the register.
struct InRegister;

impl InRegister {
    fn context(context: &Context) -> Context {
        let mut settings: Value = serde_json::from_str(&context.settings).unwrap();
        settings["bizkaia_record"] = "lroe".into();
        Context { settings: settings.to_string(), ..context.clone() }
    }
}

impl Country for InRegister {
    fn describe() -> Description {
        Description { key: "es-tbai-lroe".to_owned(), ..EsTbai::describe() }
    }

    fn check(invoice: &Invoice, context: &Context) -> Vec<Fault> {
        EsTbai::check(invoice, &Self::context(context))
    }

    fn convert(invoice: &Invoice, context: &Context) -> Result<Document, Faults> {
        EsTbai::convert(invoice, &Self::context(context))
    }

    fn map_identity(recipient: &Recipient) -> Result<Identity, Faults> {
        EsTbai::map_identity(recipient)
    }

    fn interpret(report: &ProviderResult) -> Result<Verdict, Faults> {
        EsTbai::interpret(report)
    }
}

impl Authority for InRegister {
    fn file(document: &str) -> Result<Filing, Faults> {
        EsTbai::file(document)
    }

    fn submit(submission: &Submission) -> Result<Outcome, Faults> {
        EsTbai::submit(submission)
    }
}

/// The file inside a message to the register.
fn wrapped(message: &str) -> Option<String> {
    let read = roxmltree::Document::parse(message).unwrap();
    if read.root_element().tag_name().name() != "LROEPJ240FacturasEmitidasConSGAltaPeticion" {
        return None;
    }
    let file = read.descendants().find(|node| node.has_tag_name("TicketBai")).unwrap();
    Some(String::from_utf8(STANDARD.decode(file.text().unwrap()).unwrap()).unwrap())
}

fn in_register() -> Suite<InRegister> {
    Suite::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/es-tbai"), golden::usual)
}

#[test]
fn the_authority_takes_every_document_with_other_lines_in_its_register() {
    let suite = in_register();
    assert!(suite.payloads().is_ok_and(|payloads| payloads.len() > 40));
}

/// Organisations of Bizkaia have that register; for all others the file goes out as it is.
#[test]
fn a_message_to_the_register_has_the_very_file_inside() {
    let suite = in_register();
    let (messages, mut wrapped_files) = (suite.outcomes().unwrap(), 0);
    let documents = suite.documents().unwrap();
    for (name, outcome) in self::suite().outcomes().unwrap() {
        let file = outcome.payload.map(|file| wrapped(&file).unwrap_or(file));
        let message = messages[&name].payload.clone().unwrap();
        let inside = wrapped(&message);
        let (document, _) = &documents[&name];
        let of_organisation = document["supplier"]["tax_id"]["code"] == "B98602642";
        let of_bizkaia = document["tax"]["ext"]["es-tbai-region"] == "BI";
        assert_eq!(inside.is_some(), of_organisation && of_bizkaia, "{name}");
        wrapped_files += usize::from(inside.is_some());
        assert_eq!(
            (inside.or(Some(message)), messages[&name].stamps.clone()),
            (file, outcome.stamps),
            "{name}"
        );
    }
    assert!(wrapped_files > 40, "{wrapped_files}");
}
