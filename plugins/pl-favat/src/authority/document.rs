//! The stored document, as far as the file and KSeF's rules look at it. What is absent is empty.

use std::collections::BTreeMap;

use einvoice_eu::codes;
use einvoice_gobl::codes::full_code;
use einvoice_gobl::date::Date;
use einvoice_plugin::{Fault, Faults};
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::figures::Figure;
use crate::PREFIX;
use crate::deadline::{MARK, META_MODE};
use crate::tables::{EXT_INVOICE_TYPE, EXT_TAX_CATEGORY};

/// Codes of add-ons by key.
pub(super) type Ext = BTreeMap<String, String>;

/// A document with what KSeF files it by.
#[derive(Debug)]
pub(super) struct FiledDocument {
    pub(super) invoice: Invoice,
    /// The seller's NIP.
    pub(super) nip: String,
    /// `P_2`.
    pub(super) number: String,
    /// `P_1`.
    pub(super) issued: Date,
    /// SHA-256 of the document, in hexadecimal digits: whether it was sent before.
    pub(super) digest: String,
}

impl FiledDocument {
    /// Reads what the plugin made.
    pub(super) fn read(json: &str) -> Result<Self, Faults> {
        let invoice: Invoice = serde_json::from_str(json).map_err(|error| unreadable(&error.to_string()))?;
        let number = invoice.number();
        if invoice.code.is_empty() {
            return Err(unreadable("the document has no number"));
        }
        let issued = invoice.issue_date.parse().map_err(|_| unreadable("the issue date is no date"))?;
        let nip = invoice.supplier.tax_id.as_ref().map(|tax_id| tax_id.code.clone()).unwrap_or_default();
        if nip.is_empty() {
            return Err(unreadable("the supplier has no tax id"));
        }
        let digest = einvoice_eu::register::hexadecimal(&Sha256::digest(json.as_bytes()));
        Ok(Self { invoice, nip, number, issued, digest })
    }

    /// Whether its sender says that it was issued offline.
    pub(super) fn is_offline(&self) -> bool {
        self.invoice.meta.get(META_MODE).and_then(serde_json::Value::as_str) == Some(MARK)
    }

    /// What makes an invoice unique at KSeF.
    pub(super) fn key(&self) -> String {
        format!("{}|{}|{}", self.nip, self.invoice.invoice_type(), self.number)
    }
}

/// The fault of something that is no document of this plugin, or no record of the sandbox.
pub(super) fn unreadable(why: &str) -> Faults {
    let message =
        format!("The sandbox cannot read this as a document of KSeF ({why}); send what the plugin made.");
    vec![Fault::error(full_code(PREFIX, codes::SANDBOX_DOCUMENT), "", message)]
}

