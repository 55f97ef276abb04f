//! The watchdog over Issuing: every document there has a scheduled next step, or an alert that says what to do.
//!
//! One process at a time watches. A submission that lost its job gets it back; a document that no submission will
//! ever move is somebody's to end, and that is said once an hour until it is done.
//!
//! Due times are the clock's, and a clock may step. What is due later than any wait is long was put off while the clock was
//! ahead: it is due now. What was stamped then counts as old.
//!
//! An older release keeps documents, and copies of them, without what lists find them by; that is made up for.
//!
//! To have it look after more: read it in [`Watchdog::watch`] before the transaction, and change it there under the lease,
//! which says that no other process watches.
//!
//! Not here: what submissions do (`gateway-finance`), deliveries (`gateway-webhooks`).

mod credentials;
mod due;
mod views;
mod waiting;
mod waiting_log;

pub use views::{UnsubmittedAlert, UnsubmittedBody};
pub use waiting::WaitingForSomebody;

use waiting_log::WaitingLog;

use gateway_domain::StoreError;
use gateway_domain::access::Workspaces;
use gateway_domain::ports::{Clock, Ids};
use gateway_domain_events::notices::{Notice, NoticeKind, NoticeSubject};
pub use gateway_domain_finance::Unsubmitted;
use gateway_domain_platform::webhooks::DUE_HORIZON;
use gateway_events::append_notice;
use gateway_finance::{SubmissionQueue, WATCHED_FOR};
use gateway_read_models::{list_copies, list_documents};
use gateway_storage::watchdog::Times;
use gateway_storage::{Db, Tx, attempts, deliveries, filing_deadlines, jobs, leases, watchdog, webhooks};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The duty, and the code of what it finds.
const LEASE_NAME: &str = "watchdog";
/// A document is issuing, and finance knows nothing of it.
pub const ISSUING_WITHOUT_SUBMISSION: &str = "issuingWithoutSubmission";
/// How often it looks.
const ROUND_INTERVAL: Duration = Duration::from_secs(10);
/// How long the duty stays with a process that says nothing more.
const LEASE: SignedDuration = SignedDuration::from_secs(30);
/// How long a document may be in between two steps without being looked after.
const GRACE: SignedDuration = SignedDuration::from_secs(60);
/// How long a remote finance service may take with what it says it submits: longer than providers are away.
const SILENCE_MAX: SignedDuration = SignedDuration::from_hours(24);
/// How often the same alert is said.
const REPEAT_ALERT_EVERY: SignedDuration = SignedDuration::from_hours(1);
/// How long a document waits for its verdict until the log says so, again and again until it has one.
const WAITING_LOGGED_AFTER: SignedDuration = SignedDuration::from_hours(1);
/// In which rounds that is looked for which changes slowly, attempts that nobody watches and tokens that end: the first of a
/// process, and about one in an hour.
const HOURLY_ROUNDS: u64 = 360;
/// Documents of one round.
const BATCH: i64 = 200;
/// Documents of one transaction that derives what lists find them by, and most such transactions of a round: a round stays short.
const LIST_BATCH: i64 = 500;
const LIST_BATCHES_MAX: usize = 20;
/// Up to how many documents are looked at that nobody submits.
pub const UNSUBMITTED_MAX: i64 = 10_000;

/// What one round did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Round {
    /// Submissions that got their job back.
    pub repaired: u64,
    /// Alerts that were said.
    pub raised: u64,
    /// Jobs and webhook deliveries that were due later than any wait is long, and are due now.
    pub recalled: u64,
}

/// What the watchdog of this process did since it started.
#[derive(Debug, Default)]
struct WatchdogCounters {
    rounds: AtomicU64,
    repaired: AtomicU64,
    recalled: AtomicU64,
    waiting: WaitingLog,
}

/// What the metrics show of the watchdog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchdogStats {
    /// Rounds of this process.
    pub rounds: u64,
    /// Submissions that got their job back from this process.
    pub repaired: u64,
    /// Jobs and webhook deliveries that this process made due now because the clock had stepped.
    pub recalled: u64,
    /// Documents that wait for somebody, by alert; the same in every process.
    pub alerts: Vec<(String, i64)>,
}

/// What the watchdog works with.
#[derive(Debug, Clone)]
pub struct Parts {
    pub db: Db,
    pub clock: Arc<dyn Clock>,
    /// Fresh identifiers.
    pub ids: Arc<dyn Ids>,
    /// Where the submissions wait for their next steps.
    pub queue: SubmissionQueue,
}

/// Looks after documents that are issuing. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Watchdog {
    parts: Parts,
    counters: Arc<WatchdogCounters>,
}

impl Watchdog {
    /// Puts the parts together.
    pub fn new(parts: Parts) -> Self {
        Self { parts, counters: Arc::default() }
    }

    fn db(&self) -> &Db {
        &self.parts.db
    }

    fn queue(&self) -> &SubmissionQueue {
        &self.parts.queue
    }

