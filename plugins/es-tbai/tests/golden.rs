//! Every case under `tests/golden/es-tbai/cases` converts to its file under `expected`.

#![cfg(test)]

use std::collections::BTreeMap;

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
fn every_code_of_the_authority_has_a_case_and_its_verdict() {
    let codes = es_tbai::answers::codes().chain([es_tbai::authority::NOTHING_TO_AMEND]);
    assert_eq!(suite().reports("company_spanish", codes), Ok(()));
}

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

/// A message to the register.
struct Message {
    model: String,
    /// The TicketBAI file inside.
    file: String,
    /// The economic activity that the register of a natural person wants.
    activity: Option<String>,
}

/// None of what is no message to the register.
fn message(xml: &str) -> Option<Message> {
    let read = roxmltree::Document::parse(xml).unwrap();
    if !read.root_element().tag_name().name().starts_with("LROE") {
        return None;
    }
    let text =
        |name: &str| read.descendants().find(|node| node.has_tag_name(name))?.text().map(str::to_owned);
    let file = String::from_utf8(STANDARD.decode(text("TicketBai").unwrap()).unwrap()).unwrap();
    Some(Message { model: text("Modelo").unwrap(), file, activity: text("Epigrafe") })
}

fn in_register() -> Suite<InRegister> {
    Suite::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/es-tbai"), golden::usual)
}

#[test]
fn the_authority_takes_every_document_with_other_lines_in_its_register() {
    let suite = in_register();
    assert!(suite.payloads().is_ok_and(|payloads| payloads.len() > 40));
}

/// Who is of Bizkaia has a register, of the model that the tax id says; for all others the file goes out as it is.
#[test]
fn a_message_to_the_register_has_the_very_file_inside() {
    let suite = in_register();
    let (outcomes, documents) = (suite.outcomes().unwrap(), suite.documents().unwrap());
    let mut models = BTreeMap::new();
    for (name, outcome) in self::suite().outcomes().unwrap() {
        let file = outcome.payload.map(|xml| message(&xml).map_or(xml, |message| message.file));
        let xml = outcomes[&name].payload.clone().unwrap();
        let (document, _) = &documents[&name];
        let supplier = &document["supplier"];
        let of_organisation = supplier["tax_id"]["code"] == "B98602642";
        let of_bizkaia = document["tax"]["ext"]["es-tbai-region"] == "BI";
        let sent = message(&xml);
        assert_eq!(sent.is_some(), of_bizkaia, "{name}");
        let inside = sent.map(|message| {
            let activity = supplier["ext"]["es-tbai-bi-activity"].as_str();
            let (model, activity) = if of_organisation { ("240", None) } else { ("140", activity) };
            assert_eq!((message.model.as_str(), message.activity.as_deref()), (model, activity), "{name}");
            *models.entry(message.model).or_insert(0) += 1;
            message.file
        });
        assert_eq!((inside.or(Some(xml)), outcomes[&name].stamps.clone()), (file, outcome.stamps), "{name}");
    }
    assert!(models["240"] > 40 && models["140"] > 1, "{models:?}");
}
