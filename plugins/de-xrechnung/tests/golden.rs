//! Every case under `tests/golden/de-xrechnung` converts to its file, and the reference's examples are reproduced.

#![cfg(test)]

mod support;

use std::collections::BTreeMap;

use de_xrechnung::{DeXrechnung, rules, wire};
use einvoice_en16931::Syntax;
use einvoice_eu::harness::{self, differences, example};
use einvoice_gobl::harness::golden::Suite;
use einvoice_gobl::harness::invoice;
use einvoice_plugin::harness::invoice_rounded;
use einvoice_plugin::{
    Authority, Context, Country, Description, Document, Fault, Faults, Filing, Identity, Invoice, Outcome,
    ProviderResult, Recipient, Rounding, Submission, Verdict,
};
use serde_json::{Value, json};

einvoice_gobl::golden_tests! { DeXrechnung, "de-xrechnung", support::context }

#[test]
fn every_code_of_the_authority_has_a_case_and_its_verdict() {
    let codes = de_xrechnung::authority::codes().chain(rules::all().map(|rule| rule.id));
    assert_eq!(suite().reports("invoice", codes), Ok(()));
}

#[test]
fn every_situation_without_vat_has_its_reason() {
    for (name, (document, _)) in suite().documents().unwrap() {
        let code = |value: &Value| value["ext"]["untdid-tax-category"].as_str().map(str::to_owned);
        let notes: Vec<_> =
            document["tax"]["notes"].as_array().into_iter().flatten().filter_map(code).collect();
        for rate in document["totals"]["taxes"]["categories"][0]["rates"].as_array().unwrap() {
            let code = code(rate).unwrap();
            assert_eq!(notes.contains(&code), !["S", "Z"].contains(&code.as_str()), "{name}: {code}");
        }
    }
}

fn tax(combo: &Value) -> Value {
    match (combo["key"].as_str(), combo["rate"].as_str()) {
        (Some("reverse-charge"), _) => json!({"category": "VAT", "exemption": "reverse_charge"}),
        (None, Some("standard")) => json!({"category": "VAT", "rate": "19.0"}),
        other => panic!("no example has {other:?}"),
    }
}

/// The example without the add-on has a customer's address without country, which XRechnung refuses.
#[test]
fn the_references_examples_are_reproduced() {
    for name in ["invoice-de-de-xr", "invoice-de-es-xr"] {
        let Some(mut example) = example(&format!("de/{name}"), tax).unwrap() else { return };
        let given = &example.given;
        let inbox = |party: &str| match &given[party]["inboxes"][0] {
            inbox if inbox["email"].is_string() => inbox["email"].as_str().unwrap().to_owned(),
            inbox => format!("{}:{}", inbox["scheme"].as_str().unwrap(), inbox["code"].as_str().unwrap()),
        };
        // The reference says nothing of rounding; these figures are the same by both rules.
        example.expected["tax"]["rounding"] = json!("currency");
        let document = example.document.as_object_mut().unwrap();
        document.insert(
            "ext".to_owned(),
            json!({"inbox": inbox("customer"), "buyer-reference": given["ordering"]["code"]}),
        );
        let mut settings = support::settings();
        settings["contact"]["email"] = given["supplier"]["people"][0]["emails"][0]["addr"].clone();
        if let Some((scheme, code)) = inbox("supplier").split_once(':') {
            settings["inbox"] = json!({"scheme": scheme, "code": code});
        }
        settings["exemption_texts"] = json!({"reverse_charge": given["tax"]["notes"][0]["text"]});
        let context = harness::context(
            &support::context(),
            &json!({"supplier": example.supplier, "settings": settings}),
        );
        let converted = DeXrechnung::convert(&invoice(&example.document).unwrap(), &context).unwrap();
        let mut made: Value = serde_json::from_str(&converted.body).unwrap();
        made["supplier"].as_object_mut().unwrap().remove("uuid");
        // The platform knows no units, no telephones of recipients, and of every due date how much of the total it is.
        example.expected["lines"][0]["item"]["unit"] = json!("one");
        example.expected["customer"].as_object_mut().unwrap().remove("telephones");
        if let Some(terms) = example.expected["payment"]["terms"]
            .as_object_mut()
            .filter(|terms| terms.contains_key("due_dates"))
        {
            terms.insert("key".to_owned(), json!("due-date"));
            terms["due_dates"][0]["percent"] = json!("100%");
        }
        assert_eq!(differences(&made, &example.expected), Vec::<String>::new(), "{name}");
    }
}

