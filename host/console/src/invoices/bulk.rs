//! The same action for many documents: the rejected ones, and submissions that wait for somebody. Each row has an outcome of its
//! own.

use super::action::Action;
use super::actions::execute_row;
use crate::errors::{PageError, PageResult};
use crate::form_claim::FormClaim;
use crate::page::{Layout, Section, page};
use crate::session::{SentForm, Viewer};
use crate::workspaces::{names, visible_id};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use gateway_access::RequestClaims;
use gateway_domain::invoicing::{DocumentFilter, DocumentOrder, Status};
use gateway_domain::ports::Clock;
use gateway_finance::{DocumentLists, Finance, Submissions};
use gateway_http::query::{self, Params, cursor};
use gateway_presentation::{DocumentRow, format};
use gateway_workspaces::Workspaces;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Documents of one form, at most.
const BULK_MAX: u16 = 100;
/// After so long no further document is begun, so that the outcomes of the others are seen.
const BULK_TIME_MAX: Duration = Duration::from_secs(20);

#[derive(Template)]
#[template(path = "rejected.html")]
struct RejectedPage {
    layout: Layout,
    rows: Vec<DocumentRow>,
    next: Option<String>,
}

#[derive(Template)]
#[template(path = "bulk.html")]
struct BulkPage {
    layout: Layout,
    title: &'static str,
    sentence: &'static str,
    action: &'static str,
    rows: Vec<BulkRow>,
    /// What waits besides, and does not fit into this form.
    remaining: usize,
    /// Whether it was carried out.
    is_done: bool,
    back: &'static str,
}

/// A document, and what came of it.
#[derive(Debug)]
struct BulkRow {
    id: String,
    /// That is looked at, and that is acted on.
    version: String,
    number: String,
    /// Empty before it was carried out, and where it went well.
    problem: String,
}

/// What can be done to many.
#[derive(Debug, Clone, Copy)]
struct Bulk {
    action: Action,
    title: &'static str,
    sentence: &'static str,
    back: &'static str,
    section: Section,
}

impl Bulk {
    fn parse(name: &str) -> Result<Self, PageError> {
        match Action::parse(name)? {
            action @ Action::Issue => Ok(Self {
                action,
                title: "Resubmit",
                sentence: "Each document is sent again under a new number. What would be refused is told, and stays as it is.",
                back: "/console/rejected",
                section: Section::Rejected,
            }),
            action @ Action::Retry => Ok(Self {
                action,
                title: "Retry",
                sentence: "The alert of each submission is forgotten, and its next step is taken at once.",
                back: "/console/jobs",
                section: Section::Jobs,
            }),
            Action::DryRun
            | Action::Recipient
            | Action::Credit
            | Action::Reverse
            | Action::Acknowledge
            | Action::Accept
            | Action::Reject
            | Action::AcceptEarlier
            | Action::RejectEarlier
            | Action::Delete => Err(PageError::not_found("there is no such action for many")),
        }
    }
}

/// Rejected documents, the newest first.
pub(super) async fn rejected(
    viewer: Viewer,
    State(lists): State<DocumentLists>,
    State(workspaces): State<Workspaces>,
    params: Params,
) -> PageResult {
    params.only(&["after"])?;
    let after = params.parse("after", "use the end of a page", query::page_key)?;
    let filter = DocumentFilter {
        status: Some(Status::Rejected),
        order: DocumentOrder::NewestFirst,
        ..DocumentFilter::default()
    };
    let found = lists.page(&viewer.acting(), &filter, after, gateway_invoicing::PAGE_MAX).await?;
    let known = names(&workspaces, &viewer).await?;
    let next = found
        .end()
        .filter(|_| found.has_next)
        .map(|end| format!("/console/rejected?{}", format::query([("after", cursor(end).as_str())])));
    page(&RejectedPage {
        layout: Layout::new(&viewer, Section::Rejected, "Rejected"),
        rows: found.nodes.iter().map(|node| DocumentRow::of(node, &known)).collect(),
        next,
    })
}

fn selection(form: &SentForm) -> Result<(Bulk, Vec<String>), PageError> {
    let bulk = Bulk::parse(form.fields.text("action"))?;
    bulk.action.right().demand(&form.viewer.signed_in)?;
    let ids: Vec<_> = form.fields.all("id").take(usize::from(BULK_MAX)).map(str::to_owned).collect();
    if ids.is_empty() {
        let sentence = "nothing is ticked: go back and tick at least one row";
        return Err(PageError::refused(StatusCode::UNPROCESSABLE_ENTITY, sentence));
    }
    Ok((bulk, ids))
}

