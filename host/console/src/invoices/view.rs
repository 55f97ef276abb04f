//! A document as its recipient reads it, as a page to print: for a gateway without a renderer, and in the language that it would
//! write.

use super::parts::{self, LineRow, RateRow, RecipientPart, TotalsPart};
use super::read;
use super::view_words::ViewWords;
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
use gateway_finance::Finance;
use gateway_http::Params;
use gateway_presentation::format;
use gateway_rendering::{Labels, Language, QR_SIDE_MM, RenderingError, legend, tax_rows};
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
    heading: String,
    /// What a document that is none yet says of itself; empty: it is one.
    caveat: &'static str,
    issued: String,
    operation_date: Option<String>,
    due: Option<String>,
    supplier: SupplierPart,
    recipient: Option<RecipientPart>,
    lines: Vec<LineRow>,
    totals: TotalsPart,
    has_retentions: bool,
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
    /// Pixels of style sheets, which are a 96th of an inch also on paper.
    side: u32,
}

/// A length in pixels of style sheets, rounded up.
fn side(millimetres: u8) -> u32 {
    u32::from(millimetres).saturating_mul(960).div_ceil(254)
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
            quantity: self.words.figure(&row.quantity),
            unit_price: self.words.figure(&row.unit_price),
            tax: self.labels.of_line(&line.tax),
            total: self.words.figure(&row.total),
            ..row
        })
        .collect()
    }

    fn totals(&self, document: &Invoice) -> TotalsPart {
        let figure = |figure: &str| self.words.figure(figure);
        let totals = TotalsPart::from(document);
        let rates = tax_rows(&document.totals.rates, self.labels).into_iter();
        TotalsPart {
            rates: rates
                .map(|row| RateRow { tax: row.label, base: figure(&row.base), amount: figure(&row.amount) })
                .collect(),
            net: figure(&totals.net),
            tax: figure(&totals.tax),
            gross: figure(&totals.gross),
            retained: figure(&totals.retained),
            payable: figure(&totals.payable),
        }
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
    page(&view(&viewer, &document, (&workspace.supplier, printing), &writing))
}

fn view(
    viewer: &Viewer,
    document: &Invoice,
    (supplier, printing): (&Supplier, Option<&PrintingDescription>),
    writing: &Writing<'_>,
) -> ViewPage {
    let (content, words) = (&document.content, writing.words);
    let acceptance = parts::acceptance(document);
    let number = document.state.number().map(|number| number.0.as_str()).unwrap_or_default();
    let heading = format!("{} {number}", words.title(content)).trim_end().to_owned();
    let payment = content.payment.as_ref();
    ViewPage {
        layout: Layout::new(viewer, Section::Invoices, heading.clone()),
        id: document.id.to_string(),
        words,
        heading,
        caveat: words.caveat(document),
        issued: writing.date(content.issue_date).unwrap_or_else(|| format::NONE.to_owned()),
        operation_date: writing.date(content.operation_date),
        due: writing.date(payment.and_then(|payment| payment.due_date)),
        supplier: SupplierPart::of(supplier, printing, words),
        recipient: content.recipient.as_ref().map(|recipient| writing.recipient(recipient)),
        lines: writing.lines(document),
        totals: writing.totals(document),
        has_retentions: !content.retentions.is_empty(),
        notes: content.notes.clone(),
        payment_note: payment.and_then(|payment| payment.note.clone()),
        qr: acceptance.and_then(|acceptance| acceptance.qr_url.as_ref()).map(|_| QrPart {
            caption: printing.and_then(|printing| printing.qr_caption.clone()).unwrap_or_default(),
            side: side(printing.map_or(QR_SIDE_MM, |printing| printing.qr_side_mm)),
        }),
        hash: acceptance.and_then(|acceptance| acceptance.tax_system_hash.clone()),
        legend: acceptance.map(|acceptance| legend(printing, acceptance)).unwrap_or_default(),
    }
}
