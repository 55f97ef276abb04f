//! One document: what it says, where it is, what happened to it, and what can be done about it.

use super::action::Action;
use super::parts::{
    self, FaultRow, LineRow, ProofPart, RateRow, RecipientPart, RelatedRow, SubmissionPart, TimelineRow,
};
use super::read;
use crate::addresses::document_id;
use crate::errors::{PageError, PageResult};
use crate::format;
use crate::highlight;
use crate::page::{Layout, Section, page};
use crate::session::Viewer;
use crate::workspaces::names;
use askama::Template;
use axum::extract::{Path, State};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Balance, DocumentFilter, Invoice, State as DocumentState};
use gateway_domain_finance::AuthorityMessage;
use gateway_finance::{DocumentLists, Finance, IdentityError, Submissions};
use gateway_rendering::Rendering;
use gateway_workspaces::Workspaces;
use std::collections::HashMap;

/// What is left of a document.
#[derive(Debug)]
struct BalancePart {
    credited: String,
    refunded: String,
    open: String,
    /// Draft credit notes that block a remainder.
    unissued: Vec<String>,
}

/// What can be done about a document.
#[derive(Debug)]
pub(crate) struct Offer {
    pub(crate) address: String,
    pub(crate) title: &'static str,
    pub(crate) is_dangerous: bool,
}

/// How the authority knows the recipient, as far as anybody can say.
#[derive(Debug)]
struct IdentityPart {
    sentence: String,
    plugin: Option<String>,
}

#[derive(Template)]
#[template(path = "invoice.html")]
struct InvoicePage {
    layout: Layout,
    id: String,
    heading: String,
    status: &'static str,
    kind: String,
    workspace: String,
    workspace_id: String,
    currency: String,
    issued: String,
    operation_date: String,
    due: String,
    booking: Option<String>,
    notes: Option<String>,
    version: i64,
    updated: String,
    reason: Option<String>,
    /// Complaints of the last attempt about neither recipient nor lines.
    faults: Vec<FaultRow>,
    issuing_since: Option<String>,
    prices_include_tax: bool,
    recipient: Option<RecipientPart>,
    identity: IdentityPart,
    lines: Vec<LineRow>,
    rates: Vec<RateRow>,
    net: String,
    tax: String,
    gross: String,
    retained: String,
    payable: String,
    balance: Option<BalancePart>,
    submission: Option<SubmissionPart>,
    proof: Option<ProofPart>,
    timeline: Vec<TimelineRow>,
    related: Vec<RelatedRow>,
    /// Coloured; escaped by `highlight`.
    structured: Option<String>,
    record: Option<String>,
    offers: Vec<Offer>,
    /// Languages of the renderer; none: there is no file.
    locales: Vec<String>,
}

/// A document.
pub(crate) async fn show(
    viewer: Viewer,
    State(finance): State<Finance>,
    State(lists): State<DocumentLists>,
    State(submissions): State<Submissions>,
    State(workspaces): State<Workspaces>,
    State(rendering): State<Rendering>,
    Path(id): Path<String>,
) -> PageResult {
    let acting = viewer.acting();
    let document = read::find(&finance, &viewer, document_id(&id)?).await?;
    let submission = submissions.find(&acting, document.id).await?;
    let structured = submissions.structured(&acting, document.id).await?;
    let timeline = lists.timelines(&acting, &[document.id]).await?.remove(&document.id).unwrap_or_default();
    let balance = lists.balances(&acting, &[document.id]).await?.remove(&document.id);
    let related = related(&lists, &viewer, &document, balance.as_ref()).await?;
    let identity = identity(&finance, &viewer, document.id).await?;
    let known = names(&workspaces, &viewer).await?;
    let last = submission.as_ref().and_then(|view| view.attempts.last());
    let faults = last.map(|attempt| attempt.faults.as_slice()).unwrap_or_default();
    let (content, totals) = (&document.content, &document.totals);
    let or_none = |text: Option<String>| text.unwrap_or_else(|| format::NONE.to_owned());
    let heading = document.state.number().map_or_else(|| "Draft".to_owned(), |number| number.0.clone());
    let (record, structured) = match structured {
        Some(known) => (known.message.map(|message| coloured(&message)), Some(highlight::json(&known.sent))),
        None => (None, None),
    };
    page(&InvoicePage {
        layout: Layout::new(&viewer, Section::Invoices, heading.clone()),
        id: document.id.to_string(),
        heading,
        status: document.state.status().as_str(),
        kind: format::title(content.document_type.as_str()),
        workspace: known.get(&document.workspace).cloned().unwrap_or_default(),
        workspace_id: document.workspace.to_string(),
        currency: content.currency.clone(),
        issued: or_none(content.issue_date.map(|day| day.to_string())),
        operation_date: or_none(content.operation_date.map(|day| day.to_string())),
        due: or_none(content.payment.as_ref().and_then(|payment| Some(payment.due_date?.to_string()))),
        booking: content.booking_id.map(|id| id.to_string()),
        notes: content.notes.clone(),
        version: document.version,
        updated: format::time(document.updated_at),
        reason: parts::reason(&document).map(str::to_owned),
        faults: parts::about_neither(faults),
        issuing_since: issuing_since(&document),
        prices_include_tax: content.prices_include_tax,
        recipient: content.recipient.as_ref().map(|recipient| RecipientPart::of(recipient, faults)),
        identity,
        lines: parts::lines(&document, faults),
        rates: totals.rates.iter().map(RateRow::from).collect(),
        net: totals.net.to_string(),
        tax: totals.tax.to_string(),
        gross: totals.gross.to_string(),
        retained: totals.retained.to_string(),
        payable: format::money(totals.payable, &content.currency),
        balance: balance.map(|balance| BalancePart {
            credited: balance.credited.to_string(),
            refunded: balance.refunded.to_string(),
            open: format::money(balance.open, &content.currency),
            unissued: balance.unissued_credit_notes.iter().map(ToString::to_string).collect(),
        }),
        submission: submission.as_ref().map(SubmissionPart::from),
        proof: parts::acceptance(&document).map(ProofPart::from),
        timeline: timeline.iter().map(TimelineRow::from).collect(),
        related,
        structured,
        record,
        offers: offers(&viewer, &document, submission.as_ref()),
        // Where it cannot be used, asking for the file says why.
        locales: rendering.renderer().await.ok().flatten().map(|known| known.locales).unwrap_or_default(),
    })
}

