//! What the agency reads of a structured document.

use serde::Deserialize;

/// A bare invoice or an envelope around one.
#[derive(Deserialize)]
struct Stored {
    doc: Option<Invoice>,
}

/// The members of `bill.Invoice` that end up in the agency's record.
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
    pub(super) issue_date: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct DocumentTax {
    pub(super) ext: Ext,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Ext {
    #[serde(rename = "es-verifactu-doc-type")]
    pub(super) doc_type: Option<String>,
    #[serde(rename = "es-verifactu-correction-type")]
    pub(super) correction_type: Option<String>,
    #[serde(rename = "es-verifactu-identity-type")]
    pub(super) identity_type: Option<String>,
    #[serde(rename = "es-verifactu-op-class")]
    pub(super) op_class: Option<String>,
    #[serde(rename = "es-verifactu-exempt")]
    pub(super) exempt: Option<String>,
    #[serde(rename = "es-verifactu-regime")]
    pub(super) regime: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Party {
    #[serde(default)]
    pub(super) name: String,
    pub(super) tax_id: Option<TaxId>,
    #[serde(default)]
    pub(super) identities: Vec<Identity>,
}

impl Party {
    /// Whether the agency could tell who it is: a name alone is no recipient.
    pub(super) fn is_identified(&self) -> bool {
        self.nif().is_some() || self.identities.iter().any(|identity| identity.ext.identity_type.is_some())
    }

    /// Whether it is identified by a tax id, or by a document of one of these types.
    pub(super) fn is_identified_as(&self, types: &[&str]) -> bool {
        let of_type = |identity: &Identity| {
            identity.ext.identity_type.as_deref().is_some_and(|one| types.contains(&one))
        };
        self.nif().is_some() || self.identities.iter().any(of_type)
    }

    pub(super) fn nif(&self) -> Option<&str> {
        self.tax_id.as_ref().map(|tax_id| tax_id.code.trim()).filter(|code| !code.is_empty())
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct TaxId {
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
    pub(super) item: Item,
}

#[derive(Debug, Deserialize)]
pub(super) struct Item {
    #[serde(default)]
    pub(super) name: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Note {
    #[serde(default)]
    pub(super) text: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Totals {
    #[serde(default)]
    pub(super) taxes: Taxes,
    #[serde(default = "nought")]
    pub(super) tax: String,
    pub(super) total_with_tax: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Taxes {
    pub(super) categories: Vec<Category>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Category {
    pub(super) code: String,
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
    pub(super) surcharge: Option<Surcharge>,
    pub(super) amount: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Surcharge {
    pub(super) percent: String,
    pub(super) amount: String,
}

fn nought() -> String {
    "0.00".to_owned()
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
}