    /// Watches until `shutdown`, whenever no other process does.
    pub async fn run(self, owner: String, shutdown: CancellationToken) {
        while !shutdown.is_cancelled() {
            if let Err(error) = self.watch(&owner).await {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "The watchdog could not look: {error}"
                );
            }
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = tokio::time::sleep(ROUND_INTERVAL) => {}
            }
        }
        if let Err(error) = self.hand_over(&owner).await {
            tracing::warn!("Another process watches when the lease of this one ends: {error}");
        }
    }

    async fn hand_over(&self, owner: &str) -> Result<(), StoreError> {
        let mut tx = self.db().begin().await?;
        leases::release(&mut tx, LEASE_NAME, owner).await?;
        tx.commit_at("watchdog-released").await
    }

    /// Gives attempts their watch back that lost it: while a clock was ahead, or before there were watches.
    async fn watch_unwatched(&self, now: Timestamp) -> Result<(), StoreError> {
        let since = earlier(now, WATCHED_FOR);
        let documents = attempts::unwatched(self.db(), SubmissionQueue::WATCH_ATTEMPTS, since, BATCH).await?;
        if documents.is_empty() {
            return Ok(());
        }
        let mut tx = self.db().begin().await?;
        for document in documents {
            self.queue().watch_attempts(&mut tx, document);
        }
        tx.commit_at("attempts-watched").await
    }

    /// Derives what lists find documents by where a release wrote them that knows none of it.
    async fn list_what_an_older_release_kept(&self) -> Result<(), StoreError> {
        let (mut documents, mut copies) = (0, 0);
        for _ in 0..LIST_BATCHES_MAX {
            let found =
                (list_documents(self.db(), LIST_BATCH).await?, list_copies(self.db(), LIST_BATCH).await?);
            if found == (0, 0) {
                break;
            }
            (documents, copies) = (found.0.saturating_add(documents), found.1.saturating_add(copies));
        }
        if documents > 0 || copies > 0 {
            tracing::info!(
                "{documents} documents and {copies} copies of documents that an older release wrote can be listed by everything"
            );
        }
        Ok(())
    }

    /// One round; none when another process has the duty.
    pub async fn watch(&self, owner: &str) -> Result<Option<Round>, StoreError> {
        let mut tx = self.db().begin().await?;
        let fence = leases::take(&mut tx, LEASE_NAME, owner, LEASE).await?;
        tx.commit_at("watchdog-leased").await?;
        let Some(fence) = fence else { return Ok(None) };
        self.list_what_an_older_release_kept().await?;
        let now = self.parts.clock.now();
        self.log_what_waits_for_long(now).await;
        let times = times(now, now.checked_sub(REPEAT_ALERT_EVERY).unwrap_or(now));
        // The rest is said in the next rounds.
        let unsubmitted = watchdog::without_submission(self.db(), times, BATCH).await?;
        let forgotten = watchdog::forgotten(self.db(), SubmissionQueue::STEPS, times, BATCH).await?;
        let alerts_by_code = watchdog::alerts_by_code(self.db()).await?;
        let late = self.any_beyond(now).await?;
        let due = filing_deadlines::to_tell(self.db(), now, BATCH).await?;
        if self.counters.rounds.fetch_add(1, Ordering::Relaxed).is_multiple_of(HOURLY_ROUNDS) {
            self.watch_unwatched(now).await?;
            self.note_expiring_credentials(now).await?;
        }
        if unsubmitted.is_empty()
            && forgotten.is_empty()
            && alerts_by_code.is_empty()
            && due.is_empty()
            && !late
        {
            return Ok(Some(Round::default()));
        }

        let mut tx = self.db().begin().await?;
        if !leases::hold(&mut tx, LEASE_NAME, owner, fence, LEASE).await? {
            return Ok(None);
        }
        for document in &forgotten {
            self.queue().schedule(&mut tx, *document, now);
        }
        let mut to_raise = Vec::new();
        for found in &unsubmitted {
            if watchdog::raise_alert(&mut tx, found, ISSUING_WITHOUT_SUBMISSION, now, times).await? {
                append_notice(&mut tx, self.parts.ids.as_ref(), now, &notice(found)).await?;
                to_raise.push(found);
            }
        }
        due::notify(&mut tx, self.parts.ids.as_ref(), &due, now).await?;
        watchdog::forget(&mut tx).await?;
        let recalled = if late { self.recall(&mut tx, now).await? } else { 0 };
        tx.commit_at("watched").await?;

        let raised = u64::try_from(to_raise.len()).unwrap_or(u64::MAX);
        let repaired = u64::try_from(forgotten.len()).unwrap_or(u64::MAX);
        self.counters.repaired.fetch_add(repaired, Ordering::Relaxed);
        for document in &forgotten {
            tracing::error!(
                document.id = %document,
                "The submission of {document} had no next step and got one: report this as a fault of the gateway"
            );
        }
        for found in to_raise {
            log_alert(found);
        }
        due::log(&due);
        if recalled > 0 {
            self.counters.recalled.fetch_add(recalled, Ordering::Relaxed);
            tracing::error!(
                "The clock stepped: {recalled} jobs and deliveries were due later than any wait is long, and are due now; check \
                 the clock of every host"
            );
        }
        Ok(Some(Round { repaired, raised, recalled }))
    }

    /// Says what has waited for its verdict too long, once an hour. What cannot be said keeps nothing from being looked after.
    async fn log_what_waits_for_long(&self, now: Timestamp) {
        if !self.counters.waiting.is_due(now) {
            return;
        }
        match watchdog::longest_waiting(self.db(), earlier(now, WAITING_LOGGED_AFTER)).await {
            Ok(waiting) => waiting.iter().for_each(waiting_log::log),
            Err(error) => tracing::debug!("What waits for long is said later: {error}"),
        }
    }

    /// Whether anything is due so late that the clock has to have stepped.
    async fn any_beyond(&self, now: Timestamp) -> Result<bool, StoreError> {
        Ok(jobs::any_beyond(self.db(), later(now, self.queue().horizon())).await?
            || webhooks::any_beyond(self.db(), later(now, DUE_HORIZON)).await?)
    }

    /// Makes all that due now, and says how many jobs and deliveries it was.
    async fn recall(&self, tx: &mut Tx, now: Timestamp) -> Result<u64, StoreError> {
        let jobs = jobs::recall(tx, later(now, self.queue().horizon()), now).await?;
        let horizon = later(now, DUE_HORIZON);
        let endpoints = webhooks::recall(tx, horizon, now).await?;
        let deliveries = deliveries::recall(tx, horizon, now).await?;
        Ok(jobs.saturating_add(deliveries.max(endpoints)))
    }

    /// What the watchdog did and found, for the metrics.
    pub async fn watched(&self) -> Result<WatchdogStats, StoreError> {
        let counters = self.counters.as_ref();
        let mut alerts = watchdog::alerts_by_code(self.db()).await?;
        if alerts.is_empty() {
            alerts.push((ISSUING_WITHOUT_SUBMISSION.to_owned(), 0));
        }
        Ok(WatchdogStats {
            rounds: counters.rounds.load(Ordering::Relaxed),
            repaired: counters.repaired.load(Ordering::Relaxed),
            recalled: counters.recalled.load(Ordering::Relaxed),
            alerts,
        })
    }

    /// [`unsubmitted`], now.
    pub async fn unsubmitted(
        &self,
        visible: &Workspaces,
        limit: i64,
    ) -> Result<Vec<Unsubmitted>, StoreError> {
        unsubmitted(self.db(), visible, self.parts.clock.now(), limit).await
    }
}