/// Rows of these documents; `versions` are those that were looked at, where the page is sent back.
async fn rows(
    lists: &DocumentLists,
    viewer: &Viewer,
    ids: &[String],
    versions: Option<&[&str]>,
) -> Result<Vec<BulkRow>, PageError> {
    let parsed: Vec<_> = ids.iter().filter_map(|id| id.parse().ok()).collect();
    let found = lists.by_ids(&viewer.acting(), &parsed).await?;
    let row = |(at, id): (usize, &String)| {
        let document = id.parse().ok().and_then(|id| found.get(&id));
        let looked_at = versions.map(|versions| versions.get(at).map(ToString::to_string));
        BulkRow {
            id: id.clone(),
            version: looked_at
                .unwrap_or_else(|| document.map(|document| document.version.to_string()))
                .unwrap_or_default(),
            number: document.map_or_else(|| "unknown".to_owned(), format::number),
            problem: String::new(),
        }
    };
    Ok(ids.iter().enumerate().map(row).collect())
}

async fn confirmation(
    lists: &DocumentLists,
    viewer: &Viewer,
    bulk: Bulk,
    (ids, remaining): (&[String], usize),
) -> PageResult {
    page(&BulkPage {
        layout: Layout::new(viewer, bulk.section, bulk.title),
        title: bulk.title,
        sentence: bulk.sentence,
        action: bulk.action.name(),
        rows: rows(lists, viewer, ids, None).await?,
        remaining,
        is_done: false,
        back: bulk.back,
    })
}

/// Says what will happen to which documents.
pub(super) async fn confirm(State(lists): State<DocumentLists>, form: SentForm) -> PageResult {
    let (bulk, ids) = selection(&form)?;
    confirmation(&lists, &form.viewer, bulk, (&ids, 0)).await
}

/// The same for whatever waits for somebody in a workspace.
pub(super) async fn confirm_workspace(
    State(lists): State<DocumentLists>,
    State(submissions): State<Submissions>,
    SentForm { viewer, fields }: SentForm,
) -> PageResult {
    let bulk = Bulk::parse(Action::Retry.name())?;
    bulk.action.right().demand(&viewer.signed_in)?;
    let workspace = visible_id(&viewer, fields.text("workspace_id"))?;
    let alerted = submissions.alerted(workspace).await?;
    let ids: Vec<_> = alerted.iter().take(usize::from(BULK_MAX)).map(ToString::to_string).collect();
    if ids.is_empty() {
        let sentence = "nothing in this workspace waits for a retry";
        return Err(PageError::refused(StatusCode::UNPROCESSABLE_ENTITY, sentence));
    }
    confirmation(&lists, &viewer, bulk, (&ids, alerted.len().saturating_sub(ids.len()))).await
}

/// Does it, one document after the other, and says what came of each.
pub(super) async fn carry_out(
    State(lists): State<DocumentLists>,
    State(finance): State<Finance>,
    State(submissions): State<Submissions>,
    State(clock): State<Arc<dyn Clock>>,
    State(claims): State<RequestClaims>,
    form: SentForm,
) -> PageResult {
    let (bulk, ids) = selection(&form)?;
    let viewer = &form.viewer;
    let content = format!("{} {}", bulk.action.name(), ids.join(" "));
    let claim = FormClaim::claim(&claims, viewer, &form.fields, &content).await?;
    let versions: Vec<_> = form.fields.all("version").take(usize::from(BULK_MAX)).collect();
    let mut rows = rows(&lists, viewer, &ids, Some(&versions)).await?;
    let since = Instant::now();
    for row in &mut rows {
        if since.elapsed() >= BULK_TIME_MAX {
            "not tried, because the others took long: tick it again".clone_into(&mut row.problem);
            continue;
        }
        let one = (row.id.as_str(), row.version.as_str(), bulk.action);
        if let Err(error) = execute_row(&finance, &submissions, viewer, one, clock.now()).await {
            row.problem = error.sentences.join("; ");
        }
    }
    claim.settle(&claims, &Ok::<_, PageError>(())).await;
    page(&BulkPage {
        layout: Layout::new(viewer, bulk.section, bulk.title),
        title: bulk.title,
        sentence: bulk.sentence,
        action: bulk.action.name(),
        rows,
        remaining: 0,
        is_done: true,
        back: bulk.back,
    })
}
