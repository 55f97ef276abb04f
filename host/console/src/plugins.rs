//! Versions of plugins: what is installed, what is in force and for whom, how calls fare, and what the check before an activation
//! found.

use crate::Console;
use crate::audit::client_names;
use crate::errors::{PageError, PageResult};
use crate::form_claim::FormClaim;
use crate::page::{Layout, Section, page};
use crate::plugin_change::{ChangePage, NextStep};
use crate::renderers;
use crate::rights::{Right, sees_all};
use crate::session::{SentForm, Viewer, see_other};
use crate::template::html;
use crate::upload::{self, Upload};
use crate::workspaces::{names, visible_id};
use askama::Template;
use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use gateway_access::{Clients, RequestClaims};
use gateway_domain::ids::{ClientId, WorkspaceId};
use gateway_domain::regime::{CanaryShare, PluginComponent, RegimeKey};
use gateway_finance::Finance;
use gateway_http::Params;
use gateway_presentation::{Choice, Done, Fields, choices, format};
use gateway_registry::{
    ActivationReport, COMPONENT_BYTES_MAX, CanaryCheck, ListedVersion, Order, PluginCalls, PluginError,
    PluginName, Plugins, RegistryList, ScheduledVersion,
};
use gateway_rendering::{RendererView, Rendering, RenderingError};
use gateway_workspaces::Workspaces;
use serde::Deserialize;
use std::collections::BTreeMap;

const LIST: &str = "/console/plugins";
const UPLOAD: &str = "/console/plugins/upload";
/// What a form says where everybody is meant.
const EVERYBODY: &str = "everybody";

/// A plugin comes in one piece; every other form is small.
pub(crate) fn body_bytes_max(request: &Request) -> Option<u64> {
    let uploads = request.method() == Method::POST && request.uri().path() == UPLOAD;
    // The file, and what surrounds it in a form.
    uploads.then(|| COMPONENT_BYTES_MAX.saturating_add(64 * 1024))
}

pub(crate) fn routes() -> Router<Console> {
    let most = usize::try_from(COMPONENT_BYTES_MAX).unwrap_or(usize::MAX).saturating_add(64 * 1024);
    Router::new()
        .route("/console/plugins", get(list))
        .route(UPLOAD, post(install).layer(DefaultBodyLimit::max(most)))
        .route("/console/plugins/check", post(check))
        .route("/console/plugins/activate", post(activate))
        .route("/console/plugins/confirm", post(confirm))
        .route("/console/plugins/roll-back", post(roll_back))
        .route("/console/plugins/disable", post(disable))
        .merge(renderers::routes())
}

#[derive(Debug)]
struct VersionRow {
    name: String,
    key: String,
    state: &'static str,
    serves: Vec<String>,
    tax_system: String,
    signature: String,
    size: String,
    digest: String,
    installed: String,
    installer: format::ActorName,
    blocked: Option<String>,
    /// When it comes in force, and for whom; what was due says what keeps it.
    scheduled: Vec<String>,
    calls: u64,
    p99: String,
    broken: u64,
    /// Whether it serves somebody, or would if it were not blocked.
    is_in_force: bool,
    /// Whether it serves a share of somebody's documents, or would if it were not blocked.
    is_canary: bool,
    /// Whether there is an earlier version to return to, for anybody whom it serves.
    has_before: bool,
}

/// What a version says of itself, as far as it is shown. A version of a later release may say it otherwise.
#[derive(Debug, Deserialize)]
struct Described {
    tax_system: String,
    country: String,
}

#[derive(Debug)]
struct ReplicaRow {
    address: String,
    version: String,
    generation: i64,
    problem: String,
    heard_at: String,
}

#[derive(Template)]
#[template(path = "plugins.html")]
struct ListPage {
    layout: Layout,
    rows: Vec<VersionRow>,
    replicas: Vec<ReplicaRow>,
    generation: i64,
    workspaces: Vec<Choice>,
    asks_for_signatures: bool,
    /// Largest component that is taken.
    component_bytes_max: usize,
    /// What makes documents for people, or why nothing does.
    renderer: Result<RendererPart, String>,
    /// The versions of renderers in the database.
    renderers: Vec<renderers::VersionRow>,
    /// What a return goes to.
    renderer_before: Option<String>,
    done: Option<&'static str>,
}

