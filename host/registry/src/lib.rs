//! The registry of tax-regime plugins: installed once, activated for everybody or for a workspace, taken back, and
//! followed by every process.
//!
//! A change is one transaction: what is in force, its audit entry, and the next generation. Every process looks at
//! the generation, loads what it does not have yet aside from any request, and swaps its whole serving table in one
//! step. Whatever fails leaves the plugin serving that served before, and says why in one sentence.
//!
//! | module | what it holds |
//! |---|---|
//! | `change` | install, activate, disable, roll back |
//! | `schedule` | a version that comes in force at a time |
//! | `share` | a version that serves a share of the documents |
//! | `drop_folder` | plugin files that are installed as they come |
//! | `follow` | from the registry to the serving table of this process |
//! | `blocked` | who hears of it when a plugin is blocked, or not in force when it was due |
//! | `canary` | the last real invoices through the old and the new plugin |
//! | `samples` | the golden cases that a plugin brings along |
//! | `golden` | golden cases, as files and samples write them |
//! | `plugin_runtime` | the plugin host as the registry and the gateway use it |
//! | `list` | what operators ask for |
//! | `views` | what they see |
//!
//! Not here: Wasmtime (`gateway-plugin-host`, behind the trait `Runtime`), SQL, HTTP, the command line.
//!
//! To add an operation: a method of [`Plugins`] in `change` that takes the next generation, changes, and records in the audit
//! trail within one transaction; then its twins, a route in `plugins.rs` of `gateway-api-admin` and a command in
//! `plugins` of `gateway-cli`. Processes follow the generation by themselves.

mod activation;
mod blocked;
mod calls;
mod canary;
mod change;
mod comparison;
mod description;
mod drop_folder;
mod follow;
mod golden;
mod list;
mod plugin_name;
mod plugin_runtime;
mod runtime;
mod samples;
mod schedule;
mod share;
pub mod views;

pub use activation::{ActivationReport, Order, OwnVersion, RollbackScope, VersionShare};
pub use calls::{CallStats, PluginCalls};
pub use canary::{CanaryCheck, CanaryDocument};
pub use change::Installation;
pub use comparison::{CanaryResult, Difference, Outcome};
pub use drop_folder::{
    COMPONENT_BYTES_MAX, DropFolder, DropFolderPath, SkippedFile, UnreadableComponent, load, load_from,
    read_component,
};
pub use golden::{Case, CaseReading, Environment, Report};
pub use list::{ListedVersion, PluginState, RegistryList, Replica};
pub use plugin_name::PluginName;
pub use plugin_runtime::PluginRuntime;
pub use runtime::{Assignment, ComingVersion, Runtime, Trial};
pub use samples::{CaseErrors, CaseFaults, SampleResult};
pub use schedule::{DueTime, InvalidDueTime, ScheduleReport, ScheduledVersion};

/// Where the signature of a plugin lies: `FILE.sig`.
pub use gateway_plugin_host::signature_file;

use follow::FollowState;
use gateway_access::Audit;
use gateway_domain::StoreError;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::ports::{Clock, ConverterError, Ids};
use gateway_domain::regime::RegimeKey;
use gateway_domain_finance::ports::InvoiceDataError;
use gateway_plugin_host::{LoadError, SignatureError};
use gateway_storage::Db;
use jiff::Timestamp;
use jiff::civil::Date;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Mutex as AsyncMutex;
use uuid::Uuid;

/// The registry as this process works with it. Cheap to clone.
#[derive(Debug)]
pub struct Plugins<R: Runtime = PluginRuntime>(Arc<Inner<R>>);

impl<R: Runtime> Clone for Plugins<R> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

#[derive(Debug)]
struct Inner<R: Runtime> {
    db: Db,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    audit: Audit,
    runtime: Arc<R>,
    /// This process among those that follow.
    replica: Uuid,
    /// What this process serves; whoever changes it has the turn.
    followed: AsyncMutex<FollowState<R::Plugin>>,
    status: Mutex<Status>,
}

/// How far this process has followed the registry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Status {
    /// The newest change that it serves.
    pub generation: i64,
    /// What keeps it from serving everything, one sentence.
    pub problem: Option<String>,
}

