//! What a renderer is asked, out of a document.

use crate::labels::Labels;
use crate::words::Language;
use gateway_domain::invoicing::{
    Acceptance, Address, Content, DocumentKind, IdentityDocument, Invoice, RateTotal, Recipient,
    RetentionTotal, State, Status, currency_decimals,
};
use gateway_domain::money::Amount;
use gateway_domain::regime::{PrintingDescription, RegimeDescription};
use gateway_domain::workspace::{Printing, Workspace};
use gateway_plugin_host::renderer::request::{
    Document, DocumentKind as PrintedKind, Ext, Line, Party, QrCode, Request, Stamp, TaxIdentifier, TaxRow,
    Totals,
};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::Value;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

/// Of a tax system that does not say.
const LOCALE: &str = "en";

/// Who issues a document, how its documents look, and what its tax system prints.
#[derive(Debug)]
pub(crate) struct Issuer {
    workspace: Workspace,
    look: Printing,
    regime: Option<Arc<RegimeDescription>>,
    printing: Option<Arc<PrintingDescription>>,
}

impl Issuer {
    pub(crate) fn new(
        workspace: Workspace,
        look: Printing,
        regime: Option<(Arc<RegimeDescription>, Option<Arc<PrintingDescription>>)>,
    ) -> Self {
        let (regime, printing) = regime.map_or((None, None), |(regime, printing)| (Some(regime), printing));
        Self { workspace, look, regime, printing }
    }

    pub(crate) fn locale(&self) -> &str {
        self.printing.as_ref().map_or(LOCALE, |printing| &printing.locale)
    }

    pub(crate) fn time_zone(&self) -> TimeZone {
        self.workspace.time_zone.clone()
    }

    /// Different when anything differs that a document shows of it.
    pub(crate) fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        format!("{:?} {:?} {:?}", self.workspace.supplier, self.regime, self.printing).hash(&mut hasher);
        self.look.logo.hash(&mut hasher);
        self.look.attach_record.hash(&mut hasher);
        self.template().hash(&mut hasher);
        hasher.finish()
    }

    /// Whether the record that the tax authority received lies in the file.
    pub(crate) fn attaches_record(&self) -> bool {
        self.look.attach_record == Some(true)
    }

    fn template(&self) -> Option<String> {
        self.look.template.clone().map(|template| Value::Object(template).to_string())
    }

    fn party(&self, language: Language) -> Party {
        let supplier = &self.workspace.supplier;
        Party {
            name: supplier.legal_name.clone(),
            tax_id: tax_identifier(self.tax_id_label(language), &supplier.tax_id),
            address: address(supplier.address.as_ref(), &supplier.country),
            email: supplier.email.clone(),
            ext: Vec::new(),
        }
    }

    /// What the country calls it, in every language.
    fn tax_id_label(&self, language: Language) -> &str {
        self.printing.as_ref().map_or(language.words().vat_number, |printing| &printing.tax_id_label)
    }

    /// What the tax system wants to stand on a document that it has, or will have.
    fn stamp(&self, acceptance: Option<&Acceptance>) -> Option<Stamp> {
        let printing = self.printing.as_deref();
        let acceptance = acceptance?;
        let qr = acceptance.qr_url.clone().filter(|address| fits_code(address)).map(|content| QrCode {
            content,
            caption: printing.and_then(|printing| printing.qr_caption.clone()),
            side_mm_min: printing.map_or(QR_SIDE_MM, |printing| printing.qr_side_mm),
        });
        Some(Stamp {
            qr,
            legend: legend(printing, acceptance),
            hash: acceptance.tax_system_hash.clone(),
            ext: Vec::new(),
        })
    }
}

/// What a stand-in authority accepted is no tax document, and says so.
pub fn legend(printing: Option<&PrintingDescription>, acceptance: &Acceptance) -> Vec<String> {
    let legend = printing.map(|printing| printing.legend.clone()).unwrap_or_default();
    legend.into_iter().chain(acceptance.sandbox.then(|| SANDBOX.to_owned())).collect()
}

const SANDBOX: &str = "SANDBOX";

/// Bytes that the largest QR code holds at the level that renderers draw.
const QR_BYTES_MAX: usize = 2_331;

fn fits_code(address: &str) -> bool {
    (1..=QR_BYTES_MAX).contains(&address.len())
}

/// Of a tax system that does not say how large its code is.
pub const QR_SIDE_MM: u8 = 30;

