//! A document as its recipient reads it, as a page to print: for a gateway without a renderer, and in the language that it would
//! write.

use super::read;
use crate::addresses::document_id;
use crate::errors::{PageError, PageResult};
use crate::page::{Layout, Section, page};
use crate::session::Viewer;
use crate::workspaces::workspace_of;
use askama::Template;
use axum::extract::{Path, State};
use gateway_domain::invoicing::{Invoice, Recipient};
use gateway_domain::ports::Regimes;
use gateway_domain::regime::{PrintingDescription, Supplier};
use gateway_finance::{DocumentLists, Finance};
use gateway_http::Params;
use gateway_presentation::document_parts::{self as parts, LineRow, RateRow, RecipientPart, TotalsPart};
use gateway_presentation::{format, qr};
use gateway_rendering::{
    Labels, Language, QR_SIDE_MM, RenderingError, ViewWords, legend, references, retention_rows, tax_rows,
};
use gateway_workspaces::Workspaces;
use jiff::civil::Date;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "view.html")]
struct ViewPage {
    layout: Layout,
    id: String,
    /// In the language of the document.
    words: &'static ViewWords,
    /// The languages that it can be read in.
    locales: [&'static str; ViewWords::LOCALES.len()],
    heading: String,
    /// What a document that is none yet says of itself; empty: it is one.
    caveat: &'static str,
    /// The address of the supplier's logo.
    logo: Option<String>,
    issued: String,
    operation_date: Option<String>,
    due: Option<String>,
    /// The documents that it refers to: what a credit note corrects.
    references: Vec<String>,
    supplier: SupplierPart,
    recipient: Option<RecipientPart>,
    lines: Vec<LineRow>,
    totals: TotalsPart,
    /// What stands before the last of them.
    payable: &'static str,
    retentions: Vec<RateRow>,
    notes: Option<String>,
    payment_note: Option<String>,
    qr: Option<QrPart>,
    /// What no QR code can hold.
    verification_address: Option<String>,
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
    fn of(supplier: &Supplier, printing: Option<&PrintingDescription>, words: &ViewWords) -> Self {
        let label = printing.map_or(words.tax_id, |printing| printing.tax_id_label.as_str());
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
    /// Of the picture, in pixels of style sheets.
    side: u32,
}

/// What stands on a document besides what it says itself.
struct Issuer<'a> {
    supplier: &'a Supplier,
    printing: Option<&'a PrintingDescription>,
    /// The address of its logo.
    logo: Option<String>,
}

/// What a document says, as a language writes it.
struct Writing<'a> {
    language: Language,
    words: &'static ViewWords,
    /// What taxes are called.
    labels: Labels<'a>,
}

impl Writing<'_> {
    fn lines(&self, document: &Invoice) -> Vec<LineRow> {
        let rows = parts::lines(document).into_iter().zip(&document.content.lines);
        rows.map(|(row, line)| LineRow {
            description: line.period.map_or_else(
                || line.description.clone(),
                |period| format!("{} ({})", line.description, self.language.period(period)),
            ),
            quantity: self.words.figure(&row.quantity),
            unit_price: self.words.figure(&row.unit_price),
            tax: self.labels.of_line(&line.tax),
            total: self.words.figure(&row.total),
        })
        .collect()
    }

    fn totals(&self, document: &Invoice) -> TotalsPart {
        let figure = |figure: &str| self.words.figure(figure);
        let totals = TotalsPart::from(document);
        let rates = tax_rows(&document.totals.rates, self.labels).into_iter();
        TotalsPart {
            rates: rates.map(|row| self.row(row.label, &row.base, &row.amount)).collect(),
            net: figure(&totals.net),
            tax: figure(&totals.tax),
            gross: figure(&totals.gross),
            retained: figure(&totals.retained),
            payable: figure(&totals.payable),
        }
    }

    fn retentions(&self, document: &Invoice) -> Vec<RateRow> {
        let rows = retention_rows(&document.totals.retentions, self.labels).into_iter();
        rows.map(|row| self.row(row.label, &row.base, &row.amount)).collect()
    }

    fn row(&self, tax: String, base: &str, amount: &str) -> RateRow {
        RateRow { tax, base: self.words.figure(base), amount: self.words.figure(amount) }
    }

    fn recipient(&self, recipient: &Recipient) -> RecipientPart {
        let part = RecipientPart::from(recipient);
        match recipient {
            Recipient::Individual { identity_document: Some(document), .. } => {
                let country = document.country.as_deref().unwrap_or(format::NONE);
                let identity = format!("{} {} ({country})", self.words.identity_document, document.number);
                RecipientPart { identity, ..part }
            }
            Recipient::Individual { .. } | Recipient::Company { .. } => part,
        }
    }

    fn date(&self, day: Option<Date>) -> Option<String> {
        day.map(|day| self.language.date(day))
    }
}

