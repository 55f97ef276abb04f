//! What a treasury reads of a structured document.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A bare invoice or an envelope around one.
#[derive(Deserialize)]
struct Stored {
    doc: Option<Invoice>,
}

/// Codes by key.
pub(super) type Ext = BTreeMap<String, String>;

/// The members of `bill.Invoice` that end up in the record.
#[derive(Debug, Deserialize)]
pub(super) struct Invoice {
    #[serde(default, rename = "type")]
    pub(super) kind: String,
    pub(super) series: Option<String>,
    #[serde(default)]
    pub(super) code: String,
    pub(super) issue_date: String,
    pub(super) op_date: Option<String>,
    #[serde(default)]
    pub(super) preceding: Vec<Reference>,
    #[serde(default)]
    pub(super) tax: DocumentTax,
    pub(super) supplier: Party,
    pub(super) customer: Option<Party>,
    #[serde(default)]
    pub(super) lines: Vec<Line>,
    pub(super) totals: Totals,
    #[serde(default)]
    pub(super) notes: Vec<Note>,
}

/// `org.DocumentRef`.
#[derive(Debug, Deserialize)]
pub(super) struct Reference {
    pub(super) series: Option<String>,
    pub(super) code: String,
    pub(super) issue_date: Option<String>,
    #[serde(default)]
    pub(super) ext: Ext,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct DocumentTax {
    pub(super) ext: Ext,
}

#[derive(Debug, Deserialize)]
pub(super) struct Party {
    #[serde(default)]
    pub(super) name: String,
    pub(super) tax_id: Option<TaxId>,
    #[serde(default)]
    pub(super) identities: Vec<Identity>,
    #[serde(default)]
    pub(super) ext: Ext,
}

#[derive(Debug, Deserialize)]
pub(super) struct TaxId {
    #[serde(default)]
    pub(super) country: String,
    #[serde(default)]
    pub(super) code: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Identity {
    pub(super) country: Option<String>,
    pub(super) code: String,
    #[serde(default)]
    pub(super) ext: Ext,
}

#[derive(Debug, Deserialize)]
pub(super) struct Line {
    pub(super) quantity: String,
    pub(super) item: Item,
    pub(super) total: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Item {
    #[serde(default)]
    pub(super) name: String,
    #[serde(default)]
    pub(super) price: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Note {
    pub(super) key: Option<String>,
    #[serde(default)]
    pub(super) text: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Totals {
    #[serde(default)]
    pub(super) taxes: Taxes,
    pub(super) total_with_tax: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Taxes {
    pub(super) categories: Vec<Category>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Category {
    #[serde(default)]
    pub(super) retained: bool,
    #[serde(default)]
    pub(super) rates: Vec<Rate>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Rate {
    #[serde(default)]
    pub(super) ext: Ext,
    pub(super) base: String,
    pub(super) percent: Option<String>,
    pub(super) amount: String,
}

impl Party {
    /// The Spanish tax id.
    pub(super) fn nif(&self) -> Option<&str> {
        let spanish = self.tax_id.as_ref().filter(|tax_id| tax_id.country == "ES");
        spanish.map(|tax_id| tax_id.code.trim()).filter(|code| !code.is_empty())
    }
}

impl Invoice {
    /// Reads a bare document or the one inside an envelope. The error says what is missing.
    pub(super) fn read(json: &str) -> Result<Self, String> {
        let enveloped = serde_json::from_str::<Stored>(json).ok().and_then(|stored| stored.doc);
        match enveloped {
            Some(invoice) => Ok(invoice),
            None => serde_json::from_str(json).map_err(|error| error.to_string()),
        }
    }

    /// A code of the document as a whole.
    pub(super) fn code_of(&self, key: &str) -> Option<&str> {
        self.tax.ext.get(key).map(String::as_str)
    }

    /// The description of the operation.
    pub(super) fn description(&self) -> Option<&str> {
        let general = self.notes.iter().find(|note| note.key.as_deref() == Some("general"));
        general.map(|note| note.text.trim()).filter(|text| !text.is_empty())
    }
}
