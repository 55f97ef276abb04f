//! Golden cases: every `cases/*.json` of a folder converts to its file under `expected`.
//!
//! A case is a document as the platform's API carries it (`document`), plus what differs from the usual context
//! (`context`: `settings`, `supplier` with `legal_name`, `tax_id`, `country`, `address`, `email`, `ext`); the folder's
//! `context.json` says what differs in all cases. A refused one expects its faults. `UPDATE_GOLDEN=1` rewrites the
//! expectations.
//!
//! `GOBL_SCHEMAS` names a folder with the format's JSON Schemas, `GOBL_TABLES` one with the tables of its add-ons; they are
//! too large to be kept here. With the schemas every document is held against them. Without, it must be, byte for byte, one
//! that was: `schema-checked.sha256` lists those, and only a run with the schemas writes it. The types of
//! [`format`](crate::format) read every golden file, with or without.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use einvoice_plugin::harness::{self, submission};
use einvoice_plugin::{Address, Authority, Context, Country, Fault, Invoice, Outcome};
use serde::Serialize;
use serde_json::{Value, json};

use super::checked::CheckedDocuments;
use super::files::{json_files, read};
use super::{ext, schemas, text};
use crate::format;

/// The tests every plugin with a sandbox has of its golden cases, those under `tests/golden/<folder>` of the workspace:
/// `golden_tests! { EsSii, "es-sii", golden::usual, addon "es-sii-v1" }`. The context is the one cases start from; the
/// add-on may be left out. The plugin's own tests find the cases as `suite()`.
#[macro_export]
macro_rules! golden_tests {
    ($plugin:ty, $folder:literal, $context:expr, addon $addon:literal) => {
        $crate::golden_tests! { $plugin, $folder, $context }

        #[test]
        fn every_code_is_in_the_tables_of_the_add_on() {
            assert_eq!(suite().codes($addon), Ok(()));
        }
    };
    ($plugin:ty, $folder:literal, $context:expr) => {
        fn suite() -> $crate::harness::golden::Suite<$plugin> {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/", $folder);
            $crate::harness::golden::Suite::new(folder, $context)
        }

        #[test]
        fn every_case_converts_to_its_golden_file() {
            suite().compare().unwrap_or_else(|differences| panic!("{differences}"));
        }

        #[test]
        fn the_figures_of_every_document_are_those_of_the_invoice() {
            assert_eq!(suite().figures(), Ok(()));
        }

        #[test]
        fn every_document_is_read_and_printed_by_the_formats_types_as_it_is() {
            assert_eq!(suite().round_trips(), Ok(()));
        }

        #[test]
        fn every_document_fits_the_formats_schemas() {
            assert_eq!(suite().schemas(), Ok(()));
        }

        #[test]
        fn every_kind_of_document_and_of_identity_has_a_case() {
            suite().covers_every_kind().unwrap_or_else(|missing| panic!("{missing}"));
        }

        #[test]
        fn every_row_of_recipients_has_its_identity() {
            suite().identities().unwrap_or_else(|differences| panic!("{differences}"));
        }

        #[test]
        fn every_code_that_the_guide_states_of_the_system_has_a_report() {
            assert_eq!(suite().stated_codes(), Ok(()));
        }

        #[test]
        fn the_authority_takes_every_document() {
            assert_eq!(suite().outcomes().map(|outcomes| outcomes.is_empty()), Ok(false));
        }

        #[test]
        fn the_authority_takes_every_document_with_other_lines() {
            assert_eq!(suite().payloads().err(), None);
        }
    };
}

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

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The surroundings of a case that says nothing of its own.
    pub(super) fn context(&self) -> Result<Context, String> {
        let mut context = (self.base)();
        let around = self.folder.join("context.json");
        if around.is_file() {
            put(&mut context, &read(&around)?);
        }
        Ok(context)
    }

    /// All cases, in order of their names.
    pub fn cases(&self) -> Result<Vec<Case>, String> {
        let mut files = json_files(&self.folder.join("cases"))?;
        files.sort();
        if files.is_empty() {
            return Err(format!("{} has no cases", self.folder.display()));
        }
        files.iter().map(|path| self.case(path)).collect()
    }

    fn case(&self, path: &Path) -> Result<Case, String> {
        let case = read(path)?;
        let mut context = self.context()?;
        if let Some(own) = case.get("context") {
            put(&mut context, own);
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let document = case.get("document").cloned().ok_or_else(|| format!("{name} has no document"))?;
        Ok(Case { name, document, context })
    }

    /// The document of a case as the plugin gets it.
    pub(super) fn invoice(case: &Case) -> Result<Invoice, String> {
        harness::invoice_rounded(&case.document, C::describe().rounding)
            .map_err(|why| format!("{}: {why}", case.name))
    }

    /// What the plugin makes of a case: the structured document with the invoice it was made of, or the faults.
    pub fn converted(&self, case: &Case) -> Result<Result<(Value, Invoice), Vec<Fault>>, String> {
        let invoice = Self::invoice(case)?;
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
            json_files(&expected)?
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
        printed(&value).map_err(|error| error.to_string())
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

    /// Every code of every document is in the table of its add-on, when `GOBL_TABLES` names the folder with `addons`.
    pub fn codes(&self, addon: &str) -> Result<(), String> {
        let Some(folder) = std::env::var_os("GOBL_TABLES") else {
            eprintln!("did not run: GOBL_TABLES names no folder with the tables of the add-on's codes");
            return Ok(());
        };
        let table = read(&Path::new(&folder).join("addons").join(format!("{addon}.json")))?;
        let mut wrong = Vec::new();
        for (name, (document, _)) in self.documents()? {
            let mut found = Vec::new();
            foreign_codes(&table, &document, &mut found);
            wrong.extend(found.into_iter().map(|code| format!("{name}: {code}")));
        }
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
    }

    /// Every document, as its golden file holds it, is read by the format's types, which refuse a member they do not know,
    /// and printed again as it was.
    pub fn round_trips(&self) -> Result<(), String> {
        let mut wrong = Vec::new();
        for (name, file) in self.printed_documents()? {
            let again = serde_json::from_str::<format::Invoice<'_>>(&file).and_then(|read| printed(&read));
            match again {
                Ok(again) if again == file => {}
                Ok(again) => wrong.push(format!("{name} becomes\n{again}")),
                Err(error) => wrong.push(format!("{name}: {error}")),
            }
        }
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
    }

    /// The documents of the cases that convert, by name, as their golden files hold them.
    fn printed_documents(&self) -> Result<BTreeMap<String, String>, String> {
        let documents = self.documents()?.into_iter();
        let files = documents.map(|(name, (document, _))| Ok((name, printed(&document)?)));
        files.collect::<serde_json::Result<_>>().map_err(|error| error.to_string())
    }

    /// Every document fits the format's schemas: it is held against them when `GOBL_SCHEMAS` names their folder, and it is
    /// on the list of those that were.
    pub fn schemas(&self) -> Result<(), String> {
        let printed = self.printed_documents()?;
        let list = CheckedDocuments::of(&self.folder);
        let Some(schema) = schemas::from_environment()? else { return list.names_all(&printed) };
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
        if !wrong.is_empty() {
            return Err(format!("{wrong:#?}"));
        }
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            list.write(&printed)?;
        }
        list.names_all(&printed)
    }
}