/// The visible documents that are issuing and that nobody submits, whether or not that was said, the oldest first. Who
/// does not see all is shown those among the oldest [`UNSUBMITTED_MAX`].
pub async fn unsubmitted(
    db: &Db,
    visible: &Workspaces,
    now: Timestamp,
    limit: i64,
) -> Result<Vec<Unsubmitted>, StoreError> {
    let read = match visible {
        Workspaces::All => limit,
        Workspaces::Only(_) => UNSUBMITTED_MAX,
    };
    let found = watchdog::without_submission(db, times(now, Timestamp::MAX), read).await?;
    let permitted = found.into_iter().filter(|found| visible.contain(found.workspace));
    Ok(permitted.take(usize::try_from(limit).unwrap_or_default()).collect())
}

fn earlier(now: Timestamp, span: SignedDuration) -> Timestamp {
    now.checked_sub(span).unwrap_or(Timestamp::MIN)
}

/// What a look at `now` compares with; what was said since `logged_before` is left out.
fn times(now: Timestamp, logged_before: Timestamp) -> Times {
    let ago = |span| now.checked_sub(span).unwrap_or(now);
    Times { until: ago(GRACE), silent_since: ago(SILENCE_MAX), logged_before, ahead: later(now, GRACE) }
}

fn later(now: Timestamp, wait: SignedDuration) -> Timestamp {
    now.checked_add(wait).unwrap_or(Timestamp::MAX)
}

/// What is the matter with such a document, and what to do.
pub fn sentence(found: &Unsubmitted) -> String {
    let Unsubmitted { document, number, since, .. } = found;
    format!(
        "{document} ({number}) is issuing since {since} and nobody submits it: end it with PUT /invoicing/rpc/documents/{document}/issue or …/reject"
    )
}

/// What is said of such a document.
fn notice(found: &Unsubmitted) -> Notice {
    let Unsubmitted { document, workspace, number, since, .. } = found;
    Notice {
        kind: NoticeKind::IssuingOverdue,
        workspace: Some(*workspace),
        subject: NoticeSubject::Document { id: *document, number: Some(number.clone()) },
        code: ISSUING_WITHOUT_SUBMISSION.to_owned(),
        message: sentence(found),
        next_command: format!("gateway invoice show {document}"),
        since: *since,
    }
}

fn log_alert(found: &Unsubmitted) {
    tracing::error!(
        document.id = %found.document, alert = ISSUING_WITHOUT_SUBMISSION, "{}", sentence(found)
    );
}
