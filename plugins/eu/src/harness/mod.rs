//! Tests of a plugin: golden cases, the format's schemas, the reference's examples, any input at all.
//!
//! A case under `tests/golden/<key>/cases` is a document as the platform's API carries it, plus what differs from the
//! plugin's usual context:
//! `{"document": {…}, "context": {"settings": {…}, "supplier": {…}}}`. Its document, or its faults, are the file of the
//! same name under `expected`; `UPDATE_GOLDEN=1` rewrites them. Besides what the API carries a document may have
//! `payment` (`due_date`, `note`), a `period` per line and `stamps` per preceding document.

pub mod anything;
mod compare;
mod examples;
mod schemas;

use std::path::{Path, PathBuf};

use einvoice_plugin::{
    Address, Authority, Context, Country, Fault, Invoice, PaymentTerms, Period, Stamp, Submission, harness,
};
use serde_json::{Value, json};

pub use compare::differences;
pub use examples::{Example, example};
pub use jsonschema::Validator;

/// The golden cases of a plugin.
#[derive(Debug)]
pub struct Golden {
    folder: PathBuf,
    cases: Vec<Case>,
}

#[derive(Debug)]
struct Case {
    name: String,
    invoice: Invoice,
    context: Context,
}

impl Golden {
    /// Reads the cases in `folder`; `context` is the usual one.
    pub fn read(folder: &Path, context: &Context) -> Result<Self, String> {
        let mut files = json_files(&folder.join("cases"))?;
        files.sort();
        let cases = files.iter().map(|path| read_case(path, context)).collect::<Result<Vec<_>, _>>()?;
        if cases.is_empty() {
            Err("there are no cases".into())
        } else {
            Ok(Self { folder: folder.into(), cases })
        }
    }

    /// Every case converts to its file, and every file has its case.
    pub fn compare<P: Country>(&self) -> Result<(), String> {
        let update = std::env::var_os("UPDATE_GOLDEN").is_some();
        let expected = self.folder.join("expected");
        let mut wrong = Vec::new();
        for case in &self.cases {
            let value = match P::convert(&case.invoice, &case.context) {
                Ok(document) => parsed(&document.body)?,
                Err(faults) => json!({"faults": faults.iter().map(fault_json).collect::<Vec<_>>()}),
            };
            let made = serde_json::to_string_pretty(&value).map_err(|error| error.to_string())? + "\n";
            let file = expected.join(format!("{}.json", case.name));
            if update {
                std::fs::create_dir_all(&expected).map_err(|error| error.to_string())?;
                std::fs::write(&file, &made).map_err(|error| error.to_string())?;
            } else if std::fs::read_to_string(&file).unwrap_or_default() != made {
                wrong.push(format!("{}:\n{made}", case.name));
            }
        }
        for file in json_files(&expected)? {
            let name = stem(&file);
            if !self.cases.iter().any(|case| case.name == name) {
                wrong.push(format!("{name} is left over"));
            }
        }
        if wrong.is_empty() {
            Ok(())
        } else {
            Err(format!("UPDATE_GOLDEN=1 rewrites these, if they are right:\n{}", wrong.join("\n")))
        }
    }

    /// The documents that converted, with the invoices they were made of.
    pub fn documents<P: Country>(&self) -> Result<Vec<(&str, &Invoice, Value)>, String> {
        let converted = self.cases.iter().filter_map(|case| {
            let document = P::convert(&case.invoice, &case.context).ok()?;
            Some(parsed(&document.body).map(|body| (case.name.as_str(), &case.invoice, body)))
        });
        converted.collect()
    }

    /// The figures of every document are those of its invoice.
    pub fn figures<P: Country>(&self) -> Result<(), String> {
        for (name, invoice, document) in self.documents::<P>()? {
            let totals = &invoice.totals;
            let members = [
                ("total", totals.net),
                ("tax", totals.tax),
                ("total_with_tax", totals.gross),
                ("payable", totals.payable),
            ];
            for (member, figure) in members {
                let printed = document.pointer(&format!("/totals/{member}")).and_then(Value::as_str);
                if printed != Some(&figure.to_string()) {
                    return Err(format!("{name}: {member} is {printed:?}, not {figure}"));
                }
            }
        }
        Ok(())
    }

    /// The sandbox's authority takes every document.
    pub fn filed<P: Country + Authority>(&self) -> Result<(), String> {
        for case in &self.cases {
            let Ok(document) = P::convert(&case.invoice, &case.context) else { continue };
            let outcome = P::submit(&submission(&document.body, &case.context.now))
                .map_err(|faults| format!("{}: {faults:?}", case.name))?;
            if !outcome.accepted {
                return Err(format!("{}: {:?}", case.name, outcome.faults));
            }
        }
        Ok(())
    }

    /// Every document fits the format's schemas in the folder that `GOBL_SCHEMAS` names.
    pub fn schemas<P: Country>(&self) -> Result<(), String> {
        let Some(schema) = schema()? else { return Ok(()) };
        if schema.is_valid(&json!({"type": "standard"})) {
            return Err("the schemas refuse nothing".into());
        }
        let mut wrong = Vec::new();
        for (name, _, document) in self.documents::<P>()? {
            for error in schema.iter_errors(&document) {
                wrong.push(format!("{name}: {}: {error}", error.instance_path()));
            }
        }
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
    }
}

