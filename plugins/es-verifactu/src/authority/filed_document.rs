//! A document with everything the agency's record needs.

use einvoice_es::date::Date;
use einvoice_es::identification::Identification;
use einvoice_es::record::{Cancellation, Record};
use einvoice_es::stored::{Invoice, number};
use einvoice_es::text::DESCRIPTION_CHARS_MAX;
use einvoice_plugin::Faults;
use serde_json::Value;

use super::READER;
use crate::codes::IDENTITY_TERMS;
use crate::deadline::{META_INCIDENT, YES};
use crate::doc_type::{DocType, EXT_DOC_TYPE};

/// The member of the document's `meta` that says which record it becomes.
const META_RECORD: &str = "es-verifactu-record";
/// Its value that asks for a cancellation.
const CANCELLATION: &str = "cancellation";
/// What the operation was when the document does not say.
const NO_DESCRIPTION: &str = "Sin descripción";

/// A document that the agency can file.
#[derive(Debug)]
pub(super) struct FiledDocument {
    pub(super) issuer: String,
    pub(super) number: String,
    /// The day of issue.
    pub(super) day: Date,
    /// The same day as the agency writes it.
    pub(super) date: String,
    pub(super) document_type: String,
    /// As the record states them: negative when something is credited.
    pub(super) tax: String,
    pub(super) total: String,
    /// Whether the document is sent to cancel its own record.
    pub(super) cancels: bool,
    /// Whether an outage held the record up (`Incidencia`).
    pub(super) held_up: bool,
    pub(super) invoice: Invoice,
}

impl FiledDocument {
    pub(super) fn read(json: &str) -> Result<Self, Faults> {
        let invoice = Invoice::read(json).map_err(|error| READER.unreadable(&error))?;
        let number = number(invoice.series.as_deref(), &invoice.code);
        let day: Date =
            invoice.issue_date.parse().map_err(|_| READER.unreadable("the issue date is no date"))?;
        let issuer = invoice
            .supplier
            .tax_code()
            .ok_or_else(|| READER.unreadable("the supplier has no tax id"))?
            .to_owned();
        if number.is_empty() {
            return Err(READER.unreadable("the invoice has no number"));
        }
        if invoice.preceding.iter().any(|reference| reference.issue_date.is_none()) {
            return Err(READER.unreadable("a preceding document has no issue date"));
        }
        let cancels = match invoice.meta.get(META_RECORD) {
            None | Some(Value::Null) => false,
            Some(Value::String(record)) if record == CANCELLATION => true,
            Some(_) => return Err(READER.unreadable("meta.es-verifactu-record can only be 'cancellation'")),
        };
        let held_up = match invoice.meta.get(META_INCIDENT) {
            None | Some(Value::Null) => false,
            Some(Value::String(incident)) if incident == YES => true,
            Some(_) => return Err(READER.unreadable("meta.es-verifactu-incident can only be 'S'")),
        };
        Ok(Self {
            issuer,
            number,
            day,
            date: day.agency(),
            document_type: invoice
                .code_of(EXT_DOC_TYPE)
                .ok_or_else(|| READER.unreadable("the document type is missing"))?
                .to_owned(),
            tax: invoice.stated(&invoice.totals.tax),
            total: invoice.stated(&invoice.totals.total_with_tax),
            cancels,
            held_up,
            invoice,
        })
    }

    /// Issuer, number and date make a record unique.
    pub(super) fn key(&self) -> String {
        format!("{}|{}|{}", self.issuer, self.number, self.date)
    }

    /// The record that registers the invoice.
    pub(super) fn registration<'a>(&'a self, previous: &'a str, generated_at: &'a str) -> Record<'a> {
        Record {
            issuer: &self.issuer,
            number: &self.number,
            issue_date: &self.date,
            document_type: &self.document_type,
            tax: &self.tax,
            total: &self.total,
            previous,
            generated_at,
        }
    }

    /// The record that cancels the invoice.
    pub(super) fn cancellation<'a>(&'a self, previous: &'a str, generated_at: &'a str) -> Cancellation<'a> {
        Cancellation {
            issuer: &self.issuer,
            number: &self.number,
            issue_date: &self.date,
            previous,
            generated_at,
        }
    }

    /// None when the agency has no such type.
    pub(super) fn doc_type(&self) -> Option<DocType> {
        DocType::of_code(&self.document_type)
    }

    /// Whom the agency is told of. None without recipient, and for one that is known by name only.
    pub(super) fn recipient(&self) -> Option<Identification<'_>> {
        self.invoice.customer.as_ref().and_then(|party| IDENTITY_TERMS.identify(party))
    }

    /// A figure of the document as the record states it.
    pub(super) fn stated(&self, figure: &str) -> String {
        self.invoice.stated(figure)
    }

    /// The day of the operation, when it is another than the day of issue.
    pub(super) fn operation_day(&self) -> Option<Date> {
        self.invoice.op_date.as_deref().and_then(|date| date.parse().ok()).filter(|day| *day != self.day)
    }

    /// The general note, else the names of the lines, as far as they fit.
    pub(super) fn description(&self) -> String {
        let noted = self.invoice.notes.first().map(|note| note.text.trim().to_owned());
        let named = || {
            let names = self.invoice.lines.iter().map(|line| line.item.name.trim());
            names.filter(|name| !name.is_empty()).collect::<Vec<_>>().join(", ")
        };
        let text = noted.filter(|text| !text.is_empty()).unwrap_or_else(named);
        let text = if text.is_empty() { NO_DESCRIPTION.to_owned() } else { text };
        text.chars().take(DESCRIPTION_CHARS_MAX).collect()
    }
}