/// The whole request. `day` is the issue date that the document shows, `references` what [`references`] made.
pub(crate) fn of(
    invoice: &Invoice,
    issuer: &Issuer,
    references: Vec<String>,
    locale: String,
    day: Date,
) -> Request {
    let (content, totals, language) = (&invoice.content, &invoice.totals, Language::of(&locale));
    let labels =
        Labels { regime: issuer.regime.as_deref(), printing: issuer.printing.as_deref(), locale: &locale };
    let acceptance = match &invoice.state {
        State::Issued { acceptance, .. } => acceptance.as_ref(),
        State::Draft | State::Issuing { .. } | State::Rejected { .. } => None,
    };
    let document = Document {
        kind: kind(content),
        number: invoice.state.number().map(|number| number.0.clone()),
        is_draft: is_draft(invoice),
        issue_date: day.to_string(),
        operation_date: content.operation_date.map(|date| date.to_string()),
        due_date: content.payment.as_ref().and_then(|payment| payment.due_date).map(|date| date.to_string()),
        currency: content.currency.clone(),
        currency_decimals: currency_decimals(&content.currency),
        prices_include_tax: content.prices_include_tax,
        lines: lines(invoice, labels),
        totals: Totals {
            net: totals.net.to_string(),
            tax: totals.tax.to_string(),
            gross: totals.gross.to_string(),
            retained: (!totals.retained.is_zero()).then(|| totals.retained.to_string()),
            payable: totals.payable.to_string(),
        },
        tax_rows: tax_rows(&totals.rates, labels),
        retention_rows: retention_rows(&totals.retentions, labels),
        references,
        notes: notes(content, acceptance, language),
        ext: status(&invoice.state),
    };
    Request {
        document,
        supplier: issuer.party(language),
        recipient: content.recipient.as_ref().map(|found| recipient(found, issuer, language)),
        stamp: issuer.stamp(acceptance),
        locale,
        logo: issuer.look.logo.clone(),
        accent_color: None,
        attachments: Vec::new(),
        template: issuer.template(),
        ext: Vec::new(),
    }
}

const fn kind(content: &Content) -> PrintedKind {
    match (content.document_type, &content.recipient) {
        (DocumentKind::Invoice, Some(_)) => PrintedKind::Invoice,
        (DocumentKind::Invoice, None) => PrintedKind::SimplifiedInvoice,
        (DocumentKind::CreditNote, _) => PrintedKind::CreditNote,
        (DocumentKind::Proforma, _) => PrintedKind::Proforma,
        (DocumentKind::Receipt, _) => PrintedKind::Receipt,
    }
}

/// Whether nobody may take it for the document: it is being written, or the authority has not accepted it.
fn is_draft(invoice: &Invoice) -> bool {
    match invoice.state.status() {
        Status::Draft => invoice.content.document_type.has_series(),
        Status::Issuing | Status::Rejected => true,
        Status::Issued => false,
    }
}

/// What `is_draft` leaves open: a document that was rejected is no draft, and a renderer that knows the key says so.
fn status(state: &State) -> Vec<Ext> {
    match state {
        State::Rejected { .. } => {
            vec![Ext { key: "status".to_owned(), value: state.status().as_str().to_owned() }]
        }
        State::Draft | State::Issuing { .. } | State::Issued { .. } => Vec::new(),
    }
}

fn lines(invoice: &Invoice, labels: Labels<'_>) -> Vec<Line> {
    let figures = invoice.totals.lines.iter();
    let line =
        |(line, figures): (&gateway_domain::invoicing::Line, &gateway_domain::invoicing::LineTotals)| Line {
            description: description(line, Language::of(labels.locale)),
            quantity: line.quantity.to_string(),
            unit_price: line.unit_price.to_string(),
            discount: None,
            total: figures.total.to_string(),
            taxes: vec![labels.of_line(&line.tax)],
            ext: Vec::new(),
        };
    invoice.content.lines.iter().zip(figures).map(line).collect()
}

/// Most rows of the breakdown that `wit/render-v1` takes.
const TAX_ROWS_MAX: usize = 1_000;

