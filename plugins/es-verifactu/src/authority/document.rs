//! What the agency reads of a structured document.

use einvoice_es::country;
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
    #[serde(default)]
    pub(super) meta: Meta,
}

/// What the sender tells beside the invoice.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Meta {
    #[serde(rename = "es-verifactu-record")]
    pub(super) record: Option<String>,
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
    #[serde(rename = "es-verifactu-simplified-art7273")]
    pub(super) article_7: Option<String>,
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

/// How a recipient is identified at the agency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Identification<'a> {
    /// By a Spanish tax identifier.
    Nif(&'a str),
    /// By something else (`IDOtro`).
    Other {
        /// ISO 3166-1 alpha-2, when it is one.
        country: Option<&'a str>,
        /// The agency's list L7.
        id_type: &'a str,
        id: String,
    },
}

impl Party {
    /// Who it is in the agency's terms: a name alone is nobody. A tax id wins over other documents; one of another
    /// member of the Union is its VAT number.
    pub(super) fn identification(&self) -> Option<Identification<'_>> {
        if let Some(code) = self.tax_code() {
            let country = self.tax_id.as_ref().and_then(|tax_id| tax_id.country.as_deref()).unwrap_or("ES");
            let prefix = if country == "GR" { "EL" } else { country };
            return Some(match country {
                "ES" | "" => Identification::Nif(code),
                _ if country::has_vat_numbers_of_the_union(prefix) => {
                    Identification::Other { country: None, id_type: "02", id: format!("{prefix}{code}") }
                }
                _ => {
                    Identification::Other { country: Some(iso(country)), id_type: "04", id: code.to_owned() }
                }
            });
        }
        self.identities.iter().find_map(|identity| {
            Some(Identification::Other {
                country: identity.country.as_deref().map(iso),
                id_type: identity.ext.identity_type.as_deref()?,
                id: identity.code.trim().to_owned(),
            })
        })
    }

    pub(super) fn tax_code(&self) -> Option<&str> {
        self.tax_id.as_ref().map(|tax_id| tax_id.code.trim()).filter(|code| !code.is_empty())
    }
}

/// The ISO code of a country, or what stands there instead of one.
fn iso(country: &str) -> &str {
    country::normalise(country).unwrap_or(country)
}

#[derive(Debug, Deserialize)]
pub(super) struct TaxId {
    pub(super) country: Option<String>,
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

impl Taxes {
    /// The rows of the breakdown: what the recipient withholds is none.
    pub(super) fn rows(&self) -> impl Iterator<Item = (&Category, &Rate)> {
        let charged = self.categories.iter().filter(|category| !category.retained);
        charged.flat_map(|category| category.rates.iter().map(move |rate| (category, rate)))
    }
}

/// The agency's list L1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tax {
    Vat,
    Ipsi,
    Igic,
    Other,
}

impl Tax {
    /// The agency's code.
    pub(super) const fn code(self) -> &'static str {
        match self {
            Self::Vat => "01",
            Self::Ipsi => "02",
            Self::Igic => "03",
            Self::Other => "05",
        }
    }
}

impl Category {
    pub(super) fn tax(&self) -> Tax {
        match self.code.as_str() {
            "VAT" => Tax::Vat,
            "IPSI" => Tax::Ipsi,
            "IGIC" => Tax::Igic,
            _ => Tax::Other,
        }
    }
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
