//! Versions of plugins: what is installed, what is in force and for whom, how calls fare, and what the check before an activation
//! found.

use crate::Console;
use crate::errors::{PageError, PageResult};
use crate::form_claim::FormClaim;
use crate::page::{Layout, Section, page};
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
use gateway_access::RequestClaims;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::regime::{PluginComponent, RegimeKey};
use gateway_finance::Finance;
use gateway_presentation::{Choice, Fields, choices, format};
use gateway_registry::{
    ActivationReport, COMPONENT_BYTES_MAX, CanaryCheck, ListedVersion, Order, PluginCalls, PluginError,
    PluginName, Plugins,
};
use gateway_rendering::{RendererView, Rendering, RenderingError};
use gateway_workspaces::Workspaces;
use serde::Deserialize;

const UPLOAD: &str = "/console/plugins/upload";
/// Differences of one document that are shown.
const DIFFERENCES_SHOWN: usize = 20;

/// A plugin comes in one piece; every other form is small.
pub fn body_bytes_max(request: &Request) -> Option<u64> {
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
        .route("/console/plugins/roll-back", post(roll_back))
        .route("/console/plugins/disable", post(disable))
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
    blocked: Option<String>,
    calls: u64,
    p99: String,
    broken: u64,
    /// Whether it serves somebody, or would if it were not blocked.
    is_in_force: bool,
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
    /// What makes documents for people, or why nothing does.
    renderer: Result<RendererPart, String>,
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

fn row(listed: &ListedVersion, viewer: &Viewer, calls: &PluginCalls) -> VersionRow {
    let figures = calls.of(&listed.plugin);
    let described = serde_json::from_str(&listed.description).map_or_else(
        |_| format::NONE.to_owned(),
        |described: Described| format!("{} ({})", described.tax_system, described.country),
    );
    let visible =
        |workspace: &&Option<WorkspaceId>| workspace.is_none_or(|id| viewer.workspaces().contain(id));
    let serves = listed.serves.iter().filter(visible);
    VersionRow {
        name: PluginName::from(&listed.plugin).to_string(),
        key: listed.plugin.key.to_string(),
        state: listed.state.as_str(),
        serves: serves
            .map(|workspace| workspace.map_or_else(|| "everybody".to_owned(), |id| format!("workspace {id}")))
            .collect(),
        tax_system: described,
        signature: if listed.signature.is_some() { "signed" } else { "not signed" }.to_owned(),
        size: format::size(listed.size),
        digest: listed.plugin.digest.clone(),
        installed: format!(
            "{} by {}",
            format::time(listed.installed_at),
            format::actor(&listed.installed_by)
        ),
        blocked: listed.blocked.as_ref().map(|(at, why)| format!("{}: {why}", format::time(*at))),
        calls: figures.calls,
        p99: figures.p99().map_or_else(|| format::NONE.to_owned(), |p99| format!("≤ {p99:?}")),
        broken: figures.broken,
        is_in_force: !listed.serves.is_empty(),
    }
}

/// Every version.
async fn list(
    viewer: Viewer,
    State(plugins): State<Plugins>,
    State(calls): State<PluginCalls>,
    State(workspaces): State<Workspaces>,
    State(rendering): State<Rendering>,
) -> PageResult {
    let listing = plugins.list().await?;
    let known = names(&workspaces, &viewer).await?;
    let ids: Vec<_> = known.iter().map(|(id, name)| (id.to_string(), name.clone())).collect();
    let everybody = sees_all(&viewer.signed_in).then(|| ("", "everybody".to_owned()));
    let choice = everybody.into_iter().chain(ids.iter().map(|(id, name)| (id.as_str(), name.clone())));
    let replica = |replica: &gateway_registry::Replica| ReplicaRow {
        address: replica.address.clone(),
        generation: replica.generation,
        problem: replica.problem.clone().unwrap_or_else(|| "none".to_owned()),
        heard_at: format::time(replica.seen_at),
    };
    page(&ListPage {
        layout: Layout::new(&viewer, Section::Plugins, "Plugins"),
        rows: listing.plugins.iter().map(|listed| row(listed, &viewer, &calls)).collect(),
        replicas: listing.replicas.iter().map(replica).collect(),
        generation: listing.generation,
        workspaces: choices(choice, ""),
        asks_for_signatures: plugins.runtime().asks_for_signatures(),
        renderer: renderer(&rendering).await,
    })
}

/// A real document that a version was tried on.
#[derive(Debug)]
struct TrialRow {
    number: String,
    outcome: &'static str,
    /// Pointer, what there was, what there is.
    differences: Vec<(String, String, String)>,
    more: usize,
    faults: Vec<String>,
}

/// What the check before an activation found.
#[derive(Debug, Default)]
struct CheckPart {
    against: Option<String>,
    /// Name, and what is wrong.
    samples: Vec<(String, Option<String>)>,
    trials: Vec<TrialRow>,
    differing: usize,
}

impl CheckPart {
    fn of(check: &CanaryCheck) -> Self {
        let trial = |document: &gateway_registry::CanaryDocument| TrialRow {
            number: document.number.clone(),
            outcome: document.new.outcome().as_str(),
            differences: document
                .differences
                .iter()
                .take(DIFFERENCES_SHOWN)
                .map(|found| (found.pointer.clone(), found.old.to_string(), found.new.to_string()))
                .collect(),
            more: document.differences.len().saturating_sub(DIFFERENCES_SHOWN),
            faults: document
                .new
                .faults()
                .iter()
                .map(|fault| format!("{} ({})", fault.message, fault.code))
                .collect(),
        };
        Self {
            against: check.against.clone(),
            samples: check
                .samples
                .iter()
                .map(|sample| (sample.name.clone(), sample.failure.clone()))
                .collect(),
            trials: check.documents.iter().map(trial).collect(),
            differing: check.differing(),
        }
    }
}

#[derive(Template)]
#[template(path = "plugin_change.html")]
struct ChangePage {
    layout: Layout,
    heading: String,
    sentence: String,
    is_refused: bool,
    /// What may be done next.
    next: Option<NextOrder>,
    check: CheckPart,
}

/// An activation that a page offers.
#[derive(Debug)]
struct NextOrder {
    name: String,
    workspace: String,
    /// Although the check speaks against it.
    is_forced: bool,
}

impl NextOrder {
    /// The same for the same; nothing is forced that breaks.
    fn after(order: &Order, check: &CanaryCheck) -> Option<Self> {
        let is_forced = check.objection(false).is_some();
        (!is_forced || check.objection(true).is_none()).then(|| Self {
            name: order.name.to_string(),
            workspace: order.workspace.map(|id| id.to_string()).unwrap_or_default(),
            is_forced,
        })
    }
}

/// For whom something is put in force; for everybody only by who sees everybody.
fn scope(viewer: &Viewer, fields: &Fields) -> Result<Option<WorkspaceId>, PageError> {
    let Some(text) = fields.given("workspace_id") else {
        Right::OperateAll.demand(&viewer.signed_in)?;
        return Ok(None);
    };
    Right::Operate.demand(&viewer.signed_in)?;
    visible_id(viewer, text).map(Some)
}

/// For whom, in words.
fn whom(workspace: Option<WorkspaceId>) -> String {
    workspace.map_or_else(|| "everybody".to_owned(), |id| format!("workspace {id}"))
}

fn activation_page(viewer: &Viewer, activated: &ActivationReport) -> Response {
    let name = PluginName::from(&activated.plugin);
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
        check: CheckPart::of(&activated.canary),
    })
}

