//! What the gateway does: one operation per use case, the job loop, the outbox relay.
//!
//! Operations take who acts ([`gateway_domain::access::Acting`]), decide with the domain's pure functions, and
//! commit state, events and jobs in one transaction. No network inside a transaction.
//!
//! Not here: SQL (`gateway-storage`), HTTP (`gateway-server`, `gateway-provider`), Wasm (`gateway-plugin-host`);
//! they come in as [`Parts`].

pub mod consumers;
pub mod destination;
pub mod finance;
pub mod invoice_data;
pub mod legacy;
pub mod submission;
pub mod watchdog;

mod clock;

pub use clock::{SystemClock, SystemIds};
pub use gateway_storage::StoreError;
pub use invoice_data::ReadError;

use gateway_access::secrets::Keyring;
use gateway_access::{Audit, Requests};
use gateway_domain::access::Acting;
use gateway_domain::finance::{Breaker, BreakerState, Patience};
use gateway_domain::ids::WorkspaceId;
use gateway_domain::ports::{Clock, Converter, Courier, Ids, InvoicingClient, Provider, Regimes};
use gateway_events::{Consumer, Consumers, Events};
use gateway_invoicing::{Documents, Invoicing};
use gateway_jobs::{Pool, PoolParts, Registry};
use gateway_platform::Platform;
use gateway_storage::{Db, Tx, idempotency};
use gateway_webhooks::{self as webhooks, Webhooks};
use gateway_workspaces::{self as workspaces, Workspaces};
use jiff::{SignedDuration, Timestamp};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

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
    /// Webhooks out.
    pub webhooks: webhooks::WebhookSettings,
}

/// What the gateway is built from.
#[derive(Debug)]
pub struct Parts {
    /// The database.
    pub db: Db,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Fresh identifiers.
    pub ids: Arc<dyn Ids>,
    /// The tax regimes.
    pub regimes: Arc<dyn Regimes>,
    /// The provider; none until one is configured.
    pub provider: Option<Arc<dyn Provider>>,
    /// The invoice data service that finance works with, when it is not the one in this process.
    pub invoice_data: Option<Arc<dyn InvoicingClient>>,
    /// Who carries webhooks to customers; none where nothing is sent.
    pub courier: Option<Arc<dyn Courier>>,
    /// Opens and seals secrets.
    pub keyring: Arc<Keyring>,
    /// Settings.
    pub settings: Settings,
}

/// The gateway. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Gateway(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    parts: Parts,
    /// Told after every commit that left work.
    work: Arc<Notify>,
    /// In front of the provider.
    breaker: Mutex<Breaker>,
    /// What the watchdog of this process did.
    watched: watchdog::Tally,
    /// The workspaces.
    workspaces: Workspaces,
    /// The platform's own data.
    platform: Platform,
    /// The audit trail.
    audit: Audit,
    /// The event log.
    events: Events,
    /// The documents of the invoice data service in this process.
    documents: Documents,
    /// Who follows it.
    consumers: Consumers,
    /// What finance could not bring up to date since the process started.
    finance: finance::Counters,
    /// The webhooks of customers.
    webhooks: Webhooks,
    /// Requests to the legacy API that are not written down yet.
    legacy: legacy::Counts,
}

impl Gateway {
    /// Puts the parts together.
    pub fn new(parts: Parts) -> Self {
        let Parts { db, clock, ids, .. } = &parts;
        let events = Events::new(db.clone(), Arc::clone(clock), Arc::clone(ids));
        let work = Arc::new(Notify::new());
        let workspaces = Workspaces::new(workspaces::Parts {
            db: db.clone(),
            clock: Arc::clone(clock),
            ids: Arc::clone(ids),
            keyring: Arc::clone(&parts.keyring),
            regimes: Arc::clone(&parts.regimes),
            sandbox: parts.settings.sandbox,
            configured: Arc::clone(&work),
        });
        let platform = Platform::new(db.clone(), Arc::clone(clock), Arc::clone(ids), events.clone());
        let documents = Documents::new(gateway_invoicing::Parts {
            db: db.clone(),
            clock: Arc::clone(clock),
            ids: Arc::clone(ids),
            events: events.clone(),
            regimes: Arc::clone(&parts.regimes),
        });
        let audit = Audit::new(db.clone(), Arc::clone(clock), Arc::clone(ids));
        let webhooks = Webhooks::new(webhooks::Parts {
            db: db.clone(),
            clock: Arc::clone(clock),
            ids: Arc::clone(ids),
            keyring: Arc::clone(&parts.keyring),
            courier: parts.courier.clone(),
            settings: parts.settings.webhooks,
        });
        let fanout = webhooks.fanout();
        let consumers: [Arc<dyn Consumer>; 3] = [
            Arc::new(consumers::FinanceDocuments::new(events.clone())),
            Arc::new(consumers::BookingDocuments::new(events.clone())),
            Arc::new(fanout),
        ];
        let consumers = Consumers::new(events.clone(), consumers);
        Self(Arc::new(Inner {
            parts,
            workspaces,
            platform,
            audit,
            work,
            breaker: Mutex::default(),
            watched: watchdog::Tally::default(),
            events,
            documents,
            consumers,
            finance: finance::Counters::default(),
            webhooks,
            legacy: legacy::Counts::default(),
        }))
    }

