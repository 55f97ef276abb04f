//! One document: what it says, where it is, what happened to it, and what can be done about it.

use super::action;
use super::read;
use crate::Console;
use crate::addresses::document_id;
use crate::audit::client_names;
use crate::errors::{PageError, PageResult};
use crate::page::{Layout, Section, page};
use crate::rights::Right;
use crate::session::Viewer;
use crate::workspaces::names;
use askama::Template;
use axum::extract::{Path, State};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{
    Balance, DocumentFilter, DocumentKind, ImportOrigin, Invoice, Recipient, State as DocumentState,
};
use gateway_domain_finance::AuthorityMessage;
use gateway_finance::{DocumentLists, Finance, IdentityError, SubmissionView, Submissions};
use gateway_presentation::Action;
use gateway_presentation::document_parts::{
    self as parts, BalancePart, FactsPart, LineRow, ProofPart, RecipientPart, RelatedRow, SubmissionPart,
    TotalsPart,
};
use gateway_presentation::faults::{FaultRow, FaultsByPart};
use gateway_presentation::timeline::{self, TimelineRow};
use gateway_presentation::{
    AmendmentRow, AnnotationsPart, Choice, RecipientCheckPart, choices, format, highlight, recipient_checks,
};
use gateway_rendering::{Language, RendererView};
use std::collections::HashMap;
use std::iter;

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
    /// Nobody can say, because the workspace has no e-invoicing.
    is_unconfigured: bool,
    /// It cannot be told, and somebody has to mend why.
    is_problem: bool,
    plugin: Option<String>,
}

#[derive(Template)]
#[template(path = "invoice.html")]
struct InvoicePage {
    layout: Layout,
    id: String,
    heading: String,
    status: &'static str,
    workspace: String,
    workspace_id: String,
    version: i64,
    updated: String,
    reason: Option<String>,
    issuing_since: Option<String>,
    imported_from: Option<String>,
    facts: FactsPart,
    recipient: Option<RecipientPart>,
    identity: IdentityPart,
    /// Each with the complaints about it.
    lines: Vec<(LineRow, Vec<FaultRow>)>,
    totals: TotalsPart,
    balance: Option<BalancePart>,
    /// What the remainder is called; none of a document that has none.
    open: Option<&'static str>,
    /// Complaints of the last attempt; those about single lines stand with the lines.
    complaints: FaultsByPart,
    submission: Option<SubmissionPart>,
    proof: Option<ProofPart>,
    timeline: Vec<TimelineRow>,
    related: Vec<RelatedRow>,
    /// Coloured; escaped by `highlight`.
    structured: Option<String>,
    record: Option<String>,
    offers: Vec<Offer>,
    /// What is known of the recipient, by who was asked.
    recipient_checks: Vec<RecipientCheckPart>,
    amendments: Vec<AmendmentRow>,
    /// What people keep beside it; none where the document is in another process.
    annotations: Option<AnnotationsPart>,
    /// Languages of the renderer, that of the recipient chosen; none: there is no file.
    locales: Vec<Choice>,
}

/// A document.
pub(crate) async fn show(
    viewer: Viewer,
    State(finance): State<Finance>,
    State(lists): State<DocumentLists>,
    State(submissions): State<Submissions>,
    State(console): State<Console>,
    Path(id): Path<String>,
) -> PageResult {
    let Console { workspaces, clients, rendering, amendments, annotations, recipients, .. } = console;
    let acting = viewer.acting();
    let document = read::find(&finance, &viewer, document_id(&id)?).await?;
    let submission = submissions.find(&acting, document.id).await?;
    let structured = submissions.structured(&acting, document.id).await?;
    let happened = lists.timelines(&acting, &[document.id]).await?.remove(&document.id).unwrap_or_default();
    let balance = lists.balances(&acting, &[document.id]).await?.remove(&document.id);
    let demanded = amendments.demanded(&acting, document.id).await?;
    let workspace_name = names(&workspaces, &viewer).await?.remove(&document.workspace);
    let clients = client_names(&clients, &viewer).await?;
    let mut complaints = complaints(&document, submission.as_ref());
    let of_line = std::mem::take(&mut complaints.of_line);
    let kind = format::title(document.content.document_type.as_str());
    let heading = document.state.number().map_or_else(|| kind.clone(), |number| number.0.clone());
    let (record, structured) = match structured {
        Some(known) => {
            (known.message.map(|message| highlighted(&message)), known.sent.as_deref().map(highlight::json))
        }
        None => (None, None),
    };
    page(&InvoicePage {
        layout: Layout::new(&viewer, Section::Invoices, heading.clone()),
        id: document.id.to_string(),
        heading,
        status: document.state.status().as_str(),
        workspace: workspace_name.unwrap_or_default(),
        workspace_id: document.workspace.to_string(),
        version: document.version,
        updated: format::time(document.updated_at),
        reason: parts::reason(&document).map(str::to_owned),
        issuing_since: issuing_since(&document),
        imported_from: document.state.imported().map(ImportOrigin::system_name),
        facts: FactsPart::from(&document),
        recipient: document.content.recipient.as_ref().map(RecipientPart::from),
        recipient_checks: recipient_checks(recipients.of_document(document.id).await?),
        identity: identity(&finance, &viewer, document.id).await?,
        lines: parts::lines(&document).into_iter().zip(of_line).collect(),
        totals: TotalsPart::from(&document),
        related: related(&lists, &viewer, &document, balance.as_ref()).await?,
        open: open(&document),
        balance: balance.map(|balance| BalancePart::of(&balance, &document.content.currency)),
        complaints,
        submission: submission.as_ref().map(SubmissionPart::of),
        proof: parts::acceptance(&document).map(|proof| ProofPart::from(proof).with_remarks(&demanded)),
        timeline: timeline::rows(
            happened.iter().map(|entry| (entry.event.as_str(), entry.at, &entry.actor)),
            &clients,
        ),
        structured,
        record,
        offers: offers(&viewer, &document, submission.as_ref()),
        amendments: amendments
            .of_document(&acting, document.id)
            .await?
            .iter()
            .map(|view| AmendmentRow::from(&view.amendment))
            .collect(),
        annotations: annotations
            .find(&acting, document.id)
            .await?
            .map(|kept| AnnotationsPart::of(&kept, Right::Annotate.is_of(&viewer.signed_in), &clients)),
        // Where it cannot be used, asking for the file says why.
        locales: locales(&document, rendering.renderer().await.ok().flatten()),
    })
}

