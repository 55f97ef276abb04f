//! What became of deliveries is written down for many endpoints at once: a file has one writer.

use crate::Webhooks;
use gateway_domain::StoreError;
use gateway_domain::access::{Actor, Workspaces};
use gateway_domain::ids::{WebhookId, WorkspaceId};
use gateway_domain_events::notices::{Notice, NoticeKind, NoticeSubject};
use gateway_domain_platform::webhooks::{Disabled, Endpoint, Health};
use gateway_events::append_notice;
use gateway_storage::deliveries::{self, DeliveryResult};
use gateway_storage::webhooks;
use jiff::Timestamp;
use serde::Serialize;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// Endpoints that are written down at once.
const BATCH: usize = 64;
/// How often it is tried; then the leases end, and what was sent is sent again.
const ATTEMPTS_MAX: usize = 5;
/// How long to wait after the database failed.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// What a look after an endpoint came to.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    pub(super) endpoint: WebhookId,
    pub(super) results: Vec<DeliveryResult>,
    pub(super) health: Health,
    pub(super) succeeded_at: Option<Timestamp>,
    /// Nothing is sent before.
    pub(super) not_before: Option<Timestamp>,
    /// Nothing more is sent.
    pub(super) ends: Option<Disabled>,
}

impl Outcome {
    pub(super) fn nothing(endpoint: &Endpoint) -> Self {
        Self {
            endpoint: endpoint.id,
            results: Vec::new(),
            health: endpoint.health,
            succeeded_at: None,
            not_before: None,
            ends: None,
        }
    }
}

/// An outcome, and who waits until it is written down.
pub(super) type PendingOutcome = (Outcome, oneshot::Sender<()>);

/// Writes down what comes, and after `done` the rest of it.
pub(super) async fn write(
    service: &Webhooks,
    owner: &str,
    mut coming: mpsc::Receiver<PendingOutcome>,
    done: &CancellationToken,
) {
    let mut batch: Vec<PendingOutcome> = Vec::new();
    loop {
        let received = tokio::select! {
            received = coming.recv_many(&mut batch, BATCH) => received,
            () = done.cancelled() => {
                coming.close();
                coming.recv_many(&mut batch, BATCH).await
            }
        };
        if received == 0 {
            return;
        }
        let (outcomes, waiting): (Vec<_>, Vec<_>) = batch.drain(..).unzip();
        for remaining in (0..ATTEMPTS_MAX).rev() {
            match service.record_outcomes(owner, &outcomes).await {
                Ok(()) => break,
                Err(error) => tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "What became of webhooks cannot be written down, {remaining} tries are left: {error}"
                ),
            }
            tokio::time::sleep(RETRY_DELAY).await;
        }
        for waits in waiting {
            // Who stopped waiting needs not know.
            let _ = waits.send(());
        }
    }
}

/// Why nothing more is sent, as the audit trail keeps it.
#[derive(Serialize)]
struct DisablingAudit {
    why: Disabled,
    failing_since: Option<Timestamp>,
}

/// What is said where nothing more is sent to a webhook of a workspace.
fn disabled_notice(
    (webhook, workspace): (WebhookId, WorkspaceId),
    why: Disabled,
    since: Timestamp,
) -> Notice {
    let cause = match why {
        Disabled::Failing => "every call failed for days",
        Disabled::Gone => "it answered 410 (nobody is there any more)",
        Disabled::Owner => "its owner disabled it",
        Disabled::Operator => "an operator disabled it",
    };
    Notice {
        kind: NoticeKind::WebhookDisabled,
        workspace: Some(workspace),
        subject: NoticeSubject::Webhook(webhook),
        code: why.to_string(),
        message: format!("nothing more is sent to it, because {cause}: enable it once it answers again"),
        next_command: format!("gateway webhook enable {webhook}"),
        since,
    }
}

impl Webhooks {
    /// Writes down what became of deliveries, and gives the endpoints back.
    pub(super) async fn record_outcomes(&self, owner: &str, outcomes: &[Outcome]) -> Result<(), StoreError> {
        let mut tx = self.db().begin().await?;
        let now = self.now();
        let mut endpoints: Vec<_> = outcomes.iter().map(|outcome| outcome.endpoint).collect();
        endpoints.sort_unstable();
        webhooks::lock(&mut tx, &endpoints).await?;
        let results: Vec<&DeliveryResult> = outcomes.iter().flat_map(|outcome| &outcome.results).collect();
        deliveries::settle(&mut tx, &results, now).await?;
        for outcome in outcomes {
            let Outcome { endpoint, health, succeeded_at, not_before, ends, .. } = outcome;
            // Whoever took it over meanwhile says how it fares.
            let own =
                webhooks::give_back(&mut tx, *endpoint, owner, *health, *succeeded_at, *not_before).await?;
            if let Some(why) = ends.filter(|_| own)
                && webhooks::disable(&mut tx, *endpoint, why, now).await?
            {
                let data = DisablingAudit { why, failing_since: health.failing_since };
                self.record_audit(&mut tx, &Actor::gateway(), "webhook.disable", *endpoint, &data).await?;
                let Some(found) = webhooks::find(&mut tx, &Workspaces::All, *endpoint).await? else {
                    continue;
                };
                let workspace = found.workspace;
                let since = health.failing_since.unwrap_or(now);
                let notice = disabled_notice((*endpoint, workspace), why, since);
                append_notice(&mut tx, self.ids(), now, &notice).await?;
                tracing::warn!(
                    webhook.id = %endpoint,
                    "Nothing more is sent to webhook {endpoint} of workspace {workspace} ({why}): its owner enables it again"
                );
            }
        }
        tx.commit_at("deliveries-settled").await
    }
}
