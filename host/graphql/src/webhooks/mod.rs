//! Where a client wants to be told of changes: its webhooks, and what became of their deliveries.

mod change;

pub(crate) use change::WebhooksMutation;

use crate::errors::Refusal;
use crate::pages::{self, Connection, ListSelection};
use crate::scalars::{IsoDateTime, parse_id, parse_workspace_id};
use crate::session::{Session, found_or_null, or_null, session};
use async_graphql::{Context, Enum, ID, InputObject, Object, SimpleObject};
use gateway_domain::access::{Permission, Workspaces};
use gateway_domain::ids::WebhookId;
use gateway_domain_lists::PageRequest;
use gateway_webhooks::views::WebhookView;
use gateway_webhooks::{Delivery, DeliveryAttempt, Endpoint, WebhookError};

const WEBHOOKS: &str = "webhooks";

/// Which webhooks to list.
#[derive(Debug, Clone, Default, InputObject)]
pub(crate) struct WebhooksFilter {
    /// Only those of this workspace.
    workspace_id: Option<ID>,
}

impl WebhooksFilter {
    /// The workspaces whose webhooks are shown: none where the one that is named is not the client's.
    fn visible(&self, session: &Session) -> Result<Workspaces, Refusal> {
        let own = &session.acting.workspaces;
        let Some(named) = &self.workspace_id else { return Ok(own.clone()) };
        let named = parse_workspace_id(named, "filters.workspaceId")?;
        Ok(Workspaces::Only(if own.contain(named) { vec![named] } else { Vec::new() }))
    }
}

/// Webhooks of the client's workspaces. All of it needs the permission webhooks.write.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct WebhooksQuery;

/// Webhooks of the client's workspaces. All of it needs the permission webhooks.write.
#[Object]
impl WebhooksQuery {
    /// Webhooks without their secrets, the oldest first.
    #[graphql(complexity = "pages::page_cost(first, child_complexity)")]
    async fn webhooks(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which ones.")] filters: Option<WebhooksFilter>,
        #[graphql(desc = "Nodes of a page: 25 unless given, and at most.")] first: Option<i32>,
        #[graphql(desc = "The endCursor of the page before; none, or an empty one, for the first.")]
        after: Option<String>,
    ) -> Option<Connection<Webhook>> {
        let page = async {
            let session = session(ctx).require(Permission::WebhooksWrite)?;
            let visible = filters.unwrap_or_default().visible(session)?;
            let request = pages::page_request(WEBHOOKS, first, after.as_deref())?;
            webhooks_of(ctx, session, &visible, request).await
        };
        or_null(ctx, page.await)
    }

    /// A webhook without its secret; null where the client has none of this id.
    #[graphql(complexity = "crate::costs::reference(child_complexity)")]
    async fn webhook(&self, ctx: &Context<'_>, #[graphql(desc = "Which one.")] id: ID) -> Option<Webhook> {
        let webhook = async {
            let session = session(ctx).require(Permission::WebhooksWrite)?;
            let Some(id) = parse_id(&id) else { return Ok(None) };
            Ok(session.webhook(id).await?.map(Webhook::from))
        };
        found_or_null(ctx, webhook.await)
    }

    /// The log of a webhook: every delivery of the last 30 days (or as many as the operator chose) with every try, the newest first. Null where the client
    /// has no webhook of this id.
    #[graphql(complexity = "pages::page_cost(first, child_complexity)")]
    async fn deliveries(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The webhook.")] webhook_id: ID,
        #[graphql(desc = "Only those in this state.")] status: Option<WebhookDeliveryStatus>,
        #[graphql(desc = "Nodes of a page: 25 unless given, and at most.")] first: Option<i32>,
        #[graphql(desc = "The endCursor of the page before; none, or an empty one, for the first.")]
        after: Option<String>,
    ) -> Option<Connection<WebhookDelivery>> {
        let page = async {
            let session = session(ctx).require(Permission::WebhooksWrite)?;
            let Some(id) = parse_id::<WebhookId>(&webhook_id) else { return Ok(None) };
            let list = format!("webhookDeliveries:{id}");
            let request = pages::page_request(&list, first, after.as_deref())?;
            match deliveries_of(ctx, session, (id, status), list, request).await {
                Err(WebhookError::NotFound { .. }) => Ok(None),
                found => Ok(Some(found.map_err(Refusal::webhooks)?)),
            }
        };
        found_or_null(ctx, page.await)
    }
}

