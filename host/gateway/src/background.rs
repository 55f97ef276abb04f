//! What a process does besides answering requests.

use crate::clock::SystemIds;
use crate::services::Services;
use crate::{allocator, certificates};
use gateway_access::Tokens;
use gateway_domain::StoreError;
use gateway_domain::ports::{EventSink, Ids};
use gateway_http::connection::Certificates;
use gateway_invoicing::DocumentSums;
use gateway_jobs::Pool;
use gateway_mail::NoticeMail;
use gateway_registry::{DropFolder, DropFolderPath, Plugins};
use gateway_retention::{Retention, RetentionSettings};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// True from its making until it is dropped.
struct WorkingFlag(Arc<AtomicBool>);

impl WorkingFlag {
    fn raise(flag: &Arc<AtomicBool>) -> Self {
        flag.store(true, Ordering::Release);
        Self(Arc::clone(flag))
    }
}

impl Drop for WorkingFlag {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// What a process does besides answering requests.
pub(crate) struct BackgroundWork {
    pub(crate) services: Services,
    pub(crate) tokens: Arc<Tokens>,
    pub(crate) sink: Arc<dyn EventSink>,
    /// Followed, so that this process serves what is in force.
    pub(crate) plugins: Plugins,
    /// Under which address others see this process.
    pub(crate) address: String,
    /// True while the loops run.
    pub(crate) working: Arc<AtomicBool>,
    /// Those of the listeners: somebody hears of it when one ends soon.
    pub(crate) certificates: Certificates,
    /// Writes to people; none where nothing is mailed.
    pub(crate) mail: Option<NoticeMail>,
    /// What is old enough leaves the database; none where only the command does that.
    pub(crate) retention: Option<RetentionSchedule>,
}

/// When a process looks for what is old, and what it does with it.
pub(crate) struct RetentionSchedule {
    /// How long each kind stays, and where it goes then.
    settings: RetentionSettings,
    /// From one look to the next.
    every: Duration,
}

impl RetentionSchedule {
    /// As it is configured.
    pub(crate) fn of(config: &gateway_config::Retention) -> Option<Self> {
        let every = Duration::from_hours(config.run_every_h.into());
        let settings = RetentionSettings { policy: config.policy(), archive: config.archive_dir.clone() };
        (!every.is_zero()).then_some(Self { settings, every })
    }
}

impl BackgroundWork {
    /// Loads the plugins in force, and what the drop folder has; answers the folder.
    pub(crate) async fn load_plugins(&self, place: &DropFolderPath) -> Result<DropFolder, StoreError> {
        if !self.plugins.runtime().asks_for_signatures() {
            tracing::warn!("Plugins are taken without a signature: set plugins.trusted_keys to ask for one");
        }
        gateway_registry::load_from(&self.plugins, place).await
    }

    /// Starts the loops, which end with `ending`.
    pub(crate) fn start(self, folder: DropFolder, ending: CancellationToken) -> JoinHandle<()> {
        let flag = WorkingFlag::raise(&self.working);
        let Self { services, tokens, sink, plugins, address, certificates, mail, retention, .. } = self;
        let owner = SystemIds.next().to_string();
        tokio::spawn(async move {
            let events = services.consumers.run(sink, owner.clone(), ending.clone());
            let mirroring = services.feed.follow(ending.clone());
            let following = plugins.follow(address, ending.clone());
            let dropped = folder.watch(ending.clone());
            let counting = services.legacy_uses.run(ending.clone());
            let noting = tokens.note_uses(ending.clone());
            let expiring = certificates::watch(certificates, services.events.clone(), ending.clone());
            let mailing = async {
                if let Some(mail) = mail {
                    mail.run(owner.clone(), ending.clone()).await;
                }
            };
            let measuring = services.activity.run(ending.clone());
            let freeing = allocator::give_back_free_memory(ending.clone());
            let adding_up = DocumentSums::new(services.db.clone()).run(ending.clone());
            let removing = async {
                if let Some(RetentionSchedule { settings, every }) = retention {
                    Retention::new(services.db.clone(), services.clock, Arc::new(SystemIds))
                        .run_every(every, settings, ending.clone())
                        .await;
                }
            };
            if let Err(error) = services.reconciliations.schedule_nightly().await {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "The nightly reconciliation was not scheduled: {error}"
                );
            }
            let mut pool = Pool::new(services.db.clone()).with(services.jobs);
            if let Some(dispatcher) = services.webhooks.dispatcher() {
                pool = pool.with(dispatcher);
            }
            let working = pool.run(owner.clone(), ending.clone());
            let watching = services.watchdog.run(owner.clone(), ending.clone());
            tokio::join!(
                events, mirroring, following, dropped, counting, noting, expiring, mailing, measuring,
                adding_up, working, watching, removing, freeing
            );
            drop(flag);
        })
    }
}