    /// The database.
    pub fn db(&self) -> &Db {
        &self.0.parts.db
    }

    /// The tax regimes in force for a workspace.
    pub fn converter(&self, workspace: WorkspaceId) -> Arc<dyn Converter> {
        Arc::clone(&self.0.parts.regimes).within(workspace)
    }

    /// The workspaces.
    pub fn workspaces(&self) -> &Workspaces {
        &self.0.workspaces
    }

    /// The platform's own data.
    pub fn platform(&self) -> &Platform {
        &self.0.platform
    }

    /// The webhooks of customers.
    pub fn webhooks(&self) -> &Webhooks {
        &self.0.webhooks
    }

    /// The documents of the invoice data service in this process.
    pub fn documents(&self) -> &Documents {
        &self.0.documents
    }

    /// The invoice data service in this process.
    pub fn invoicing(&self) -> Invoicing {
        Invoicing::new(self.documents().clone(), Arc::new(self.clone()))
    }

    /// The requests that were given a key.
    pub fn requests(&self) -> Requests {
        Requests::new(self.db().clone())
    }

    /// Commits a request's key with its effect.
    pub(crate) async fn once(&self, tx: &mut Tx, acting: &Acting) -> Result<(), StoreError> {
        idempotency::once(tx, acting.request.as_ref(), self.now()).await
    }

    /// Makes a command durable, or takes it back when it was a trial.
    pub(crate) async fn end(&self, tx: Tx, acting: &Acting) -> Result<(), StoreError> {
        if acting.trial { tx.rollback().await } else { tx.commit_at("command").await }
    }

    /// The audit trail.
    pub fn audit(&self) -> &Audit {
        &self.0.audit
    }

    /// The event log.
    pub fn events(&self) -> &Events {
        &self.0.events
    }

    /// Who follows the event log.
    pub fn consumers(&self) -> &Consumers {
        &self.0.consumers
    }

    fn finance_counters(&self) -> &finance::Counters {
        &self.0.finance
    }

    fn provider(&self) -> Option<&dyn Provider> {
        self.0.parts.provider.as_deref()
    }

    fn settings(&self) -> &Settings {
        &self.0.parts.settings
    }

    /// The present instant.
    pub fn now(&self) -> Timestamp {
        self.0.parts.clock.now()
    }

    fn legacy_counts(&self) -> &legacy::Counts {
        &self.0.legacy
    }

    fn ids(&self) -> &dyn Ids {
        self.0.parts.ids.as_ref()
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
    fn patience(&self) -> Patience {
        let span = |wait: Duration| SignedDuration::try_from(wait).unwrap_or(SignedDuration::MAX);
        let settings = self.settings();
        Patience { poll_after: span(settings.poll_after), overdue_after: span(settings.overdue_after) }
    }

    /// The worker pool of the jobs that this gateway knows.
    pub fn job_pool(&self) -> Pool {
        let registry = Registry::default()
            .with::<submission::SubmitDocument>(self.clone())
            .with::<submission::WatchAttempts>(self.clone())
            .with::<invoice_data::ResumeIntent>(self.clone());
        let Parts { db, clock, .. } = &self.0.parts;
        let (db, clock, wake) = (db.clone(), Arc::clone(clock), Arc::clone(&self.0.work));
        Pool::new(PoolParts { db, clock, registry, wake })
    }

    /// Says that there is work, after the commit that made it.
    fn wake(&self) {
        self.0.work.notify_one();
    }
}
