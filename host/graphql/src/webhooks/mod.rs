//! Where a client wants to be told of changes: its webhooks, and what became of their deliveries.

mod change;
mod types;

pub(crate) use change::WebhooksMutation;
pub(crate) use types::Webhook;

use crate::errors::Refusal;
use crate::pages::{self, Connection, ListSelection};
use crate::scalars::{parse_id, parse_workspace_id};
use crate::session::{Session, found_or_null, or_null, session};
use async_graphql::{Context, ID, InputObject, Object};
use gateway_domain::access::{Permission, Workspaces};
use gateway_domain::ids::WebhookId;
use gateway_domain_lists::PageRequest;
use gateway_webhooks::WebhookError;
use types::{WebhookDelivery, WebhookDeliveryStatus};

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

    /// The log of a webhook: every delivery of the last 30 days with every try, the newest first. Null where the client
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

/// One more than is shown tells whether another page follows.
fn limit(request: PageRequest) -> i64 {
    i64::try_from(request.first).unwrap_or(i64::MAX).saturating_add(1)
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
        found = webhooks.after(visible, after, limit(request)).await.map_err(Refusal::internal)?;
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
        found = webhooks.deliveries_behind(visible, id, state, request.after, limit(request)).await?;
    }
    let has_next = found.len() > request.first;
    found.truncate(request.first);
    let nodes =
        found.into_iter().map(|delivery| ((delivery.created_at, delivery.id.0), WebhookDelivery(delivery)));
    Ok(Connection::new(list, nodes, has_next, total))
}
