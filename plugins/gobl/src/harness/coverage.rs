//! Which kinds of document and of identity document the golden cases have, and what every row of recipients becomes.
//!
//! `identities.json` beside the cases holds the rows: every kind of identity document of the supplier's country, of another
//! one and of none, companies with and without what tells who they are, and whoever the cases name. `UPDATE_GOLDEN=1`
//! rewrites it.

use std::collections::BTreeMap;

use einvoice_plugin::harness::recipient;
use einvoice_plugin::{Country, DocumentKind, Identity};
use serde_json::{Value, json};

use super::files::read;
use super::golden::Suite;

/// Every kind of identity document that the contract has, as the API names it.
const IDENTITY_KINDS: [&str; 7] = [
    "id_card",
    "spanish_resident_permit",
    "passport",
    "foreign_national_id",
    "driving_license",
    "student_id",
    "other",
];

/// Every kind of document that the contract has.
const DOCUMENT_KINDS: [DocumentKind; 5] = [
    DocumentKind::Invoice,
    DocumentKind::SimplifiedInvoice,
    DocumentKind::ReplacementInvoice,
    DocumentKind::CreditNote,
    DocumentKind::DebitNote,
];

const FILE: &str = "identities.json";

impl<C: Country> Suite<C> {
    /// Every kind of document that the plugin describes converts in some case, every other is refused in one, and a document
    /// for the holder of every kind of identity document converts.
    ///
    /// # Errors
    /// Names the kinds without such a case.
    pub fn covers_every_kind(&self) -> Result<(), String> {
        let mut documents = Vec::new();
        let mut identities = Vec::new();
        for case in self.cases()? {
            match self.converted(&case)? {
                Ok((_, invoice)) => {
                    documents.push((invoice.kind, true));
                    let kind = case.document.pointer("/recipient/identity_document/type");
                    identities.extend(kind.and_then(Value::as_str).map(str::to_owned));
                }
                Err(_) => documents.push((Self::invoice(&case)?.kind, false)),
            }
        }
        let described = C::describe().kinds;
        let expected = DOCUMENT_KINDS.map(|kind| (kind, described.contains(&kind)));
        let lacks =
            expected.iter().filter(|expected| !documents.contains(expected)).map(|(kind, converts)| {
                format!("no case of {kind:?} is {}", if *converts { "converted" } else { "refused" })
            });
        let without = IDENTITY_KINDS.iter().filter(|kind| !identities.iter().any(|found| found == *kind));
        let without = without.map(|kind| format!("no case with {kind} is converted"));
        let wrong: Vec<_> = lacks.chain(without).collect();
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
    }

    /// Every row of recipients has its identity, or the faults that say why it has none.
    ///
    /// # Errors
    /// Shows the rows that differ from the file.
    pub fn identities(&self) -> Result<(), String> {
        let mut made = BTreeMap::new();
        for (row, person) in self.rows()? {
            made.insert(row, mapped::<C>(&person)?);
        }
        let file = self.folder().join(FILE);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            let text = serde_json::to_string_pretty(&made).map_err(|error| error.to_string())?;
            return std::fs::write(&file, text + "\n").map_err(|error| error.to_string());
        }
        let kept: BTreeMap<String, Value> =
            serde_json::from_value(read(&file)?).map_err(|error| error.to_string())?;
        let rows = made.keys().chain(kept.keys());
        let mut wrong: Vec<_> = rows
            .filter(|row| made.get(*row) != kept.get(*row))
            .map(|row| format!("{row}: {:?}, not {:?}", made.get(row), kept.get(row)))
            .collect();
        wrong.dedup();
        if wrong.is_empty() {
            return Ok(());
        }
        Err(format!("UPDATE_GOLDEN=1 rewrites these, if they are right:\n{}", wrong.join("\n")))
    }

    /// Recipients by what they are.
    fn rows(&self) -> Result<Vec<(String, Value)>, String> {
        let home = self.context()?.supplier.country;
        let mut rows = Vec::new();
        for kind in IDENTITY_KINDS {
            let person = |country: Option<&str>| {
                let document = json!({"type": kind, "number": "123456789", "country": country});
                json!({"type": "individual", "name": "Jane Roe", "identity_document": document})
            };
            rows.extend([
                (format!("{kind} of the supplier's country"), person(Some(&home))),
                (format!("{kind} of another country"), person(Some("CA"))),
                (format!("{kind} of no country"), person(None)),
            ]);
        }
        rows.push((
            "individual without a document".to_owned(),
            json!({"type": "individual", "name": "Jane Roe"}),
        ));
        for (row, number, country) in [
            ("company without a number", "", Some("BE")),
            ("company of no country", "1", None),
            ("company of an unknown country", "1", Some("XX")),
            ("company of a member state", "094259216", Some("GR")),
            ("company of a member state with a wrong number", "094259217", Some("GR")),
            ("company of a third country", "12-3456789", Some("US")),
        ] {
            let company =
                json!({"type": "company", "name": "Sample", "tax_number": number, "country": country});
            rows.push((row.to_owned(), company));
        }
        let named = self.cases()?.into_iter().filter_map(|case| {
            let recipient = case.document.get("recipient").filter(|recipient| recipient.is_object())?;
            Some((format!("case {}", case.name), recipient.clone()))
        });
        rows.extend(named);
        Ok(rows)
    }
}

/// One line: the identity, or each fault as code and path.
fn mapped<C: Country>(person: &Value) -> Result<Value, String> {
    let read = recipient(person).map_err(|why| format!("{why}: {person}"))?;
    Ok(match C::map_identity(&read) {
        Ok(Identity::TaxId(tax)) => json!(format!("tax id {} {}", tax.country, tax.code)),
        Ok(Identity::Other(other)) => {
            let words = [&other.type_key, &other.type_code, &other.country, &other.code];
            json!(
                words
                    .map(String::as_str)
                    .into_iter()
                    .filter(|word| !word.is_empty())
                    .collect::<Vec<_>>()
                    .join(" ")
            )
        }
        Err(faults) => {
            json!(faults.iter().map(|fault| format!("{} {}", fault.code, fault.path)).collect::<Vec<_>>())
        }
    })
}