async fn webhooks_of(
    ctx: &Context<'_>,
    session: &Session,
    visible: &Workspaces,
    request: PageRequest,
) -> Result<Connection<Webhook>, Refusal> {
    let (ListSelection { page, total }, webhooks) = (pages::list_selection(ctx), &session.services.webhooks);
    let total = if total { Some(webhooks.count(visible).await.map_err(Refusal::internal)?) } else { None };
    let mut found = Vec::new();
    if page {
        let after = request.after.map(|(_, id)| WebhookId(id));
        found = webhooks.after(visible, after, request.limit()).await.map_err(Refusal::internal)?;
    }
    let has_next = found.len() > request.first;
    found.truncate(request.first);
    let nodes = found.into_iter().map(|webhook| ((webhook.created_at, webhook.id.0), Webhook::from(webhook)));
    Ok(Connection::new(WEBHOOKS, nodes, has_next, total))
}

async fn deliveries_of(
    ctx: &Context<'_>,
    session: &Session,
    (id, status): (WebhookId, Option<WebhookDeliveryStatus>),
    list: String,
    request: PageRequest,
) -> Result<Connection<WebhookDelivery>, WebhookError> {
    let (ListSelection { page, total }, webhooks) = (pages::list_selection(ctx), &session.services.webhooks);
    let (visible, state) = (&session.acting.workspaces, status.map(Into::into));
    let total = if total { Some(webhooks.deliveries_count(visible, id, state).await?) } else { None };
    let mut found = Vec::new();
    if page {
        found = webhooks.deliveries_behind(visible, id, state, request.after, request.limit()).await?;
    }
    let has_next = found.len() > request.first;
    found.truncate(request.first);
    let nodes =
        found.into_iter().map(|delivery| ((delivery.created_at, delivery.id.0), WebhookDelivery(delivery)));
    Ok(Connection::new(list, nodes, has_next, total))
}

/// Why nothing is sent to a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(name = "WebhookDisabledReasonEnum", remote = "gateway_domain_platform::webhooks::Disabled")]
pub(crate) enum WebhookDisabledReason {
    /// Its owner said so.
    Owner,
    /// An operator said so: only an operator enables it again.
    Operator,
    /// It failed for days without one success.
    Failing,
    /// It answered 410: it wants no more.
    Gone,
}

/// How far a delivery is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(name = "WebhookDeliveryStatusEnum", remote = "gateway_domain_platform::webhooks::DeliveryState")]
pub(crate) enum WebhookDeliveryStatus {
    /// It will be tried, now or later.
    Pending,
    /// It has arrived.
    Delivered,
    /// It was tried often enough.
    Failed,
}

/// An address that is told of changes in a workspace.
#[derive(Debug, Clone)]
pub(crate) struct Webhook(WebhookView);

impl From<Endpoint> for Webhook {
    fn from(endpoint: Endpoint) -> Self {
        Self(WebhookView::from(&endpoint))
    }
}

impl From<WebhookView> for Webhook {
    fn from(view: WebhookView) -> Self {
        Self(view)
    }
}

/// An address that is told of changes in a workspace. Reading it needs the permission webhooks.write.
#[Object]
impl Webhook {
    /// Its id.
    async fn id(&self) -> ID {
        self.0.id.to_string().into()
    }

    /// The workspace whose changes it is told.
    async fn workspace_id(&self) -> i64 {
        self.0.workspace_id.0
    }

    /// Where it is told.
    async fn notification_url(&self) -> &str {
        &self.0.notification_url
    }

