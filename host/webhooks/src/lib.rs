//! Webhooks out: customers are told of changes at the addresses they register.
//!
//! A consumer of the event feed (`fanout`) writes down what is told to whom, in the transaction of its position. The
//! dispatcher (`dispatch`) is the worker pool's source of endpoints that have something waiting, one process each: it sends
//! (`send`) and writes down what became of it, many at once (`settle`). Here: what owners and operators do with
//! endpoints; in `log`: with deliveries.
//!
//! Not here: what customers are told of an event, when a delivery is repeated, and where one may go
//! (`gateway_domain_platform::webhooks`); SQL; HTTP in.
//!
//! To add an operation on endpoints: a method of [`Webhooks`] here, its audit entry in the same transaction; then a route for
//! owners in `legacy/webhooks.rs` of `gateway-api-public`, or one in `webhooks.rs` of `gateway-api-admin` and a command of
//! `gateway-cli` for operators. A new event begins in `gateway_domain_platform`, whose documentation says how.

mod client;
mod dispatch;
mod event_type;
mod fanout;
mod given_up;
mod log;
mod send;
mod sender;
mod settle;
mod signing;
mod stats;
pub mod views;

pub use client::{ClientOptions, HttpWebhookSender, SetupError};
pub use dispatch::Dispatcher;
pub use fanout::Fanout;
pub use gateway_domain_platform::webhooks::{Delivery, DeliveryAttempt, Endpoint};
pub use given_up::GivenUpWebhooks;
pub use log::{REPLAY_EVENTS_MAX, ReplayResult, ReplayScope};
pub use sender::{WebhookRequest, WebhookResponse, WebhookSendError, WebhookSender};
pub use stats::WebhookStats;

use gateway_access::Audit;
use gateway_access::secrets::{Keyring, SealedFor, Unsealable};
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Actor, Workspaces};
use gateway_domain::ids::{WebhookId, WorkspaceId};
use gateway_domain::ports::{Clock, Ids};
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_events::RetentionDays;
use gateway_domain_input::sentence;
use gateway_domain_lists::NumberedPage;
use gateway_domain_platform::webhooks::{
    Disabled, ENDPOINTS_MAX, EventFilter, NoTarget, NoticeAccess, OLD_SECRET_HOURS, Schedule, Target, refused,
};
use gateway_storage::webhooks::{self, NewEndpoint};
use gateway_storage::{Db, Tx, workspaces};
use jiff::{SignedDuration, Timestamp};
use secrecy::SecretString;
use serde::Serialize;
use signing::Secret;
use stats::Counters;
use std::collections::HashMap;
use std::sync::Arc;

/// What an operator configures of webhooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebhookSettings {
    /// Whether they may go to addresses inside.
    pub allow_private: bool,
    /// When what failed is tried again.
    pub schedule: Schedule,
    /// How long events and deliveries stay, for replays too.
    pub retention: RetentionDays,
}

impl Default for WebhookSettings {
    fn default() -> Self {
        let schedule = Schedule::default();
        Self { allow_private: false, schedule, retention: RetentionDays::DELIVERIES }
    }
}

/// Why an operation on webhooks was not carried out. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum WebhookError {
    /// Members have mistakes; at least one.
    #[error("{}", sentence(.0))]
    Invalid(Vec<FieldError>),
    /// There is no such webhook, or it belongs to a workspace that the caller may not see.
    #[error("there is no {what} {id}")]
    NotFound {
        /// What it would be.
        what: &'static str,
        /// The member of the request that names it: `delivery_id`.
        field: &'static str,
        /// The id that was given.
        id: String,
    },
    /// A secret cannot be sealed or opened.
    #[error(transparent)]
    Sealing(#[from] Unsealable),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl WebhookError {
    pub(crate) fn invalid(field: &str, code: ErrorCode, message: impl Into<String>) -> Self {
        Self::Invalid(vec![FieldError::new(field, code, message)])
    }

    fn no_webhook(id: WebhookId) -> Self {
        Self::NotFound { what: "webhook registration", field: "id", id: id.to_string() }
    }
}

/// What to change of a webhook; `None` keeps it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WebhookChange {
    /// Names of events; none in the list: all events but notices.
    pub events: Option<Vec<String>>,
    /// Whether notices may be among them.
    pub notices: NoticeAccess,
    /// Whether anything is sent.
    pub enabled: Option<bool>,
}

/// An endpoint as the audit trail keeps it.
#[derive(Serialize)]
struct EndpointAudit<'e> {
    workspace_id: WorkspaceId,
    notification_url: &'e str,
    events: Vec<&'static str>,
    enabled: bool,
}

