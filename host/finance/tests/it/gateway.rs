//! The services of one process, put together as the binary does it.

use gateway_access::Requests;
use gateway_access::secrets::Keyring;
use gateway_deadlines::LegalClock;
use gateway_domain::access::Acting;
use gateway_domain::ids::InvoiceId;
use gateway_domain::ports::{Clock, Ids, Regimes};
use gateway_domain_finance::CommandForm;
use gateway_domain_finance::ports::{InvoicingClient, Provider};
use gateway_events::{Consumer, Consumers, Events};
use gateway_finance::{
    CommandError, DocumentLists, DryRun, Execution, Finance, Outcome, Settings, Submissions,
};
use gateway_invoicing::{Documents, Invoicing};
use gateway_jobs::JobQueue;
use gateway_platform::Platform;
use gateway_read_models::{BookingDocuments, FinanceDocuments, RemoteFeed};
use gateway_storage::Db;
use gateway_watchdog::Watchdog;
use gateway_webhooks::{WebhookSender, WebhookSettings, Webhooks};
use gateway_workspaces::{Destinations, Workspaces};
use jiff::Timestamp;
use std::ops::Deref;
use std::sync::Arc;

/// What the services are built from.
pub(crate) struct Parts {
    pub(crate) db: Db,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn Ids>,
    pub(crate) regimes: Arc<dyn Regimes>,
    pub(crate) provider: Option<Arc<dyn Provider>>,
    pub(crate) invoicing: Option<Arc<dyn InvoicingClient>>,
    pub(crate) webhook_sender: Option<Arc<dyn WebhookSender>>,
    pub(crate) settings: Settings,
}

/// The services of one process; finance is the one that most tests are about.
#[derive(Debug, Clone)]
pub(crate) struct Gateway(Arc<Services>);

#[derive(Debug)]
struct Services {
    db: Db,
    jobs: JobQueue,
    clock: Arc<dyn Clock>,
    finance: gateway_finance::Services,
    watchdog: Watchdog,
    documents: Documents,
    workspaces: Workspaces,
    platform: Platform,
    webhooks: Webhooks,
    events: Events,
    consumers: Consumers,
}

fn legal_clock(db: &Db, clock: &Arc<dyn Clock>, ids: &Arc<dyn Ids>, keyring: Arc<Keyring>) -> LegalClock {
    LegalClock::new(gateway_deadlines::Parts {
        db: db.clone(),
        clock: clock.clone(),
        ids: ids.clone(),
        keyring,
        outage_after: jiff::SignedDuration::from_mins(2),
        alert_before: jiff::SignedDuration::from_hours(24),
    })
}

impl Gateway {
    pub(crate) fn new(parts: Parts) -> Self {
        let Parts { db, clock, ids, regimes, provider, invoicing, webhook_sender, settings } = parts;
        let keyring = Arc::new(Keyring::ephemeral().unwrap());
        let deadlines_keyring = keyring.clone();
        let events = Events::new(db.clone(), clock.clone(), ids.clone());
        let workspaces = Workspaces::new(gateway_workspaces::Parts {
            db: db.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            keyring: keyring.clone(),
            regimes: regimes.clone(),
            sandbox: settings.sandbox,
        });
        let webhooks = Webhooks::new(gateway_webhooks::Parts {
            db: db.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            keyring,
            webhook_sender,
            settings: WebhookSettings::default(),
        });
        let documents = Documents::new(gateway_invoicing::Parts {
            db: db.clone(),
            clock: clock.clone(),
            events: events.clone(),
            regimes: regimes.clone(),
        });
        let deadlines = legal_clock(&db, &clock, &ids, deadlines_keyring);
        let finance = gateway_finance::Services::new(gateway_finance::Parts {
            db: db.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            events: events.clone(),
            workspaces: workspaces.clone(),
            documents: documents.clone(),
            regimes,
            provider,
            invoicing,
            earlier_numbers: None,
            recipient_checks: None,
            coming_rules: None,
            deadlines,
            settings,
        });
        let watchdog = Watchdog::new(gateway_watchdog::Parts {
            db: db.clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            queue: finance.queue.clone(),
        });
        let following: [Arc<dyn Consumer>; 3] = [
            Arc::new(FinanceDocuments::new(events.clone())),
            Arc::new(BookingDocuments::new(events.clone())),
            Arc::new(webhooks.fanout()),
        ];
        let consumers = Consumers::new(events.clone(), following);
        let platform = Platform::new(db.clone(), clock.clone(), ids, events.clone(), workspaces.clone());
        let jobs = JobQueue::new(db.clone(), clock.clone(), finance.registry.clone());
        Self(Arc::new(Services {
            db,
            jobs,
            clock,
            finance,
            watchdog,
            documents,
            workspaces,
            platform,
            webhooks,
            events,
            consumers,
        }))
    }

    /// A command that is carried out.
    pub(crate) async fn command(
        &self,
        acting: &Acting,
        id: InvoiceId,
        form: CommandForm,
        expected_version: Option<i64>,
    ) -> Result<Outcome, CommandError> {
        self.0.finance.finance.command(acting, id, form, expected_version, Execution::Commit).await
    }

    /// What a command would do.
    pub(crate) async fn dry_run(
        &self,
        acting: &Acting,
        id: InvoiceId,
        form: CommandForm,
    ) -> Result<Outcome, CommandError> {
        self.0.finance.finance.command(acting, id, form, None, Execution::DryRun).await
    }

    /// What an issue would do.
    pub(crate) async fn issue_dry_run(
        &self,
        acting: &Acting,
        id: InvoiceId,
        at: Option<Timestamp>,
    ) -> Result<DryRun, CommandError> {
        let outcome = self.dry_run(acting, id, CommandForm::Issue { at }).await?;
        Ok(outcome.dry_run.expect("an issue was tried"))
    }

    pub(crate) fn submissions(&self) -> &Submissions {
        &self.0.finance.submissions
    }

    pub(crate) fn watchdog(&self) -> &Watchdog {
        &self.0.watchdog
    }

    pub(crate) fn destinations(&self) -> Destinations {
        Destinations::new(self.0.db.clone())
    }

    pub(crate) fn feed(&self) -> &RemoteFeed {
        &self.0.finance.feed
    }

    pub(crate) fn job_queue(&self) -> &JobQueue {
        &self.0.jobs
    }

    pub(crate) fn db(&self) -> &Db {
        &self.0.db
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    pub(crate) fn lists(&self) -> &DocumentLists {
        &self.0.finance.lists
    }

    pub(crate) fn documents(&self) -> &Documents {
        &self.0.documents
    }

    pub(crate) fn invoicing(&self) -> Invoicing {
        Invoicing::new(self.0.documents.clone(), Arc::clone(&self.0.finance.follow_ups))
    }

    pub(crate) fn workspaces(&self) -> &Workspaces {
        &self.0.workspaces
    }

    pub(crate) fn platform(&self) -> &Platform {
        &self.0.platform
    }

    pub(crate) fn webhooks(&self) -> &Webhooks {
        &self.0.webhooks
    }

    pub(crate) fn events(&self) -> &Events {
        &self.0.events
    }

    pub(crate) fn consumers(&self) -> &Consumers {
        &self.0.consumers
    }

    pub(crate) fn requests(&self) -> Requests {
        Requests::new(self.0.db.clone())
    }
}

impl Deref for Gateway {
    type Target = Finance;

    fn deref(&self) -> &Finance {
        &self.0.finance.finance
    }
}
