//! What a process does besides answering requests.

use crate::clock::SystemIds;
use crate::services::Services;
use gateway_access::Tokens;
use gateway_domain::StoreError;
use gateway_domain::ports::{EventSink, Ids};
use gateway_jobs::Pool;
use gateway_registry::{DropFolder, DropFolderPlace, Plugins};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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
}

impl BackgroundWork {
    /// Loads the plugins in force, and what the drop folder has; answers the folder.
    pub(crate) async fn load_plugins(&self, place: &DropFolderPlace) -> Result<DropFolder, StoreError> {
        if !self.plugins.runtime().asks_for_signatures() {
            tracing::warn!("Plugins are taken without a signature: set plugins.trusted_keys to ask for one");
        }
        gateway_registry::load_from(&self.plugins, place).await
    }

    /// Starts the loops, which end with `ending`.
    pub(crate) fn start(self, folder: DropFolder, ending: CancellationToken) -> JoinHandle<()> {
        let flag = WorkingFlag::raise(&self.working);
        let Self { services, tokens, sink, plugins, address, .. } = self;
        let owner = SystemIds.next().to_string();
        tokio::spawn(async move {
            let events = services.consumers.run(sink, owner.clone(), ending.clone());
            let mirroring = services.feed.follow(ending.clone());
            let following = plugins.follow(address, ending.clone());
            let dropped = folder.watch(ending.clone());
            let counting = services.legacy_uses.run(ending.clone());
            let noting = tokens.note_uses(ending.clone());
            let measuring = services.activity.run(ending.clone());
            let mut pool = Pool::new(services.db).with(services.jobs);
            if let Some(dispatcher) = services.webhooks.dispatcher() {
                pool = pool.with(dispatcher);
            }
            let working = pool.run(owner.clone(), ending.clone());
            let watching = services.watchdog.run(owner, ending.clone());
            tokio::join!(
                events, mirroring, following, dropped, counting, noting, measuring, working, watching
            );
            drop(flag);
        })
    }
}
