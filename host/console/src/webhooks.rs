//! Webhooks of customers: how each fares, what was delivered and what was not, a test, and sending again.

use crate::Console;
use crate::errors::{PageError, PageResult};
use crate::live;
use crate::page::{Layout, Section, page};
use crate::pages::skip;
use crate::rights::Right;
use crate::session::{SentForm, Viewer, see_other};
use askama::Template;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, post};
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Workspaces};
use gateway_domain::ids::WebhookId;
use gateway_domain_lists::NumberedPage;
use gateway_domain_platform::webhooks::DeliveryState;
use gateway_http::Params;
use gateway_presentation::{Done, Fields, ListAddress, PageLinks, format};
use gateway_webhooks::{Delivery, Endpoint, ReplayScope, WebhookError, Webhooks};
use tokio_util::sync::CancellationToken;

/// Rows of a page.
const ROWS: i64 = 50;

pub(crate) fn routes() -> Router<Console> {
    Router::new()
        .route("/console/webhooks", get(list))
        .route("/console/webhooks/live", get(live_list))
        .route("/console/webhooks/{id}", get(show))
        .route("/console/webhooks/{id}/live", get(live_deliveries))
        .route("/console/webhooks/{id}/test", post(test))
        .route("/console/webhooks/{id}/replay", post(replay))
        .route("/console/webhooks/{id}/enable", post(switch::<true>))
        .route("/console/webhooks/{id}/disable", post(switch::<false>))
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
    /// Where the page hears of news.
    live: String,
    rows: Vec<WebhookRow>,
    total: i64,
    pages: PageLinks,
}

/// A page of webhooks, from its address.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ListQuery {
    skip: i64,
}

impl ListQuery {
    pub(crate) fn read(params: &Params) -> Result<Self, PageError> {
        params.only(&["skip"])?;
        Ok(Self { skip: skip(params)? })
    }

    /// Those of the workspaces that the client may see, each with how many deliveries wait.
    pub(crate) async fn page(
        self,
        webhooks: &Webhooks,
        visible: &Workspaces,
    ) -> Result<NumberedPage<(Endpoint, i64)>, StoreError> {
        webhooks.all(visible, ROWS, self.skip).await
    }
}

/// Webhooks of the workspaces that the client may see.
async fn list(viewer: Viewer, State(webhooks): State<Webhooks>, params: Params) -> PageResult {
    let query = ListQuery::read(&params)?;
    let found = query.page(&webhooks, viewer.workspaces()).await?;
    let list = ListAddress { path: "/console/webhooks", query: "" };
    let next = query.skip.saturating_add(ROWS);
    page(&ListPage {
        layout: Layout::new(&viewer, Section::Webhooks, "Webhooks"),
        live: format!("/console/webhooks/live?skip={}", query.skip),
        rows: found.nodes.iter().map(|(endpoint, backlog)| WebhookRow::of(endpoint, *backlog)).collect(),
        pages: PageLinks::by_counting(list, (query.skip, ROWS), next < found.total),
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
        let outcome = |attempt: &gateway_webhooks::DeliveryAttempt| {
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
            tries: delivery.attempts.iter().map(outcome).collect(),
        }
    }
}

#[derive(Template)]
#[template(path = "webhook.html")]
struct WebhookPage {
    layout: Layout,
    /// Where the page hears of news.
    live: String,
    webhook: WebhookRow,
    is_disabled: bool,
    /// The only state that is shown; empty: each is.
    status: &'static str,
    /// Deliveries that are passed over.
    skip: i64,
    done: Option<&'static str>,
    deliveries: Vec<DeliveryRow>,
    total: i64,
    pages: PageLinks,
}

fn id(text: &str) -> Result<WebhookId, PageError> {
    text.parse().map_err(|_| PageError::not_found("there is no such webhook"))
}

/// A page of the deliveries of a webhook, from its address.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DeliveriesQuery {
    id: WebhookId,
    state: Option<DeliveryState>,
    skip: i64,
}

impl DeliveriesQuery {
    pub(crate) fn read(id_text: &str, params: &Params) -> Result<Self, PageError> {
        params.only(&["skip", "status", "done"])?;
        let known = "use pending, delivered or failed";
        let state = params.parse("status", known, |text| text.parse().ok())?;
        Ok(Self { id: id(id_text)?, state, skip: skip(params)? })
    }

    /// The page that a form was sent from.
    fn of_form(id_text: &str, fields: &Fields) -> Result<Self, PageError> {
        let skip = fields.text("skip").parse().unwrap_or_default();
        Ok(Self { id: id(id_text)?, state: fields.text("status").parse().ok(), skip })
    }

