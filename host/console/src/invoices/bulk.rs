//! The same action for many documents: the rejected ones, and submissions that wait for somebody. Each row has an outcome of its
//! own.

use super::action;
use super::actions::execute_row;
use crate::errors::{PageError, PageResult};
use crate::form_claim::FormClaim;
use crate::page::{Layout, Section, page};
use crate::pages::DocumentsWindow;
use crate::session::{SentForm, Viewer};
use crate::workspaces::{names, visible_id, workspace_choices};
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use gateway_access::RequestClaims;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::invoicing::{DocumentFilter, DocumentOrder, Invoice, Status};
use gateway_domain::ports::Clock;
use gateway_finance::{DocumentLists, Finance, Submissions};
use gateway_http::query::{self, Params};
use gateway_presentation::Action;
use gateway_presentation::{Choice, DocumentRow, Fields, InvalidMembers, ListAddress, PageLinks, format};
use gateway_workspaces::Workspaces;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The queue of rejected documents.
const REJECTED: &str = "/console/rejected";
/// Documents of one form, at most.
const BULK_MAX: u16 = 100;
/// After so long no further document is begun, so that the outcomes of the others are seen.
const BULK_TIME_MAX: Duration = Duration::from_secs(20);

#[derive(Template)]
#[template(path = "rejected.html")]
struct RejectedPage {
    layout: Layout,
    rows: Vec<DocumentRow>,
    workspaces: Vec<Choice>,
    /// The one whose documents are listed; empty: each.
    workspace: String,
    problem: Option<String>,
    invalid: InvalidMembers,
    pages: PageLinks,
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
    /// All of it.
    all: usize,
    /// Whether it was carried out.
    is_done: bool,
    back: String,
    /// What narrowed the list that was looked at; empty: nothing.
    workspace: String,
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

impl BulkRow {
    /// A document as it is looked at.
    fn of(document: &Invoice) -> Self {
        Self {
            id: document.id.to_string(),
            version: document.version.to_string(),
            number: format::number(document),
            problem: String::new(),
        }
    }
}

/// What can be done to many.
#[derive(Debug, Clone, Copy)]
struct Bulk {
    action: Action,
    title: &'static str,
    sentence: &'static str,
    /// The list that it is chosen from.
    list: &'static str,
    section: Section,
}

impl Bulk {
    fn parse(name: &str) -> Result<Self, PageError> {
        match action::named(name)? {
            action @ Action::Issue => Ok(Self {
                action,
                title: "Resubmit",
                sentence: "Each document is sent again under a new number. What would be refused is told, and stays as it is.",
                list: REJECTED,
                section: Section::Rejected,
            }),
            action @ Action::Retry => Ok(Self {
                action,
                title: "Retry",
                sentence: "The alert of each submission is forgotten, and its next step is taken at once.",
                list: "/console/jobs",
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

/// What narrows the queue of rejected documents.
fn rejected_filter(workspace: Option<WorkspaceId>) -> DocumentFilter {
    DocumentFilter {
        workspace,
        status: Some(Status::Rejected),
        order: DocumentOrder::NewestFirst,
        ..DocumentFilter::default()
    }
}

/// Rejected documents, the newest first; of a workspace, if one is named.
pub(super) async fn rejected(
    viewer: Viewer,
    State(lists): State<DocumentLists>,
    State(workspaces): State<Workspaces>,
    params: Params,
) -> PageResult {
    let typed = |name| params.text(name).unwrap_or_default();
    let (workspace, first) = (typed("workspace_id"), typed("first"));
    let narrowed = format::query([("workspace_id", workspace.as_str()), ("first", first.as_str())]);
    let acting = viewer.acting();
    let requested = async {
        params.only(&[&DocumentsWindow::NAMES[..], &["workspace_id"]].concat())?;
        let place = DocumentsWindow::read(&params)?;
        let workspace = params.parse("workspace_id", "choose a workspace of the list", query::workspace)?;
        let list = ListAddress { path: REJECTED, query: &narrowed };
        Ok::<_, PageError>(place.page((&lists, &acting), &rejected_filter(workspace), list).await?)
    };
    let (found, error) = match requested.await {
        Ok(found) => (Some(found), None),
        Err(error) if error.is_about_the_form() => (None, Some(error)),
        Err(error) => return Err(error),
    };
    let (nodes, pages) = found.map(|found| (found.nodes, found.links)).unwrap_or_default();
    let known = names(&workspaces, &viewer).await?;
    page(&RejectedPage {
        layout: Layout::new(&viewer, Section::Rejected, "Rejected"),
        rows: nodes.iter().map(|node| DocumentRow::of(node, &known)).collect(),
        workspaces: workspace_choices(&known, &workspace),
        workspace,
        invalid: PageError::sentences_and_members(error.as_ref()).1,
        problem: error.map(|error| error.sentences.join("; ")),
        pages,
    })
}

fn selection(form: &SentForm) -> Result<(Bulk, Vec<String>), PageError> {
    let bulk = Bulk::parse(form.fields.text("action"))?;
    action::right(bulk.action).demand(&form.viewer.signed_in)?;
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

/// The workspace that narrowed the list which a form was sent from; empty: none did.
fn workspace_of_list(bulk: Bulk, fields: &Fields) -> String {
    let id = fields.given("workspace_id").filter(|_| bulk.list == REJECTED).and_then(query::workspace);
    id.map(|id| id.to_string()).unwrap_or_default()
}

/// A page about many documents, which leads back to the list that they are chosen from.
fn bulk_page(
    viewer: &Viewer,
    (bulk, workspace): (Bulk, String),
    rows: Vec<BulkRow>,
    (remaining, is_done): (usize, bool),
) -> PageResult {
    let list = ListAddress { path: bulk.list, query: "" };
    page(&BulkPage {
        layout: Layout::new(viewer, bulk.section, bulk.title),
        title: bulk.title,
        sentence: bulk.sentence,
        action: bulk.action.name(),
        all: rows.len().saturating_add(remaining),
        rows,
        remaining,
        is_done,
        back: list.with("workspace_id", &workspace),
        workspace,
    })
}

/// Says what will happen to which documents.
pub(super) async fn confirm(State(lists): State<DocumentLists>, form: SentForm) -> PageResult {
    let (bulk, ids) = selection(&form)?;
    let workspace = workspace_of_list(bulk, &form.fields);
    let rows = rows(&lists, &form.viewer, &ids, None).await?;
    bulk_page(&form.viewer, (bulk, workspace), rows, (0, false))
}

/// The same for every document of the queue of rejected ones, as it is narrowed, as many as one form takes.
pub(super) async fn confirm_rejected(
    State(lists): State<DocumentLists>,
    SentForm { viewer, fields }: SentForm,
) -> PageResult {
    let bulk = Bulk::parse(Action::Issue.name())?;
    action::right(bulk.action).demand(&viewer.signed_in)?;
    let workspace = fields.given("workspace_id").map(|id| visible_id(&viewer, id)).transpose()?;
    let (acting, filter) = (viewer.acting(), rejected_filter(workspace));
    let mut found = Vec::new();
    let mut after = None;
    loop {
        let left = usize::from(BULK_MAX).saturating_sub(found.len());
        let part = lists.page(&acting, &filter, after, left.min(gateway_invoicing::PAGE_MAX)).await?;
        after = part.end();
        found.extend(part.nodes);
        if !part.has_next || found.len() >= usize::from(BULK_MAX) {
            break;
        }
    }
    if found.is_empty() {
        let sentence = "no document of this list is rejected any more";
        return Err(PageError::refused(StatusCode::UNPROCESSABLE_ENTITY, sentence));
    }
    let all = usize::try_from(lists.count(&acting, &filter).await?).unwrap_or_default();
    let remaining = all.saturating_sub(found.len());
    let rows = found.iter().map(BulkRow::of).collect();
    bulk_page(&viewer, (bulk, workspace_of_list(bulk, &fields)), rows, (remaining, false))
}

/// The same for whatever waits for somebody in a workspace.
pub(super) async fn confirm_workspace(
    State(lists): State<DocumentLists>,
    State(submissions): State<Submissions>,
    SentForm { viewer, fields }: SentForm,
) -> PageResult {
    let bulk = Bulk::parse(Action::Retry.name())?;
    action::right(bulk.action).demand(&viewer.signed_in)?;
    let workspace = visible_id(&viewer, fields.text("workspace_id"))?;
    let alerted = submissions.alerted(workspace).await?;
    let ids: Vec<_> = alerted.iter().take(usize::from(BULK_MAX)).map(ToString::to_string).collect();
    if ids.is_empty() {
        let sentence = "nothing in this workspace waits for a retry";
        return Err(PageError::refused(StatusCode::UNPROCESSABLE_ENTITY, sentence));
    }
    let remaining = alerted.len().saturating_sub(ids.len());
    bulk_page(&viewer, (bulk, String::new()), rows(&lists, &viewer, &ids, None).await?, (remaining, false))
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
    bulk_page(viewer, (bulk, workspace_of_list(bulk, &form.fields)), rows, (0, true))
}