fn offers(
    viewer: &Viewer,
    document: &Invoice,
    submission: Option<&gateway_finance::SubmissionView>,
) -> Vec<Offer> {
    let offered = Action::ALL.into_iter().filter(|action| action.is_offered(viewer, document, submission));
    let offer = |action: Action| Offer {
        address: format!("/console/invoices/{}/{}", document.id, action.name()),
        title: action.title(document.state.status()),
        is_dangerous: action.is_final(),
    };
    offered.map(offer).collect()
}

fn coloured(message: &AuthorityMessage) -> String {
    match message.file_extension() {
        "json" => highlight::json(&message.body),
        _ => highlight::xml(&message.body),
    }
}

fn issuing_since(document: &Invoice) -> Option<String> {
    match &document.state {
        DocumentState::Issuing { since, .. } => Some(format::time(*since)),
        DocumentState::Draft | DocumentState::Issued { .. } | DocumentState::Rejected { .. } => None,
    }
}

/// What the document corrects, what corrects it, and what its booking was billed besides.
async fn related(
    lists: &DocumentLists,
    viewer: &Viewer,
    document: &Invoice,
    balance: Option<&Balance>,
) -> Result<Vec<RelatedRow>, PageError> {
    let acting = viewer.acting();
    let mut rows = Vec::new();
    let corrected = lists.by_ids(&acting, &document.content.referenced_document_ids).await?;
    rows.extend(in_order(&corrected, &document.content.referenced_document_ids, "refers to"));
    let no_notes: &[InvoiceId] = &[];
    let (counted, unissued) = balance.map_or((no_notes, no_notes), |balance| {
        (balance.credit_notes.as_slice(), balance.unissued_credit_notes.as_slice())
    });
    let credits = lists.by_ids(&acting, counted).await?;
    rows.extend(in_order(&credits, counted, "is credited by"));
    let drafts = lists.by_ids(&acting, unissued).await?;
    rows.extend(in_order(&drafts, unissued, "is credited by the unissued"));
    if let Some(booking) = document.content.booking_id {
        let filter = DocumentFilter { booking: Some(booking), ..DocumentFilter::default() };
        let found = lists.page(&acting, &filter, None, gateway_invoicing::PAGE_MAX).await?;
        let others = found.nodes.iter().filter(|other| other.id != document.id);
        let named = [&corrected, &credits, &drafts];
        let fresh = others.filter(|other| !named.iter().any(|known| known.contains_key(&other.id)));
        let how = |other: &Invoice| {
            if other.content.referenced_document_ids.contains(&document.id) {
                "is referred to by"
            } else {
                "same booking"
            }
        };
        rows.extend(fresh.map(|other| RelatedRow::of(other, how(other))));
    }
    Ok(rows)
}

/// Documents that were found, in the order in which they are named.
fn in_order(
    found: &HashMap<InvoiceId, Invoice>,
    named: &[InvoiceId],
    how: &'static str,
) -> impl Iterator<Item = RelatedRow> {
    named.iter().filter_map(|id| found.get(id)).map(move |document| RelatedRow::of(document, how))
}

/// What the plugin in force says of the recipient; where nobody can say, why.
async fn identity(finance: &Finance, viewer: &Viewer, id: InvoiceId) -> Result<IdentityPart, PageError> {
    let unknown = |sentence: String| Ok(IdentityPart { sentence, plugin: None });
    match finance.identity(&viewer.acting(), id).await {
        Ok(mapping) => {
            let faults: Vec<_> = mapping.faults.iter().map(|fault| fault.message.as_str()).collect();
            let sentence = match mapping.mapped_to.as_ref() {
                Some(identity) => parts::identity(identity),
                None if faults.is_empty() => "by no identity".to_owned(),
                None => faults.join("; "),
            };
            let plugin = format!("{} {}", mapping.plugin.key, mapping.plugin.version);
            Ok(IdentityPart { sentence, plugin: Some(plugin) })
        }
        Err(IdentityError::Gone) => unknown("the document is gone".to_owned()),
        Err(IdentityError::Read(error)) => Err(error.into()),
        Err(
            error @ (IdentityError::NotConfigured | IdentityError::Plugin(_) | IdentityError::Converter(_)),
        ) => unknown(error.to_string()),
    }
}
