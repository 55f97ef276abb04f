//! The finance service: commands on documents, submissions to the tax authority, verdicts, what finance shows.
//!
//! Every command, a person's and the provider's verdict alike, is the same steps: read, decide (`gateway_domain_finance`,
//! pure), check, execute ([`InvoiceData`](invoice_data), here or elsewhere), record, answer. State, events and jobs commit in
//! one transaction; no network inside one.
//!
//! Not here: documents, states and numbers (`gateway-invoicing`), SQL, HTTP, Wasm.

pub mod consumers;
pub mod destination;
pub mod invoice_data;
pub mod submission;
pub mod views;
pub mod watchdog;

mod bookings;
mod commands;
mod error;
mod follow_up;
mod identity;
mod operator;
mod record;
mod show;
mod stats;

pub use commands::{DryRun, Outcome};
pub use error::{CommandError, ReadError};
pub use identity::IdentityError;
pub use operator::RetryError;
pub use show::{Structured, SubmissionFilter, SubmissionList, SubmissionView};
pub use stats::FinanceStats;

use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::ports::{Clock, Converter, Ids, Regimes};
use gateway_domain_finance::ports::{InvoicingClient, Provider};
use gateway_domain_finance::{Breaker, BreakerState, VerdictTimeouts};
use gateway_events::Events;
use gateway_invoicing::Documents;
use gateway_jobs::{Pool, PoolParts, Registry};
use gateway_storage::{Db, Tx, idempotency};
use gateway_webhooks::Webhooks;
use gateway_workspaces::Workspaces;
use jiff::{SignedDuration, Timestamp};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

/// How long the background leaves what a request is about to do to that request.
const GRACE: SignedDuration = SignedDuration::from_secs(5);

/// What an operator configures of the way to the provider.
#[derive(Debug, Clone)]
pub struct Settings {
    /// How long to wait for the webhook before asking the provider.
    pub poll_after: Duration,
    /// How long the provider may take with a job before somebody should look.
    pub overdue_after: Duration,
    /// How often a call that found nobody is repeated before somebody has to look.
    pub retries_max: u32,
    /// Whether the provider is the built-in stand-in: what it accepts is marked.
    pub sandbox: bool,
}

/// What finance works with.
#[derive(Debug)]
pub struct Parts {
    pub db: Db,
    pub clock: Arc<dyn Clock>,
    /// Fresh identifiers.
    pub ids: Arc<dyn Ids>,
    /// Written in the transaction of the change that an event tells.
    pub events: Events,
    /// The workspaces, with their ways to the provider.
    pub workspaces: Workspaces,
    /// The documents of the invoice data service in this process.
    pub documents: Documents,
    /// The webhooks of customers, whose due times the watchdog looks after too.
    pub webhooks: Webhooks,
    /// Whom documents are converted by, workspace by workspace.
    pub regimes: Arc<dyn Regimes>,
    /// The provider; none until one is configured.
    pub provider: Option<Arc<dyn Provider>>,
    /// The invoice data service that finance works with, when it is not the one in this process.
    pub invoicing: Option<Arc<dyn InvoicingClient>>,
    /// Told after every commit that left work; who else makes work for the job pool tells it too.
    pub work: Arc<Notify>,
    /// How long what may take, and how the provider is treated when it fails.
    pub settings: Settings,
}

/// The finance service. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Finance(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    parts: Parts,
    /// In front of the provider.
    breaker: Mutex<Breaker>,
    /// What the watchdog of this process did.
    watched: watchdog::WatchdogCounters,
    /// What could not be brought up to date since the process started.
    counters: stats::Counters,
}

impl Finance {
    /// Puts the parts together.
    pub fn new(parts: Parts) -> Self {
        Self(Arc::new(Inner {
            parts,
            breaker: Mutex::default(),
            watched: watchdog::WatchdogCounters::default(),
            counters: stats::Counters::default(),
        }))
    }

    fn db(&self) -> &Db {
        &self.0.parts.db
    }

    fn converter(&self, workspace: WorkspaceId) -> Arc<dyn Converter> {
        Arc::clone(&self.0.parts.regimes).within(workspace)
    }

    fn workspaces(&self) -> &Workspaces {
        &self.0.parts.workspaces
    }

    fn documents(&self) -> &Documents {
        &self.0.parts.documents
    }

    fn webhooks(&self) -> &Webhooks {
        &self.0.parts.webhooks
    }

    fn events(&self) -> &Events {
        &self.0.parts.events
    }

    fn counters(&self) -> &stats::Counters {
        &self.0.counters
    }

    fn provider(&self) -> Option<&dyn Provider> {
        self.0.parts.provider.as_deref()
    }

    fn settings(&self) -> &Settings {
        &self.0.parts.settings
    }

    fn now(&self) -> Timestamp {
        self.0.parts.clock.now()
    }

    /// `wait` from now.
    pub(crate) fn after(&self, wait: SignedDuration) -> Timestamp {
        self.now().checked_add(wait).unwrap_or(Timestamp::MAX)
    }

    /// When the background takes over what a request is about to do.
    pub(crate) fn grace(&self) -> Timestamp {
        self.after(GRACE)
    }

    fn ids(&self) -> &dyn Ids {
        self.0.parts.ids.as_ref()
    }

    /// Commits a request's key with its effect.
    async fn claim_request(&self, tx: &mut Tx, acting: &Acting) -> Result<(), StoreError> {
        idempotency::claim_request(tx, acting.request.as_ref(), self.now()).await
    }

    /// Makes a command durable, or takes it back when it was a trial.
    async fn end(&self, tx: Tx, acting: &Acting) -> Result<(), StoreError> {
        if acting.trial { tx.rollback().await } else { tx.commit_at("command").await }
    }

    /// The breaker of this process. Never held across anything slow.
    fn breaker(&self) -> MutexGuard<'_, Breaker> {
        self.0.breaker.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How the breaker of this process stands, and how often it opened.
    pub fn breaker_state(&self) -> (BreakerState, u64) {
        let breaker = self.breaker();
        (breaker.state(), breaker.opened())
    }

    /// How long is waited for a verdict, and how far ahead a step may be due.
    fn verdict_timeouts(&self) -> VerdictTimeouts {
        let span = |wait: Duration| SignedDuration::try_from(wait).unwrap_or(SignedDuration::MAX);
        let settings = self.settings();
        VerdictTimeouts { poll_after: span(settings.poll_after), overdue_after: span(settings.overdue_after) }
    }

    /// The worker pool of finance's jobs.
    pub fn job_pool(&self) -> Pool {
        let registry = Registry::default()
            .with::<submission::SubmitDocument>(self.clone())
            .with::<submission::WatchAttempts>(self.clone())
            .with::<invoice_data::ResumeIntent>(self.clone());
        let Parts { db, clock, work, .. } = &self.0.parts;
        let (db, clock, wake) = (db.clone(), Arc::clone(clock), Arc::clone(work));
        Pool::new(PoolParts { db, clock, registry, wake })
    }

    /// Says that there is work, after the commit that made it.
    fn wake(&self) {
        self.0.parts.work.notify_one();
    }
}
