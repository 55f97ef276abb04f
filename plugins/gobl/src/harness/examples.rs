//! The reference's examples: their input as our invoice, their output beside our document.
//!
//! What our document cannot say is an error with the reason. What the reference adds (envelope, names of rates) or what
//! we write differently on purpose (the whole number as `code`, the street in one member) is made equal before both
//! are compared.

use std::path::Path;

use einvoice_plugin::{Address, Amount, Context, DocumentKind, Invoice, Supplier, harness};
use serde_json::{Map, Value, json};

use super::{ext, text};

/// What the input of an example needs to be known of its country.
#[derive(Debug, Clone, Copy)]
pub struct Dialect {
    /// The key of our document for an untaxed combo (`key` and `ext` of the format), or none.
    pub exemption: fn(&Value) -> Option<&'static str>,
    /// Percent and surcharge of a rate's name for a category and day, as decimals: `21.0`.
    pub rate: fn(&str, &str, &str) -> Option<Percents>,
    /// Members removed from both documents before they are compared, as paths: `lines/*/item/unit`.
    pub ignored: &'static [&'static str],
}

/// Percent and surcharge.
pub type Percents = (String, Option<String>);

/// An example in our terms.
#[derive(Debug)]
pub struct Example {
    /// Our invoice.
    pub invoice: Invoice,
    /// Its surroundings, without settings.
    pub context: Context,
}

/// Reads the input and the output of an example: `es-in/x.json` and `es-out/x.json`.
pub fn read(input: &Path, output: &Path) -> Result<(Value, Value), String> {
    let bare = |value: Value| value.get("doc").cloned().unwrap_or(value);
    Ok((bare(super::files::read(input)?), bare(super::files::read(output)?)))
}

/// The input as our invoice. The error says what our document has no words for.
pub fn example(input: &Value, dialect: Dialect) -> Result<Example, String> {
    for member in ["charges", "discounts", "exchange_rates", "value_date"] {
        if input.get(member).is_some() {
            return Err(format!("our document has no {member}"));
        }
    }
    let issue_date = text(input, "issue_date").ok_or("no issue date")?;
    let customer = input.get("customer");
    let recipient = customer.map(recipient).transpose()?;
    let mut document = json!({
        "uuid": text(input, "uuid").unwrap_or_else(|| "01930c5c-f1f0-7000-8000-000000000001".to_owned()),
        "document_type": document_type(input)?,
        "number": number(input),
        "issue_date": issue_date,
        "operation_date": text(input, "op_date"),
        "currency": text(input, "currency").unwrap_or_else(|| "EUR".to_owned()),
        "prices_include_tax": input.pointer("/tax/prices_include").is_some(),
        "recipient": recipient,
        "lines": list(input, "lines").iter().map(|one| line(one, &issue_date, dialect)).collect::<Result<Vec<_>, _>>()?,
        "retentions": retentions(input, &issue_date, dialect)?,
        "notes": list(input, "notes").iter().find_map(|note| text(note, "text")),
    });
    if let Some(codes) = input.pointer("/tax/ext") {
        put(&mut document, "ext", codes.clone());
    }
    let mut invoice = super::invoice(&document)?;
    // What a replacement replaces is simplified; the input does not say it.
    let replaced = invoice.kind == DocumentKind::ReplacementInvoice;
    let kind = if replaced { DocumentKind::SimplifiedInvoice } else { DocumentKind::Invoice };
    for preceding in list(input, "preceding") {
        let mut referred = harness::invoice(&json!({"issue_date": text(preceding, "issue_date")}))?;
        referred.number = number(preceding);
        invoice.preceding.push(einvoice_plugin::Preceding {
            uuid: text(preceding, "uuid").unwrap_or(referred.uuid),
            kind,
            number: referred.number.unwrap_or_default(),
            issue_date: referred.issue_date,
            totals: None,
            reason: text(preceding, "reason"),
            stamps: Vec::new(),
            ext: Vec::new(),
        });
        invoice.ext.extend(ext(preceding.get("ext")).into_iter().filter(|code| !code.value.is_empty()));
    }
    Ok(Example { invoice, context: context(input, &issue_date)? })
}

fn document_type(input: &Value) -> Result<&'static str, String> {
    let tagged = |tag: &str| list(input, "$tags").iter().any(|one| one == tag);
    if let Some(other) =
        list(input, "$tags").iter().find(|tag| **tag != "simplified" && **tag != "replacement")
    {
        return Err(format!("our document has no tag {other}"));
    }
    match text(input, "type").as_deref() {
        None | Some("standard") if tagged("simplified") => Ok("simplified_invoice"),
        None | Some("standard") if tagged("replacement") => Ok("replacement_invoice"),
        None | Some("standard") => Ok("invoice"),
        Some("credit-note") => Ok("credit_note"),
        Some("debit-note") => Ok("debit_note"),
        Some(other) => Err(format!("our document has no type {other}")),
    }
}

