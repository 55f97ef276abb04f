//! Changes of webhooks: their inputs, and what they answer.

use super::{Webhook, WebhookDelivery};
use crate::errors::Refusal;
use crate::scalars::{IsoDateTime, parse_id, parse_workspace_id};
use crate::session::{or_null, session};
use async_graphql::{Context, ID, InputObject, Object, SimpleObject};
use gateway_domain::ErrorCode;
use gateway_domain::access::Permission;
use gateway_domain::calendar::{self, is_supported_instant};
use gateway_domain::ids::{DeliveryId, WebhookId};
use gateway_domain_platform::webhooks::NoticeAccess;
use gateway_webhooks::views::WebhookSecretView;
use gateway_webhooks::{ReplayScope, WebhookChange};
use jiff::Timestamp;

/// A webhook to be registered.
#[derive(Debug, Clone, InputObject)]
pub(crate) struct RegisterWebhookMutationInput {
    /// The workspace whose changes are told, its number. May be left out by a client of one workspace.
    workspace_id: Option<ID>,
    /// Where: http or https, without credentials, and no address inside.
    notification_url: String,
    /// What it wants to be told, such as `invoice.issued`; none: everything but notices.
    events: Option<Vec<String>>,
}

/// What to change of a webhook; what is not given stays.
#[derive(Debug, Clone, InputObject)]
pub(crate) struct UpdateWebhookMutationInput {
    /// Which one.
    webhook_id: ID,
    /// What it is told from now on; an empty list: everything but notices.
    events: Option<Vec<String>>,
    /// Whether anything is sent. Enabling takes up again what was disabled after long failure.
    enabled: Option<bool>,
}

/// A webhook, to do something with it.
#[derive(Debug, Clone, InputObject)]
pub(crate) struct WebhookMutationInput {
    /// Which one.
    webhook_id: ID,
}

/// What to send again: one delivery, or everything that happened in a range of time.
#[derive(Debug, Clone, InputObject)]
pub(crate) struct ReplayWebhookMutationInput {
    /// To which webhook.
    webhook_id: ID,
    /// One delivery of its log.
    delivery_id: Option<ID>,
    /// What happened from then on.
    from: Option<IsoDateTime>,
    /// Up to then; now unless given.
    to: Option<IsoDateTime>,
}

/// A webhook with a fresh secret: the one time it is shown.
#[derive(Debug, Clone)]
pub(crate) struct WebhookSecretPayload(WebhookSecretView);

/// A webhook with a fresh secret: the one time it is shown.
#[Object]
impl WebhookSecretPayload {
    /// The webhook.
    async fn webhook(&self) -> Webhook {
        self.0.webhook().clone().into()
    }

    /// Signs every call (Standard Webhooks): `whsec_` and Base64. Shown this once.
    async fn secret(&self) -> &str {
        self.0.secret()
    }
}

/// What was removed.
#[derive(Debug, Clone, SimpleObject)]
pub(crate) struct RemoveWebhookPayload {
    /// The webhook that was removed.
    webhook_id: ID,
}

/// What is sent again.
#[derive(Debug, Clone, SimpleObject)]
pub(crate) struct ReplayWebhookPayload {
    /// How many events are on their way.
    replayed_count: i32,
}

fn webhook_id(id: &ID) -> Result<WebhookId, Refusal> {
    parse_id(id).ok_or_else(|| Refusal::unknown("webhookId", [id]))
}

fn instant(field: &str, at: IsoDateTime) -> Result<Timestamp, Refusal> {
    if is_supported_instant(at.0) {
        return Ok(at.0);
    }
    Err(Refusal::input(field, ErrorCode::OutOfRange, calendar::years_hint()))
}

impl ReplayWebhookMutationInput {
    fn scope(self) -> Result<ReplayScope, Refusal> {
        let scope = ReplayScope::of(self.delivery_id, self.from, self.to);
        match scope.map_err(|fault| Refusal::fields("", vec![fault]))? {
            ReplayScope::Delivery(id) => {
                let known: Option<DeliveryId> = parse_id(&id);
                known.map(ReplayScope::Delivery).ok_or_else(|| Refusal::unknown("deliveryId", [&id]))
            }
            ReplayScope::Range(from, to) => {
                let from = instant("from", from)?;
                Ok(ReplayScope::Range(from, to.map(|to| instant("to", to)).transpose()?))
            }
        }
    }
}

/// Changes of webhooks.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct WebhooksMutation;

