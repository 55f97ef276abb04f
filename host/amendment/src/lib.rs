//! Amendments: an issued document whose record at the tax authority is replaced under the same number.
//!
//! The rules are `gateway_domain_amendment`'s: which documents, which members, how one goes on. A command is the same steps as every
//! other of finance (`gateway_finance::Finance::tries` and `record_under_lock`); it stores the amendment, its
//! attempt, its event and its job in one transaction; the job puts the document in the place of the accepted one at the
//! provider, starts the workflow and waits for the verdict, one call and one transaction at a time. Only the verdict changes the
//! document.
//!
//! | module | holds |
//! |---|---|
//! | `command` | the commands `amend` and `withdraw-amendment`, and the amendments of a document |
//! | `steps` | the way to the authority, one step at a time |
//! | `verdict` | what the provider shows of a job that ended |
//! | `record` | what is written down in one transaction |
//! | `job` | the steps as a job |
//! | `notice` | what is said of one that waits |
//!
//! Not here: submissions of documents that get a number (`gateway-finance`), SQL, HTTP.

mod command;
mod job;
mod notice;
mod record;
mod steps;
mod verdict;

pub use command::{Amended, AmendmentView};

use gateway_domain::StoreError;
use gateway_domain::ports::{Clock, Ids, Regimes};
use gateway_domain_finance::ports::Provider;
use gateway_events::Events;
use gateway_finance::{Finance, Settings};
use gateway_invoicing::Documents;
use gateway_jobs::Registry;
use gateway_storage::{Db, amendments};
use gateway_workspaces::Workspaces;
use jiff::{SignedDuration, Timestamp};
use job::AmendDocument;
use std::sync::Arc;

/// What amendments work with.
#[derive(Debug)]
pub struct Parts {
    pub db: Db,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn Ids>,
    /// Written in the transaction of the change that an event tells.
    pub events: Events,
    /// With their ways to the provider.
    pub workspaces: Workspaces,
    /// The documents of the invoice data service in this process.
    pub documents: Documents,
    /// Documents as finance and their tax regimes have them.
    pub finance: Finance,
    /// Whom documents are converted by, workspace by workspace.
    pub regimes: Arc<dyn Regimes>,
    /// None until one is configured, and in a process that only asks for amendments.
    pub provider: Option<Arc<dyn Provider>>,
    /// How long what may take.
    pub settings: Settings,
}

/// Amendments of issued documents. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Amendments(Arc<Parts>);

impl Amendments {
    /// Puts the parts together.
    pub fn new(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }

    /// Adds its job to those that the program knows.
    pub fn register(&self, registry: Registry) -> Registry {
        registry.with::<AmendDocument>(self.clone())
    }

    /// How many amendments are under way, by the word for how far they are.
    pub async fn open_by_state(&self) -> Result<Vec<(String, i64)>, StoreError> {
        amendments::open_by_state(&self.0.db).await
    }

    fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    /// `wait` from now.
    fn after(&self, wait: SignedDuration) -> Timestamp {
        self.now().checked_add(wait).unwrap_or(Timestamp::MAX)
    }
}