macro_rules! members {
    ($($(#[$doc:meta])* $name:ident { $($(#[$attribute:meta])* $field:ident: $type:ty,)* })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Default, Deserialize)]
        #[serde(default)]
        pub(super) struct $name { $($(#[$attribute])* pub(super) $field: $type,)* }
    )*};
}

members! {
    /// `bill.Invoice`.
    Invoice {
        #[serde(rename = "$tags")] tags: Vec<String>,
        #[serde(rename = "type")] kind: String,
        series: String,
        code: String,
        issue_date: String,
        op_date: Option<String>,
        currency: String,
        exchange_rates: Vec<ExchangeRate>,
        preceding: Vec<DocumentRef>,
        tax: Tax,
        supplier: Party,
        customer: Option<Party>,
        lines: Vec<Line>,
        payment: Payment,
        totals: Totals,
        notes: Vec<Note>,
        meta: BTreeMap<String, serde_json::Value>,
        attachments: Vec<serde::de::IgnoredAny>,
    }

    /// `currency.ExchangeRate`.
    ExchangeRate { from: String, to: String, amount: Figure, }

    /// `org.DocumentRef`.
    DocumentRef {
        issue_date: Option<String>,
        series: String,
        code: String,
        reason: Option<String>,
        stamps: Vec<HeadStamp>,
        payable: Option<Figure>,
        ext: Ext,
    }

    /// `head.Stamp`.
    HeadStamp { prv: String, val: String, }

    /// `bill.Tax`.
    Tax { prices_include: Option<String>, ext: Ext, }

    /// `org.Party`.
    Party {
        name: String,
        tax_id: Option<TaxId>,
        identities: Vec<Identity>,
        addresses: Vec<Address>,
        emails: Vec<Email>,
        ext: Ext,
    }

    /// `tax.Identity`.
    TaxId { country: String, code: String, }

    /// `org.Identity`.
    Identity { code: String, ext: Ext, }

    /// `org.Address`.
    Address {
        num: Option<String>,
        street: Option<String>,
        locality: Option<String>,
        region: Option<String>,
        code: Option<String>,
        country: Option<String>,
    }

    /// `org.Email`.
    Email { addr: String, }

    /// `bill.Line`.
    Line {
        i: u32,
        quantity: Figure,
        period: Option<Period>,
        item: Item,
        taxes: Vec<Combo>,
        total: Figure,
    }

    /// `cal.Period`.
    Period { end: String, }

    /// `org.Item`.
    Item { name: String, price: Figure, unit: Option<String>, }

    /// `tax.Combo`.
    Combo { cat: String, percent: Option<String>, ext: Ext, }

    /// `bill.PaymentDetails`.
    Payment { terms: Option<Terms>, instructions: Option<Instructions>, }

    /// `pay.Terms`.
    Terms { due_dates: Vec<DueDate>, notes: Option<String>, }

    /// `pay.DueDate`.
    DueDate { date: String, }

    /// `pay.Instructions`.
    Instructions { credit_transfer: Vec<CreditTransfer>, ext: Ext, }

    /// `pay.CreditTransfer`.
    CreditTransfer { iban: Option<String>, bic: Option<String>, name: Option<String>, }

    /// `bill.Totals`.
    Totals { taxes: Taxes, payable: Figure, }

    /// `tax.Total`.
    Taxes { categories: Vec<Category>, }

    /// `tax.CategoryTotal`.
    Category { code: String, rates: Vec<Rate>, }

    /// `tax.RateTotal`.
    Rate { ext: Ext, base: Figure, amount: Figure, }

    /// `org.Note`.
    Note { code: Option<String>, src: Option<String>, text: String, }
}

impl Invoice {
    /// As printed on the document.
    pub(super) fn number(&self) -> String {
        number(&self.series, &self.code)
    }

    /// `RodzajFaktury`.
    pub(super) fn invoice_type(&self) -> &str {
        self.tax.ext.get(EXT_INVOICE_TYPE).map_or("", String::as_str)
    }

    /// Whether the figures are what is credited.
    pub(super) fn is_credit(&self) -> bool {
        self.kind == "credit-note"
    }

    /// Whether prices are with the tax.
    pub(super) fn includes_tax(&self) -> bool {
        self.tax.prices_include.is_some()
    }

    /// Whether it is for nobody in particular, or corrects what was.
    pub(super) fn is_simplified(&self) -> bool {
        self.tags.iter().any(|tag| tag == "simplified")
    }

    /// Whether a flag of the add-on is set.
    pub(super) fn has(&self, flag: &str) -> bool {
        self.tax.ext.get(flag).is_some_and(|value| value == "1")
    }

    /// Zloty for one of the document's currency; none for zloty, or when the document does not say.
    pub(super) fn exchange_rate(&self) -> Option<Figure> {
        let rate = self.exchange_rates.iter().find(|rate| rate.from == self.currency && rate.to == "PLN");
        rate.map(|rate| rate.amount).filter(|_| self.currency != "PLN")
    }

    /// The rows of VAT.
    pub(super) fn rates(&self) -> impl Iterator<Item = &Rate> {
        self.totals
            .taxes
            .categories
            .iter()
            .filter(|category| category.code == "VAT")
            .flat_map(|vat| &vat.rates)
    }
}

impl Combo {
    /// The declaration's row.
    pub(super) fn category(&self) -> &str {
        category(&self.ext)
    }
}

impl Rate {
    /// The declaration's row.
    pub(super) fn category(&self) -> &str {
        category(&self.ext)
    }
}

/// A number as people read it.
pub(super) fn number(series: &str, code: &str) -> String {
    if series.is_empty() { code.to_owned() } else { format!("{series}-{code}") }
}

fn category(ext: &Ext) -> &str {
    ext.get(EXT_TAX_CATEGORY).map_or("", String::as_str)
}
