//! Clients: what each may do and where, when it was last used, and its secrets, which are shown once.

use crate::Console;
use crate::errors::{PageError, PageResult};
use crate::form_claim::FormClaim;
use crate::page::{Layout, Section, page};
use crate::rights::Right;
use crate::session::{SentForm, Viewer, see_other};
use crate::template::html;
use askama::Template;
use axum::Router;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use gateway_access::{ClientChange, Clients, Credentials, NewClient, RequestClaims};
use gateway_domain::access::{Client, Permission, Workspaces};
use gateway_domain::ids::{ClientId, WorkspaceId};
use gateway_http::Params;
use gateway_presentation::{Done, Fields, InvalidMembers, TypedClient, format, workspaces_as_typed};
use jiff::Timestamp;
use secrecy::ExposeSecret;
use std::collections::HashMap;

pub(crate) fn routes() -> Router<Console> {
    Router::new()
        .route("/console/clients", get(list).post(create))
        .route("/console/clients/{id}", get(show).post(change))
        .route("/console/clients/{id}/rotate-secret", post(rotate))
        .route("/console/clients/{id}/disable", post(disable))
        .route("/console/clients/{id}/enable", post(enable))
}

#[derive(Debug)]
struct ClientRow {
    id: String,
    name: String,
    permissions: String,
    workspaces: String,
    last_used: String,
    is_disabled: bool,
}

#[derive(Template)]
#[template(path = "clients.html")]
struct ListPage<'a> {
    layout: Layout,
    rows: Vec<ClientRow>,
    fields: TypedClient,
    problems: &'a [String],
    invalid: InvalidMembers,
}

#[derive(Template)]
#[template(path = "client.html")]
struct ClientPage<'a> {
    layout: Layout,
    id: String,
    heading: &'a str,
    fields: TypedClient,
    last_used: String,
    is_disabled: bool,
    is_own: bool,
    done: Option<&'static str>,
    problems: &'a [String],
    invalid: InvalidMembers,
}

#[derive(Template)]
#[template(path = "secret.html")]
struct SecretPage {
    layout: Layout,
    id: String,
    name: String,
    secret: String,
    /// Whether it is the signed-in client's, whose session has ended with it.
    is_own: bool,
}

fn last_used(used: &HashMap<ClientId, Timestamp>, client: ClientId) -> String {
    used.get(&client).map_or_else(|| "never".to_owned(), |at| format::time(*at))
}

/// Every client that is of the viewer's workspaces.
async fn list(viewer: Viewer, State(clients): State<Clients>) -> PageResult {
    list_page(&viewer, &clients, (&Fields::default(), None)).await
}

async fn list_page(
    viewer: &Viewer,
    clients: &Clients,
    (typed, refused): (&Fields, Option<&PageError>),
) -> PageResult {
    let (problems, invalid) = PageError::sentences_and_members(refused);
    let used = clients.last_used().await?;
    let all = clients.list().await?;
    let row = |client: &Client| ClientRow {
        id: client.id.to_string(),
        name: client.name.clone(),
        permissions: client
            .permissions
            .iter()
            .map(|permission| permission.as_str())
            .collect::<Vec<_>>()
            .join(", "),
        workspaces: workspaces_as_typed(&client.workspaces),
        last_used: last_used(&used, client.id),
        is_disabled: client.disabled,
    };
    page(&ListPage {
        layout: Layout::new(viewer, Section::Clients, "Clients"),
        rows: all.iter().filter(|client| viewer.workspaces().cover(&client.workspaces)).map(row).collect(),
        fields: typed.into(),
        problems,
        invalid,
    })
}

async fn find(clients: &Clients, viewer: &Viewer, id: &str) -> Result<Client, PageError> {
    let unknown = || PageError::not_found("there is no such client, or it sees more than yours");
    let id: ClientId = id.parse().map_err(|_| unknown())?;
    let client = clients.find(id).await?;
    if viewer.workspaces().cover(&client.workspaces) { Ok(client) } else { Err(unknown()) }
}

/// One client.
async fn show(
    viewer: Viewer,
    State(clients): State<Clients>,
    Path(id): Path<String>,
    params: Params,
) -> PageResult {
    params.only(&["done"])?;
    let client = find(&clients, &viewer, &id).await?;
    let done = Done::sentence_of(params.text("done").as_deref());
    client_page(&viewer, &clients, &client, ((&client).into(), None, done)).await
}

/// The page of a client, with what was done.
fn after(done: Done, id: &str) -> Response {
    see_other(&done.address(&format!("/console/clients/{id}")))
}

