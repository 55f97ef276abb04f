//! What the schemas of the agency's books have no place for.

use einvoice_es::check::listed_country;
use einvoice_es::doc_type::DocType;
use einvoice_es::exemptions::Class;
use einvoice_es::faults::Findings;
use einvoice_es::identity;
use einvoice_es::taxes::{Category, Treatment};
use einvoice_plugin::{Amount, Identity, Invoice, Line, Recipient};

use crate::SYSTEM;
use crate::codes::is_of_goods;
use crate::rows::{self, Rows};
use crate::service::Service;

/// Decimals of a percent.
const PERCENT_DECIMALS_MAX: u8 = 2;

/// Everything in a document that would have no place.
pub(crate) fn check(invoice: &Invoice, doc_type: DocType, rows: Rows<'_>, findings: &mut Findings) {
    let identity = recipient(invoice, doc_type);
    if let (Some(recipient), Some(identity)) = (&invoice.recipient, &identity) {
        listed_country(recipient, identity, findings);
    }
    let service = Service::of(invoice.lines.iter().map(|line| line.tax.category.as_str()));
    let by_operation = !doc_type.is_simplified() && identity.as_ref().is_some_and(is_of_foreigner);
    let (mut of_services, mut of_goods) = (Vec::new(), Vec::new());
    for (at, line) in invoice.lines.iter().enumerate() {
        let path = |member: &str| format!("/lines/{at}/{member}");
        let Some((category, treatment)) = treatment(line) else { continue };
        check_igic(category, line, &path, findings);
        if category != service.tax() {
            continue;
        }
        let goods = is_goods(line, treatment, rows);
        if by_operation && !goods && line.tax.surcharge.is_some() {
            let message = "The tax agency takes no equivalence surcharge on services to a recipient who is not Spanish; \
                           say that the line sells goods, or leave the surcharge out.";
            findings.error("PRODUCT-03", path("tax/surcharge"), message);
        }
        if let Some(row) = TaxedRow::of(line, treatment) {
            let part = if by_operation && goods { &mut of_goods } else { &mut of_services };
            if !part.contains(&row) {
                part.push(row);
            }
        }
    }
    let rows_max = service.taxed_rows_max();
    if let Some(count) = [of_services.len(), of_goods.len()].into_iter().find(|count| *count > rows_max) {
        let message = format!(
            "The invoice has {count} different rates, the tax agency takes {rows_max}; split it into several \
             invoices."
        );
        findings.error("BREAKDOWN-01", "/totals/rates", message);
    }
}

/// What makes a taxed row of its own: rate and surcharge; no rate under reverse charge.
#[derive(PartialEq, Eq)]
struct TaxedRow {
    rate: Option<Amount>,
    surcharge: Option<Amount>,
}

impl TaxedRow {
    /// None for a line that is not taxed.
    fn of(line: &Line, treatment: Treatment) -> Option<Self> {
        let canonical = |percent: Amount| percent.canonical(0);
        let taxed = match treatment {
            Treatment::Taxed { .. } => true,
            Treatment::Untaxed(exemption) => exemption.class == Class::ReverseCharge,
        };
        taxed.then(|| Self {
            rate: line.tax.rate.map(canonical),
            surcharge: line.tax.surcharge.map(canonical),
        })
    }
}

fn treatment(line: &Line) -> Option<(Category, Treatment)> {
    let category = Category::parse(&line.tax.category)?;
    let tax = &line.tax;
    Some((category, Treatment::of(&SYSTEM, tax.rate, tax.surcharge, tax.exemption.as_deref())?))
}

fn is_goods(line: &Line, treatment: Treatment, rows: Rows<'_>) -> bool {
    let exempt = match treatment {
        Treatment::Taxed { .. } => None,
        Treatment::Untaxed(exemption) => rows::exempt(exemption.class),
    };
    is_of_goods(rows.product(&line.ext), line.tax.surcharge.is_some(), exempt)
}

/// Whom the agency is told of. None also when the identity is wrong, which was reported.
fn recipient(invoice: &Invoice, doc_type: DocType) -> Option<Identity> {
    let named = |one: &&Recipient| !doc_type.is_simplified() || identity::is_given(one);
    identity::map(&SYSTEM, invoice.recipient.as_ref().filter(named)?).ok()
}

fn is_of_foreigner(identity: &Identity) -> bool {
    match identity {
        Identity::TaxId(tax_id) => tax_id.code.starts_with('N'),
        Identity::Other(_) => true,
    }
}

fn check_igic(category: Category, line: &Line, path: &impl Fn(&str) -> String, findings: &mut Findings) {
    if category != Category::Igic {
        return;
    }
    if line.tax.exemption.as_deref() == Some("article_25") {
        let message = "IGIC knows no supplies to other member states of the Union; use article_21 for what leaves the \
                       islands.";
        findings.error("IGIC-01", path("tax/exemption"), message);
    }
    if line.tax.rate.is_some_and(|rate| rate.canonical(0).scale > PERCENT_DECIMALS_MAX) {
        let message = format!(
            "The tax agency takes a rate with {PERCENT_DECIMALS_MAX} decimals at most; correct the rate."
        );
        findings.error("RATE-01", path("tax/rate"), message);
    }
}