/// Another secret, as the audit trail keeps it.
#[derive(Serialize)]
struct RotationAudit {
    old_secret_until: Timestamp,
}

fn endpoint_audit(endpoint: &Endpoint) -> EndpointAudit<'_> {
    EndpointAudit {
        workspace_id: endpoint.workspace,
        notification_url: &endpoint.url,
        events: endpoint.events.names(),
        enabled: endpoint.disabled.is_none(),
    }
}

/// What webhooks are built from.
#[derive(Debug, Clone)]
pub struct Parts {
    pub db: Db,
    pub clock: Arc<dyn Clock>,
    /// Fresh identifiers.
    pub ids: Arc<dyn Ids>,
    /// Opens and seals secrets.
    pub keyring: Arc<Keyring>,
    /// Who sends; none where nothing is sent.
    pub webhook_sender: Option<Arc<dyn WebhookSender>>,
    /// When tries are repeated, and whether private addresses are permitted.
    pub settings: WebhookSettings,
}

/// The webhooks of customers. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Webhooks(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    parts: Parts,
    audit: Audit,
    counters: Counters,
}

impl Webhooks {
    /// Puts the parts together.
    pub fn new(parts: Parts) -> Self {
        let audit = Audit::new(parts.db.clone(), Arc::clone(&parts.clock), Arc::clone(&parts.ids));
        Self(Arc::new(Inner { parts, audit, counters: Counters::default() }))
    }

    /// The consumer of the event log that makes deliveries of events.
    pub fn fanout(&self) -> Fanout {
        let Parts { clock, ids, .. } = &self.0.parts;
        Fanout::new(Arc::clone(clock), Arc::clone(ids))
    }

    fn db(&self) -> &Db {
        &self.0.parts.db
    }

    fn now(&self) -> Timestamp {
        self.0.parts.clock.now()
    }

    fn ids(&self) -> &dyn Ids {
        self.0.parts.ids.as_ref()
    }

    fn keyring(&self) -> &Keyring {
        &self.0.parts.keyring
    }

    fn webhook_sender(&self) -> Option<&Arc<dyn WebhookSender>> {
        self.0.parts.webhook_sender.as_ref()
    }

    fn settings(&self) -> &WebhookSettings {
        &self.0.parts.settings
    }

    fn counters(&self) -> &Counters {
        &self.0.counters
    }
}

/// For the owner of an endpoint, within their workspaces.
impl Webhooks {
    /// Registers an address of a workspace, and shows the secret that signs, this once. An address inside is refused,
    /// and a name that leads inside; a name that nobody knows now may be known later, and is looked at then. Notices are among
    /// the events only where whoever asks may read them.
    pub async fn register(
        &self,
        acting: &Acting,
        workspace: WorkspaceId,
        notification_url: &str,
        (events, notices): (&[String], NoticeAccess),
    ) -> Result<(Endpoint, SecretString), WebhookError> {
        let mut faults = Vec::new();
        let target = self.target(notification_url).await.map_err(|error| {
            faults.push(FieldError::new("notification_url", ErrorCode::WebhookUrlRefused, error.to_string()));
        });
        let events = EventFilter::requested(events.iter().map(String::as_str), notices)
            .map_err(|found| faults.extend(found));
        let (Ok(target), Ok(events)) = (target, events) else { return Err(WebhookError::Invalid(faults)) };
        let id = WebhookId(self.ids().next());
        let secret = Secret::generate()?;
        let sealed = self.keyring().seal(SealedFor::WebhookSecret(id), secret.bytes())?;
        let mut tx = self.db().begin().await?;
        if !acting.workspaces.contain(workspace) || workspaces::find(&mut tx, workspace).await?.is_none() {
            let (what, field) = ("workspace", "workspace_id");
            return Err(WebhookError::NotFound { what, field, id: workspace.to_string() });
        }
        let url = target.to_string();
        let new = NewEndpoint { id, workspace, url: &url, events: &events, secret: &sealed };
        if !webhooks::insert(&mut tx, &new, ENDPOINTS_MAX, self.now()).await? {
            let message =
                format!("a workspace has at most {ENDPOINTS_MAX} webhook registrations: delete one first");
            return Err(WebhookError::invalid("notification_url", ErrorCode::TooMany, message));
        }
        let endpoint = self.own(&mut tx, acting, id).await?;
        self.record_audit(&mut tx, &acting.actor, "webhook.create", id, &endpoint_audit(&endpoint)).await?;
        tx.commit_at("webhook-registered").await?;
        tracing::info!(webhook.id = %id, "Registered webhook {id}");
        Ok((endpoint, secret.text()))
    }

