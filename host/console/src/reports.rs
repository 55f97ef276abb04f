//! What the documents of a workspace come to: by month, by tax or by state, exactly and currency by currency.

use crate::errors::{PageError, PageResult};
use crate::page::{Layout, Section, page};
use crate::session::Viewer;
use crate::workspaces::names;
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::invoicing::{IssuePeriod, ReportGroup, ReportScope};
use gateway_http::query::{self, Params};
use gateway_invoicing::Documents;
use gateway_presentation::reports::{self, ReportTable, SumsRow};
use gateway_presentation::{Choice, InvalidMembers, choices};
use gateway_workspaces::Workspaces;

#[derive(Template)]
#[template(path = "reports.html")]
struct ReportsPage {
    layout: Layout,
    workspaces: Vec<Choice>,
    groups: Vec<Choice>,
    /// As typed.
    from: String,
    /// As typed.
    to: String,
    problem: Option<String>,
    invalid: InvalidMembers,
    /// None before a workspace is chosen.
    report: Option<ReportTable>,
}

/// What is asked for; no scope before a workspace is chosen.
fn read(params: &Params) -> Result<(Option<ReportScope>, ReportGroup), PageError> {
    params.only(&["workspace_id", "from", "to", "group"])?;
    let workspace = params.parse("workspace_id", "choose a workspace of the list", query::workspace)?;
    let group = params.parse("group", "choose month, rate or status", ReportGroup::parse)?;
    let day = |name| params.parse(name, "use a date as YYYY-MM-DD", query::date);
    let period = IssuePeriod { from: day("from")?, to: day("to")? };
    if period.is_backwards() {
        let sentence = "the period ends before it begins: swap the two dates";
        let members = ["from", "to"].map(str::to_owned).into();
        return Err(PageError { members, ..PageError::refused(StatusCode::UNPROCESSABLE_ENTITY, sentence) });
    }
    let scope = workspace.map(|workspace| ReportScope { workspace, period });
    Ok((scope, group.unwrap_or(ReportGroup::Month)))
}

async fn totals(
    documents: &Documents,
    acting: &Acting,
    scope: ReportScope,
    group: ReportGroup,
) -> Result<ReportTable, StoreError> {
    let rows = match group {
        ReportGroup::Month => rows(documents.totals_by_month(acting, scope).await?),
        ReportGroup::Rate => rows(documents.totals_by_rate(acting, scope).await?),
        ReportGroup::Status => rows(documents.totals_by_status(acting, scope).await?),
    };
    Ok(ReportTable::of(group, rows))
}

fn rows<R: Into<SumsRow>>(found: Vec<R>) -> Vec<SumsRow> {
    found.into_iter().map(Into::into).collect()
}

/// A report, and the form to ask for another one.
pub(crate) async fn show(
    viewer: Viewer,
    State(documents): State<Documents>,
    State(workspaces): State<Workspaces>,
    params: Params,
) -> PageResult {
    let known = names(&workspaces, &viewer).await?;
    let (report, error) = match read(&params) {
        Ok((Some(scope), group)) => (Some(totals(&documents, &viewer.acting(), scope, group).await?), None),
        Ok((None, _)) => (None, None),
        Err(error) if error.is_about_the_form() => (None, Some(error)),
        Err(error) => return Err(error),
    };
    let typed = |name| params.text(name).unwrap_or_default();
    let ids: Vec<_> = known.iter().map(|(id, name)| (id.to_string(), name.clone())).collect();
    // The only one needs no choice.
    let none = (ids.len() != 1).then(|| ("", "Choose a workspace…".to_owned()));
    let groups = [ReportGroup::Month, ReportGroup::Rate, ReportGroup::Status];
    let groups = groups.map(|group| (group.as_str(), reports::title(group).to_owned()));
    page(&ReportsPage {
        layout: Layout::new(&viewer, Section::Reports, "Reports"),
        workspaces: choices(
            none.into_iter().chain(ids.iter().map(|(id, name)| (id.as_str(), name.clone()))),
            &typed("workspace_id"),
        ),
        groups: choices(groups, &typed("group")),
        from: typed("from"),
        to: typed("to"),
        invalid: PageError::sentences_and_members(error.as_ref()).1,
        problem: error.map(|error| error.sentences.join("; ")),
        report,
    })
}
