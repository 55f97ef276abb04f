//! What the metrics tell of the database: read beside whoever scrapes, so that a scrape is answered in time whatever the
//! database does.
//!
//! A scrape starts a sample and waits for it for a moment, one at a time. One that takes long is taken seldom: where there are so
//! many documents that counting them is noticed, it takes at most a twentieth of the time, however often somebody scrapes.

use gateway_amendment::Amendments;
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::invoicing::DocumentFilter;
use gateway_domain::ports::Clock;
use gateway_domain_reconciliation::ReconciliationCounts;
use gateway_events::{Consumers, EventStats};
use gateway_finance::{DocumentLists, Finance, Submissions};
use gateway_invoicing::{DocumentCount, Documents};
use gateway_jobs::{DueJobs, JobQueue};
use gateway_reconciliation::Reconciliations;
use gateway_registry::{Plugins, RegistryList};
use gateway_watchdog::{Watchdog, WatchdogStats};
use gateway_webhooks::{WebhookStats, Webhooks};
use gateway_workspaces::Workspaces;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Mutex, OwnedMutexGuard, watch};
use tokio::time::timeout;

/// How long a scrape waits for a fresh sample; then it is told the last one.
const WAIT_TIMEOUT: Duration = Duration::from_secs(1);
/// How long the database may take with one.
const SAMPLE_TIMEOUT: Duration = Duration::from_secs(10);
/// A sample that takes no longer is taken for every scrape.
const QUICK_SAMPLE: Duration = Duration::from_millis(250);
/// How much longer than it took another one is good.
const GOOD_FOR: u32 = 20;

/// Who is asked for what the metrics tell of the database.
#[derive(Debug)]
pub struct MetricSources {
    /// Tells how old documents are.
    pub clock: Arc<dyn Clock>,
    /// How far they follow the events.
    pub consumers: Consumers,
    /// By state.
    pub documents: Documents,
    /// Which of them were accepted with errors.
    pub lists: DocumentLists,
    /// What it could not do.
    pub finance: Finance,
    /// With their alerts.
    pub submissions: Submissions,
    /// What it found.
    pub watchdog: Watchdog,
    /// What it left for somebody to settle.
    pub reconciliations: Reconciliations,
    /// How many are under way.
    pub amendments: Amendments,
    /// What waits.
    pub jobs: JobQueue,
    /// In force and blocked.
    pub plugins: Plugins,
    /// What was delivered, and what waits.
    pub webhooks: Webhooks,
    /// Who has documents.
    pub workspaces: Workspaces,
}

/// What was read at one moment.
#[derive(Debug)]
pub(super) struct Sample {
    pub(super) documents: Vec<DocumentCount>,
    pub(super) with_errors: i64,
    pub(super) workspaces: Vec<WorkspaceId>,
    pub(super) alerts: Vec<(String, i64)>,
    pub(super) watched: WatchdogStats,
    pub(super) reconciled: ReconciliationCounts,
    pub(super) amendments: Vec<(String, i64)>,
    pub(super) unknown_jobs: Vec<(String, i64)>,
    pub(super) due_jobs: Vec<DueJobs>,
    pub(super) events: EventStats,
    pub(super) webhooks: WebhookStats,
    pub(super) plugins: RegistryList,
}

impl MetricSources {
    async fn read(&self) -> Result<Sample, StoreError> {
        let workspaces = self.workspaces.list().await?;
        let with_errors = DocumentFilter { accepted_with_errors: true, ..DocumentFilter::default() };
        Ok(Sample {
            documents: self.documents.counts_by_status().await?,
            with_errors: self.lists.count(&Acting::gateway(), &with_errors).await?,
            workspaces: workspaces.into_iter().map(|workspace| workspace.id).collect(),
            alerts: self.submissions.alerts().await?,
            watched: self.watchdog.watched().await?,
            reconciled: self.reconciliations.open().await?,
            amendments: self.amendments.open_by_state().await?,
            unknown_jobs: self.jobs.unknown().await?,
            due_jobs: self.jobs.due().await?,
            events: self.consumers.stats().await?,
            webhooks: self.webhooks.stats().await?,
            plugins: self.plugins.list().await?,
        })
    }
}

