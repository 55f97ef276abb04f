//! The reference's worked examples, in the terms of the platform.
//!
//! What the platform's document has no member for is folded the same way on both sides: a discount into the price,
//! a house number into the street, the series into the number.

use std::path::Path;

use einvoice_plugin::Amount;
use serde_json::{Map, Value, json};

use super::{each, read_json};

/// An example of the reference.
#[derive(Debug)]
pub struct Example {
    /// What goes in, as the format has it.
    pub given: Value,
    /// The platform's document, without the taxes of its lines.
    pub document: Value,
    /// The supplier as a context has it.
    pub supplier: Value,
    /// What the reference makes of it, less what a provider adds.
    pub expected: Value,
}

/// The example of this name. None, with a word on standard error, when `GOBL_EXAMPLES` names no folder.
///
/// `tax` gives the platform's tax (`{"category", "rate" or "exemption"}`) of a tax in the format.
pub fn example(name: &str, tax: impl Fn(&Value) -> Value) -> Result<Option<Example>, String> {
    let Some(folder) = std::env::var_os("GOBL_EXAMPLES") else {
        eprintln!("did not run: GOBL_EXAMPLES names no folder with the reference's example {name}");
        return Ok(None);
    };
    let folder = Path::new(&folder);
    let (country, file) = name.split_once('/').unwrap_or(("", name));
    let read = |way: &str| read_json(&folder.join(country).join(way).join(format!("{file}.json")));
    let mut given = read("in")?;
    let mut expected = read("out")?;
    if let Some(document) = expected.get_mut("doc") {
        expected = document.take();
    }
    fold(&mut given);
    fold(&mut expected);
    let document = platform(&given, &tax);
    let supplier = given.get("supplier").map(supplier).unwrap_or_default();
    Ok(Some(Example { given, document, supplier, expected }))
}

fn fold(document: &mut Value) {
    let Some(members) = document.as_object_mut() else { return };
    if let (Some(series), Some(code)) = (members.remove("series"), members.get_mut("code")) {
        *code = json!(format!("{}-{}", text(&series), text(code)));
    }
    for party in ["supplier", "customer"] {
        let addresses = members.get_mut(party).and_then(|party| party.get_mut("addresses"));
        for address in addresses.and_then(Value::as_array_mut).into_iter().flatten() {
            let Some(parts) = address.as_object_mut() else { continue };
            if let (Some(number), Some(street)) = (parts.remove("num"), parts.get_mut("street")) {
                *street = json!(format!("{} {}", text(street), text(&number)));
            }
        }
        if let Some(registration) = members.get_mut(party).and_then(|party| party.get_mut("registration")) {
            registration.as_object_mut().map(|registration| registration.remove("ext"));
        }
    }
    for line in members.get_mut("lines").and_then(Value::as_array_mut).into_iter().flatten() {
        discount(line);
    }
}

/// A percentual discount becomes a lower price. Works on whole percents, as the examples have them.
fn discount(line: &mut Value) {
    let Some(members) = line.as_object_mut() else { return };
    let Some(discounts) = members.remove("discounts") else { return };
    let percent =
        discounts.pointer("/0/percent").map(text).unwrap_or_default().trim_end_matches('%').to_owned();
    let (Ok(percent), Some(item)) = (percent.parse::<i64>(), members.get_mut("item")) else { return };
    let price: Option<Amount> = item.get("price").and_then(|price| text(price).parse().ok());
    if let (Some(price), Some(item)) = (price, item.as_object_mut()) {
        let lower = Amount::new(price.units * (100 - percent) / 100, price.scale);
        item.insert("price".to_owned(), json!(lower.to_string()));
    }
    if let Some(total) = members.get("total").cloned().filter(|_| members.contains_key("i")) {
        members.insert("sum".to_owned(), total);
    }
}

fn member<'a>(value: &'a Value, name: &str) -> &'a Value {
    value.get(name).unwrap_or(&Value::Null)
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn platform(given: &Value, tax: &impl Fn(&Value) -> Value) -> Value {
    let tags = given.get("$tags").or_else(|| given.pointer("/tax/tags"));
    let has = |tag: &str| tags.and_then(Value::as_array).is_some_and(|tags| tags.contains(&json!(tag)));
    let kind = match (given.get("type").and_then(Value::as_str), has("simplified")) {
        (Some("credit-note"), _) => "credit_note",
        (Some("debit-note"), _) => "debit_note",
        (_, true) => "simplified_invoice",
        _ => "invoice",
    };
    let mut document = Map::new();
    for (to, from) in
        [("uuid", "uuid"), ("number", "code"), ("issue_date", "issue_date"), ("currency", "currency")]
    {
        document.insert(to.to_owned(), given.get(from).cloned().unwrap_or_default());
    }
    document.insert("document_type".to_owned(), json!(kind));
    let included = given.pointer("/tax/prices_include").is_some();
    document.insert("prices_include_tax".to_owned(), json!(included));
    if let Some(customer) = given.get("customer") {
        document.insert("recipient".to_owned(), recipient(customer));
    }
    let lines: Vec<_> = each(given, "lines").map(|line| platform_line(line, tax)).collect();
    document.insert("lines".to_owned(), json!(lines));
    let preceding: Vec<_> = each(given, "preceding")
        .map(|one| {
            let number = format!("{}-{}", text(member(one, "series")), text(member(one, "code")));
            let stamps: Vec<_> = each(one, "stamps")
                .map(|stamp| json!({"provider": member(stamp, "prv"), "value": member(stamp, "val")}))
                .collect();
            json!({"number": number, "issue_date": member(one, "issue_date"), "reason": member(one, "reason"), "stamps": stamps})
        })
        .collect();
    document.insert("preceding".to_owned(), json!(preceding));
    if let Some(terms) = given.pointer("/payment/terms") {
        let note = terms.get("notes").or_else(|| terms.get("detail"));
        let due_date = terms.pointer("/due_dates/0/date");
        document.insert("payment".to_owned(), json!({"note": note, "due_date": due_date}));
    }
    Value::Object(document)
}

fn platform_line(line: &Value, tax: &impl Fn(&Value) -> Value) -> Value {
    let item = member(line, "item");
    json!({
        "description": member(item, "name"), "quantity": text(member(line, "quantity")), "unit_price": member(item, "price"),
        "period": member(line, "period"), "tax": line.pointer("/taxes/0").map(tax),
    })
}

fn recipient(customer: &Value) -> Value {
    let country = member(member(customer, "tax_id"), "country");
    let address = customer.pointer("/addresses/0").map(address);
    let email = customer.pointer("/emails/0/addr");
    let mut made = json!({"name": member(customer, "name"), "address": address, "email": email});
    let identity = match (customer.pointer("/tax_id/code"), customer.pointer("/identities/0/code")) {
        (None, Some(code)) => json!({"type": "individual",
            "identity_document": {"type": "id_card", "number": code, "country": country}}),
        (code, _) => json!({"type": "company", "tax_number": code, "country": country}),
    };
    if let (Some(made), Value::Object(identity)) = (made.as_object_mut(), identity) {
        made.extend(identity);
    }
    made
}

fn supplier(party: &Value) -> Value {
    json!({
        "legal_name": member(party, "name"), "country": member(member(party, "tax_id"), "country"), "tax_id": member(member(party, "tax_id"), "code"),
        "address": party.pointer("/addresses/0").map(address), "email": party.pointer("/emails/0/addr"),
    })
}

fn address(address: &Value) -> Value {
    json!({
        "street": member(address, "street"), "locality": member(address, "locality"), "region": member(address, "region"),
        "postcode": member(address, "code"), "country": member(address, "country"),
    })
}
