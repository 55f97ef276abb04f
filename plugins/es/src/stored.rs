//! A structured document as the provider stored it: what an authority reads of it, whatever the add-on.

use std::collections::BTreeMap;

use crate::date::Date;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// A bare invoice or an envelope around one.
#[derive(Deserialize)]
struct Stored {
    doc: Option<Invoice>,
}

/// Codes by key. One that is null is none.
pub type Ext = BTreeMap<String, String>;

fn without_nulls<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Ext, D::Error> {
    let codes = BTreeMap::<String, Option<String>>::deserialize(deserializer)?;
    Ok(codes.into_iter().filter_map(|(key, code)| Some((key, code?))).collect())
}

/// The members of `bill.Invoice` that end up in the record.
#[derive(Debug, Deserialize)]
pub struct Invoice {
    /// As in the format.
    #[serde(default, rename = "type")]
    pub kind: String,
    /// As in the format.
    pub series: Option<String>,
    /// As in the format.
    #[serde(default)]
    pub code: String,
    /// As in the format.
    pub issue_date: String,
    /// As in the format.
    pub op_date: Option<String>,
    /// As in the format.
    #[serde(default)]
    pub preceding: Vec<Reference>,
    /// As in the format.
    #[serde(default)]
    pub tax: DocumentTax,
    /// As in the format.
    pub supplier: Party,
    /// As in the format.
    pub customer: Option<Party>,
    /// As in the format.
    #[serde(default)]
    pub lines: Vec<Line>,
    /// As in the format.
    pub totals: Totals,
    /// As in the format.
    #[serde(default)]
    pub notes: Vec<Note>,
    /// What the sender tells beside the invoice, whatever it is.
    #[serde(default)]
    pub meta: BTreeMap<String, Value>,
}

/// `org.DocumentRef`.
#[derive(Debug, Deserialize)]
pub struct Reference {
    /// As in the format.
    pub series: Option<String>,
    /// As in the format.
    pub code: String,
    /// As in the format.
    pub issue_date: Option<String>,
    /// As in the format.
    #[serde(default, deserialize_with = "without_nulls")]
    pub ext: Ext,
}

/// `bill.Tax`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct DocumentTax {
    /// As in the format.
    #[serde(deserialize_with = "without_nulls")]
    pub ext: Ext,
    /// The tax that prices of lines include.
    pub prices_include: Option<String>,
}

/// `org.Party`.
#[derive(Debug, Deserialize)]
pub struct Party {
    /// As in the format.
    #[serde(default)]
    pub name: String,
    /// As in the format.
    pub tax_id: Option<TaxId>,
    /// As in the format.
    #[serde(default)]
    pub identities: Vec<Identity>,
    /// As in the format.
    #[serde(default)]
    pub addresses: Vec<Address>,
    /// As in the format.
    #[serde(default, deserialize_with = "without_nulls")]
    pub ext: Ext,
}

/// `org.Address`.
#[derive(Debug, Deserialize)]
pub struct Address {
    /// As in the format.
    pub street: Option<String>,
    /// As in the format.
    pub locality: Option<String>,
    /// As in the format.
    pub region: Option<String>,
    /// The postcode.
    pub code: Option<String>,
    /// ISO 3166-1 alpha-2.
    pub country: Option<String>,
}

/// `tax.Identity`.
#[derive(Debug, Deserialize)]
pub struct TaxId {
    /// As in the format.
    #[serde(default)]
    pub country: String,
    /// As in the format.
    #[serde(default)]
    pub code: String,
}

impl TaxId {
    fn filled(&self) -> Option<&str> {
        Some(self.code.trim()).filter(|code| !code.is_empty())
    }
}

/// `org.Identity`.
#[derive(Debug, Deserialize)]
pub struct Identity {
    /// As in the format.
    pub country: Option<String>,
    /// As in the format.
    pub code: String,
    /// As in the format.
    #[serde(default, deserialize_with = "without_nulls")]
    pub ext: Ext,
}

/// `bill.Line`.
#[derive(Debug, Deserialize)]
pub struct Line {
    /// As in the format.
    pub quantity: String,
    /// As in the format.
    pub item: Item,
    /// As in the format.
    #[serde(default)]
    pub taxes: Vec<Combo>,
    /// As in the format.
    pub total: String,
}

/// `tax.Combo`.
#[derive(Debug, Deserialize)]
pub struct Combo {
    /// The tax: `VAT`, `IGIC`, `IPSI`, or one that is withheld.
    #[serde(default)]
    pub cat: String,
    /// `21.0%`.
    pub percent: Option<String>,
    /// `5.2%`.
    pub surcharge: Option<String>,
}

