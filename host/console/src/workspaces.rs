//! Workspaces, and how each sends its invoices. The form of the settings is made from the schema that the tax system's plugin
//! gives.

mod logo;
mod workspace_form;

use crate::Console;
use crate::errors::{PageError, PageResult};
use crate::page::{Layout, Section, page};
use crate::rights::Right;
use crate::session::{SentForm, Viewer, see_other};
use crate::template::html;
use askama::Template;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use gateway_domain::ids::WorkspaceId;
use gateway_domain::ports::{Converter, Regimes};
use gateway_domain::regime::RegimeKey;
use gateway_domain::workspace::{EInvoicing, Workspace};
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_finance::Connection;
use gateway_domain_finance::ports::ProviderToken;
use gateway_finance::Submissions;
use gateway_http::Params;
use gateway_presentation::settings_form::{self, FormValues, SettingField};
use gateway_presentation::{Choice, Done, Fields, InvalidMembers, TypedWorkspace, choices, format};
use gateway_workspaces::settings::{self, SettingsCheck};
use gateway_workspaces::{EInvoicingForm, EInvoicingView, Workspaces};
use secrecy::SecretString;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::sync::Arc;
use uuid::Uuid;

pub(crate) fn routes() -> Router<Console> {
    Router::new()
        .route("/console/workspaces", get(list))
        .route("/console/workspaces/{id}", get(show).post(change))
        .route("/console/workspaces/{id}/e-invoicing", get(form).post(set))
        .route("/console/workspaces/{id}/e-invoicing/test", post(test))
        .route("/console/workspaces/{id}/e-invoicing/clear", post(clear))
        .route("/console/workspaces/{id}/logo.png", get(logo::show))
        .route("/console/workspaces/{id}/logo/upload", post(logo::set))
        .route("/console/workspaces/{id}/logo/remove", post(logo::remove))
}

/// What workspaces are called, of those that the client may see.
pub(crate) async fn names(
    workspaces: &Workspaces,
    viewer: &Viewer,
) -> Result<BTreeMap<WorkspaceId, String>, PageError> {
    let all = workspaces.list().await?;
    let visible = all.into_iter().filter(|workspace| viewer.workspaces().contain(workspace.id));
    Ok(visible.map(|workspace| (workspace.id, workspace.name)).collect())
}

/// The workspaces that the client may see, and each of them, for a list that one of them may narrow.
pub(crate) fn workspace_choices(known: &BTreeMap<WorkspaceId, String>, chosen: &str) -> Vec<Choice> {
    let ids: Vec<_> = known.iter().map(|(id, name)| (id.to_string(), name.clone())).collect();
    let each = [("", "Any workspace".to_owned())].into_iter();
    choices(each.chain(ids.iter().map(|(id, name)| (id.as_str(), name.clone()))), chosen)
}

/// The id of a workspace, in an address or a form, if the client may see it.
pub(crate) fn visible_id(viewer: &Viewer, id: &str) -> Result<WorkspaceId, PageError> {
    let id = id.parse().ok().map(WorkspaceId).filter(|id| viewer.workspaces().contain(*id));
    id.ok_or_else(unknown)
}

fn unknown() -> PageError {
    PageError::not_found("there is no such workspace, or your client may not see it")
}

/// The workspace of such an id.
pub(crate) async fn find(workspaces: &Workspaces, viewer: &Viewer, id: &str) -> Result<Workspace, PageError> {
    workspace_of(workspaces, visible_id(viewer, id)?).await
}

/// The workspace of what the client was found to see.
pub(crate) async fn workspace_of(workspaces: &Workspaces, id: WorkspaceId) -> Result<Workspace, PageError> {
    workspaces.find(id).await?.ok_or_else(unknown)
}

#[derive(Debug)]
struct WorkspaceRow {
    id: String,
    name: String,
    supplier: String,
    regime: String,
}

#[derive(Template)]
#[template(path = "workspaces.html")]
struct ListPage {
    layout: Layout,
    rows: Vec<WorkspaceRow>,
}

/// The workspaces that the client may see.
async fn list(viewer: Viewer, State(workspaces): State<Workspaces>) -> PageResult {
    let regimes = workspaces.regimes().await?;
    let all = workspaces.list().await?.into_iter();
    let visible = all.filter(|workspace| viewer.workspaces().contain(workspace.id));
    let rows = visible.map(|Workspace { id, name, supplier, .. }| WorkspaceRow {
        id: id.to_string(),
        name,
        supplier: format!("{} ({} {})", supplier.legal_name, supplier.country, supplier.tax_id),
        regime: regimes.get(&id).map_or_else(|| format::NONE.to_owned(), RegimeKey::to_string),
    });
    let rows = rows.collect();
    page(&ListPage { layout: Layout::new(&viewer, Section::Workspaces, "Workspaces"), rows })
}