/// Why a change is refused. Each is one sentence with what to do next.
#[derive(Debug, thiserror::Error)]
pub enum PluginError {
    /// The component lies in a file that cannot be read.
    #[error(transparent)]
    Unreadable(#[from] UnreadableComponent),
    /// Nobody whom this gateway trusts signed the component.
    #[error(transparent)]
    NotTrusted(#[from] SignatureError),
    /// The component is no plugin that can be used here.
    #[error(transparent)]
    NotLoaded(#[from] LoadError),
    /// The component that the registry keeps is another one than was installed.
    #[error("the stored component is {found} with sha256 {digest}: install it again")]
    ComponentMismatch {
        /// What it calls itself.
        found: PluginName,
        /// SHA-256 of the stored component, lower-case hex.
        digest: String,
    },
    /// The plugin could not be tried.
    #[error(transparent)]
    NotTried(ConverterError),
    /// The version is there with another content.
    #[error(
        "{name} is installed with another content (sha256 {digest}), and a version never changes: raise the plugin's version and build it again"
    )]
    Immutable {
        /// Key and version as the plugin states them.
        name: PluginName,
        /// SHA-256 of the installed component, lower-case hex.
        digest: String,
    },
    /// The same bytes described themselves differently before.
    #[error(
        "the component with sha256 {0} called itself differently when it was installed: a plugin must always describe itself alike"
    )]
    UnstableDescription(String),
    /// The version is not installed.
    #[error("{name} is not installed: {}", meant(near.as_deref(), "'gateway plugin list' shows what is, 'gateway plugin install FILE' adds one"))]
    Unknown {
        /// What was asked for.
        name: PluginName,
        /// What was probably meant.
        near: Option<String>,
    },
    /// Nothing of this key is in force there.
    #[error("no version of {key} is active there: {}", meant(near.as_deref(), "'gateway plugin list' shows what is"))]
    NotActive {
        /// What was asked for.
        key: RegimeKey,
        /// What was probably meant.
        near: Option<String>,
    },
    /// There is nothing to return to.
    #[error("{0} has no earlier version to return to there: activate another one, or disable it")]
    NothingBefore(RegimeKey),
    /// The version to return to misbehaved.
    #[error("{0}, which served before, is blocked: activate another version, or that one by its name")]
    Blocked(PluginName),
    /// A canary stands beside a version in force.
    #[error(
        "{0} cannot serve a share: no version of {key} is in force there to serve the other documents: activate one for all of them first",
        key = .0.key
    )]
    NothingBeside(PluginName),
    /// The version serves every document.
    #[error("{0} is in force there and serves every document: give a share to another version")]
    InForce(PluginName),
    /// A version would have come in force already.
    #[error("{0} is over: activate the version without a time, or name a later one")]
    DueInThePast(Timestamp),
    /// A day begins at different instants for the workspaces that a version is for.
    #[error(
        "{0} begins at different times for the workspaces of this tax system: say the time with its offset, such as {0}T00:00:00+01:00"
    )]
    AmbiguousDay(Date),
    /// A day that no clock shows.
    #[error("{0} is no day that can be scheduled: name an earlier one")]
    DayOutOfRange(Date),
    /// A version is not scheduled there.
    #[error("{0} is not scheduled there: 'gateway plugin list' shows what is")]
    NotScheduled(PluginName),
    /// A version that was due misbehaved meanwhile.
    #[error("{0} is blocked: activate it by its name, or schedule another version")]
    ScheduledBlocked(PluginName),
    /// There is no such workspace.
    #[error("there is no workspace {0}: list them with 'gateway workspace list'")]
    UnknownWorkspace(WorkspaceId),
    /// The new version fails where the old one does not.
    #[error("{name} is not activated: {sentence}")]
    CanaryFailed {
        /// The one that was to be activated.
        name: PluginName,
        /// Where and how it fails, and what to do.
        sentence: String,
        /// Everything that was tried.
        canary: Box<CanaryCheck>,
    },
    /// Somebody else changed the same at the same time.
    #[error("another change of {0} came in between: look at 'gateway plugin list' and repeat")]
    ConcurrentChange(RegimeKey),
    /// The documents that a version is tried on cannot be read.
    #[error(transparent)]
    Documents(InvoiceDataError),
    /// Too many calls are running.
    #[error("the plugin host is busy: try again in a moment")]
    Busy,
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn meant(near: Option<&str>, otherwise: &str) -> String {
    near.map_or_else(|| otherwise.to_owned(), |near| format!("did you mean {near}?"))
}

impl<R: Runtime> Plugins<R> {
    /// The registry in `db`, served by `runtime`.
    pub fn new(db: Db, clock: Arc<dyn Clock>, ids: Arc<dyn Ids>, runtime: Arc<R>) -> Self {
        let replica = ids.next();
        let (followed, status) = (AsyncMutex::default(), Mutex::default());
        let audit = Audit::new(db.clone(), Arc::clone(&clock), Arc::clone(&ids));
        Self(Arc::new(Inner { db, clock, ids, audit, runtime, replica, followed, status }))
    }

    /// What loads and serves the plugins of this process.
    pub fn runtime(&self) -> &Arc<R> {
        &self.0.runtime
    }

    /// How far this process has followed.
    pub fn status(&self) -> Status {
        self.0.status.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set_status(&self, status: Status) {
        *self.0.status.lock().unwrap_or_else(PoisonError::into_inner) = status;
    }

    fn db(&self) -> &Db {
        &self.0.db
    }
}