/// The breakdown by tax. Its rows add up to the tax of the document: a surcharge has a row of its own below that of its rate,
/// or, where more rows would come of it than a renderer takes, stands in the same one.
pub fn tax_rows(rates: &[RateTotal], labels: Labels<'_>) -> Vec<TaxRow> {
    let row = |label: String, rate: &RateTotal, amount: Amount| TaxRow {
        label,
        base: rate.base.to_string(),
        amount: amount.to_string(),
    };
    let surcharge = |rate: &RateTotal| rate.surcharge.zip(rate.surcharge_amount);
    let count = rates.len() + rates.iter().filter_map(surcharge).count();
    let mut rows = Vec::with_capacity(count);
    for rate in rates {
        let together = surcharge(rate).filter(|_| count > TAX_ROWS_MAX);
        // The sum of all of them is the document's tax, so that no part of it is too large.
        if let Some(Ok(amount)) = together.map(|(_, amount)| rate.amount.plus_exact(amount)) {
            rows.push(row(labels.of_rate_with_surcharge(rate), rate, amount));
            continue;
        }
        rows.push(row(labels.of_rate(rate), rate, rate.amount));
        let own = surcharge(rate);
        rows.extend(own.map(|(percent, amount)| row(labels.of_surcharge(percent), rate, amount)));
    }
    rows
}

/// What the recipient withholds.
pub fn retention_rows(retentions: &[RetentionTotal], labels: Labels<'_>) -> Vec<TaxRow> {
    let row = |retention: &RetentionTotal| TaxRow {
        label: labels.of_retention(retention),
        base: retention.base.to_string(),
        amount: retention.amount.to_string(),
    };
    retentions.iter().map(row).collect()
}

/// What is sold, and below it the days that it bills.
fn description(line: &gateway_domain::invoicing::Line, language: Language) -> String {
    let text = &line.description;
    line.period.map_or_else(|| text.clone(), |period| format!("{text}\n{}", language.period(period)))
}

/// The documents that a document refers to, as people read them.
pub fn references(documents: &[Invoice], locale: &str) -> Vec<String> {
    let language = Language::of(locale);
    let reference = |document: &Invoice| {
        let number = &document.state.number()?.0;
        let day = document.content.issue_date.map(|day| format!(" ({})", language.date(day)));
        Some(format!("{number}{}", day.unwrap_or_default()))
    };
    documents.iter().filter_map(reference).collect()
}

/// With the address where anybody verifies the document, where no QR code can hold it.
fn notes(content: &Content, acceptance: Option<&Acceptance>, language: Language) -> Vec<String> {
    let payment = content.payment.as_ref().and_then(|payment| payment.note.clone());
    let address = acceptance.and_then(|acceptance| acceptance.qr_url.as_deref());
    let address = address.filter(|address| !address.is_empty() && !fits_code(address));
    let verification = address.map(|address| format!("{}: {address}", language.words().verification));
    content.notes.iter().cloned().chain(payment).chain(verification).collect()
}

fn recipient(recipient: &Recipient, issuer: &Issuer, language: Language) -> Party {
    match recipient {
        Recipient::Individual { name, identity_document, address: at, email, .. } => Party {
            name: name.clone(),
            tax_id: identity_document.as_ref().and_then(|document| identity(document, language)),
            address: address(at.as_ref(), ""),
            email: email.clone(),
            ext: Vec::new(),
        },
        Recipient::Company { name, tax_number, country, address: at, email, .. } => Party {
            name: name.clone(),
            tax_id: tax_number.as_ref().and_then(|number| {
                let is_at_home = country.as_ref() == Some(&issuer.workspace.supplier.country);
                let foreign = language.words().vat_number;
                tax_identifier(if is_at_home { issuer.tax_id_label(language) } else { foreign }, number)
            }),
            address: address(at.as_ref(), country.as_deref().unwrap_or_default()),
            email: email.clone(),
            ext: Vec::new(),
        },
    }
}

fn identity(document: &IdentityDocument, language: Language) -> Option<TaxIdentifier> {
    let country = document.country.as_deref().map(|country| format!(" ({country})")).unwrap_or_default();
    let label = language.words().identity_document;
    tax_identifier(label, &format!("{}{country}", document.number))
}

fn tax_identifier(label: &str, value: &str) -> Option<TaxIdentifier> {
    (!value.trim().is_empty()).then(|| TaxIdentifier { label: label.to_owned(), value: value.to_owned() })
}

/// A line each: the street, the place with its postcode, the region, the country.
fn address(address: Option<&Address>, country: &str) -> Vec<String> {
    let Some(address) = address else {
        return (!country.is_empty()).then(|| country.to_owned()).into_iter().collect();
    };
    let text = |part: &Option<String>| part.clone().unwrap_or_default();
    let place = format!("{} {}", text(&address.postcode), text(&address.locality));
    let lines =
        [text(&address.street), place.trim().to_owned(), text(&address.region), text(&address.country)];
    lines.into_iter().filter(|line| !line.is_empty()).collect()
}

#[cfg(test)]
mod tests;
