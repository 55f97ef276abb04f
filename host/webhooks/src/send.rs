//! One look after an endpoint: what is due is sent, a few at once, until something fails.

use super::settle::Outcome;
use super::signing::{Secret, signature};
use crate::Webhooks;
use crate::sender::{WebhookRequest, WebhookResponse, WebhookSendError, WebhookSender};
use gateway_access::secrets::{SealedFor, Unsealable};
use gateway_domain::StoreError;
use gateway_domain_platform::webhooks::{DeliveryAttempt, DeliveryState, Endpoint, Health, Target};
use gateway_storage::deliveries::{self, DeliveryResult, Due};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;
use std::time::Instant;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tracing::field::Empty;
use tracing::{Instrument, info_span};

/// Deliveries of one turn; then others get theirs.
const BATCH: i64 = 50;
/// Deliveries on their way to one endpoint at once.
const CONCURRENCY_MAX: usize = 4;
/// What is kept of an answer, characters.
const DETAIL_CHARS_MAX: usize = 1024;
/// How long an endpoint is left alone whose secret cannot be opened.
const SECRET_RETRY_DELAY: SignedDuration = SignedDuration::from_mins(10);

/// A try that has ended.
struct FinishedAttempt {
    due: Due,
    at: Timestamp,
    took: std::time::Duration,
    answer: Result<WebhookResponse, WebhookSendError>,
}

/// What a try came to.
struct AttemptResult {
    status: Option<u16>,
    /// None: it arrived.
    error: Option<String>,
    detail: String,
    retry_after: Option<SignedDuration>,
}

impl Webhooks {
    /// Sends what is due to an endpoint that this process has taken.
    pub(super) async fn send_due(
        &self,
        webhook_sender: &Arc<dyn WebhookSender>,
        endpoint: &Endpoint,
        stop: &CancellationToken,
    ) -> Result<Outcome, StoreError> {
        let mut outcome = Outcome::nothing(endpoint);
        // One that failed is tried with one delivery before the rest comes.
        let limit = if endpoint.health.failures > 0 { 1 } else { BATCH };
        let due = deliveries::due(self.db(), endpoint.id, self.now(), limit).await?;
        let (target, secrets) = match self.target_and_secrets(endpoint) {
            Ok(target_and_secrets) => target_and_secrets,
            Err(error) => {
                tracing::error!(webhook.id = %endpoint.id, "Nothing is sent to webhook {}: {error}", endpoint.id);
                outcome.not_before = self.now().checked_add(SECRET_RETRY_DELAY).ok();
                return Ok(outcome);
            }
        };
        let secrets = Arc::new(secrets);
        let mut waiting = due.into_iter();
        let mut in_flight = JoinSet::new();
        let mut failed: Option<AttemptResult> = None;
        loop {
            while in_flight.len() < CONCURRENCY_MAX && failed.is_none() && !stop.is_cancelled() {
                let Some(due) = waiting.next() else { break };
                let (service, webhook_sender) = (self.clone(), Arc::clone(webhook_sender));
                let (target, secrets) = (target.clone(), Arc::clone(&secrets));
                let span = info_span!("webhook", webhook.id = %endpoint.id, message = %due.message, trace_id = Empty);
                gateway_trace_context::begin(&span, due.traceparent.as_deref());
                let send = async move { service.send(webhook_sender.as_ref(), target, &secrets, due).await };
                in_flight.spawn(send.instrument(span));
            }
            let Some(ended) = in_flight.join_next().await else { break };
            // One that panicked was not tried; it stays due.
            let Ok(ended) = ended else { continue };
            let result = result_of(&ended.answer);
            self.counters().count(result.error.as_deref().unwrap_or("delivered"));
            outcome.results.push(self.delivery_result(&ended, &result));
            if result.error.is_none() {
                outcome.succeeded_at = Some(self.now());
            } else if failed.as_ref().is_none_or(|first| first.status != Some(410)) {
                failed = Some(result);
            }
        }
        if let Some(failed) = failed {
            self.back_off(&mut outcome, endpoint, &failed);
        } else if outcome.succeeded_at.is_some() {
            outcome.health = Health::succeeded();
        }
        Ok(outcome)
    }