#[derive(Template)]
#[template(path = "workspace.html")]
struct WorkspacePage<'a> {
    layout: Layout,
    id: String,
    heading: String,
    fields: TypedWorkspace,
    strategies: Vec<Choice>,
    regime: Option<String>,
    /// Whether its documents show one.
    has_logo: bool,
    done: Option<&'static str>,
    problems: &'a [String],
    /// The members that they are about.
    invalid: InvalidMembers,
}

/// What a page with a form says besides: what the form before did, and what is wrong with this one.
#[derive(Debug, Clone, Copy, Default)]
struct Notices<'a> {
    done: Option<&'static str>,
    refused: Option<&'a PageError>,
}

impl<'a> Notices<'a> {
    fn done(params: &Params) -> Self {
        Self { done: Done::sentence_of(params.text("done").as_deref()), refused: None }
    }

    const fn refused(error: &'a PageError) -> Self {
        Self { done: None, refused: Some(error) }
    }
}

async fn workspace_page(
    viewer: &Viewer,
    workspaces: &Workspaces,
    workspace: &Workspace,
    (fields, notices): (TypedWorkspace, Notices<'_>),
) -> PageResult {
    let (problems, invalid) = PageError::sentences_and_members(notices.refused);
    let configured = workspaces.e_invoicing(workspace.id).await?;
    let strategies = [
        ("a", "edit the rejected document and resubmit it under a new number".to_owned()),
        ("b", "draft a corrective document beside it".to_owned()),
    ];
    page(&WorkspacePage {
        layout: Layout::new(viewer, Section::Workspaces, workspace.name.clone()),
        id: workspace.id.to_string(),
        heading: workspace.name.clone(),
        strategies: choices(strategies, &fields.rejection_strategy),
        fields,
        regime: configured.map(|view| view.configuration.regime.to_string()),
        has_logo: workspaces.printing(workspace.id).await?.logo.is_some(),
        done: notices.done,
        problems,
        invalid,
    })
}

/// One workspace.
async fn show(
    viewer: Viewer,
    State(workspaces): State<Workspaces>,
    Path(id): Path<String>,
    params: Params,
) -> PageResult {
    params.only(&["done"])?;
    let workspace = find(&workspaces, &viewer, &id).await?;
    let form = ((&workspace).into(), Notices::done(&params));
    workspace_page(&viewer, &workspaces, &workspace, form).await
}

/// The page of a workspace, with what was done.
fn after(done: Done, id: &str) -> Response {
    see_other(&done.address(&format!("/console/workspaces/{id}")))
}

/// Changes what is not configured by a tax system.
async fn change(
    State(workspaces): State<Workspaces>,
    Path(id): Path<String>,
    SentForm { viewer, fields }: SentForm,
) -> PageResult {
    Right::Operate.demand(&viewer.signed_in)?;
    let workspace = find(&workspaces, &viewer, &id).await?;
    let typed = TypedWorkspace::from(&fields);
    match workspaces
        .set(&viewer.actor(), workspace.id, &workspace_form::change(&typed, &workspace))
        .await
        .map_err(PageError::from)
    {
        Ok(_) => Ok(after(Done::Saved, &id)),
        Err(error) if error.is_about_the_form() => {
            let form = (typed, Notices::refused(&error));
            let page = workspace_page(&viewer, &workspaces, &workspace, form).await?;
            Ok((error.status, page).into_response())
        }
        Err(error) => Err(error),
    }
}

#[derive(Template)]
#[template(path = "e_invoicing.html")]
struct EInvoicingPage<'a> {
    layout: Layout,
    id: String,
    workspace: String,
    regimes: Vec<Choice>,
    regime: String,
    title: String,
    /// No plugin serves the tax system that is asked for, and the workspace has another one: there is nothing to save.
    is_unknown: bool,
    company_id: String,
    workflow_id: String,
    is_configured: bool,
    /// Until when the stored token of the provider is good, where it says so.
    token_expires_at: Option<String>,
    has_webhook_token: bool,
    /// Secrets that were typed into a form that was refused, by their names: they are not shown, and have to be typed again.
    lost_secrets: Vec<&'static str>,
    missing: Vec<String>,
    settings: Vec<SettingField>,
    done: Option<&'static str>,
    problems: &'a [String],
    /// The members that they are about.
    invalid: InvalidMembers,
    /// Whether the provider took a token, and what came of asking it.
    connection: Option<(bool, String)>,
}

/// The form, with what is typed, or what is stored.
struct Typed<'a> {
    regime: Option<String>,
    company_id: String,
    workflow_id: String,
    settings: FormValues<'a>,
    lost_secrets: Vec<&'static str>,
}