/// The renderer in force.
#[derive(Debug)]
struct RendererPart {
    name: String,
    digest: String,
    signature: String,
    locales: Vec<String>,
}

async fn renderer(rendering: &Rendering) -> Result<RendererPart, String> {
    match rendering.renderer().await {
        Ok(Some(RendererView { name, digest, locales, signer })) => {
            let signature = signer.map_or_else(|| "not signed".to_owned(), |key| format!("signed by {key}"));
            Ok(RendererPart { name, digest, signature, locales })
        }
        Ok(None) => Err(RenderingError::NoRenderer.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

fn scheduled(listing: &RegistryList, listed: &ListedVersion, viewer: &Viewer) -> Vec<String> {
    let visible = |workspace: Option<WorkspaceId>| {
        workspace.is_none_or(|workspace| viewer.workspaces().contain(workspace))
    };
    let of_version =
        listing.scheduled.iter().filter(|it| it.plugin == listed.plugin && visible(it.workspace));
    let sentence = |it: &ScheduledVersion| {
        let (due, whom) = (format::time(it.due_at), whom(it.workspace));
        match &it.problem {
            None => format!("at {due} for {whom}"),
            Some(problem) => format!("was due at {due} for {whom}: {problem}"),
        }
    };
    of_version.map(sentence).collect()
}

fn row(
    (listed, has_before, scheduled): (&ListedVersion, bool, Vec<String>),
    viewer: &Viewer,
    calls: &PluginCalls,
    clients: &BTreeMap<ClientId, String>,
) -> VersionRow {
    let figures = calls.of(&listed.plugin);
    let described = serde_json::from_str(&listed.description).map_or_else(
        |_| format::NONE.to_owned(),
        |described: Described| format!("{} ({})", described.tax_system, described.country),
    );
    let visible =
        |workspace: &&Option<WorkspaceId>| workspace.is_none_or(|id| viewer.workspaces().contain(id));
    let serves = listed.serves.iter().filter(visible).map(|workspace| whom(*workspace));
    let canaries = listed.canaries.iter().filter(|canary| visible(&&canary.workspace));
    let shares =
        canaries.map(|canary| format!("{} of the documents of {}", canary.share, whom(canary.workspace)));
    VersionRow {
        name: PluginName::from(&listed.plugin).to_string(),
        key: listed.plugin.key.to_string(),
        state: listed.state.as_str(),
        serves: serves.chain(shares).collect(),
        tax_system: described,
        signature: if listed.signature.is_some() { "signed" } else { "not signed" }.to_owned(),
        size: format::size(listed.size),
        digest: listed.plugin.digest.clone(),
        installed: format::time(listed.installed_at),
        installer: format::actor(&listed.installed_by, clients),
        blocked: listed.blocked.as_ref().map(|(at, why)| format!("{}: {why}", format::time(*at))),
        scheduled,
        calls: figures.calls,
        p99: figures.p99().map_or_else(|| format::NONE.to_owned(), |p99| format!("≤ {p99:?}")),
        broken: figures.broken,
        is_in_force: !listed.serves.is_empty(),
        is_canary: !listed.canaries.is_empty(),
        has_before,
    }
}

/// Whether anybody whom a version serves has an earlier one to return to.
async fn has_before(plugins: &Plugins, listed: &ListedVersion) -> Result<bool, PageError> {
    let shares = listed.canaries.iter().map(|canary| canary.workspace);
    for workspace in listed.serves.iter().copied().chain(shares) {
        match plugins.roll_back_target(&listed.plugin.key, workspace).await {
            Ok(_) => return Ok(true),
            Err(PluginError::Store(cause)) => return Err(cause.into()),
            Err(_) => {}
        }
    }
    Ok(false)
}

/// Every version.
async fn list(
    viewer: Viewer,
    State(plugins): State<Plugins>,
    State(calls): State<PluginCalls>,
    State(workspaces): State<Workspaces>,
    State(rendering): State<Rendering>,
    State(clients): State<Clients>,
    params: Params,
) -> PageResult {
    let clients = client_names(&clients, &viewer).await?;
    let listing = plugins.list().await?;
    let mut rows = Vec::new();
    for listed in &listing.plugins {
        let (before, due) = (has_before(&plugins, listed).await?, scheduled(&listing, listed, &viewer));
        rows.push(row((listed, before, due), &viewer, &calls, &clients));
    }
    let known = names(&workspaces, &viewer).await?;
    let ids: Vec<_> = known.iter().map(|(id, name)| (id.to_string(), name.clone())).collect();
    let everybody = sees_all(&viewer.signed_in).then(|| (EVERYBODY, whom(None)));
    let choice = everybody.into_iter().chain(ids.iter().map(|(id, name)| (id.as_str(), name.clone())));
    let replica = |replica: &gateway_registry::Replica| ReplicaRow {
        address: replica.address.clone(),
        version: replica.version.clone().unwrap_or_else(|| "unknown".to_owned()),
        generation: replica.generation,
        problem: replica.problem.clone().unwrap_or_else(|| "none".to_owned()),
        heard_at: format::time(replica.seen_at),
    };
    page(&ListPage {
        renderers: renderers::rows(&rendering, &clients).await?,
        renderer_before: renderers::roll_back_target(&rendering).await?,
        layout: Layout::new(&viewer, Section::Plugins, "Plugins"),
        rows,
        replicas: listing.replicas.iter().map(replica).collect(),
        generation: listing.generation,
        workspaces: choices(choice, ""),
        done: Done::sentence_of(params.text("done").as_deref()),
        asks_for_signatures: plugins.runtime().asks_for_signatures(),
        component_bytes_max: plugins.runtime().host().limits().file_bytes,
        renderer: renderer(&rendering).await,
    })
}

/// A change of what is in force, for whom it is offered.
fn next_step(
    action: &'static str,
    verb: &str,
    subject: (&'static str, String),
    workspace: Option<WorkspaceId>,
) -> NextStep {
    let scope = workspace.map_or_else(|| EVERYBODY.to_owned(), |id| id.to_string());
    let title = format!("{verb} for {}", whom(workspace));
    NextStep { action, title, is_dangerous: true, fields: vec![subject, ("workspace_id", scope)] }
}

/// The activation of the same for the same; nothing is forced that breaks.
fn step_after(order: &Order, check: &CanaryCheck) -> Option<NextStep> {
    let is_forced = check.objection(false).is_some();
    if is_forced && check.objection(true).is_some() {
        return None;
    }
    let all_the_same = if is_forced { " all the same" } else { "" };
    let verb = order.share.map_or_else(
        || format!("Activate{all_the_same}"),
        |share| format!("Serve {share} of the documents{all_the_same}"),
    );
    let mut next = next_step("activate", &verb, ("name", order.name.to_string()), order.workspace);
    next.is_dangerous = is_forced;
    next.fields.extend(is_forced.then(|| ("force", "yes".to_owned())));
    next.fields.extend(order.share.map(|share| ("share", share.percent().to_string())));
    Some(next)
}

/// For whom something is put in force; for everybody only by who sees everybody.
fn scope(viewer: &Viewer, fields: &Fields) -> Result<Option<WorkspaceId>, PageError> {
    Right::Operate.demand(&viewer.signed_in)?;
    match fields.text("workspace_id") {
        "" => Err(PageError::refused(StatusCode::UNPROCESSABLE_ENTITY, "choose for whom: nothing changed")),
        EVERYBODY => Right::OperateAll.demand(&viewer.signed_in).map(|()| None),
        id => visible_id(viewer, id).map(Some),
    }
}

/// For whom, in words.
fn whom(workspace: Option<WorkspaceId>) -> String {
    workspace.map_or_else(|| EVERYBODY.to_owned(), |id| format!("workspace {id}"))
}

fn activation_page(viewer: &Viewer, activated: &ActivationReport, check: Option<&CanaryCheck>) -> Response {
    let name = PluginName::from(&activated.plugin);
    if let Some(share) = activated.share {
        let rest = activated.replaced.as_deref().unwrap_or_default();
        let whom = whom(activated.workspace);
        return html(&ChangePage {
            layout: Layout::new(viewer, Section::Plugins, name.to_string()),
            heading: format!("{name} is a canary"),
            sentence: format!("It serves {share} of the documents of {whom}, and version {rest} the rest."),
            is_refused: false,
            next: None,
            check,
        });
    }
    let replaced = activated.replaced.as_ref().map_or_else(
        || "Nothing was in force before.".to_owned(),
        |version| format!("Version {version} was in force before."),
    );
    let own =
        activated.own_versions.iter().map(|own| format!("workspace {} keeps {}", own.workspace, own.version));
    let own = own.collect::<Vec<_>>().join(", ");
    html(&ChangePage {
        layout: Layout::new(viewer, Section::Plugins, name.to_string()),
        heading: format!("{name} is in force"),
        sentence: format!("It serves {}. {replaced} {own}", whom(activated.workspace)),
        is_refused: false,
        next: None,
        check,
    })
}

/// What is to be put in force, and for whom.
fn order(viewer: &Viewer, fields: &Fields) -> Result<Order, PageError> {
    let workspace = scope(viewer, fields)?;
    let name = fields.text("name").parse::<PluginName>();
    let name = name.map_err(|_| PageError::not_found("there is no such version"))?;
    let share = fields.given("share").map(str::parse::<CanaryShare>).transpose();
    let share =
        share.map_err(|error| PageError::refused(StatusCode::UNPROCESSABLE_ENTITY, error.to_string()))?;
    Ok(Order { name, workspace, share, force: fields.is_ticked("force") })
}

/// Whether a version serves already whom it is to serve. One that is blocked does not.
async fn is_in_force(plugins: &Plugins, order: &Order) -> Result<bool, PageError> {
    if order.share.is_some() {
        return Ok(false);
    }
    let listing = plugins.list().await?;
    let is_it = |listed: &&ListedVersion| PluginName::from(&listed.plugin) == order.name;
    let listed = listing.plugins.iter().find(is_it);
    Ok(listed.is_some_and(|listed| listed.blocked.is_none() && listed.serves.contains(&order.workspace)))
}

/// Shows what the check before an activation finds, and offers the activation. Nothing changes.
async fn check(
    State(plugins): State<Plugins>,
    State(finance): State<Finance>,
    SentForm { viewer, fields }: SentForm,
) -> PageResult {
    let order = order(&viewer, &fields)?;
    if is_in_force(&plugins, &order).await? {
        return page(&ChangePage {
            layout: Layout::new(&viewer, Section::Plugins, order.name.to_string()),
            heading: format!("{} for {}", order.name, whom(order.workspace)),
            sentence: "This version is in force already. Nothing changed.".to_owned(),
            is_refused: false,
            next: None,
            check: None,
        });
    }
    let found = plugins.check(&order, &finance).await?;
    let objection = found.objection(false);
    let share = order.share.map_or_else(String::new, |share| format!(", {share} of the documents"));
    page(&ChangePage {
        layout: Layout::new(&viewer, Section::Plugins, order.name.to_string()),
        heading: format!("{} for {}{share}", order.name, whom(order.workspace)),
        is_refused: objection.is_some(),
        sentence: objection
            .unwrap_or_else(|| "Nothing speaks against it, and nothing changed yet.".to_owned()),
        next: step_after(&order, &found),
        check: Some(&found),
    })
}

/// Puts a version in force, and shows what the check found; a refusal shows the same.
async fn activate(
    State(plugins): State<Plugins>,
    State(finance): State<Finance>,
    State(claims): State<RequestClaims>,
    SentForm { viewer, fields }: SentForm,
) -> PageResult {
    let order = order(&viewer, &fields)?;
    let Order { name, workspace, share, force } = order.clone();
    let share = share.map(CanaryShare::percent);
    let content = format!("activate {name} for {} {share:?} {force}", whom(workspace));
    let claim = FormClaim::claim(&claims, &viewer, &fields, &content).await?;
    let activated = plugins.activate(&viewer.actor(), &order, Some(&finance)).await;
    claim.settle(&claims, &activated).await;
    match activated {
        Ok(activated) => Ok(activation_page(&viewer, &activated, Some(&activated.canary))),
        Err(PluginError::CanaryFailed { sentence, canary, .. }) => {
            let page = html(&ChangePage {
                layout: Layout::new(&viewer, Section::Plugins, name.to_string()),
                heading: format!("{name} is not activated"),
                sentence,
                is_refused: true,
                next: step_after(&order, &canary),
                check: Some(&*canary),
            });
            Ok((StatusCode::CONFLICT, page).into_response())
        }
        Err(error) => Err(error.into()),
    }
}

fn key(fields: &Fields) -> Result<RegimeKey, PageError> {
    fields.text("key").parse().map_err(|_| PageError::not_found("there is no such plugin"))
}

/// Says what a change does, and for whom. Nothing changes.
async fn confirm(State(plugins): State<Plugins>, SentForm { viewer, fields }: SentForm) -> PageResult {
    let (workspace, key) = (scope(&viewer, &fields)?, key(&fields)?);
    let (action, verb, sentence) = match (fields.text("action"), workspace) {
        ("roll-back", _) => {
            if let Some(in_force) = plugins.version_behind_canary(&key, workspace).await? {
                ("roll-back", "End the canary".to_owned(), format!("{in_force} serves every document again."))
            } else {
                let before = plugins.roll_back_target(&key, workspace).await?;
                ("roll-back", format!("Return to {before}"), "That version serves again.".to_owned())
            }
        }
        ("disable", None) => {
            let sentence = "Documents of this tax system wait until a version is activated.";
            ("disable", "Take out of force".to_owned(), sentence.to_owned())
        }
        ("disable", Some(_)) => {
            let sentence = "The workspace has the version that everybody has.";
            ("disable", "Take out of force".to_owned(), sentence.to_owned())
        }
        _ => return Err(PageError::not_found("there is no such action")),
    };
    page(&ChangePage {
        layout: Layout::new(&viewer, Section::Plugins, key.to_string()),
        heading: format!("{verb}: {key} for {}", whom(workspace)),
        sentence: format!("{sentence} Nothing changed yet."),
        is_refused: false,
        next: Some(next_step(action, &verb, ("key", key.to_string()), workspace)),
        check: None,
    })
}

/// Returns to the version before.
async fn roll_back(
    State(plugins): State<Plugins>,
    State(claims): State<RequestClaims>,
    SentForm { viewer, fields }: SentForm,
) -> PageResult {
    let workspace = scope(&viewer, &fields)?;
    let key = key(&fields)?;
    let claim =
        FormClaim::claim(&claims, &viewer, &fields, &format!("roll back {key} for {}", whom(workspace)))
            .await?;
    let activated = plugins.roll_back(&viewer.actor(), &key, workspace.into()).await;
    claim.settle(&claims, &activated).await;
    Ok(activation_page(&viewer, &activated?, None))
}

/// Takes a plugin out of force.
async fn disable(State(plugins): State<Plugins>, SentForm { viewer, fields }: SentForm) -> PageResult {
    let workspace = scope(&viewer, &fields)?;
    plugins.disable(&viewer.actor(), &key(&fields)?, workspace).await?;
    Ok(see_other(&Done::OutOfForce.address(LIST)))
}

/// Installs a component: a plugin, or a renderer where the form says so.
async fn install(
    State(plugins): State<Plugins>,
    State(rendering): State<Rendering>,
    viewer: Viewer,
    request: Request,
) -> PageResult {
    let Upload { fields, file, .. } = upload::read(&viewer, Right::OperateAll, request, "component").await?;
    let component = PluginComponent { bytes: file, signature: fields.owned("signature") };
    if fields.text("kind") == "renderer" {
        rendering.versions().install(&viewer.actor(), "in the upload", component).await?;
    } else {
        plugins.install(&viewer.actor(), "in the upload", component).await?;
    }
    Ok(see_other(&Done::Installed.address(LIST)))
}
