//! Everything that would make the agency, or the structured format, refuse a document.

use einvoice_es::check::{self, Examination};
use einvoice_es::date::Date;
use einvoice_es::doc_type::DocType;
use einvoice_es::faults::Findings;
use einvoice_es::identity;
use einvoice_es::taxes::{Category, Treatment};
use einvoice_gobl::text::excerpt;
use einvoice_gobl::{Mapping, Row, ext};
use einvoice_plugin::{Context, Ext, Faults, Identity, Invoice, Line};

use crate::SYSTEM;
use crate::codes::{self, EXT, GENERAL, SURCHARGE, find_article_7, find_regime};
use crate::regimes::{Breach, Demand, Document, breaches};
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
    check_demands(rows, examined.doc_type, identity.as_ref(), findings);
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
    let Some((row, treatment)) = rows.under_regime(line) else { return };
    let regime = row.regime;
    // Error 1199.
    if regime == GENERAL && is_export_of_articles_21_and_22(treatment) {
        let message = "An export does not go out under the general regime; use regime 02.";
        findings.error("REGIME-02", format!("/lines/{at}/tax/exemption"), message);
    }
    // Errors 1279 and 1280.
    let surcharge = matches!(treatment, Treatment::Taxed { surcharge: true, .. });
    let taxed = matches!(treatment, Treatment::Taxed { .. });
    if row.category == Category::Vat && taxed && surcharge != (regime == SURCHARGE) {
        let message = format!(
            "The equivalence surcharge goes out under regime 18 and nothing else does, and this line has {regime}; \
             correct the regime or the surcharge."
        );
        findings.error("REGIME-03", format!("/lines/{at}/tax/surcharge"), message);
    }
}

/// What the regimes of the lines demand. What one demands of the whole document is reported once.
fn check_demands(
    rows: Rows<'_>,
    doc_type: DocType,
    identity: Option<&Result<Identity, Faults>>,
    findings: &mut Findings,
) {
    let invoice = rows.invoice;
    let nif = match identity {
        Some(Ok(Identity::TaxId(tax_id))) => Some(tax_id.code.as_str()),
        Some(Ok(Identity::Other(_)) | Err(_)) | None => None,
    };
    let day = |text: &str| text.parse::<Date>().ok();
    let operation = invoice.operation_date.as_deref().and_then(day);
    let is_billed_ahead = operation > day(&invoice.issue_date);
    let document = Document { doc_type: Some(doc_type), nif, is_billed_ahead };
    let mut of_document = Vec::new();
    for (at, line) in invoice.lines.iter().enumerate() {
        let Some((row, _)) = rows.under_regime(line) else { continue };
        let regime = row.regime;
        for Breach { demand, .. } in breaches(row, document) {
            let (code, path, message) = objection(regime, demand, &format!("/lines/{at}/tax"));
            // A wrong identity was reported: who it is of is unknown.
            let is_unknown = matches!((demand, identity), (Demand::Recipient(_), Some(Err(_))));
            if is_unknown || of_document.contains(&(regime, demand)) {
                continue;
            }
            if !path.starts_with("/lines/") {
                of_document.push((regime, demand));
            }
            findings.error(code, path, message);
        }
    }
}

/// Code, path and sentence of a demand that is not met. `tax` is the path of the line's tax.
fn objection(regime: &str, demand: Demand, tax: &str) -> (&'static str, String, String) {
    let (code, path, message) = match demand {
        Demand::Treatment(what) => {
            let message =
                format!("is for {what} only; choose another regime, or correct the tax of the line.");
            ("REGIME-04", tax.to_owned(), message)
        }
        Demand::Rate(what) => {
            let message = format!("is for {what} only; choose another regime, or correct the rate.");
            ("REGIME-05", format!("{tax}/rate"), message)
        }
        Demand::CostBase => {
            let message =
                "needs a base at cost, which the structured format does not carry; choose another regime.";
            ("REGIME-06", tax.to_owned(), message.to_owned())
        }
        Demand::DocType(what) => {
            let message = format!("is for {what} only; choose another regime, or issue another document.");
            ("REGIME-07", "/document_type".to_owned(), message)
        }
        Demand::Recipient(what) => {
            let message = format!("is for {what} only; choose another regime, or correct the recipient.");
            ("REGIME-08", "/recipient".to_owned(), message)
        }
        Demand::OperationDate => {
            let message = "is for operations after the day of issue only; add the operation date, or choose another regime.";
            ("REGIME-09", "/operation_date".to_owned(), message.to_owned())
        }
    };
    (code, path, format!("Regime {regime} {message}"))
}