/// What is open of a document is still to be paid or given back. A document that counts for nothing has nothing open.
const fn open(document: &Invoice) -> Option<&'static str> {
    match (&document.state, document.content.document_type) {
        (DocumentState::Draft | DocumentState::Rejected { .. }, _) => None,
        (DocumentState::Issuing { .. } | DocumentState::Issued { .. }, DocumentKind::CreditNote) => {
            Some("To refund")
        }
        (
            DocumentState::Issuing { .. } | DocumentState::Issued { .. },
            DocumentKind::Invoice | DocumentKind::Proforma | DocumentKind::Receipt,
        ) => Some("Open"),
    }
}

/// The languages of the renderer: first that of the tax system, and chosen that of the recipient's country where it is among them.
fn locales(document: &Invoice, renderer: Option<RendererView>) -> Vec<Choice> {
    let Some(renderer) = renderer else { return Vec::new() };
    let country = document.content.recipient.as_ref().and_then(recipient_country);
    let language = country.and_then(Language::of_country).map_or("", Language::locale);
    let usual = iter::once(("", "of the tax system".to_owned()));
    choices(usual.chain(renderer.locales.iter().map(|locale| (locale.as_str(), locale.clone()))), language)
}

fn recipient_country(recipient: &Recipient) -> Option<&str> {
    let (address, country) = match recipient {
        Recipient::Individual { address, .. } => (address, None),
        Recipient::Company { address, country, .. } => (address, country.as_deref()),
    };
    address.as_ref().and_then(|address| address.country.as_deref()).or(country)
}

/// What was complained of at the last attempt.
fn complaints(document: &Invoice, submission: Option<&SubmissionView>) -> FaultsByPart {
    let last = submission.and_then(|view| view.attempts.last());
    let faults = last.map(|attempt| attempt.faults.as_slice()).unwrap_or_default();
    FaultsByPart::of(faults, document.content.lines.len())
}

fn offers(viewer: &Viewer, document: &Invoice, submission: Option<&SubmissionView>) -> Vec<Offer> {
    let offered =
        Action::ALL.into_iter().filter(|known| action::is_offered(*known, viewer, document, submission));
    let offer = |action: Action| Offer {
        address: format!("/console/invoices/{}/{}", document.id, action.name()),
        title: action.title(document.state.status()),
        is_dangerous: action.is_final(),
    };
    offered.map(offer).collect()
}

fn highlighted(message: &AuthorityMessage) -> String {
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
        let listed = [&corrected, &credits, &drafts];
        let unlisted = others.filter(|other| !listed.iter().any(|found| found.contains_key(&other.id)));
        let how = |other: &Invoice| {
            if other.content.referenced_document_ids.contains(&document.id) {
                "is referred to by"
            } else {
                "same booking"
            }
        };
        rows.extend(unlisted.map(|other| RelatedRow::of(other, how(other))));
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
    let unknown = |sentence: String, is_problem| {
        Ok(IdentityPart { sentence, is_unconfigured: false, is_problem, plugin: None })
    };
    match finance.identity(&viewer.acting(), id).await {
        Ok(mapping) => {
            let faults: Vec<_> = mapping.faults.iter().map(|fault| fault.message.as_str()).collect();
            let sentence = match mapping.mapped_to.as_ref() {
                Some(identity) => parts::identity(identity),
                None if faults.is_empty() => "by no identity".to_owned(),
                None => faults.join("; "),
            };
            let plugin = format!("{} {}", mapping.plugin.key, mapping.plugin.version);
            let is_problem = mapping.mapped_to.is_none() && !faults.is_empty();
            Ok(IdentityPart { sentence, is_unconfigured: false, is_problem, plugin: Some(plugin) })
        }
        Err(IdentityError::Gone) => unknown("the document is gone".to_owned(), false),
        Err(IdentityError::Read(error)) => Err(error.into()),
        Err(IdentityError::NotConfigured) => {
            let sentence = "no tax authority hears of it".to_owned();
            Ok(IdentityPart { sentence, is_unconfigured: true, is_problem: false, plugin: None })
        }
        Err(error @ (IdentityError::Plugin(_) | IdentityError::Converter(_))) => {
            unknown(error.to_string(), true)
        }
    }
}