/// `org.Item`.
#[derive(Debug, Deserialize)]
pub struct Item {
    /// As in the format.
    #[serde(default)]
    pub name: String,
    /// As in the format.
    #[serde(default)]
    pub price: String,
}

/// `org.Note`.
#[derive(Debug, Deserialize)]
pub struct Note {
    /// As in the format.
    pub key: Option<String>,
    /// As in the format.
    #[serde(default)]
    pub text: String,
}

/// `bill.Totals`.
#[derive(Debug, Deserialize)]
pub struct Totals {
    /// As in the format.
    #[serde(default)]
    pub taxes: Taxes,
    /// As in the format; nought when no tax is charged.
    #[serde(default = "nought")]
    pub tax: String,
    /// As in the format.
    pub total_with_tax: String,
    /// What the recipient withholds.
    pub retained_tax: Option<String>,
}

fn nought() -> String {
    "0.00".to_owned()
}

/// `tax.Total`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Taxes {
    /// As in the format.
    pub categories: Vec<Category>,
}

/// `tax.CategoryTotal`.
#[derive(Debug, Deserialize)]
pub struct Category {
    /// The tax: `VAT`, `IGIC`, `IPSI` and others.
    pub code: String,
    /// As in the format.
    #[serde(default)]
    pub retained: bool,
    /// As in the format.
    #[serde(default)]
    pub rates: Vec<Rate>,
}

/// `tax.RateTotal`.
#[derive(Debug, Deserialize)]
pub struct Rate {
    /// As in the format.
    #[serde(default, deserialize_with = "without_nulls")]
    pub ext: Ext,
    /// As in the format.
    pub base: String,
    /// As in the format.
    pub percent: Option<String>,
    /// The equivalence surcharge.
    pub surcharge: Option<Surcharge>,
    /// As in the format.
    pub amount: String,
}

/// `tax.RateTotalSurcharge`.
#[derive(Debug, Deserialize)]
pub struct Surcharge {
    /// `5.2%`.
    pub percent: String,
    /// Comes on top of the row's own amount.
    pub amount: String,
}

/// `IDOtro`: how a record names somebody without NIF.
#[derive(Debug, Serialize)]
pub struct IdOtro<'a> {
    /// ISO 3166-1 alpha-2.
    #[serde(rename = "CodigoPais")]
    pub country: Option<&'a str>,
    /// The type of the identity, as the first code of its extension says it.
    #[serde(rename = "IDType")]
    pub id_type: Option<&'a str>,
    /// As on the document.
    #[serde(rename = "ID")]
    pub id: &'a str,
}

/// What every record says of a row of the breakdown, before the amount of the tax, which each calls by a name of its own.
#[derive(Debug, Serialize)]
pub struct RowFigures<'a> {
    /// The add-on's codes of the row.
    #[serde(rename = "Claves")]
    pub codes: &'a Ext,
    /// Negative where the record credits.
    #[serde(rename = "BaseImponible")]
    pub base: String,
    /// `21.0%`.
    #[serde(rename = "TipoImpositivo")]
    pub percent: Option<&'a str>,
}

impl Party {
    /// The first identity beside the tax id.
    pub fn id_otro(&self) -> Option<IdOtro<'_>> {
        self.identities.first().map(|identity| IdOtro {
            country: identity.country.as_deref(),
            id_type: identity.ext.values().next().map(String::as_str),
            id: &identity.code,
        })
    }

    /// The Spanish tax id.
    pub fn nif(&self) -> Option<&str> {
        let spanish = self.tax_id.as_ref().filter(|tax_id| tax_id.country == "ES");
        spanish.and_then(TaxId::filled)
    }

    /// The tax id of whatever country.
    pub fn tax_code(&self) -> Option<&str> {
        self.tax_id.as_ref().and_then(TaxId::filled)
    }
}

impl Invoice {
    /// Reads a bare document or the one inside an envelope. The error says what is missing.
    pub fn read(json: &str) -> Result<Self, String> {
        // What is no envelope is read as the document itself, whose error is told.
        let enveloped = serde_json::from_str::<Stored>(json).ok().and_then(|stored| stored.doc);
        match enveloped {
            Some(invoice) => Ok(invoice),
            None => serde_json::from_str(json).map_err(|error| error.to_string()),
        }
    }

    /// A code of the document as a whole.
    pub fn code_of(&self, key: &str) -> Option<&str> {
        self.tax.ext.get(key).map(String::as_str)
    }

