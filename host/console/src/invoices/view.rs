//! A document as its recipient reads it, as a page to print: for a gateway without a renderer.

use super::parts::{self, LineRow, RateRow, RecipientPart};
use super::read;
use crate::addresses::document_id;
use crate::errors::PageResult;
use crate::format;
use crate::page::{Layout, Section, page};
use crate::session::Viewer;
use crate::workspaces::workspace_of;
use askama::Template;
use axum::extract::{Path, State};
use gateway_domain::invoicing::{Invoice, Status};
use gateway_domain::ports::Regimes;
use gateway_domain::regime::{PrintingDescription, Supplier};
use gateway_finance::Finance;
use gateway_rendering::{QR_SIDE_MM, legend};
use gateway_workspaces::Workspaces;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "view.html")]
struct ViewPage {
    layout: Layout,
    id: String,
    heading: String,
    /// What a document that is none yet says of itself; empty: it is one.
    draft: &'static str,
    issued: String,
    operation_date: Option<String>,
    due: Option<String>,
    supplier: SupplierPart,
    recipient: Option<RecipientPart>,
    lines: Vec<LineRow>,
    rates: Vec<RateRow>,
    net: String,
    tax: String,
    gross: String,
    retained: Option<String>,
    payable: String,
    notes: Option<String>,
    payment_note: Option<String>,
    qr: Option<QrPart>,
    hash: Option<String>,
    legend: Vec<String>,
}

/// Who issues it.
#[derive(Debug)]
struct SupplierPart {
    name: String,
    tax_id: String,
    address: String,
    email: String,
}

impl SupplierPart {
    fn of(supplier: &Supplier, printing: Option<&PrintingDescription>) -> Self {
        let label = printing.map_or("Tax id", |printing| printing.tax_id_label.as_str());
        Self {
            name: supplier.legal_name.clone(),
            tax_id: format!("{label} {} ({})", supplier.tax_id, supplier.country),
            address: format::address(supplier.address.as_ref()),
            email: supplier.email.clone().unwrap_or_default(),
        }
    }
}

/// The code at which anybody verifies the document.
#[derive(Debug)]
struct QrPart {
    caption: String,
    /// Pixels of style sheets, which are a 96th of an inch also on paper.
    side: u32,
}

/// A length in pixels of style sheets, rounded up.
fn side(millimetres: u8) -> u32 {
    u32::from(millimetres).saturating_mul(960).div_ceil(254)
}

/// What is not final says so.
fn draft(document: &Invoice) -> &'static str {
    match document.state.status() {
        Status::Draft if document.content.document_type.has_series() => "Draft: this is no invoice yet.",
        Status::Issuing => "The tax authority has not accepted this yet.",
        Status::Rejected => "The tax authority rejected this.",
        Status::Draft | Status::Issued => "",
    }
}

/// The document.
pub(super) async fn show(
    viewer: Viewer,
    State(finance): State<Finance>,
    State(workspaces): State<Workspaces>,
    State(regimes): State<Arc<dyn Regimes>>,
    Path(id): Path<String>,
) -> PageResult {
    let document = read::find(&finance, &viewer, document_id(&id)?).await?;
    let workspace = workspace_of(&workspaces, document.workspace).await?;
    let configured = workspaces.e_invoicing(workspace.id).await?;
    let regimes = regimes.within(workspace.id);
    let printing = configured.and_then(|view| regimes.printing(&view.configuration.regime));
    let printing = printing.as_deref();
    let (content, totals) = (&document.content, &document.totals);
    let acceptance = parts::acceptance(&document);
    let kind = format::title(content.document_type.as_str());
    let number = document.state.number().map(|number| number.0.as_str()).unwrap_or_default();
    let heading = format!("{kind} {number}").trim_end().to_owned();
    let payment = content.payment.as_ref();
    page(&ViewPage {
        layout: Layout::new(&viewer, Section::Invoices, heading.clone()),
        id: document.id.to_string(),
        heading,
        draft: draft(&document),
        issued: content.issue_date.map_or_else(|| format::NONE.to_owned(), |day| day.to_string()),
        operation_date: content.operation_date.map(|day| day.to_string()),
        due: payment.and_then(|payment| payment.due_date).map(|day| day.to_string()),
        supplier: SupplierPart::of(&workspace.supplier, printing),
        recipient: content.recipient.as_ref().map(RecipientPart::from),
        lines: parts::lines(&document),
        rates: totals.rates.iter().map(RateRow::from).collect(),
        net: totals.net.to_string(),
        tax: totals.tax.to_string(),
        gross: totals.gross.to_string(),
        retained: (!content.retentions.is_empty()).then(|| totals.retained.to_string()),
        payable: format::money(totals.payable, &content.currency),
        notes: content.notes.clone(),
        payment_note: payment.and_then(|payment| payment.note.clone()),
        qr: acceptance.and_then(|acceptance| acceptance.qr_url.as_ref()).map(|_| QrPart {
            caption: printing.and_then(|printing| printing.qr_caption.clone()).unwrap_or_default(),
            side: side(printing.map_or(QR_SIDE_MM, |printing| printing.qr_side_mm)),
        }),
        hash: acceptance.and_then(|acceptance| acceptance.tax_system_hash.clone()),
        legend: acceptance.map(|acceptance| legend(printing, acceptance)).unwrap_or_default(),
    })
}
