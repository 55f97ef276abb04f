//! Everything that would make a treasury, or the structured format, refuse a document.

use std::collections::BTreeSet;

use einvoice_es::check;
use einvoice_es::country::normalise;
use einvoice_es::doc_type::DocType;
use einvoice_es::faults::Findings;
use einvoice_es::identity::is_given;
use einvoice_es::nif::{Holder, Nif};
use einvoice_es::taxes::Category;
use einvoice_gobl::text::{excerpt, non_blank};
use einvoice_gobl::{Mapping, Row, ext};
use einvoice_plugin::{Address, Context, Invoice, Line, Recipient};

use crate::SYSTEM;
use crate::codes::{self, EXT, EXT_ACTIVITY, EXT_PRODUCT, EXT_REGIME, EXT_REGION, Product, Region};
use crate::rows::Rows;
use crate::settings::Settings;

/// Lines of an invoice (`IDDetalleFactura`).
const LINES_MAX: usize = 1000;
/// VAT regimes of an invoice (`IDClave`).
const REGIMES_MAX: usize = 3;
/// Characters of a postcode (`CodigoPostal`).
const POSTCODE_CHARS_MAX: usize = 20;

/// What was found, and as what the document would go out.
#[derive(Debug)]
pub struct Examination {
    /// All faults, errors and warnings.
    pub findings: Findings,
    /// Its type.
    pub doc_type: DocType,
    /// The workspace's settings; the defaults when they do not fit their schema.
    pub settings: Settings,
    /// The treasury. None after an error was found.
    pub region: Option<Region>,
    /// The economic activity of a natural person.
    pub activity: Option<String>,
}

/// Examines a document by the rules all Spanish systems share and by those of TicketBAI.
pub fn examine(invoice: &Invoice, context: &Context) -> Examination {
    let parsed = Settings::parse(&context.settings);
    let choices = parsed.as_ref().map(Into::into).map_err(Clone::clone);
    let settings = parsed.unwrap_or_default();
    let check::Examination { mut findings, doc_type } = check::examine(&SYSTEM, invoice, context, choices);
    let region = region(invoice, context, &settings, &mut findings);
    let activity = activity(context, &settings, region, &mut findings);
    check_notes(invoice, &settings, &mut findings);
    check_lines(invoice, &mut findings);
    check_exemptions(invoice, &mut findings);
    check_address(invoice, doc_type, region, &mut findings);
    let rows = Rows { settings: &settings, invoice };
    check_regimes(invoice, &rows, &mut findings);
    let treatment_of = |line: &Line| rows.treatment(&Row::of_line(line));
    findings.ext(ext::objections(SYSTEM.name, EXT, invoice, treatment_of));
    Examination { findings, doc_type, settings, region, activity }
}

/// The document says it, the workspace, or the supplier's address.
fn region(
    invoice: &Invoice,
    context: &Context,
    settings: &Settings,
    findings: &mut Findings,
) -> Option<Region> {
    if let Some(entry) = codes::find_ext(&invoice.ext, EXT_REGION) {
        let known = Region::of_code(&entry.value);
        if known.is_none() {
            let message = format!("'{}' is no province; use VI, BI or SS.", excerpt(&entry.value));
            findings.error("REGION-02", format!("/ext/{}", entry.key), message);
        }
        return known;
    }
    let of_address = || context.supplier.address.as_ref().and_then(Region::of_address);
    let region = settings.region.or_else(of_address);
    if region.is_none() {
        let message = "The supplier's address is in none of the three provinces; correct the address or set the \
                       workspace's region.";
        findings.error("REGION-01", "/supplier/address/region", message);
    }
    region
}

fn activity(
    context: &Context,
    settings: &Settings,
    region: Option<Region>,
    findings: &mut Findings,
) -> Option<String> {
    const PATH: &str = "/supplier/ext/es-tbai-bi-activity";
    let entry = codes::find_ext(&context.supplier.ext, EXT_ACTIVITY).map(|entry| entry.value.clone());
    let activity = entry.or_else(|| settings.activity.clone());
    if let Some(malformed) = activity.as_deref().filter(|activity| !codes::is_activity(activity)) {
        let message =
            format!("'{}' is no code of an economic activity; use one to seven digits.", excerpt(malformed));
        findings.error("ACTIVITY-02", PATH, message);
    }
    let is_person =
        Nif::parse(&context.supplier.tax_id).is_ok_and(|nif| nif.holder() != Holder::Organisation);
    if activity.is_none() && is_person && region == Some(Region::Bizkaia) {
        let message = "A natural person in Bizkaia needs the code of the economic activity; set the workspace's \
                       activity.";
        findings.error("ACTIVITY-01", PATH, message);
    }
    activity
}

