//! What the tests share.

use einvoice_plugin::{Address, Context, Supplier, harness};
use serde_json::{Value, json};

/// A hotel of a country on 20 November 2026, with what its national rules want in the settings.
pub(crate) fn context_of(country: &str) -> Context {
    let (tax_id, differs) = match country {
        "BE" => ("0403019261", json!({})),
        "DE" => {
            ("111111125", json!({"contact": {"given": "John", "surname": "Doe", "phone": "+49100200300"}}))
        }
        "DK" => ("88146328", json!({})),
        "IS" => (
            "99999",
            json!({"inbox": {"scheme": "0196", "code": "5501692829"},
                   "legal_id": {"scheme": "0196", "code": "5501692829"}}),
        ),
        "IT" => ("12345678903", json!({})),
        "NL" => ("004495445B01", json!({"legal_id": {"scheme": "0106", "code": "12345678"}})),
        "NO" => ("923609016", json!({"tax_registration": "Foretaksregisteret"})),
        "SE" => (
            "556703748501",
            json!({"legal_id": {"scheme": "0007", "code": "5567037485"}, "tax_registration": "Godkänd för F-skatt"}),
        ),
        other => panic!("there is no supplier of {other}"),
    };
    let mut settings = settings();
    settings.as_object_mut().unwrap().extend(differs.as_object().unwrap().clone());
    let text = |text: &str| Some(text.to_owned());
    Context {
        settings: settings.to_string(),
        supplier: Supplier {
            legal_name: "Provide One".to_owned(),
            tax_id: tax_id.to_owned(),
            country: country.to_owned(),
            address: Some(Address {
                street: text("Main street 16"),
                locality: text("Capital"),
                region: None,
                postcode: text("1000"),
                country: text(country),
            }),
            email: text("billing@example.com"),
            ext: Vec::new(),
        },
        ..harness::context()
    }
}

/// The settings of [`context_of`], but for national rules.
pub(crate) fn settings() -> Value {
    json!({
        "buyer_reference": "12345",
        "payment_terms": "Payable within 10 days",
        "payment": {"means": "credit-transfer+sepa", "iban": "BE68539007547034", "account_name": "Provide One"}
    })
}

/// A company of a country.
pub(crate) fn recipient(country: &str) -> Value {
    let (number, ext) = match country {
        "AT" => ("U10223006", json!({})),
        "BE" => ("0202239951", json!({})),
        "DE" => ("282741168", json!({})),
        "DK" => ("13585628", json!({"legal-id": "0184:13585628"})),
        "IS" => ("88888", json!({"inbox": "0196:4710080280"})),
        "IT" => ("13029381004", json!({})),
        "NL" => ("000099995B57", json!({"legal-id": "0190:00000001003214345000"})),
        "NO" => ("974760673", json!({})),
        "SE" => ("556012579001", json!({})),
        other => panic!("there is no recipient of {other}"),
    };
    json!({"type": "company", "name": "Sample Consumer", "tax_number": number, "country": country, "ext": ext,
           "address": {"street": "Side street 1", "locality": "Town", "postcode": "2000", "country": country}})
}