    /// What it is told, such as `invoice.issued`; empty: everything but notices, also what later releases add.
    async fn events(&self) -> &[&'static str] {
        &self.0.events
    }

    /// Whether anything is sent.
    async fn enabled(&self) -> bool {
        self.0.enabled
    }

    /// Why nothing is sent.
    async fn disabled_reason(&self) -> Option<WebhookDisabledReason> {
        self.0.disabled_reason.map(Into::into)
    }

    /// Since when nothing is sent.
    async fn disabled_at(&self) -> Option<IsoDateTime> {
        self.0.disabled_at.map(Into::into)
    }

    /// Since when every call fails.
    async fn failing_since(&self) -> Option<IsoDateTime> {
        self.0.failing_since.map(Into::into)
    }

    /// When something last arrived.
    async fn last_success_at(&self) -> Option<IsoDateTime> {
        self.0.last_success_at.map(Into::into)
    }

    /// Until then the secret before signs, too.
    async fn old_secret_until(&self) -> Option<IsoDateTime> {
        self.0.old_secret_until.map(Into::into)
    }

    /// When it was registered.
    async fn created_at(&self) -> IsoDateTime {
        self.0.created_at.into()
    }

    /// When its owner last changed it.
    async fn updated_at(&self) -> IsoDateTime {
        self.0.updated_at.into()
    }
}

/// An event on its way to a webhook.
#[derive(Debug, Clone)]
pub(crate) struct WebhookDelivery(pub(crate) Delivery);

/// An event on its way to a webhook, with every try. A line of a log, which is kept for 30 days unless the operator chose otherwise.
#[Object]
impl WebhookDelivery {
    /// By what it is replayed.
    async fn delivery_id(&self) -> ID {
        self.0.id.to_string().into()
    }

    /// The header `webhook-id`: the same for every try and replay.
    async fn message_id(&self) -> ID {
        self.0.message.to_string().into()
    }

    /// What it tells, such as `invoice.issued`.
    #[graphql(name = "type")]
    async fn event(&self) -> &'static str {
        self.0.event.as_str()
    }

    /// Of two events the one with the greater sequence happened later; null for a test.
    async fn sequence(&self) -> Option<i64> {
        self.0.position
    }

    /// When that happened.
    async fn occurred_at(&self) -> IsoDateTime {
        self.0.time.into()
    }

    /// How far it is.
    async fn status(&self) -> WebhookDeliveryStatus {
        self.0.state.into()
    }

    /// When it is tried next.
    async fn next_attempt_at(&self) -> Option<IsoDateTime> {
        self.0.due_at.map(Into::into)
    }

    /// When it arrived, or was tried for the last time.
    async fn done_at(&self) -> Option<IsoDateTime> {
        self.0.done_at.map(Into::into)
    }

    /// When it was made.
    async fn created_at(&self) -> IsoDateTime {
        self.0.created_at.into()
    }

    /// Every try, the first one first.
    #[graphql(complexity = "pages::short_list_cost(child_complexity)")]
    async fn attempts(&self) -> Vec<WebhookDeliveryAttempt> {
        self.0.attempts.iter().map(WebhookDeliveryAttempt::from).collect()
    }
}

/// One try of a delivery.
#[derive(Debug, Clone, SimpleObject)]
pub(crate) struct WebhookDeliveryAttempt {
    /// When it began.
    at: IsoDateTime,
    /// How long it took, milliseconds.
    duration_ms: i64,
    /// The HTTP status of the answer, if there was one.
    status: Option<i32>,
    /// Why it counts as a failure.
    error: Option<String>,
    /// The beginning of the answer, or what happened.
    answer: String,
}

impl From<&DeliveryAttempt> for WebhookDeliveryAttempt {
    fn from(attempt: &DeliveryAttempt) -> Self {
        Self {
            at: attempt.at.into(),
            duration_ms: attempt.duration_ms,
            status: attempt.status.map(Into::into),
            error: attempt.error.clone(),
            answer: attempt.detail.clone(),
        }
    }
}
