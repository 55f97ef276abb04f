//! What goes over the wire to the workspace's approved platform, made of the stored document.
//!
//! | treatment | record |
//! |---|---|
//! | B2B, B2BINT, OUTOFSCOPE, ARCHIVEONLY | the invoice (flux 2): CII in the profile EN 16931 of Factur-X, with the note BAR |
//! | B2C, B2CINT | what e-reporting takes of it (flux 10.3): [`Report`] |
//!
//! A consumer's invoice is no invoice of flux 2. No consumer stands in the annuaire, every invoice there has an electronic
//! address of its recipient (BR-FR-12) and a recipient with an address (BR-10), which a consumer need not have; and what the
//! State asks for are the day's totals by rate, without any name. So its record is the one document's share of that report.
//!
//! `einvoice-en16931` derives the invoice from the stored document and prints it; here is what is French about it:
//!
//! | term | is |
//! |---|---|
//! | specification (BT-24), process (BT-23) | EN 16931; as the document's `meta` says |
//! | notes (BG-1) | PMT, PMD and AAB of the document, BAR of its `meta`: the format has no key for that one |
//! | prices (BT-146) | of six decimals at most (BR-FR-DEC-03) |
//!
//! A document without operation date has nothing to say of its delivery. The schema wants the element all the same, and the
//! validator of Factur-X warns of an empty one (PEPPOL-EN16931-R008); a date that nobody stated would be worse.

use einvoice_en16931::model::Note;
use einvoice_en16931::{Invoice, Profile, Syntax, Underivable, derive};
use einvoice_gobl::exact::Exact;
use serde::Deserialize;

use crate::report::{Period, Report, Sender};
use crate::treatment::{Treatment, process};

/// In the document's `meta`: the business process (BT-23).
pub const META_PROCESS: &str = "facturx-process";
/// In the document's `meta`: what the note BAR says.
pub const META_TREATMENT: &str = "facturx-treatment";
/// In the document's `meta`: the registration number of the platform that reports.
pub const META_PLATFORM: &str = "facturx-platform";
/// In the document's `meta`: its name.
pub const META_PLATFORM_NAME: &str = "facturx-platform-name";
/// In the document's `meta`: how often it reports, where that is not every ten days.
pub const META_PERIOD: &str = "facturx-period";
/// The value of [`META_PERIOD`] for a month.
pub const MONTH: &str = "month";

/// EN 16931, which Factur-X has for a profile too.
const GUIDELINE: &str = "urn:cen.eu:en16931:2017";
/// UNTDID 4451: how the document is handled.
const TREATMENT_NOTE: &str = "BAR";
/// Decimals of a price.
const PRICE_DECIMALS_MAX: u8 = 6;

/// What a stored document says for its record alone.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Stored {
    meta: Option<Meta>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Meta {
    #[serde(rename = "facturx-process")]
    process: String,
    #[serde(rename = "facturx-treatment")]
    treatment: String,
    #[serde(rename = "facturx-platform")]
    platform: String,
    #[serde(rename = "facturx-platform-name")]
    platform_name: String,
    #[serde(rename = "facturx-period")]
    period: String,
}

/// What goes over the wire.
#[derive(Debug)]
pub enum Record {
    /// Flux 2.
    Invoice(Box<Invoice>),
    /// Flux 10.
    Report(Box<Report>),
}

impl Record {
    /// The record of a stored document.
    pub fn of(json: &str) -> Result<Self, Underivable> {
        // Whoever reads the invoice of what cannot be read says so.
        let meta = serde_json::from_str::<Stored>(json).unwrap_or_default().meta.unwrap_or_default();
        let profile = Profile {
            customization_id: GUIDELINE,
            process_id: process(&meta.process),
            // No document has one: French companies are known by their VAT number and SIREN.
            tax_number_key: "fr-tax-number",
            rate_of_not_subject: false,
        };
        let mut invoice = derive(json, profile)?;
        if Treatment::of(&meta.treatment).is_some_and(Treatment::is_reported) {
            let sender = Sender { id: meta.platform, name: meta.platform_name };
            let period = if meta.period == MONTH { Period::Month } else { Period::TenDays };
            return Report::of(&invoice, sender, period)
                .map(|report| Self::Report(Box::new(report)))
                .ok_or(Underivable::Figure);
        }
        if !meta.treatment.is_empty() {
            invoice.notes.push(Note { subject: TREATMENT_NOTE.to_owned(), text: meta.treatment });
        }
        for line in invoice.lines.iter_mut().filter(|line| line.price.scale > PRICE_DECIMALS_MAX) {
            let rounded = Exact::of(line.price).round(PRICE_DECIMALS_MAX).and_then(Exact::amount);
            line.price = rounded.ok_or(Underivable::Figure)?.canonical(2);
        }
        Ok(Self::Invoice(Box::new(invoice)))
    }

    /// As XML.
    pub fn xml(&self) -> String {
        match self {
            Self::Invoice(invoice) => Syntax::Cii.write(invoice),
            Self::Report(report) => report.xml(),
        }
    }
}

/// The XML of a stored document; none of one that has no record.
pub fn xml(json: &str) -> Option<String> {
    Record::of(json).ok().map(|record| record.xml())
}