    /// The description of the operation.
    pub fn description(&self) -> Option<&str> {
        let general = self.notes.iter().find(|note| note.key.as_deref() == Some("general"));
        general.map(|note| note.text.trim()).filter(|text| !text.is_empty())
    }

    /// Whether it corrects other documents.
    pub fn corrects(&self) -> bool {
        matches!(self.kind.as_str(), "credit-note" | "debit-note" | "corrective")
    }

    /// A figure as a record states it: a credit note's are positive, its record's negative.
    pub fn stated(&self, figure: &str) -> String {
        if self.kind != "credit-note" || !figure.contains(|c: char| matches!(c, '1'..='9')) {
            return figure.to_owned();
        }
        figure.strip_prefix('-').map_or_else(|| format!("-{figure}"), str::to_owned)
    }

    /// A row of the breakdown as a record states it.
    pub fn row_figures<'r>(&self, rate: &'r Rate) -> RowFigures<'r> {
        RowFigures { codes: &rate.ext, base: self.stated(&rate.base), percent: rate.percent.as_deref() }
    }

    /// The rows of the breakdown, without what is withheld.
    pub fn rows(&self) -> impl Iterator<Item = &Rate> {
        self.rows_by_category().map(|(_, rate)| rate)
    }

    /// The same rows, each with the tax it is of.
    pub fn rows_by_category(&self) -> impl Iterator<Item = (&Category, &Rate)> {
        let charged = self.totals.taxes.categories.iter().filter(|category| !category.retained);
        charged.flat_map(|category| category.rates.iter().map(move |rate| (category, rate)))
    }
}

impl Rate {
    /// A code of the row.
    pub fn code_of(&self, key: &str) -> Option<&str> {
        self.ext.get(key).map(String::as_str)
    }
}

/// A document under the names an authority files it.
#[derive(Debug)]
pub struct FiledDocument {
    /// The issuer's tax id.
    pub issuer: String,
    /// Series and code.
    pub number: String,
    /// The issue date.
    pub day: Date,
    /// Everything else.
    pub invoice: Invoice,
}

impl FiledDocument {
    /// Reads a document. The error says what is missing.
    pub fn read(json: &str) -> Result<Self, String> {
        let invoice = Invoice::read(json)?;
        let day = invoice.issue_date.parse().map_err(|_| "the issue date is no date")?;
        let issuer = invoice.supplier.nif().ok_or("the supplier has no tax id")?.to_owned();
        let number = number(invoice.series.as_deref(), &invoice.code);
        if number.is_empty() {
            return Err("the invoice has no number".to_owned());
        }
        Ok(Self { issuer, number, day, invoice })
    }

    /// Issuer, number and date make a document unique.
    pub fn key(&self) -> String {
        format!("{}|{}|{}", self.issuer, self.number, self.day.agency())
    }
}

/// A date as the agencies write it.
pub fn agency(date: Option<&str>) -> Option<String> {
    date?.parse::<Date>().ok().map(Date::agency)
}

/// Series and code as one number.
pub fn number(series: Option<&str>, code: &str) -> String {
    match series.map(str::trim).filter(|series| !series.is_empty()) {
        Some(series) => format!("{series}-{}", code.trim()),
        None => code.trim().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = r#"{"type":"credit-note","series":"F","code":"1","issue_date":"2026-11-20",
        "supplier":{"tax_id":{"country":"ES","code":"B98602642"}},"totals":{"total_with_tax":"1.00"}}"#;

    #[test]
    fn an_envelope_is_read_like_its_document() {
        for json in [DOCUMENT.to_owned(), format!(r#"{{"head":{{}},"doc":{DOCUMENT}}}"#)] {
            assert_eq!(FiledDocument::read(&json).unwrap().key(), "B98602642|F-1|20-11-2026");
        }
    }

    #[test]
    fn a_code_that_is_null_is_none() {
        let json = DOCUMENT.replace("{\"type\"", r#"{"tax":{"ext":{"a":null,"b":"1"}},"type""#);
        let invoice = Invoice::read(&json).unwrap();
        assert_eq!((invoice.code_of("a"), invoice.code_of("b")), (None, Some("1")));
    }

    #[test]
    fn a_credit_is_stated_as_negative_and_nought_has_no_sign() {
        let invoice = Invoice::read(DOCUMENT).unwrap();
        assert_eq!(["1.00", "-1.00", "0.00"].map(|figure| invoice.stated(figure)), ["-1.00", "1.00", "0.00"]);
    }
}
