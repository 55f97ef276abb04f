//! Webhooks of customers: how each fares, what was delivered and what was not, a test, and sending again.

use crate::Console;
use crate::errors::{PageError, PageResult};
use crate::format;
use crate::page::{Layout, Section, page};
use crate::rights::Right;
use crate::session::{SentForm, Viewer, see};
use askama::Template;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use gateway_domain::ids::WebhookId;
use gateway_domain_platform::webhooks::DeliveryState;
use gateway_http::Params;
use gateway_webhooks::{Delivery, Endpoint, ReplayScope, Webhooks};

/// Rows of a page.
const ROWS: i64 = 50;

pub(crate) fn routes() -> Router<Console> {
    Router::new()
        .route("/console/webhooks", get(list))
        .route("/console/webhooks/{id}", get(show))
        .route("/console/webhooks/{id}/test", post(test))
        .route("/console/webhooks/{id}/replay", post(replay))
        .route("/console/webhooks/{id}/enable", post(enable))
        .route("/console/webhooks/{id}/disable", post(disable))
}

#[derive(Debug)]
struct WebhookRow {
    id: String,
    workspace: String,
    url: String,
    state: String,
    failures: u32,
    backlog: i64,
    succeeded: String,
}

impl WebhookRow {
    fn of(endpoint: &Endpoint, backlog: i64) -> Self {
        let state = endpoint
            .disabled
            .as_ref()
            .map(|(why, since)| format!("disabled ({}) since {}", why.as_str(), format::time(*since)));
        Self {
            id: endpoint.id.to_string(),
            workspace: endpoint.workspace.to_string(),
            url: endpoint.url.clone(),
            state: state.unwrap_or_else(|| "enabled".to_owned()),
            failures: endpoint.health.failures,
            backlog,
            succeeded: format::time_or_none(endpoint.succeeded_at),
        }
    }
}

#[derive(Template)]
#[template(path = "webhooks.html")]
struct ListPage {
    layout: Layout,
    rows: Vec<WebhookRow>,
    total: i64,
    next: Option<String>,
}

fn skip(params: &Params) -> Result<i64, PageError> {
    let within = |text: &str| text.parse().ok().filter(|skip| (0..=1_000_000).contains(skip));
    Ok(params.parse("skip", "use a number", within)?.unwrap_or_default())
}

/// Webhooks of the workspaces that the client may see.
async fn list(viewer: Viewer, State(webhooks): State<Webhooks>, params: Params) -> PageResult {
    params.only(&["skip"])?;
    let skip = skip(&params)?;
    let found = webhooks.all(viewer.workspaces(), ROWS, skip).await?;
    let next = skip.saturating_add(ROWS);
    page(&ListPage {
        layout: Layout::new(&viewer, Section::Webhooks, "Webhooks"),
        rows: found.nodes.iter().map(|(endpoint, backlog)| WebhookRow::of(endpoint, *backlog)).collect(),
        next: (next < found.total).then(|| format!("/console/webhooks?skip={next}")),
        total: found.total,
    })
}

#[derive(Debug)]
struct DeliveryRow {
    id: String,
    event: String,
    occurred: String,
    state: &'static str,
    next: String,
    /// When, and what came of it.
    tries: Vec<String>,
}

impl From<&Delivery> for DeliveryRow {
    fn from(delivery: &Delivery) -> Self {
        let tried = |attempt: &gateway_webhooks::DeliveryAttempt| {
            let status = attempt.status.map_or_else(String::new, |status| format!(" HTTP {status}"));
            let error = attempt.error.as_deref().unwrap_or("arrived");
            format!(
                "{} {error}{status} ({} ms) {}",
                format::time(attempt.at),
                attempt.duration_ms,
                attempt.detail
            )
        };
        Self {
            id: delivery.id.to_string(),
            event: delivery.event.to_string(),
            occurred: format::time(delivery.time),
            state: delivery.state.as_str(),
            next: format::time_or_none(delivery.due_at),
            tries: delivery.attempts.iter().map(tried).collect(),
        }
    }
}

#[derive(Template)]
#[template(path = "webhook.html")]
struct WebhookPage {
    layout: Layout,
    webhook: WebhookRow,
    is_disabled: bool,
    status: String,
    deliveries: Vec<DeliveryRow>,
    total: i64,
    next: Option<String>,
}

fn id(text: &str) -> Result<WebhookId, PageError> {
    text.parse().map_err(|_| PageError::not_found("there is no such webhook"))
}

/// A webhook and its deliveries, the newest first.
async fn show(
    viewer: Viewer,
    State(webhooks): State<Webhooks>,
    Path(text): Path<String>,
    params: Params,
) -> PageResult {
    params.only(&["skip", "status"])?;
    let (id, skip) = (id(&text)?, skip(&params)?);
    let known = "use pending, delivered or failed";
    let state: Option<DeliveryState> = params.parse("status", known, |text| text.parse().ok())?;
    let endpoint = webhooks.find(&viewer.acting(), id).await?;
    let found = webhooks.deliveries(viewer.workspaces(), id, state, ROWS, skip).await?;
    let next = skip.saturating_add(ROWS);
    let status = params.text("status").unwrap_or_default();
    let next_text = next.to_string();
    let query = format::query([("skip", next_text.as_str()), ("status", status.as_str())]);
    page(&WebhookPage {
        layout: Layout::new(&viewer, Section::Webhooks, endpoint.url.clone()),
        is_disabled: endpoint.disabled.is_some(),
        webhook: WebhookRow::of(&endpoint, 0),
        deliveries: found.nodes.iter().map(DeliveryRow::from).collect(),
        next: (next < found.total).then(|| format!("/console/webhooks/{text}?{query}")),
        total: found.total,
        status,
    })
}

/// Sends an event without meaning.
async fn test(
    State(webhooks): State<Webhooks>,
    Path(text): Path<String>,
    SentForm { viewer, .. }: SentForm,
) -> PageResult {
    Right::Operate.demand(&viewer.signed_in)?;
    webhooks.test(&viewer.acting(), id(&text)?).await?;
    Ok(see(&format!("/console/webhooks/{text}")))
}

/// Sends a delivery again.
async fn replay(
    State(webhooks): State<Webhooks>,
    Path(text): Path<String>,
    SentForm { viewer, fields }: SentForm,
) -> PageResult {
    Right::Operate.demand(&viewer.signed_in)?;
    let delivery = fields.text("delivery").parse().map_err(|_| {
        PageError::refused(StatusCode::UNPROCESSABLE_ENTITY, "there is no such delivery: open the page again")
    })?;
    webhooks.replay(&viewer.acting(), id(&text)?, ReplayScope::Delivery(delivery)).await?;
    Ok(see(&format!("/console/webhooks/{text}")))
}

async fn switch(webhooks: &Webhooks, viewer: &Viewer, text: &str, enabled: bool) -> PageResult {
    Right::Operate.demand(&viewer.signed_in)?;
    webhooks.switch(viewer.workspaces(), &viewer.actor(), id(text)?, enabled).await?;
    Ok(see(&format!("/console/webhooks/{text}")))
}

/// Sends again.
async fn enable(
    State(webhooks): State<Webhooks>,
    Path(text): Path<String>,
    SentForm { viewer, .. }: SentForm,
) -> PageResult {
    switch(&webhooks, &viewer, &text, true).await
}

/// Sends nothing until it is enabled.
async fn disable(
    State(webhooks): State<Webhooks>,
    Path(text): Path<String>,
    SentForm { viewer, .. }: SentForm,
) -> PageResult {
    switch(&webhooks, &viewer, &text, false).await
}