/// The plugin in another syntax, or handed figures of the format's other rule, which a gateway that computes by one rule
/// only does.
struct Variant<const CII: bool, const PRECISE: bool>;

impl<const CII: bool, const PRECISE: bool> Variant<CII, PRECISE> {
    fn context(context: &Context) -> Context {
        let mut settings: Value = serde_json::from_str(&context.settings).unwrap();
        settings["syntax"] = json!(if CII { "cii" } else { "ubl" });
        Context { settings: settings.to_string(), ..context.clone() }
    }
}

impl<const CII: bool, const PRECISE: bool> Country for Variant<CII, PRECISE> {
    fn describe() -> Description {
        let syntax = if CII { "cii" } else { "ubl" };
        let (rule, rounding) =
            if PRECISE { ("precise", Rounding::Precise) } else { ("currency", Rounding::Currency) };
        Description { key: format!("de-xrechnung-{syntax}-{rule}"), rounding, ..DeXrechnung::describe() }
    }

    fn check(invoice: &Invoice, context: &Context) -> Vec<Fault> {
        DeXrechnung::check(invoice, &Self::context(context))
    }

    fn convert(invoice: &Invoice, context: &Context) -> Result<Document, Faults> {
        DeXrechnung::convert(invoice, &Self::context(context))
    }

    fn map_identity(recipient: &Recipient) -> Result<Identity, Faults> {
        DeXrechnung::map_identity(recipient)
    }

    fn interpret(result: &ProviderResult) -> Result<Verdict, Faults> {
        DeXrechnung::interpret(result)
    }
}

impl<const CII: bool, const PRECISE: bool> Authority for Variant<CII, PRECISE> {
    fn file(document: &str) -> Result<Filing, Faults> {
        DeXrechnung::file(document)
    }

    fn submit(submission: &Submission) -> Result<Outcome, Faults> {
        DeXrechnung::submit(submission)
    }
}

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/de-xrechnung");

fn varied<const CII: bool, const PRECISE: bool>() -> Result<usize, String> {
    let suite = Suite::<Variant<CII, PRECISE>>::new(FOLDER, support::context);
    let payloads = suite.payloads()?;
    let root = if CII { "<rsm:CrossIndustryInvoice" } else { "xmlns:cbc" };
    assert!(payloads.values().all(|xml| xml.contains(root)));
    Ok(payloads.len())
}

#[test]
fn the_authority_takes_every_document_with_other_lines_in_either_syntax_and_rounding() {
    for varied in [varied::<true, false>(), varied::<true, true>(), varied::<false, true>()] {
        assert!(varied.is_ok_and(|count| count > 40));
    }
}

/// The gateway's own check of golden cases computes by one rule only.
#[test]
fn every_case_comes_to_the_same_by_either_rule_of_rounding() {
    let documents = |suite: BTreeMap<String, (Value, Invoice)>| {
        suite.into_iter().map(|(name, (document, _))| (name, document)).collect::<Vec<_>>()
    };
    let precise = Suite::<Variant<false, true>>::new(FOLDER, support::context).documents().unwrap();
    let currency = Suite::<Variant<false, false>>::new(FOLDER, support::context).documents().unwrap();
    assert_eq!(documents(precise), documents(currency));
}