    /// Where to, and what signs.
    fn target_and_secrets(&self, endpoint: &Endpoint) -> Result<(Target, Vec<Secret>), Unsealable> {
        // What was registered is looked at again by whoever carries it.
        let target = Target::parse(&endpoint.url, true).map_err(|_| Unsealable)?;
        let place = SealedFor::WebhookSecret(endpoint.id);
        let mut secrets = vec![Secret::of(self.keyring().open(place, &endpoint.secret)?)];
        if let Some((old, until)) = &endpoint.old_secret
            && *until > self.now()
        {
            secrets.push(Secret::of(self.keyring().open(place, old)?));
        }
        Ok((target, secrets))
    }

    async fn send(
        &self,
        webhook_sender: &dyn WebhookSender,
        target: Target,
        secrets: &[Secret],
        due: Due,
    ) -> FinishedAttempt {
        let at = self.now();
        let (id, timestamp) = (due.message.to_string(), at.as_second());
        let signature = signature(secrets, &id, timestamp, &due.body);
        let request = WebhookRequest { target, id, timestamp, signature, body: due.body.clone() };
        let start = Instant::now();
        let answer = webhook_sender.deliver(request).await;
        FinishedAttempt { due, at, took: start.elapsed(), answer }
    }

    fn delivery_result(&self, ended: &FinishedAttempt, result: &AttemptResult) -> DeliveryResult {
        let attempts = ended.due.attempts.saturating_add(1);
        let again = result.error.as_ref().and_then(|_| {
            let wait = self.settings().schedule.after(attempts, result.retry_after, self.spread())?;
            self.now().checked_add(wait).ok()
        });
        let state = match (&result.error, again) {
            (None, _) => DeliveryState::Delivered,
            (Some(_), Some(_)) => DeliveryState::Pending,
            (Some(_), None) => DeliveryState::Failed,
        };
        let attempt = DeliveryAttempt {
            at: ended.at,
            duration_ms: i64::try_from(ended.took.as_millis()).unwrap_or(i64::MAX),
            status: result.status,
            error: result.error.clone(),
            detail: result.detail.clone(),
        };
        DeliveryResult { id: ended.due.id, attempts, state, due_at: again, attempt }
    }

    /// The endpoint failed: it is left alone for a while, or for good.
    fn back_off(&self, outcome: &mut Outcome, endpoint: &Endpoint, failed: &AttemptResult) {
        let now = self.now();
        let before = if outcome.succeeded_at.is_some() { Health::succeeded() } else { endpoint.health };
        outcome.health = before.failed(now);
        outcome.ends = outcome.health.ends(now, failed.status);
        let schedule = self.settings().schedule;
        let pause = schedule.pause(outcome.health.failures, failed.retry_after, self.spread());
        outcome.not_before = now.checked_add(pause).ok();
    }

    /// A number that nobody knows before.
    fn spread(&self) -> u64 {
        let (_, low) = self.ids().next().as_u64_pair();
        low
    }
}

fn result_of(answer: &Result<WebhookResponse, WebhookSendError>) -> AttemptResult {
    let truncate = |text: &str| text.chars().take(DETAIL_CHARS_MAX).collect();
    match answer {
        Err(error) => AttemptResult {
            status: None,
            error: Some(error.class().to_owned()),
            detail: truncate(&error.to_string()),
            retry_after: None,
        },
        Ok(response) => {
            let retry_after = response.retry_after_s.filter(|_| !response.is_success());
            let retry_after = retry_after
                .map(|seconds| SignedDuration::from_secs(i64::try_from(seconds).unwrap_or(i64::MAX)));
            let detail = match &response.location {
                Some(location) if (300..=399).contains(&response.status) => {
                    format!("redirects are not followed: register {location} instead. {}", response.body)
                }
                _ => response.body.clone(),
            };
            let error = match response.status {
                200..=299 => None,
                300..=399 => Some("redirect".to_owned()),
                status => Some(format!("http_{status}")),
            };
            AttemptResult { status: Some(response.status), error, detail: truncate(&detail), retry_after }
        }
    }
}
