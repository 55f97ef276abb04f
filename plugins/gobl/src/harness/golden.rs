//! Golden cases: every `cases/*.json` of a folder converts to its file under `expected`.
//!
//! A case is a document as the platform's API carries it (`document`), plus what differs from the usual context
//! (`context`: `settings`, `supplier` with `legal_name`, `tax_id`, `country`, `address`, `email`, `ext`). A refused one
//! expects its faults. `UPDATE_GOLDEN=1` rewrites the expectations; `GOBL_SCHEMAS` names a folder with the format's JSON
//! Schemas, against which every document is then checked too.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use einvoice_plugin::{Address, Context, Country, Fault, Invoice, harness};
use serde_json::{Value, json};

use super::{ext, schemas, text};

/// The cases of a plugin.
#[derive(Debug)]
pub struct Suite<C> {
    folder: PathBuf,
    base: fn() -> Context,
    plugin: PhantomData<fn() -> C>,
}

/// A document in its surroundings.
#[derive(Debug)]
pub struct Case {
    /// The file's name without extension.
    pub name: String,
    /// As the platform's API carries it.
    pub document: Value,
    /// What it is converted in.
    pub context: Context,
}

impl<C: Country> Suite<C> {
    /// The cases in `folder`. `base` is the context in which they are converted where they say nothing else.
    pub fn new(folder: impl Into<PathBuf>, base: fn() -> Context) -> Self {
        Self { folder: folder.into(), base, plugin: PhantomData }
    }

    /// All cases, in order of their names.
    pub fn cases(&self) -> Result<Vec<Case>, String> {
        let mut files = files(&self.folder.join("cases"))?;
        files.sort();
        if files.is_empty() {
            return Err(format!("{} has no cases", self.folder.display()));
        }
        files.iter().map(|path| self.case(path)).collect()
    }

    fn case(&self, path: &Path) -> Result<Case, String> {
        let case = read(path)?;
        let mut context = (self.base)();
        if let Some(settings) = case.pointer("/context/settings") {
            context.settings = settings.to_string();
        }
        if let Some(supplier) = case.pointer("/context/supplier") {
            put_supplier(&mut context, supplier);
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let document = case.get("document").cloned().ok_or_else(|| format!("{name} has no document"))?;
        Ok(Case { name, document, context })
    }

    /// What the plugin makes of a case: the structured document with the invoice it was made of, or the faults.
    pub fn converted(&self, case: &Case) -> Result<Result<(Value, Invoice), Vec<Fault>>, String> {
        let invoice = super::invoice(&case.document).map_err(|why| format!("{}: {why}", case.name))?;
        match C::convert(&invoice, &case.context) {
            Ok(document) => {
                let body = serde_json::from_str(&document.body).map_err(|error| error.to_string())?;
                Ok(Ok((body, invoice)))
            }
            Err(faults) => Ok(Err(faults)),
        }
    }

    /// The documents of the cases that convert, by name.
    pub fn documents(&self) -> Result<BTreeMap<String, (Value, Invoice)>, String> {
        let mut documents = BTreeMap::new();
        for case in self.cases()? {
            if let Ok(converted) = self.converted(&case)? {
                documents.insert(case.name, converted);
            }
        }
        Ok(documents)
    }

    /// Every case converts to its file, and every file has its case. The error shows what differs.
    pub fn compare(&self) -> Result<(), String> {
        let update = std::env::var_os("UPDATE_GOLDEN").is_some();
        let expected = self.folder.join("expected");
        let mut wrong = Vec::new();
        let mut known = Vec::new();
        for case in self.cases()? {
            let made = self.expectation(&case)?;
            let file = expected.join(format!("{}.json", case.name));
            if update {
                std::fs::create_dir_all(&expected).map_err(|error| error.to_string())?;
                std::fs::write(&file, &made).map_err(|error| error.to_string())?;
            } else if std::fs::read_to_string(&file).unwrap_or_default() != made {
                wrong.push(format!("{}:\n{made}", case.name));
            }
            known.push(file);
        }
        wrong.extend(
            files(&expected)?
                .into_iter()
                .filter(|file| !known.contains(file))
                .map(|file| format!("{} is left over", file.display())),
        );
        if wrong.is_empty() {
            return Ok(());
        }
        Err(format!("UPDATE_GOLDEN=1 rewrites these, if they are right:\n{}", wrong.join("\n")))
    }

    fn expectation(&self, case: &Case) -> Result<String, String> {
        let value = match self.converted(case)? {
            Ok((document, _)) => document,
            Err(faults) => json!({"faults": faults.iter().map(fault_json).collect::<Vec<_>>()}),
        };
        serde_json::to_string_pretty(&value).map(|text| text + "\n").map_err(|error| error.to_string())
    }

    /// The figures of every document are those of its invoice.
    pub fn figures(&self) -> Result<(), String> {
        for (name, (document, invoice)) in self.documents()? {
            let totals = &invoice.totals;
            let figures =
                [totals.net, totals.tax, totals.gross, totals.payable].map(|figure| figure.to_string());
            let printed = ["total", "tax", "total_with_tax", "payable"]
                .map(|member| document.pointer(&format!("/totals/{member}")).and_then(Value::as_str));
            if figures.each_ref().map(|figure| Some(figure.as_str())) != printed {
                return Err(format!("{name}: {figures:?} became {printed:?}"));
            }
        }
        Ok(())
    }

    /// Every document fits the format's schemas, when `GOBL_SCHEMAS` names their folder.
    pub fn schemas(&self) -> Result<(), String> {
        let Some(folder) = std::env::var_os("GOBL_SCHEMAS") else {
            println!("GOBL_SCHEMAS names no folder: the documents were not checked against the JSON Schemas");
            return Ok(());
        };
        let schema = schemas::invoice(Path::new(&folder))?;
        if schema.is_valid(&json!({"type": "standard"})) {
            return Err("the schemas refuse nothing".to_owned());
        }
        let mut wrong = BTreeMap::new();
        for (name, (document, _)) in self.documents()? {
            let objections = schemas::objections(&schema, &document);
            if !objections.is_empty() {
                wrong.insert(name, objections);
            }
        }
        if wrong.is_empty() { Ok(()) } else { Err(format!("{wrong:#?}")) }
    }
}

fn put_supplier(context: &mut Context, written: &Value) {
    let supplier = &mut context.supplier;
    for (member, value) in [
        ("legal_name", &mut supplier.legal_name),
        ("tax_id", &mut supplier.tax_id),
        ("country", &mut supplier.country),
    ] {
        *value = text(written, member).unwrap_or_default();
    }
    supplier.email = text(written, "email");
    supplier.ext = ext(written.get("ext"));
    supplier.address = written.get("address").map(|address| Address {
        street: text(address, "street"),
        locality: text(address, "locality"),
        region: text(address, "region"),
        postcode: text(address, "postcode"),
        country: text(address, "country"),
    });
}

/// A fault as the expectations state it.
pub fn fault_json(fault: &Fault) -> Value {
    let severity = if fault.is_error() { "error" } else { "warning" };
    json!({"code": fault.code, "path": fault.path, "message": fault.message, "severity": severity})
}

/// The JSON of a file.
pub(crate) fn read(path: &Path) -> Result<Value, String> {
    let broken = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| broken(&error))?;
    serde_json::from_str(&text).map_err(|error| broken(&error))
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let broken = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(broken)? {
        let path = entry.map_err(broken)?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            files.push(path);
        }
    }
    Ok(files)
}

/// The usual context of the SDK's harness.
pub fn usual() -> Context {
    harness::context()
}