/// Series and code as one number.
fn number(document: &Value) -> Option<String> {
    let code = text(document, "code")?;
    Some(text(document, "series").map_or_else(|| code.clone(), |series| format!("{series}-{code}")))
}

fn recipient(party: &Value) -> Result<Value, String> {
    let name = text(party, "name").unwrap_or_default();
    let address = list(party, "addresses").first().map(address_json);
    let email = list(party, "emails").first().and_then(|email| text(email, "addr"));
    if let Some(identity) = list(party, "identities").first() {
        let kind = match text(identity, "key").as_deref() {
            Some("passport") => "passport",
            Some("foreign") => "foreign_national_id",
            Some("other") => "other",
            other => return Err(format!("our document has no identity {other:?}")),
        };
        let document =
            json!({"type": kind, "number": text(identity, "code"), "country": text(identity, "country")});
        return Ok(json!({"type": "individual", "name": name, "address": address, "email": email,
                         "identity_document": document}));
    }
    let tax_id = party.get("tax_id");
    Ok(json!({"type": "company", "name": name, "address": address, "email": email,
              "tax_number": tax_id.and_then(|id| text(id, "code")),
              "country": tax_id.and_then(|id| text(id, "country"))}))
}

fn address_json(address: &Value) -> Value {
    json!({"street": text(address, "street"), "locality": text(address, "locality"),
           "region": text(address, "region"), "postcode": text(address, "code"), "country": text(address, "country")})
}

/// A line. A discount goes into the price, where the price can carry it.
fn line(line: &Value, day: &str, dialect: Dialect) -> Result<Value, String> {
    if list(line, "charges").iter().chain(list(line, "breakdown")).next().is_some() {
        return Err("our document has no charges on lines".to_owned());
    }
    let mut price: Amount = decimal(line.pointer("/item/price"))?;
    for discount in list(line, "discounts") {
        let off = match text(discount, "percent") {
            Some(percent) => percent.trim_end_matches('%').parse().map_err(|_| "a discount is no percent")?,
            None if decimal(discount.get("amount"))?.is_zero() => continue,
            None => return Err("our document has no discounts by amount".to_owned()),
        };
        price = less(price, off).ok_or("the discounted price has too many digits")?;
    }
    let mut taxes = list(line, "taxes").iter();
    let combo = taxes.next().ok_or("our document has no lines without tax")?;
    let mut written = json!({
        "description": line.pointer("/item/name"),
        "quantity": decimal(line.get("quantity"))?.to_string(),
        "unit_price": price.to_string(),
        "tax": tax(combo, day, dialect)?,
        "period": line.get("period"),
        "ext": combo.get("ext"),
    });
    if let Some(key) = line.pointer("/item/key").and_then(Value::as_str) {
        let mut codes = written.get("ext").and_then(Value::as_object).cloned().unwrap_or_default();
        codes.insert("product".to_owned(), json!(key));
        put(&mut written, "ext", Value::Object(codes));
    }
    Ok(written)
}

/// `price` less `percent` of it, exactly.
fn less(price: Amount, percent: Amount) -> Option<Amount> {
    let scale = percent.scale.checked_add(2)?;
    let whole = 10_i64.checked_pow(u32::from(scale))?;
    let units = price.units.checked_mul(whole.checked_sub(percent.units)?)?;
    Some(Amount::new(units, price.scale.checked_add(scale)?).canonical(price.scale))
}

fn tax(combo: &Value, day: &str, dialect: Dialect) -> Result<Value, String> {
    if combo.get("country").is_some() {
        return Err("our document has no taxes of other countries".to_owned());
    }
    let category = text(combo, "cat").unwrap_or_default();
    let Some((rate, surcharge)) = percents(combo, &category, day, dialect) else {
        let exemption =
            (dialect.exemption)(combo).ok_or_else(|| format!("our document cannot say {combo}"))?;
        return Ok(json!({"category": category, "exemption": exemption}));
    };
    Ok(json!({"category": category, "rate": rate, "surcharge": surcharge}))
}

fn percents(combo: &Value, category: &str, day: &str, dialect: Dialect) -> Option<Percents> {
    let plain = |member: &str| text(combo, member).map(|text| text.trim_end_matches('%').to_owned());
    match (text(combo, "rate"), plain("percent")) {
        (_, Some(percent)) => Some((percent, plain("surcharge"))),
        (Some(name), None) => (dialect.rate)(category, &name, day),
        (None, None) if text(combo, "key").as_deref() == Some("zero") => Some(("0".to_owned(), None)),
        (None, None) => None,
    }
}

/// What the recipient withholds: the second tax of each line, equal on all of them.
fn retentions(input: &Value, day: &str, dialect: Dialect) -> Result<Vec<Value>, String> {
    let mut of_lines = list(input, "lines").iter().map(|line| {
        let withheld = list(line, "taxes").iter().skip(1);
        withheld.map(|combo| tax(combo, day, dialect)).collect::<Result<Vec<_>, _>>()
    });
    let first = of_lines.next().transpose()?.unwrap_or_default();
    for other in of_lines {
        if other? != first {
            return Err("our document withholds from all lines alike".to_owned());
        }
    }
    Ok(first)
}