/// The schema of documents. None, with a word on standard output, when `GOBL_SCHEMAS` names no folder.
pub fn schema() -> Result<Option<Validator>, String> {
    let Some(folder) = std::env::var_os("GOBL_SCHEMAS") else {
        println!("GOBL_SCHEMAS names no folder: the documents were not checked against the JSON Schemas");
        return Ok(None);
    };
    schemas::invoice(Path::new(&folder)).map(Some)
}

/// What a plugin finds in a document with changed members: `CODE path`, with `(warning)` behind warnings.
///
/// `changes` are JSON Pointers into `{"document": …, "context": …}` with the new values; null removes a member.
pub fn found<P: Country>(
    case: &Value,
    usual: &Context,
    changes: &[(&str, Value)],
) -> Result<Vec<String>, String> {
    let mut case = case.clone();
    for (pointer, value) in changes {
        let (parent, member) = pointer.rsplit_once('/').ok_or("a pointer starts with '/'")?;
        match case.pointer_mut(parent) {
            Some(Value::Object(members)) => _ = members.insert(member.to_owned(), value.clone()),
            Some(Value::Array(items)) => items.push(value.clone()),
            _ => return Err(format!("there is no {parent}")),
        }
    }
    let nothing = Value::Null;
    let invoice = invoice(case.get("document").unwrap_or(&nothing))?;
    let faults = P::check(&invoice, &context(usual, case.get("context").unwrap_or(&nothing)));
    let line = |fault: &Fault| {
        let warning = if fault.is_error() { "" } else { " (warning)" };
        format!("{} {}{warning}", fault.code, fault.path)
    };
    Ok(faults.iter().map(line).collect())
}

/// A document that nothing is known of yet, for the sandbox.
pub fn submission(document: &str, now: &str) -> Submission {
    Submission {
        document: document.to_owned(),
        now: now.to_owned(),
        previous: None,
        registered: None,
        amends: None,
        forced_code: None,
    }
}

/// An invoice from the platform's JSON with the members of this module's documentation.
pub fn invoice(document: &Value) -> Result<Invoice, String> {
    let mut invoice = harness::invoice(document)?;
    let text = |value: &Value, member: &str| value.get(member).and_then(Value::as_str).map(str::to_owned);
    invoice.payment = document
        .get("payment")
        .map(|terms| PaymentTerms { due_date: text(terms, "due_date"), note: text(terms, "note") });
    for (line, value) in invoice.lines.iter_mut().zip(each(document, "lines")) {
        line.period = value
            .get("period")
            .and_then(|period| Some(Period { start: text(period, "start")?, end: text(period, "end")? }));
    }
    for (preceding, value) in invoice.preceding.iter_mut().zip(each(document, "preceding")) {
        let stamps = each(value, "stamps")
            .filter_map(|stamp| Some(Stamp { provider: text(stamp, "prv")?, value: text(stamp, "val")? }));
        preceding.stamps = stamps.collect();
    }
    Ok(invoice)
}

/// The usual context with what a case says differs.
pub fn context(usual: &Context, differs: &Value) -> Context {
    let mut context = usual.clone();
    if let Some(settings) = differs.get("settings") {
        context.settings = settings.to_string();
    }
    let Some(supplier) = differs.get("supplier") else { return context };
    let text = |value: &Value, member: &str| value.get(member).and_then(Value::as_str).map(str::to_owned);
    let own = &mut context.supplier;
    for (member, to) in
        [("legal_name", &mut own.legal_name), ("tax_id", &mut own.tax_id), ("country", &mut own.country)]
    {
        if let Some(given) = text(supplier, member) {
            *to = given;
        }
    }
    if let Some(email) = supplier.get("email") {
        own.email = email.as_str().map(str::to_owned);
    }
    if let Some(address) = supplier.get("address") {
        own.address = address.is_object().then(|| Address {
            street: text(address, "street"),
            locality: text(address, "locality"),
            region: text(address, "region"),
            postcode: text(address, "postcode"),
            country: text(address, "country"),
        });
    }
    context
}

fn read_case(path: &Path, usual: &Context) -> Result<Case, String> {
    let case = read_json(path)?;
    let nothing = Value::Null;
    let name = stem(path);
    let document = case.get("document").unwrap_or(&nothing);
    let invoice = invoice(document).map_err(|why| format!("{name}: {why}"))?;
    Ok(Case { name, invoice, context: context(usual, case.get("context").unwrap_or(&nothing)) })
}

fn fault_json(fault: &Fault) -> Value {
    let severity = if fault.is_error() { "error" } else { "warning" };
    json!({"code": fault.code, "path": fault.path, "message": fault.message, "severity": severity})
}

fn each<'a>(value: &'a Value, member: &str) -> impl Iterator<Item = &'a Value> {
    value.get(member).and_then(Value::as_array).into_iter().flatten()
}

fn parsed(body: &str) -> Result<Value, String> {
    serde_json::from_str(body).map_err(|error| error.to_string())
}

fn read_json(path: &Path) -> Result<Value, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    parsed(&text).map_err(|error| format!("{}: {error}", path.display()))
}

fn json_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    Ok(files.filter(|path| path.extension().is_some_and(|extension| extension == "json")).collect())
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