/// As the golden files hold it.
fn printed(value: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string_pretty(value).map(|text| text + "\n")
}

impl<C: Country + Authority> Suite<C> {
    /// What the sandbox's authority answers to every document, by name. The error names one it refuses.
    pub fn outcomes(&self) -> Result<BTreeMap<String, Outcome>, String> {
        let mut outcomes = BTreeMap::new();
        for (name, (document, _)) in self.documents()? {
            let submission = submission(&document.to_string(), &(self.base)().now);
            let outcome = C::submit(&submission).map_err(|faults| format!("{name}: {faults:?}"))?;
            if !outcome.accepted {
                return Err(format!("{name}: {:?}", outcome.faults));
            }
            outcomes.insert(name, outcome);
        }
        Ok(outcomes)
    }
}

/// Every code of an add-on in `document` is in its table, as the reference publishes it. What is wrong, else nothing.
fn foreign_codes(table: &Value, document: &Value, found: &mut Vec<String>) {
    match document {
        Value::Object(members) => {
            for (key, value) in members
                .iter()
                .filter(|(key, _)| *key == "ext")
                .filter_map(|(_, ext)| ext.as_object())
                .flatten()
            {
                let extensions = table.get("extensions").and_then(Value::as_array);
                let known =
                    extensions.into_iter().flatten().find(|known| text(known, "key").as_ref() == Some(key));
                let values = known.and_then(|known| known.get("values")).and_then(Value::as_array);
                let listed =
                    values.is_none_or(|values| values.iter().any(|one| one.get("code") == Some(value)));
                if known.is_none() || !listed {
                    found.push(format!("{key} {value}"));
                }
            }
            members.values().for_each(|member| foreign_codes(table, member, found));
        }
        Value::Array(items) => items.iter().for_each(|item| foreign_codes(table, item, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn put(context: &mut Context, written: &Value) {
    if let Some(settings) = written.get("settings") {
        context.settings = settings.to_string();
    }
    if let Some(supplier) = written.get("supplier") {
        put_supplier(context, supplier);
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

/// The usual context of the SDK's harness.
pub fn usual() -> Context {
    harness::context()
}