    /// An address that may be registered.
    async fn target(&self, text: &str) -> Result<Target, NoTarget> {
        let allow_private = self.settings().allow_private;
        let target = Target::parse(text, allow_private)?;
        if let (Some(name), Some(webhook_sender), false) =
            (target.name(), self.webhook_sender(), allow_private)
        {
            let found = webhook_sender.look_up(name).await.unwrap_or_default();
            if let Some(mut inside) = found.into_iter().find_map(refused) {
                inside.what = format!("{name} ({})", inside.what);
                return Err(NoTarget::Refused(inside));
            }
        }
        Ok(target)
    }

    /// The webhooks of a workspace, the oldest first.
    pub async fn list(
        &self,
        acting: &Acting,
        workspace: WorkspaceId,
        limit: i64,
        skip: i64,
    ) -> Result<NumberedPage<Endpoint>, StoreError> {
        if !acting.workspaces.contain(workspace) {
            return Ok(NumberedPage { nodes: Vec::new(), total: 0 });
        }
        let nodes = webhooks::page(self.db(), workspace, limit, skip).await?;
        Ok(NumberedPage { nodes, total: webhooks::count(self.db(), workspace).await? })
    }

    /// A webhook of a workspace that the caller may see.
    pub async fn find(&self, acting: &Acting, id: WebhookId) -> Result<Endpoint, WebhookError> {
        let found = webhooks::find(self.db(), &acting.workspaces, id).await?;
        found.ok_or_else(|| WebhookError::no_webhook(id))
    }

    /// The same, held until the transaction ends.
    pub(crate) async fn own(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        id: WebhookId,
    ) -> Result<Endpoint, WebhookError> {
        webhooks::lock(tx, &[id]).await?;
        let found = webhooks::find(tx, &acting.workspaces, id).await?;
        found.ok_or_else(|| WebhookError::no_webhook(id))
    }

    /// Changes what a webhook is told, or whether it is told anything. What waited for a disabled one is sent when it is
    /// enabled; what happened meanwhile is not, but can be replayed.
    pub async fn change(
        &self,
        acting: &Acting,
        id: WebhookId,
        change: &WebhookChange,
    ) -> Result<Endpoint, WebhookError> {
        let requested =
            |names: &Vec<String>| EventFilter::requested(names.iter().map(String::as_str), change.notices);
        let events = change.events.as_ref().map(requested).transpose().map_err(WebhookError::Invalid)?;
        let mut tx = self.db().begin().await?;
        let before = self.own(&mut tx, acting, id).await?;
        let now = self.now();
        if let Some(events) = events.filter(|events| *events != before.events) {
            webhooks::set_events(&mut tx, id, &events, now).await?;
        }
        match change.enabled {
            Some(true) if before.disabled.is_some_and(|(why, _)| why == Disabled::Operator) => {
                return Err(WebhookError::invalid(
                    "enabled",
                    ErrorCode::PermissionMissing,
                    "an operator disabled it: ask them to enable it",
                ));
            }
            Some(true) => drop(webhooks::enable(&mut tx, id, now).await?),
            Some(false) => drop(webhooks::disable(&mut tx, id, Disabled::Owner, now).await?),
            None => {}
        }
        let after = self.own(&mut tx, acting, id).await?;
        if after != before {
            self.record_audit(&mut tx, &acting.actor, "webhook.update", id, &endpoint_audit(&after)).await?;
        }
        tx.commit_at("webhook-changed").await?;
        Ok(after)
    }

    /// Gives a webhook another secret and shows it, this once. The one before signs too for a day, or until the next
    /// rotation.
    pub async fn rotate_secret(
        &self,
        acting: &Acting,
        id: WebhookId,
    ) -> Result<(Endpoint, SecretString), WebhookError> {
        let secret = Secret::generate()?;
        let sealed = self.keyring().seal(SealedFor::WebhookSecret(id), secret.bytes())?;
        let mut tx = self.db().begin().await?;
        self.own(&mut tx, acting, id).await?;
        let now = self.now();
        let until = now.checked_add(SignedDuration::from_hours(OLD_SECRET_HOURS)).unwrap_or(now);
        webhooks::set_secret(&mut tx, id, &sealed, until, now).await?;
        let endpoint = self.own(&mut tx, acting, id).await?;
        let data = RotationAudit { old_secret_until: until };
        self.record_audit(&mut tx, &acting.actor, "webhook.rotate_secret", id, &data).await?;
        tx.commit_at("webhook-secret-rotated").await?;
        tracing::info!(webhook.id = %id, "Webhook {id} has another secret");
        Ok((endpoint, secret.text()))
    }