fn context(input: &Value, today: &str) -> Result<Context, String> {
    let supplier = input.get("supplier").ok_or("no supplier")?;
    let of = |pointer: &str| supplier.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    Ok(Context {
        today: today.to_owned(),
        now: format!("{today}T09:30:00+01:00"),
        settings: "{}".to_owned(),
        supplier: Supplier {
            legal_name: of("/name").unwrap_or_default(),
            tax_id: of("/tax_id/code").unwrap_or_default(),
            country: of("/tax_id/country").unwrap_or_default(),
            address: list(supplier, "addresses").first().map(|address| Address {
                street: text(address, "street"),
                locality: text(address, "locality"),
                region: text(address, "region"),
                postcode: text(address, "code"),
                country: text(address, "country"),
            }),
            email: list(supplier, "emails").first().and_then(|email| text(email, "addr")),
            ext: ext(supplier.get("ext")),
        },
        company_id: "01930c5c-f1f0-7000-8000-0000000000aa".to_owned(),
        ext: Vec::new(),
    })
}

/// Where our document differs from the reference's, member by member. `ours` is the plugin's, `theirs` the output.
pub fn differences(ours: &str, theirs: &Value, dialect: Dialect) -> Result<Vec<String>, String> {
    let ours: Value = serde_json::from_str(ours).map_err(|error| error.to_string())?;
    let (mut ours, mut theirs) = (ours, theirs.clone());
    for document in [&mut ours, &mut theirs] {
        one_number(document);
        for preceding in document.get_mut("preceding").and_then(Value::as_array_mut).into_iter().flatten() {
            one_number(preceding);
        }
        for path in IGNORED_EVERYWHERE.iter().chain(dialect.ignored) {
            remove(document, &path.split('/').collect::<Vec<_>>());
        }
    }
    let mut found = Vec::new();
    compare("", &ours, &theirs, &mut found);
    Ok(found)
}

/// What differs in every country: identifiers, names of rates, figures before a discount, split streets.
const IGNORED_EVERYWHERE: &[&str] = &[
    "supplier/uuid",
    "supplier/addresses/*/num",
    "customer/addresses/*/num",
    "supplier/registration",
    "supplier/people",
    "supplier/telephones",
    "customer/telephones",
    "preceding/*/uuid",
    "preceding/*/schema",
    "preceding/*/type",
    "lines/*/item/unit",
    "lines/*/item/price",
    "lines/*/sum",
    "lines/*/discounts",
    "lines/*/taxes/*/rate",
];

fn one_number(document: &mut Value) {
    if let Some(number) = number(document) {
        put(document, "code", json!(number));
        remove(document, &["series"]);
    }
}

fn compare(path: &str, ours: &Value, theirs: &Value, found: &mut Vec<String>) {
    match (ours, theirs) {
        (Value::Object(a), Value::Object(b)) => {
            let members: std::collections::BTreeSet<_> = a.keys().chain(b.keys()).collect();
            for member in members {
                let of = |object: &Map<String, Value>| object.get(member).cloned().unwrap_or(Value::Null);
                compare(&format!("{path}/{member}"), &of(a), &of(b), found);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (at, (one, other)) in a.iter().zip(b).enumerate() {
                compare(&format!("{path}/{at}"), one, other, found);
            }
        }
        (Value::String(a), Value::String(b)) if same_figure(a, b) => {}
        (a, b) if a == b => {}
        (a, b) => found.push(format!("{path}: ours {a}, theirs {b}")),
    }
}

/// `20` and `20.0%` are the figures of `20.00` and `20%`.
fn same_figure(a: &str, b: &str) -> bool {
    let figure = |text: &str| text.trim_end_matches('%').parse::<Amount>().ok();
    matches!((figure(a), figure(b)), (Some(a), Some(b)) if a.same_value(b))
        && a.ends_with('%') == b.ends_with('%')
}

fn remove(value: &mut Value, path: &[&str]) {
    match (value, path) {
        (Value::Object(object), [member]) => {
            object.remove(*member);
        }
        (Value::Object(object), [member, rest @ ..]) => {
            if let Some(inner) = object.get_mut(*member) {
                remove(inner, rest);
            }
        }
        (Value::Array(items), ["*", rest @ ..]) => items.iter_mut().for_each(|item| remove(item, rest)),
        _ => {}
    }
}

fn put(object: &mut Value, member: &str, value: Value) {
    if let Some(members) = object.as_object_mut() {
        members.insert(member.to_owned(), value);
    }
}

fn decimal(value: Option<&Value>) -> Result<Amount, String> {
    let text = match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => return Err("a figure is missing".to_owned()),
    };
    text.parse().map_err(|_| format!("'{text}' is no figure"))
}

fn list<'a>(value: &'a Value, member: &str) -> &'a [Value] {
    value.get(member).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