/// What is to be put in force, and for whom.
fn order(viewer: &Viewer, fields: &Fields) -> Result<Order, PageError> {
    let workspace = scope(viewer, fields)?;
    let name = fields.text("name").parse::<PluginName>();
    let name = name.map_err(|_| PageError::not_found("there is no such version"))?;
    Ok(Order { name, workspace, force: fields.is_ticked("force") })
}

/// Shows what the check before an activation finds, and offers the activation. Nothing changes.
async fn check(
    State(plugins): State<Plugins>,
    State(finance): State<Finance>,
    SentForm { viewer, fields }: SentForm,
) -> PageResult {
    let order = order(&viewer, &fields)?;
    let found = plugins.check(&order, &finance).await?;
    let objection = found.objection(false);
    page(&ChangePage {
        layout: Layout::new(&viewer, Section::Plugins, order.name.to_string()),
        heading: format!("{} for {}", order.name, whom(order.workspace)),
        is_refused: objection.is_some(),
        sentence: objection
            .unwrap_or_else(|| "Nothing speaks against it, and nothing changed yet.".to_owned()),
        next: NextOrder::after(&order, &found),
        check: CheckPart::of(&found),
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
    let Order { name, workspace, .. } = order.clone();
    let content = format!("activate {name} for {} {}", whom(workspace), order.force);
    let claim = FormClaim::claim(&claims, &viewer, &fields, &content).await?;
    let activated = plugins.activate(&viewer.actor(), &order, Some(&finance)).await;
    claim.settle(&claims, &activated).await;
    match activated {
        Ok(activated) => Ok(activation_page(&viewer, &activated)),
        Err(PluginError::CanaryFailed { sentence, canary, .. }) => {
            let page = html(&ChangePage {
                layout: Layout::new(&viewer, Section::Plugins, name.to_string()),
                heading: format!("{name} is not activated"),
                sentence,
                is_refused: true,
                next: NextOrder::after(&order, &canary),
                check: CheckPart::of(&canary),
            });
            Ok((StatusCode::CONFLICT, page).into_response())
        }
        Err(error) => Err(error.into()),
    }
}

fn key(fields: &Fields) -> Result<RegimeKey, PageError> {
    fields.text("key").parse().map_err(|_| PageError::not_found("there is no such plugin"))
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
    let activated = plugins.roll_back(&viewer.actor(), &key, workspace).await;
    claim.settle(&claims, &activated).await;
    Ok(activation_page(&viewer, &activated?))
}

/// Takes a plugin out of force.
async fn disable(State(plugins): State<Plugins>, SentForm { viewer, fields }: SentForm) -> PageResult {
    let workspace = scope(&viewer, &fields)?;
    plugins.disable(&viewer.actor(), &key(&fields)?, workspace).await?;
    Ok(see_other("/console/plugins"))
}

/// Installs a component.
async fn install(State(plugins): State<Plugins>, viewer: Viewer, request: Request) -> PageResult {
    let Upload { fields, file } = upload::read(&viewer, Right::OperateAll, request, "component").await?;
    let component = PluginComponent { bytes: file, signature: fields.owned("signature") };
    plugins.install(&viewer.actor(), "in the upload", component).await?;
    Ok(see_other("/console/plugins"))
}