/// A sample, and when it was taken.
#[derive(Debug)]
struct TimedSample {
    sample: Sample,
    began: Instant,
    took: Duration,
}

/// What was read last, and when that was tried last; none until the first time.
#[derive(Debug, Clone, Default)]
struct Latest {
    sample: Option<Arc<TimedSample>>,
    tried: Option<Instant>,
}

impl Latest {
    /// Whether somebody who asked then is told this.
    fn answers(&self, requested_at: Instant) -> bool {
        self.tried.is_some_and(|tried| tried >= requested_at)
            || self.sample.as_ref().is_some_and(|timed| timed.is_good())
    }
}

/// Samples the database for whoever scrapes. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Sampler(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    sources: MetricSources,
    latest: watch::Sender<Latest>,
    /// Held while one is taken: one at a time.
    taking: Arc<Mutex<()>>,
    started: Instant,
}

/// What a scrape tells.
#[derive(Debug)]
pub(super) struct LatestSample {
    latest: Option<Arc<TimedSample>>,
    pub(super) age: Duration,
}

impl LatestSample {
    pub(super) fn sample(&self) -> Option<&Sample> {
        self.latest.as_ref().map(|timed| &timed.sample)
    }
}

impl Sampler {
    /// Nothing is read yet.
    pub fn new(sources: MetricSources) -> Self {
        let (latest, _) = watch::channel(Latest::default());
        Self(Arc::new(Inner { sources, latest, taking: Arc::default(), started: Instant::now() }))
    }

    pub(super) fn sources(&self) -> &MetricSources {
        &self.0.sources
    }

    /// The newest there is within a moment. Its age counts from the start of the process where there is none.
    pub(super) async fn latest(&self) -> LatestSample {
        // Whether there is a fresh one or not, the last one is told.
        let _ = timeout(WAIT_TIMEOUT, self.refresh()).await;
        let latest = self.0.latest.borrow().sample.clone();
        let since = latest.as_ref().map_or(self.0.started, |timed| timed.began);
        LatestSample { latest, age: since.elapsed() }
    }

    /// Waits for a sample that began after this was asked for, if the last one is old.
    async fn refresh(&self) {
        let requested_at = Instant::now();
        let mut latest = self.0.latest.subscribe();
        while !latest.borrow_and_update().answers(requested_at) {
            if let Ok(turn) = Arc::clone(&self.0.taking).try_lock_owned() {
                drop(tokio::spawn(self.clone().take(turn)));
            }
            if latest.changed().await.is_err() {
                return;
            }
        }
    }

    async fn take(self, turn: OwnedMutexGuard<()>) {
        let began = Instant::now();
        let sample = match timeout(SAMPLE_TIMEOUT, self.0.sources.read()).await {
            Ok(Ok(sample)) => Some(Arc::new(TimedSample { sample, began, took: began.elapsed() })),
            Ok(Err(error)) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "The figures of the database stay as they were: {error}"
                );
                None
            }
            Err(_) => {
                tracing::warn!(
                    "The figures of the database stay as they were: it did not answer within {} s",
                    SAMPLE_TIMEOUT.as_secs()
                );
                None
            }
        };
        drop(turn);
        self.0.latest.send_modify(|latest| {
            latest.tried = Some(began);
            latest.sample = sample.or_else(|| latest.sample.take());
        });
    }
}

impl TimedSample {
    /// Whether it is told instead of another one.
    fn is_good(&self) -> bool {
        self.took >= QUICK_SAMPLE && self.began.elapsed() < self.took.saturating_mul(GOOD_FOR)
    }
}
