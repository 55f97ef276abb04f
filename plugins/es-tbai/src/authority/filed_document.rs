//! A document with everything the record needs.

use einvoice_es::identification::Identification;
use einvoice_es::nif::{Holder, Nif};
use einvoice_es::stored;
use einvoice_gobl::decimal::Decimal;
use einvoice_plugin::Faults;

use super::READER;
use super::figures;
use crate::codes::{EXT_ACTIVITY, EXT_REGION, EXT_SIMPLIFIED, IDENTITY_TERMS, LROE, META_RECORD, Region};

/// A document that a treasury can file.
#[derive(Debug)]
pub(super) struct FiledDocument {
    pub(super) names: stored::FiledDocument,
    pub(super) region: Option<Region>,
}

impl FiledDocument {
    pub(super) fn read(json: &str) -> Result<Self, Faults> {
        let names = stored::FiledDocument::read(json).map_err(|error| READER.unreadable(&error))?;
        let region = names.invoice.code_of(EXT_REGION).and_then(Region::of_code);
        Ok(Self { names, region })
    }

    /// The treasury it goes to; Gipuzkoa's where the document does not say.
    pub(super) fn treasury(&self) -> Region {
        self.region.unwrap_or(Region::Gipuzkoa)
    }

    /// Whether the message to Bizkaia's register goes over the wire, with the file inside.
    pub(super) fn goes_into_register(&self) -> bool {
        let record = self.names.invoice.meta.get(META_RECORD).and_then(|record| record.as_str());
        record == Some(LROE) && self.treasury() == Region::Bizkaia
    }

    /// Whether a natural person issues it.
    pub(super) fn is_of_person(&self) -> bool {
        Nif::parse(&self.names.issuer).is_ok_and(|issuer| issuer.holder() != Holder::Organisation)
    }

    /// The code of the economic activity (epígrafe).
    pub(super) fn activity(&self) -> Option<&str> {
        self.names.invoice.supplier.ext.get(EXT_ACTIVITY).map(String::as_str)
    }

    /// The series, where the document has its number in one.
    pub(super) fn series(&self) -> Option<&str> {
        self.names.invoice.series.as_deref().map(str::trim).filter(|series| !series.is_empty())
    }

    /// The number inside the series.
    pub(super) fn number(&self) -> &str {
        self.names.invoice.code.trim()
    }

    pub(super) fn is_simplified(&self) -> bool {
        self.names.invoice.code_of(EXT_SIMPLIFIED) == Some("S")
    }

    /// None without recipient, and for one that is told by name only.
    pub(super) fn recipient(&self) -> Option<Identification<'_>> {
        self.names.invoice.customer.as_ref().and_then(|party| IDENTITY_TERMS.identify(party))
    }

    /// Whether the breakdown tells goods and services apart for the recipient.
    pub(super) fn is_to_foreigner(&self) -> bool {
        self.recipient().is_some_and(|found| found.is_of_foreigner() && !found.is_document_of("ES"))
    }

    /// A figure as the record states it, negative when something is credited. None when the schema has no room for it.
    pub(super) fn figure(&self, text: &str) -> Option<Decimal> {
        figures::read(&self.names.invoice.stated(text))
    }

    /// The same as an amount.
    pub(super) fn amount(&self, text: &str) -> String {
        self.figure(text).map_or_else(|| text.to_owned(), Decimal::amount)
    }

    /// What the invoice comes to, before anything is withheld.
    pub(super) fn total(&self) -> String {
        self.amount(&self.names.invoice.totals.total_with_tax)
    }
}