/// The language that is asked for, else that of the tax system.
fn locale(requested: Option<String>, printing: Option<&PrintingDescription>) -> Result<String, PageError> {
    match requested {
        Some(requested) if !ViewWords::LOCALES.contains(&requested.as_str()) => {
            let known = ViewWords::LOCALES.map(str::to_owned).into();
            Err(RenderingError::UnknownLocale { requested, known }.into())
        }
        Some(requested) => Ok(requested),
        None => Ok(printing.map_or_else(|| "en".to_owned(), |printing| printing.locale.clone())),
    }
}

/// The document.
pub(super) async fn show(
    viewer: Viewer,
    State(finance): State<Finance>,
    State(lists): State<DocumentLists>,
    State(workspaces): State<Workspaces>,
    State(regimes): State<Arc<dyn Regimes>>,
    Path(id): Path<String>,
    params: Params,
) -> PageResult {
    params.only(&["locale"])?;
    let document = read::find(&finance, &viewer, document_id(&id)?).await?;
    let workspace = workspace_of(&workspaces, document.workspace).await?;
    let configured = workspaces.e_invoicing(workspace.id).await?;
    let regimes = regimes.within(workspace.id);
    let regime = configured.map(|view| view.configuration.regime);
    let described = regime.as_ref().and_then(|regime| regimes.describe(regime)).map(|(known, _)| known);
    let printing = regime.as_ref().and_then(|regime| regimes.printing(regime));
    let printing = printing.as_deref();
    let locale = locale(params.text("locale"), printing)?;
    let language = Language::of(&locale);
    let writing = Writing {
        language,
        words: ViewWords::of(language),
        labels: Labels { regime: described.as_deref(), printing, locale: &locale },
    };
    let named = &document.content.referenced_document_ids;
    let mut found = lists.by_ids(&viewer.acting(), named).await?;
    let related: Vec<_> = named.iter().filter_map(|id| found.remove(id)).collect();
    let has_logo = workspaces.printing(workspace.id).await?.logo.is_some();
    let logo = has_logo.then(|| format!("/console/workspaces/{}/logo.png", workspace.id));
    let issuer = Issuer { supplier: &workspace.supplier, printing, logo };
    page(&view(&viewer, &document, references(&related, &locale), issuer, &writing))
}

fn view(
    viewer: &Viewer,
    document: &Invoice,
    references: Vec<String>,
    issuer: Issuer<'_>,
    writing: &Writing<'_>,
) -> ViewPage {
    let Issuer { supplier, printing, logo } = issuer;
    let (content, words) = (&document.content, writing.words);
    let acceptance = parts::acceptance(document);
    let number = document.state.number().map(|number| number.0.as_str()).unwrap_or_default();
    let heading = format!("{} {number}", words.title(content)).trim_end().to_owned();
    let payment = content.payment.as_ref();
    let address = acceptance.and_then(|acceptance| acceptance.qr_url.as_deref());
    let address = address.filter(|address| !address.is_empty());
    let code = address.and_then(qr::code);
    ViewPage {
        layout: Layout::new(viewer, Section::Invoices, heading.clone()),
        id: document.id.to_string(),
        words,
        locales: ViewWords::LOCALES,
        heading,
        caveat: words.caveat(document),
        logo,
        issued: writing.date(content.issue_date).unwrap_or_else(|| format::NONE.to_owned()),
        operation_date: writing.date(content.operation_date),
        due: writing.date(payment.and_then(|payment| payment.due_date)),
        references,
        supplier: SupplierPart::of(supplier, printing, words),
        recipient: content.recipient.as_ref().map(|recipient| writing.recipient(recipient)),
        lines: writing.lines(document),
        totals: writing.totals(document),
        payable: words.payable(content),
        retentions: writing.retentions(document),
        notes: content.notes.clone(),
        payment_note: payment.and_then(|payment| payment.note.clone()),
        verification_address: address.filter(|_| code.is_none()).map(str::to_owned),
        qr: code.map(|code| QrPart {
            caption: printing.and_then(|printing| printing.qr_caption.clone()).unwrap_or_default(),
            side: qr::picture_side(&code, printing.map_or(QR_SIDE_MM, |printing| printing.qr_side_mm)),
        }),
        hash: acceptance.and_then(|acceptance| acceptance.tax_system_hash.clone()),
        legend: acceptance.map(|acceptance| legend(printing, acceptance)).unwrap_or_default(),
    }
}