    /// Removes a webhook with its deliveries.
    pub async fn delete(&self, acting: &Acting, id: WebhookId) -> Result<(), WebhookError> {
        let mut tx = self.db().begin().await?;
        let endpoint = self.own(&mut tx, acting, id).await?;
        webhooks::delete(&mut tx, id).await?;
        self.record_audit(&mut tx, &acting.actor, "webhook.delete", id, &endpoint_audit(&endpoint)).await?;
        tx.commit_at("webhook-deleted").await?;
        tracing::info!(webhook.id = %id, "Removed webhook {id}");
        Ok(())
    }

    /// Who did what to a webhook, in the transaction of it.
    pub(crate) async fn record_audit(
        &self,
        tx: &mut Tx,
        actor: &Actor,
        action: &str,
        id: WebhookId,
        data: &impl Serialize,
    ) -> Result<(), StoreError> {
        self.0.audit.record(tx, actor, action, format!("webhook:{id}"), data).await
    }
}

/// Pages that follow each other, for whoever sees several workspaces.
impl Webhooks {
    /// The webhooks that were registered after another one, the oldest first.
    pub async fn after(
        &self,
        visible: &Workspaces,
        after: Option<WebhookId>,
        limit: i64,
    ) -> Result<Vec<Endpoint>, StoreError> {
        webhooks::after(self.db(), visible, after, limit).await
    }

    /// How many webhooks all pages have together.
    pub async fn count(&self, visible: &Workspaces) -> Result<i64, StoreError> {
        webhooks::count_all(self.db(), visible).await
    }

    /// Webhooks by their ids; those that do not exist for the caller are absent.
    pub async fn by_ids(
        &self,
        acting: &Acting,
        ids: &[WebhookId],
    ) -> Result<HashMap<WebhookId, Endpoint>, StoreError> {
        let found = webhooks::by_ids(self.db(), &acting.workspaces, ids).await?;
        Ok(found.into_iter().map(|endpoint| (endpoint.id, endpoint)).collect())
    }

    /// The workspace that is named, or the only one of whoever acts.
    pub fn workspace_of(
        &self,
        acting: &Acting,
        named: Option<WorkspaceId>,
    ) -> Result<WorkspaceId, WebhookError> {
        let only = match &acting.workspaces {
            Workspaces::Only(own) if own.len() == 1 => own.first().copied(),
            Workspaces::Only(_) | Workspaces::All => None,
        };
        named.or(only).ok_or_else(|| {
            let message = "is required of a client of several workspaces: name one";
            WebhookError::invalid("workspace_id", ErrorCode::Required, message)
        })
    }
}

/// For operators, who see the endpoints of all their workspaces.
impl Webhooks {
    /// The webhooks of all workspaces, each with how many deliveries wait.
    pub async fn all(
        &self,
        visible: &Workspaces,
        limit: i64,
        skip: i64,
    ) -> Result<NumberedPage<(Endpoint, i64)>, StoreError> {
        let nodes = webhooks::all(self.db(), visible, limit, skip).await?;
        Ok(NumberedPage { nodes, total: webhooks::count_all(self.db(), visible).await? })
    }

    /// Switches a webhook of any workspace on or off. One that an operator switched off stays off until an operator
    /// switches it on.
    pub async fn switch(
        &self,
        visible: &Workspaces,
        actor: &Actor,
        id: WebhookId,
        enabled: bool,
    ) -> Result<Endpoint, WebhookError> {
        let mut tx = self.db().begin().await?;
        webhooks::lock(&mut tx, &[id]).await?;
        if webhooks::find(&mut tx, visible, id).await?.is_none() {
            return Err(WebhookError::no_webhook(id));
        }
        let changed = if enabled {
            webhooks::enable(&mut tx, id, self.now()).await?
        } else {
            webhooks::disable(&mut tx, id, Disabled::Operator, self.now()).await?
        };
        let found = webhooks::find(&mut tx, visible, id).await?;
        let endpoint = found.ok_or_else(|| WebhookError::no_webhook(id))?;
        if changed {
            let action = if enabled { "webhook.enable" } else { "webhook.disable" };
            self.record_audit(&mut tx, actor, action, id, &endpoint_audit(&endpoint)).await?;
        }
        tx.commit_at("webhook-switched").await?;
        Ok(endpoint)
    }
}