/// Changes of webhooks. All need the permission webhooks.write.
#[Object]
impl WebhooksMutation {
    /// Registers an address, which is told what happens from now on; a workspace has at most 100.
    async fn register(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Where, and what.")] input: RegisterWebhookMutationInput,
    ) -> Option<WebhookSecretPayload> {
        let session = session(ctx);
        let registered = async {
            let (webhooks, acting) = (&session.services.webhooks, &session.acting);
            let named = input.workspace_id.as_ref().map(|id| parse_workspace_id(id, "workspaceId"));
            let workspace = webhooks.workspace_of(acting, named.transpose()?);
            let workspace = workspace.map_err(Refusal::webhooks)?;
            let names = input.events.unwrap_or_default();
            let events = (names.as_slice(), NoticeAccess::from(&session.caller));
            let made = webhooks.register(acting, workspace, &input.notification_url, events).await;
            let (endpoint, secret) = made.map_err(Refusal::webhooks)?;
            Ok(WebhookSecretPayload(WebhookSecretView::new(&endpoint, &secret)))
        };
        or_null(ctx, session.change(Permission::WebhooksWrite, registered).await)
    }

    /// Changes what a webhook is told, or whether it is told anything.
    async fn update(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which one, and what of it.")] input: UpdateWebhookMutationInput,
    ) -> Option<Webhook> {
        let session = session(ctx);
        let updated = async {
            let id = webhook_id(&input.webhook_id)?;
            let notices = NoticeAccess::from(&session.caller);
            let change = WebhookChange { events: input.events, notices, enabled: input.enabled };
            let (webhooks, acting) = (&session.services.webhooks, &session.acting);
            let changed = webhooks.change(acting, id, &change).await;
            Ok(Webhook::from(changed.map_err(Refusal::webhooks)?))
        };
        or_null(ctx, session.change(Permission::WebhooksWrite, updated).await)
    }

    /// Removes a webhook with its log: nothing is sent any more.
    async fn remove(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which one.")] input: WebhookMutationInput,
    ) -> Option<RemoveWebhookPayload> {
        let session = session(ctx);
        let removed = async {
            let id = webhook_id(&input.webhook_id)?;
            let (webhooks, acting) = (&session.services.webhooks, &session.acting);
            webhooks.delete(acting, id).await.map_err(Refusal::webhooks)?;
            Ok(RemoveWebhookPayload { webhook_id: id.to_string().into() })
        };
        or_null(ctx, session.change(Permission::WebhooksWrite, removed).await)
    }

    /// Gives a webhook another secret. For 24 hours, or until the next rotation, both sign.
    async fn rotate_secret(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which one.")] input: WebhookMutationInput,
    ) -> Option<WebhookSecretPayload> {
        let session = session(ctx);
        let rotated = async {
            let id = webhook_id(&input.webhook_id)?;
            let (webhooks, acting) = (&session.services.webhooks, &session.acting);
            let rotated = webhooks.rotate_secret(acting, id).await;
            let (endpoint, secret) = rotated.map_err(Refusal::webhooks)?;
            Ok(WebhookSecretPayload(WebhookSecretView::new(&endpoint, &secret)))
        };
        or_null(ctx, session.change(Permission::WebhooksWrite, rotated).await)
    }

    /// Sends an event `webhook.test`, delivered as every other.
    async fn test(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "To which one.")] input: WebhookMutationInput,
    ) -> Option<WebhookDelivery> {
        let session = session(ctx);
        let sent = async {
            let id = webhook_id(&input.webhook_id)?;
            let (webhooks, acting) = (&session.services.webhooks, &session.acting);
            let sent = webhooks.test(acting, id).await;
            Ok(WebhookDelivery(sent.map_err(Refusal::webhooks)?))
        };
        or_null(ctx, session.change(Permission::WebhooksWrite, sent).await)
    }

    /// Sends again one delivery, or everything that happened in a range of time and that the webhook wants now; each event
    /// keeps its `webhook-id`.
    async fn replay(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "What, and to which one.")] input: ReplayWebhookMutationInput,
    ) -> Option<ReplayWebhookPayload> {
        let session = session(ctx);
        let replayed = async {
            let id = webhook_id(&input.webhook_id)?;
            let scope = input.scope()?;
            let (webhooks, acting) = (&session.services.webhooks, &session.acting);
            let replayed = webhooks.replay(acting, id, scope).await;
            let replayed = replayed.map_err(Refusal::webhooks)?;
            Ok(ReplayWebhookPayload { replayed_count: i32::try_from(replayed.count).unwrap_or(i32::MAX) })
        };
        or_null(ctx, session.change(Permission::WebhooksWrite, replayed).await)
    }
}