impl<'a> Typed<'a> {
    /// As it was typed.
    fn read(fields: &'a Fields) -> Self {
        Self {
            regime: fields.owned("regime"),
            company_id: fields.text("company_id").to_owned(),
            workflow_id: fields.text("workflow_id").to_owned(),
            settings: FormValues::Typed(fields),
            lost_secrets: SECRETS.into_iter().filter(|name| fields.given(name).is_some()).collect(),
        }
    }
}

/// What the form takes and never shows.
const SECRETS: [&str; 2] = ["token", "webhook_token"];

/// Settings of nobody.
const NO_SETTINGS: FormValues<'_> = FormValues::Set(&Value::Null);

fn e_invoicing_page(
    (viewer, workspace, regimes): (&Viewer, &Workspace, &dyn Converter),
    stored: Option<&EInvoicingView>,
    typed: Option<Typed<'_>>,
    (notices, connection): (Notices<'_>, Option<(bool, String)>),
) -> Response {
    let (problems, invalid) = PageError::sentences_and_members(notices.refused);
    let typed_or_stored = typed.unwrap_or_else(|| match stored {
        Some(view) => Typed {
            regime: Some(view.configuration.regime.to_string()),
            company_id: view.configuration.company_id.to_string(),
            workflow_id: view.configuration.workflow_id.to_string(),
            settings: FormValues::Set(&view.configuration.settings),
            lost_secrets: Vec::new(),
        },
        None => Typed {
            regime: None,
            company_id: String::new(),
            workflow_id: String::new(),
            settings: NO_SETTINGS,
            lost_secrets: Vec::new(),
        },
    });
    let active = regimes.regimes();
    let own_country = active.iter().find(|(known, _)| known.country == workspace.supplier.country);
    let first = own_country.or(active.first()).map(|(known, _)| known.key.to_string());
    let regime = typed_or_stored.regime.or(first).unwrap_or_default();
    let described = active.iter().find(|(known, _)| known.key.to_string() == regime).map(|(known, _)| known);
    let is_stored = stored.is_some_and(|view| view.configuration.regime.to_string() == regime);
    let keys: Vec<_> = active
        .iter()
        .map(|(known, _)| {
            (known.key.to_string(), format!("{} – {} ({})", known.key, known.title, known.country))
        })
        .collect();
    html(&EInvoicingPage {
        layout: Layout::new(viewer, Section::Workspaces, format!("E-invoicing of {}", workspace.name)),
        id: workspace.id.to_string(),
        workspace: workspace.name.clone(),
        regimes: choices(keys.iter().map(|(key, title)| (key.as_str(), title.clone())), &regime),
        title: described.map(|known| known.title.clone()).unwrap_or_default(),
        settings: described
            .map(|known| settings_form::fields(&known.settings_schema, typed_or_stored.settings))
            .unwrap_or_default(),
        is_unknown: described.is_none() && !is_stored,
        regime,
        company_id: typed_or_stored.company_id,
        workflow_id: typed_or_stored.workflow_id,
        is_configured: stored.is_some(),
        token_expires_at: stored.and_then(|view| view.token_expires_at).map(|end| end.to_string()),
        has_webhook_token: stored.is_some_and(|view| view.has_webhook_token),
        lost_secrets: typed_or_stored.lost_secrets,
        missing: stored.map(|view| view.missing.clone()).unwrap_or_default(),
        done: notices.done,
        problems,
        invalid,
        connection,
    })
}

/// How a workspace sends its invoices. With `?regime=` the form is that of another tax system.
async fn form(
    viewer: Viewer,
    State(workspaces): State<Workspaces>,
    State(regimes): State<Arc<dyn Regimes>>,
    Path(id): Path<String>,
    params: Params,
) -> PageResult {
    params.only(&["regime", "done"])?;
    let workspace = find(&workspaces, &viewer, &id).await?;
    let stored = workspaces.e_invoicing(workspace.id).await?;
    let regimes = regimes.within(workspace.id);
    let other = params.text("regime").map(|regime| {
        let configuration = stored.as_ref().map(|view| &view.configuration);
        let of_the_same = configuration.filter(|configuration| configuration.regime.to_string() == regime);
        Typed {
            company_id: configuration
                .map(|configuration| configuration.company_id.to_string())
                .unwrap_or_default(),
            workflow_id: configuration
                .map(|configuration| configuration.workflow_id.to_string())
                .unwrap_or_default(),
            settings: of_the_same
                .map_or(NO_SETTINGS, |configuration| FormValues::Set(&configuration.settings)),
            regime: Some(regime),
            lost_secrets: Vec::new(),
        }
    });
    let frame = (&viewer, &workspace, regimes.as_ref());
    Ok(e_invoicing_page(frame, stored.as_ref(), other, (Notices::done(&params), None)))
}

/// What is typed, over the settings that are stored: of a tax system whose plugin is not here nothing is typed, and all of them stay.
fn read(
    fields: &Fields,
    regime: RegimeKey,
    regimes: &dyn Converter,
    stored: Value,
) -> Result<EInvoicingForm, Vec<FieldError>> {
    let mut mistakes = Vec::new();
    let mut uuid = |name: &str| {
        fields.text(name).parse().unwrap_or_else(|_| {
            let message = "is no UUID: copy it from the provider";
            mistakes.push(FieldError::new(name, ErrorCode::InvalidFormat, message));
            Uuid::nil()
        })
    };
    let (company_id, workflow_id) = (uuid("company_id"), uuid("workflow_id"));
    let settings = match regimes.describe(&regime) {
        None => stored,
        Some((described, _)) => settings_form::over(&described.settings_schema, stored, fields)
            .unwrap_or_else(|mistake| {
                mistakes.push(mistake);
                Value::Object(Map::new())
            }),
    };
    if mistakes.is_empty()
        && let SettingsCheck::Mistakes(found) = settings::check(regimes, &regime, &settings)
    {
        mistakes = found;
    }
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    let secret = |name| fields.given(name).map(SecretString::from);
    Ok(EInvoicingForm {
        configuration: EInvoicing { regime, company_id, workflow_id, settings },
        token: secret("token"),
        webhook_token: secret("webhook_token"),
    })
}

/// Saves how a workspace sends its invoices. Tokens that are not typed stay as they are.
async fn set(
    State(workspaces): State<Workspaces>,
    State(regimes): State<Arc<dyn Regimes>>,
    Path(id): Path<String>,
    SentForm { viewer, fields }: SentForm,
) -> PageResult {
    Right::Operate.demand(&viewer.signed_in)?;
    let workspace = find(&workspaces, &viewer, &id).await?;
    let regimes = regimes.within(workspace.id);
    let typed = fields.given("regime").ok_or_else(|| {
        let sentence = "no tax system is chosen: activate its plugin first";
        PageError::refused(StatusCode::UNPROCESSABLE_ENTITY, sentence)
    })?;
    let regime = workspaces.typed_regime(workspace.id, typed).await?;
    let stored_settings = workspaces.settings_under(workspace.id, &regime, None).await?;
    let saved = match read(&fields, regime, regimes.as_ref(), stored_settings) {
        Ok(form) => workspaces
            .set_e_invoicing(&viewer.actor(), workspace.id, &form)
            .await
            .map(drop)
            .map_err(PageError::from),
        Err(mistakes) => Err(PageError::mistakes(&mistakes)),
    };
    let error = match saved {
        Ok(()) => {
            let form = format!("/console/workspaces/{id}/e-invoicing");
            return Ok(see_other(&Done::Saved.address(&form)));
        }
        Err(error) if error.is_about_the_form() => error,
        Err(error) => return Err(error),
    };
    let stored = workspaces.e_invoicing(workspace.id).await?;
    let (typed, notices) = (Typed::read(&fields), Notices::refused(&error));
    let frame = (&viewer, &workspace, regimes.as_ref());
    let page = e_invoicing_page(frame, stored.as_ref(), Some(typed), (notices, None));
    Ok((error.status, page).into_response())
}

/// Asks the provider whether it takes the token that was typed, which is neither stored nor shown, or else the stored one.
async fn test(
    State(workspaces): State<Workspaces>,
    State(regimes): State<Arc<dyn Regimes>>,
    State(submissions): State<Submissions>,
    Path(id): Path<String>,
    SentForm { viewer, fields }: SentForm,
) -> PageResult {
    Right::Operate.demand(&viewer.signed_in)?;
    let workspace = find(&workspaces, &viewer, &id).await?;
    let (found, which) = match fields.given("token") {
        Some(token) => {
            (submissions.test_token(ProviderToken::new(token)).await, "With the token that was typed: ")
        }
        None => (submissions.test_connection(workspace.id).await?, ""),
    };
    let connection = (found == Connection::Good, format!("{which}{}", found.sentence()));
    let stored = workspaces.e_invoicing(workspace.id).await?;
    let regimes = regimes.within(workspace.id);
    let frame = (&viewer, &workspace, regimes.as_ref());
    // What was typed besides stays typed.
    let typed = fields.given("regime").map(|_| Typed::read(&fields));
    Ok(e_invoicing_page(frame, stored.as_ref(), typed, (Notices::default(), Some(connection))))
}

/// Goes back to the standard flow.
async fn clear(
    State(workspaces): State<Workspaces>,
    Path(id): Path<String>,
    SentForm { viewer, .. }: SentForm,
) -> PageResult {
    Right::Operate.demand(&viewer.signed_in)?;
    let workspace = find(&workspaces, &viewer, &id).await?;
    workspaces.clear_e_invoicing(&viewer.actor(), workspace.id).await?;
    Ok(after(Done::EInvoicingStopped, &id))
}