fn check_notes(invoice: &Invoice, settings: &Settings, findings: &mut Findings) {
    if non_blank(invoice.notes.as_deref()).is_none() && settings.description.is_none() {
        let message =
            "TicketBAI wants a description of the operation; add notes, or set the workspace's description.";
        findings.error("NOTES-02", "/notes", message);
    }
}

fn check_lines(invoice: &Invoice, findings: &mut Findings) {
    let count = invoice.lines.len();
    if count > LINES_MAX {
        let message = format!("The invoice has {count} lines, the tax agency takes {LINES_MAX}; split it.");
        findings.error("LINE-04", "/lines", message);
    }
    let of_document = [("/ext".to_owned(), &invoice.ext)];
    let of_lines = invoice.lines.iter().enumerate().map(|(at, line)| (format!("/lines/{at}/ext"), &line.ext));
    for (path, ext) in of_document.into_iter().chain(of_lines) {
        if let Some(entry) =
            codes::find_ext(ext, EXT_PRODUCT).filter(|entry| Product::of_code(&entry.value).is_none())
        {
            let message =
                format!("'{}' is no product; use goods, services or resale.", excerpt(&entry.value));
            findings.error("PRODUCT-01", format!("{path}/{}", entry.key), message);
        }
        if let Some(entry) =
            codes::find_ext(ext, EXT_REGIME).filter(|entry| codes::regime(&entry.value).is_none())
        {
            let message = format!(
                "'{}' is no VAT regime of TicketBAI; use 01 or another code of its list.",
                excerpt(&entry.value)
            );
            findings.error("REGIME-01", format!("{path}/{}", entry.key), message);
        }
    }
}

/// Araba and Gipuzkoa want to know where an identified recipient is.
fn check_address(invoice: &Invoice, doc_type: DocType, region: Option<Region>, findings: &mut Findings) {
    const PATH: &str = "/recipient/address";
    let Some(recipient) = &invoice.recipient else { return };
    if doc_type.is_simplified() && !is_given(recipient) {
        return;
    }
    let address = match recipient {
        Recipient::Individual(person) => &person.address,
        Recipient::Company(company) => &company.address,
    };
    let part = |part: fn(&Address) -> &Option<String>| {
        address.as_ref().and_then(|address| non_blank(part(address).as_deref()))
    };
    let postcode = part(|address| &address.postcode);
    let is_abroad = part(|address| &address.country).is_some_and(|country| normalise(country) != Some("ES"));
    let is_placed = part(|address| &address.street).or_else(|| part(|address| &address.locality)).is_some();
    let is_complete = is_placed && (is_abroad || postcode.is_some());
    if !is_complete && matches!(region, Some(Region::Araba | Region::Gipuzkoa)) {
        let message = "Araba and Gipuzkoa want the recipient's address; add street or place, and in Spain the postcode.";
        findings.error("ADDRESS-01", PATH, message);
    }
    if postcode.is_some_and(|postcode| postcode.chars().count() > POSTCODE_CHARS_MAX) {
        let message =
            format!("The recipient's postcode has more than {POSTCODE_CHARS_MAX} characters; correct it.");
        findings.error("ADDRESS-02", format!("{PATH}/postcode"), message);
    }
}

fn check_regimes(invoice: &Invoice, rows: &Rows<'_>, findings: &mut Findings) {
    let regimes: BTreeSet<_> = invoice.lines.iter().filter_map(|line| rows.regime_of(line)).collect();
    if regimes.len() > REGIMES_MAX {
        let message = format!(
            "The invoice has lines of {} VAT regimes, the tax agency takes {REGIMES_MAX}; split it.",
            regimes.len()
        );
        findings.error("REGIME-02", "/lines", message);
    }
}

/// The treasury has one code for everything untaxed under the Canary Islands' tax, so the format adds up what the gateway
/// tells apart by its exemptions. The tax of Ceuta and Melilla has none.
fn check_exemptions(invoice: &Invoice, findings: &mut Findings) {
    for (at, line) in invoice.lines.iter().enumerate() {
        let elsewhere = Category::parse(&line.tax.category) == Some(Category::Igic);
        let clashes = |other: &Line| {
            let (one, other) = (&line.tax, &other.tax);
            one.category == other.category && other.exemption.is_some() && one.exemption != other.exemption
        };
        if elsewhere && line.tax.exemption.is_some() && invoice.lines.iter().take(at).any(clashes) {
            let message = format!(
                "TicketBAI tells no exemptions of {} apart; name the same exemption on all of its lines, or split the \
                 invoice.",
                line.tax.category
            );
            findings.error("EXEMPTION-01", format!("/lines/{at}/tax/exemption"), message);
        }
    }
}
