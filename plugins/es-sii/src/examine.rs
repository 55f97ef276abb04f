//! Everything that would make the agency, or the structured format, refuse a document.

use einvoice_es::check;
use einvoice_es::doc_type::DocType;
use einvoice_es::faults::Findings;
use einvoice_es::taxes::{Category, Treatment};
use einvoice_gobl::text::excerpt;
use einvoice_gobl::{Mapping, Row, ext};
use einvoice_plugin::{Context, Ext, Invoice, Line};

use crate::SYSTEM;
use crate::books;
use crate::codes::{self, EXPORT, EXT, EXT_ARTICLE_7, EXT_PRODUCT, EXT_REGIME, GENERAL, Product};
use crate::rows::{self, Rows};
use crate::settings::Settings;

/// What was found, and as what the document would go out.
#[derive(Debug)]
pub struct Examination {
    /// All faults, errors and warnings.
    pub findings: Findings,
    /// Its type.
    pub doc_type: DocType,
    /// The workspace's settings; the defaults when they do not fit their schema.
    pub settings: Settings,
}

/// Examines a document by the rules all Spanish systems share and by those of the SII.
pub fn examine(invoice: &Invoice, context: &Context) -> Examination {
    let parsed = Settings::parse(&context.settings);
    let choices = parsed.as_ref().map(Into::into).map_err(Clone::clone);
    let settings = parsed.unwrap_or_default();
    let check::Examination { mut findings, doc_type } = check::examine(&SYSTEM, invoice, context, choices);
    check::article_7(codes::find_ext(&invoice.ext, EXT_ARTICLE_7), doc_type, &mut findings);
    check_codes(&invoice.ext, "/ext", &mut findings);
    for (at, line) in invoice.lines.iter().enumerate() {
        check_codes(&line.ext, &format!("/lines/{at}/ext"), &mut findings);
    }
    let rows = Rows { settings: &settings, invoice };
    check_consistency(invoice, rows, &mut findings);
    books::check(invoice, doc_type, rows, &mut findings);
    let treatment_of = |line: &Line| rows.treatment(&Row::of_line(line));
    findings.ext(ext::objections(SYSTEM.name, EXT, invoice, treatment_of));
    Examination { findings, doc_type, settings }
}

/// Whether the codes of a document or a line are in the agency's lists.
fn check_codes(ext: &[Ext], path: &str, findings: &mut Findings) {
    if let Some(entry) =
        codes::find_ext(ext, EXT_REGIME).filter(|entry| codes::regime(&entry.value).is_none())
    {
        let message = format!(
            "'{}' is no regime of the SII; use 01 or another code of its list.",
            excerpt(&entry.value)
        );
        findings.error("REGIME-01", format!("{path}/{}", entry.key), message);
    }
    if let Some(entry) =
        codes::find_ext(ext, EXT_PRODUCT).filter(|entry| Product::of_code(&entry.value).is_none())
    {
        let message = format!("'{}' is no product; use goods or services.", excerpt(&entry.value));
        findings.error("PRODUCT-01", format!("{path}/{}", entry.key), message);
    }
}

/// A line whose tax the agency is told of, with its treatment.
fn reported_treatment(line: &Line) -> Option<Treatment> {
    let category = Category::parse(&line.tax.category).filter(|category| *category != Category::Ipsi);
    category.and_then(|_| {
        Treatment::of(&SYSTEM, line.tax.rate, line.tax.surcharge, line.tax.exemption.as_deref())
    })
}

/// The whole invoice has one regime, and all of its lines say what they sell or none.
fn check_consistency(invoice: &Invoice, rows: Rows<'_>, findings: &mut Findings) {
    let mut first = None;
    let mut mixed = (false, false);
    for (at, line) in invoice.lines.iter().enumerate() {
        let Some(treatment) = reported_treatment(line) else { continue };
        let (regime, product) = (rows.regime(&line.ext, treatment), rows.product(&line.ext).is_some());
        let (first_regime, first_product) = *first.get_or_insert((regime, product));
        if regime != first_regime && !mixed.0 {
            mixed.0 = true;
            let message = format!(
                "The tax agency takes one regime per invoice, and this line has {regime} where others have \
                 {first_regime}; split the invoice or choose one regime for it."
            );
            findings.error("REGIME-02", format!("/lines/{at}/tax"), message);
        }
        if product != first_product && !mixed.1 {
            mixed.1 = true;
            let message = "Some lines say what they sell and others do not; say it of all lines or of none.";
            findings.error("PRODUCT-02", format!("/lines/{at}/ext"), message);
        }
        if regime == GENERAL && is_export_of_articles_21_and_22(treatment) {
            let message = "An export does not go out under the general regime; use regime 02.";
            findings.error("REGIME-03", format!("/lines/{at}/tax/exemption"), message);
        }
        if regime == EXPORT && !is_exempt(treatment) {
            let message = "Regime 02 is for exempt exports only; use regime 01, or split the invoice.";
            findings.error("REGIME-04", format!("/lines/{at}/tax"), message);
        }
    }
}

fn is_exempt(treatment: Treatment) -> bool {
    matches!(treatment, Treatment::Untaxed(exemption) if rows::exempt(exemption.class).is_some())
}

fn is_export_of_articles_21_and_22(treatment: Treatment) -> bool {
    matches!(treatment, Treatment::Untaxed(exemption) if matches!(rows::exempt(exemption.class), Some("E2" | "E3")))
}