async fn client_page(
    viewer: &Viewer,
    clients: &Clients,
    client: &Client,
    (fields, refused, done): (TypedClient, Option<&PageError>, Option<&'static str>),
) -> PageResult {
    let (problems, invalid) = PageError::sentences_and_members(refused);
    page(&ClientPage {
        layout: Layout::new(viewer, Section::Clients, client.name.clone()),
        id: client.id.to_string(),
        heading: &client.name,
        fields,
        last_used: last_used(&clients.last_used().await?, client.id),
        is_disabled: client.disabled,
        is_own: client.id == viewer.signed_in.caller.client,
        done,
        problems,
        invalid,
    })
}

/// What is ticked and typed of a client.
fn granted(viewer: &Viewer, fields: &Fields) -> Result<(Vec<Permission>, Workspaces), PageError> {
    let permissions = fields.all("permission").map(str::parse).collect::<Result<Vec<Permission>, _>>();
    let permissions = permissions.map_err(|error| PageError::about("permission", error.to_string()))?;
    let typed: Vec<_> = fields.text("workspaces").split([',', ' ']).filter(|text| !text.is_empty()).collect();
    let workspaces = if typed.contains(&"*") {
        Workspaces::All
    } else {
        let ids = typed.iter().map(|text| text.parse().ok().filter(|id| *id > 0).map(WorkspaceId));
        let ids = ids.collect::<Option<Vec<_>>>();
        Workspaces::Only(ids.ok_or_else(|| {
            PageError::about("workspaces", "workspaces are numbers with commas between, or *")
        })?)
    };
    if !viewer.workspaces().cover(&workspaces) {
        let sentence = "grant workspaces that your own client may see, at least one";
        return Err(PageError::about("workspaces", sentence));
    }
    Ok((permissions, workspaces))
}

/// The one time that a secret is shown.
fn secret_page(viewer: &Viewer, credentials: &Credentials) -> Response {
    html(&SecretPage {
        layout: Layout::new(viewer, Section::Clients, credentials.client.name.clone()),
        id: credentials.client.id.to_string(),
        name: credentials.client.name.clone(),
        secret: credentials.secret.expose_secret().to_owned(),
        is_own: credentials.client.id == viewer.signed_in.caller.client,
    })
}

/// Makes a client.
async fn create(
    State(clients): State<Clients>,
    State(claims): State<RequestClaims>,
    SentForm { viewer, fields }: SentForm,
) -> PageResult {
    Right::Operate.demand(&viewer.signed_in)?;
    let created = match granted(&viewer, &fields) {
        Ok((permissions, workspaces)) => {
            let new = NewClient { name: fields.text("name").to_owned(), permissions, workspaces };
            let claim = FormClaim::claim(&claims, &viewer, &fields, "create a client").await?;
            let created = clients.create(new, &viewer.actor()).await;
            claim.settle(&claims, &created).await;
            created.map_err(PageError::from)
        }
        Err(error) => Err(error),
    };
    match created {
        Ok(credentials) => Ok(secret_page(&viewer, &credentials)),
        Err(error) if error.is_about_the_form() => {
            let page = list_page(&viewer, &clients, (&fields, Some(&error))).await?;
            Ok((error.status, page).into_response())
        }
        Err(error) => Err(error),
    }
}

/// Replaces what a client may do.
async fn change(
    State(clients): State<Clients>,
    Path(id): Path<String>,
    SentForm { viewer, fields }: SentForm,
) -> PageResult {
    Right::Operate.demand(&viewer.signed_in)?;
    let client = find(&clients, &viewer, &id).await?;
    let changed = match granted(&viewer, &fields) {
        Ok((permissions, workspaces)) => {
            let change = ClientChange {
                name: Some(fields.text("name").to_owned()),
                permissions: Some(permissions),
                workspaces: Some(workspaces),
                enable: false,
            };
            clients.set(client.id, change, &viewer.actor()).await.map_err(PageError::from)
        }
        Err(error) => Err(error),
    };
    match changed {
        Ok(_) => Ok(after(Done::Saved, &id)),
        Err(error) if error.is_about_the_form() => {
            let form = ((&fields).into(), Some(&error), None);
            let page = client_page(&viewer, &clients, &client, form).await?;
            Ok((error.status, page).into_response())
        }
        Err(error) => Err(error),
    }
}

/// Gives a client another secret.
async fn rotate(
    State(clients): State<Clients>,
    State(claims): State<RequestClaims>,
    Path(id): Path<String>,
    SentForm { viewer, fields }: SentForm,
) -> PageResult {
    Right::Operate.demand(&viewer.signed_in)?;
    let client = find(&clients, &viewer, &id).await?;
    let claim = FormClaim::claim(&claims, &viewer, &fields, &format!("rotate the secret of {id}")).await?;
    let credentials = clients.rotate_secret(client.id, &viewer.actor()).await;
    claim.settle(&claims, &credentials).await;
    Ok(secret_page(&viewer, &credentials?))
}

/// Takes everything away from a client.
async fn disable(
    State(clients): State<Clients>,
    Path(id): Path<String>,
    SentForm { viewer, .. }: SentForm,
) -> PageResult {
    Right::Operate.demand(&viewer.signed_in)?;
    let client = find(&clients, &viewer, &id).await?;
    clients.disable(client.id, &viewer.actor()).await?;
    Ok(after(Done::Disabled, &id))
}

/// Lets a disabled client call again.
async fn enable(
    State(clients): State<Clients>,
    Path(id): Path<String>,
    SentForm { viewer, .. }: SentForm,
) -> PageResult {
    Right::Operate.demand(&viewer.signed_in)?;
    let client = find(&clients, &viewer, &id).await?;
    let change = ClientChange { enable: true, ..ClientChange::default() };
    clients.set(client.id, change, &viewer.actor()).await?;
    Ok(after(Done::Enabled, &id))
}