/// Gross prices whose rows do not come to the cent: `payloads/cents_of_included_tax.json`, with figures of a rule.
fn cents(rounding: Rounding) -> Value {
    let case = std::fs::read_to_string(format!("{FOLDER}/{CENTS}.json")).unwrap();
    let case: Value = serde_json::from_str(&case).unwrap();
    let invoice = invoice_rounded(&case["document"], rounding).unwrap();
    serde_json::from_str(&DeXrechnung::convert(&invoice, &support::context()).unwrap().body).unwrap()
}

const CENTS: &str = "cents_of_included_tax";

#[test]
fn a_document_says_its_rule_of_rounding_where_the_figures_are_by_it() {
    let (precise, currency) = (cents(Rounding::Precise), cents(Rounding::Currency));
    assert_eq!(precise["tax"]["rounding"], Value::Null);
    assert_eq!(currency["tax"]["rounding"], "currency");
    for document in [&precise, &currency] {
        let totals = wire::invoice(&document.to_string()).unwrap().totals;
        assert_eq!(totals.payable.to_string(), "295.51");
        assert_eq!(totals.rounding, None);
    }
}

/// Documents whose XML is pinned: `payloads/<name>.ubl.xml` and `.cii.xml`. `UPDATE_GOLDEN=1` rewrites them.
const PINNED: [&str; 9] = [
    CENTS,
    "credit_note",
    "due_date",
    "exemption_intra_community",
    "exemption_reverse_charge",
    "invoice",
    "outside_scope",
    "stay",
    "tax_office_number",
];

#[test]
fn what_goes_over_the_wire_is_the_golden_xml() {
    let documents = suite().documents().unwrap();
    let mut changed = Vec::new();
    for name in PINNED {
        let document =
            documents.get(name).map_or_else(|| cents(Rounding::Currency), |(stored, _)| stored.clone());
        let invoice = wire::invoice(&document.to_string()).unwrap();
        for (syntax, ending) in [(Syntax::Ubl, "ubl.xml"), (Syntax::Cii, "cii.xml")] {
            let file = format!("{FOLDER}/payloads/{name}.{ending}");
            let made = syntax.write(&invoice);
            if std::env::var_os("UPDATE_GOLDEN").is_some() {
                std::fs::create_dir_all(format!("{FOLDER}/payloads")).unwrap();
                std::fs::write(&file, &made).unwrap();
            } else if std::fs::read_to_string(&file).unwrap_or_default() != made {
                changed.push(file);
            }
        }
    }
    assert_eq!(changed, Vec::<String>::new(), "UPDATE_GOLDEN=1 rewrites these, if they are right");
}

#[test]
fn the_payload_is_in_the_syntax_of_the_workspace() {
    let outcomes = suite().outcomes().unwrap();
    let root = |name: &str| outcomes[name].payload.clone().unwrap().lines().nth(1).unwrap().to_owned();
    for (name, start) in
        [("invoice", "<Invoice "), ("credit_note", "<CreditNote "), ("as_cii", "<rsm:CrossIndustryInvoice ")]
    {
        assert!(root(name).starts_with(start), "{name}: {}", root(name));
    }
}

/// Net, tax, gross and what is due are those of the document, with prices that include the tax too.
#[test]
fn the_totals_of_the_xml_are_those_of_the_document() {
    for (name, (document, _)) in suite().documents().unwrap() {
        let totals = wire::invoice(&document.to_string()).unwrap().totals;
        let printed = [totals.net, totals.tax, totals.gross, totals.payable].map(|figure| figure.to_string());
        let stated = ["total", "tax", "total_with_tax", "payable"].map(|member| &document["totals"][member]);
        assert_eq!(
            printed.each_ref().map(|figure| Some(figure.as_str())),
            stated.map(Value::as_str),
            "{name}"
        );
        assert_eq!(totals.rounding, None, "{name}");
    }
}