    /// That page, with what was done.
    fn after(self, done: Done) -> Response {
        let page = format::with_query(format!("/console/webhooks/{}", self.id), &self.text(self.skip));
        see_other(&done.address(&page))
    }

    /// The webhook and its deliveries, the newest first.
    pub(crate) async fn page(
        self,
        webhooks: &Webhooks,
        acting: &Acting,
    ) -> Result<(Endpoint, NumberedPage<Delivery>), WebhookError> {
        let endpoint = webhooks.find(acting, self.id).await?;
        let deliveries =
            webhooks.deliveries(&acting.workspaces, self.id, self.state, ROWS, self.skip).await?;
        Ok((endpoint, deliveries))
    }

    fn status(self) -> &'static str {
        self.state.map_or("", DeliveryState::as_str)
    }

    /// What stands in the address of the page behind so many rows.
    fn text(self, skip: i64) -> String {
        let skip = if skip == 0 { String::new() } else { skip.to_string() };
        format::query([("skip", skip.as_str()), ("status", self.status())])
    }
}

/// A webhook and its deliveries.
async fn show(
    viewer: Viewer,
    State(webhooks): State<Webhooks>,
    Path(id): Path<String>,
    params: Params,
) -> PageResult {
    let query = DeliveriesQuery::read(&id, &params)?;
    let (endpoint, found) = query.page(&webhooks, &viewer.acting()).await?;
    let (path, narrowed) = (format!("/console/webhooks/{id}"), query.text(0));
    let list = ListAddress { path: &path, query: &narrowed };
    let next = query.skip.saturating_add(ROWS);
    page(&WebhookPage {
        layout: Layout::new(&viewer, Section::Webhooks, endpoint.url.clone()),
        live: format::with_query(format!("/console/webhooks/{id}/live"), &query.text(query.skip)),
        is_disabled: endpoint.disabled.is_some(),
        webhook: WebhookRow::of(&endpoint, 0),
        deliveries: found.nodes.iter().map(DeliveryRow::from).collect(),
        pages: PageLinks::by_counting(list, (query.skip, ROWS), next < found.total),
        total: found.total,
        status: query.status(),
        skip: query.skip,
        done: Done::sentence_of(params.text("done").as_deref()),
    })
}

/// Sends an event without meaning.
async fn test(
    State(webhooks): State<Webhooks>,
    Path(text): Path<String>,
    SentForm { viewer, fields }: SentForm,
) -> PageResult {
    Right::Operate.demand(&viewer.signed_in)?;
    let query = DeliveriesQuery::of_form(&text, &fields)?;
    webhooks.test(&viewer.acting(), query.id).await?;
    Ok(query.after(Done::TestSent))
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
    let query = DeliveriesQuery::of_form(&text, &fields)?;
    webhooks.replay(&viewer.acting(), query.id, ReplayScope::Delivery(delivery)).await?;
    Ok(query.after(Done::SentAgain))
}

/// Sends again, or nothing until it is enabled.
async fn switch<const IS_ENABLED: bool>(
    State(webhooks): State<Webhooks>,
    Path(text): Path<String>,
    SentForm { viewer, fields }: SentForm,
) -> PageResult {
    Right::Operate.demand(&viewer.signed_in)?;
    let query = DeliveriesQuery::of_form(&text, &fields)?;
    webhooks.switch(viewer.workspaces(), &viewer.actor(), query.id, IS_ENABLED).await?;
    Ok(query.after(if IS_ENABLED { Done::Enabled } else { Done::Disabled }))
}

/// One of the webhooks of a page moved, or how much waits for it.
async fn live_list(
    viewer: Viewer,
    State(webhooks): State<Webhooks>,
    State(closing): State<CancellationToken>,
    params: Params,
) -> PageResult {
    let query = ListQuery::read(&params)?;
    let visible = viewer.workspaces().clone();
    let look = move || {
        let (webhooks, visible) = (webhooks.clone(), visible.clone());
        async move { Ok::<_, StoreError>(format!("{:?}", query.page(&webhooks, &visible).await?)) }
    };
    Ok(live::watch(&viewer, live::ANYTHING_EVERY, look, closing))
}

/// A webhook or one of the deliveries of a page moved.
async fn live_deliveries(
    viewer: Viewer,
    State(webhooks): State<Webhooks>,
    State(closing): State<CancellationToken>,
    Path(id): Path<String>,
    params: Params,
) -> PageResult {
    let query = DeliveriesQuery::read(&id, &params)?;
    let acting = viewer.acting();
    let look = move || {
        let (webhooks, acting) = (webhooks.clone(), acting.clone());
        async move { Ok::<_, WebhookError>(format!("{:?}", query.page(&webhooks, &acting).await?)) }
    };
    Ok(live::watch(&viewer, live::ONE_EVERY, look, closing))
}
