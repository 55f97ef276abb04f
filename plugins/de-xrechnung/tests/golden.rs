//! Every case under `tests/golden/de-xrechnung` converts to its file, and the reference's examples are reproduced.

#![cfg(test)]

mod support;

use de_xrechnung::DeXrechnung;
use einvoice_eu::harness::{self, differences, example};
use einvoice_gobl::harness::invoice;
use einvoice_plugin::Country;
use serde_json::{Value, json};

einvoice_gobl::golden_tests! { DeXrechnung, "de-xrechnung", support::context }

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
