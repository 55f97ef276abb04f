//! Everything that would make the agency, or the structured format, refuse a document.

use einvoice_es::check::{self, Examination};
use einvoice_es::faults::Findings;
use einvoice_es::identity;
use einvoice_es::taxes::{Category, Treatment};
use einvoice_gobl::text::excerpt;
use einvoice_gobl::{Mapping, Row, ext};
use einvoice_plugin::{Context, Ext, Invoice, Line};

use crate::SYSTEM;
use crate::codes::{self, EXT, GENERAL, SURCHARGE, find_article_7, find_regime};
use crate::rows::{Rows, is_export_of_articles_21_and_22};
use crate::settings::Settings;

/// Examines a document by the rules all Spanish systems share and by those of VERI*FACTU.
pub fn examine(invoice: &Invoice, context: &Context) -> Examination {
    let settings = Settings::parse(&context.settings);
    let mut examined = check::examine(&SYSTEM, invoice, context, settings.map(Into::into));
    let findings = &mut examined.findings;
    check::article_7(find_article_7(invoice), examined.doc_type, findings);
    // A simplified document goes out without its recipient's identity.
    let identified = invoice.recipient.as_ref().filter(|_| !examined.doc_type.is_simplified());
    let identity = identified.map(|recipient| identity::map(&SYSTEM, recipient));
    if let (Some(recipient), Some(Ok(identity))) = (identified, &identity) {
        check::listed_country(recipient, identity, findings);
    }
    check_regime_code(&invoice.ext, "/ext", findings);
    let rows = Rows { invoice };
    for (at, line) in invoice.lines.iter().enumerate() {
        check_regime_code(&line.ext, &format!("/lines/{at}/ext"), findings);
        check_regime(line, at, rows, findings);
    }
    let treatment_of = |line: &Line| rows.treatment(&Row::of_line(line));
    findings.ext(ext::objections(SYSTEM.name, EXT, invoice, treatment_of));
    examined
}

/// Whether the regime is in the agency's list (error 1246).
fn check_regime_code(ext: &[Ext], path: &str, findings: &mut Findings) {
    if let Some(entry) = find_regime(ext).filter(|entry| codes::regime(&entry.value).is_none()) {
        let message = format!(
            "'{}' is no regime of VERI*FACTU; use 01 or another code of its list.",
            excerpt(&entry.value)
        );
        findings.error("REGIME-01", format!("{path}/{}", entry.key), message);
    }
}

/// Whether the regime that was chosen fits the tax of the line.
fn check_regime(line: &Line, at: usize, rows: Rows<'_>, findings: &mut Findings) {
    if find_regime(&line.ext).or_else(|| find_regime(&rows.invoice.ext)).is_none() {
        return;
    }
    let category = Category::parse(&line.tax.category);
    let tax = &line.tax;
    let found = Treatment::of(&SYSTEM, tax.rate, tax.surcharge, tax.exemption.as_deref());
    let (Some(category), Some(treatment)) = (category.filter(|one| *one != Category::Ipsi), found) else {
        return;
    };
    let regime = rows.regime(&line.ext, treatment);
    // Error 1199.
    if regime == GENERAL && is_export_of_articles_21_and_22(treatment) {
        let message = "An export does not go out under the general regime; use regime 02.";
        findings.error("REGIME-02", format!("/lines/{at}/tax/exemption"), message);
    }
    // Errors 1279 and 1280.
    let surcharge = matches!(treatment, Treatment::Taxed { surcharge: true, .. });
    let taxed = matches!(treatment, Treatment::Taxed { .. });
    if category == Category::Vat && taxed && surcharge != (regime == SURCHARGE) {
        let message = format!(
            "The equivalence surcharge goes out under regime 18 and nothing else does, and this line has {regime}; \
             correct the regime or the surcharge."
        );
        findings.error("REGIME-03", format!("/lines/{at}/tax/surcharge"), message);
    }
}
