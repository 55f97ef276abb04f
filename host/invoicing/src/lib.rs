//! The invoice data service: drafts, states, gapless numbers, the three RPC calls, pages, export.
//!
//! [`Documents`] is what this service and the finance service of the same process share: reads, and changes within a
//! transaction that the caller began. [`Invoicing`] is the service behind the RPC: each of its operations is one transaction,
//! in which the document is locked, the domain decides, and the document, its event and its number commit together or not
//! at all. What an issue or a rejection leads to is finance's, which joins the transaction through [`FollowUps`].
//!
//! Not here: rules (`gateway_domain::invoicing`), HTTP, what is sent to a tax authority (`gateway-finance`).
//!
//! To add an operation: a file with its error and two methods, as `reject.rs` has them: one of [`Documents`] within a given
//! transaction, in which the domain decides, and one of [`Invoicing`] that begins, locks, calls it and commits at a named
//! point. Its route is in `rpc` of `gateway-api-internal`.

mod amend;
mod events;
mod export;
mod import;
mod issue;
mod listing;
mod read;
mod reject;
mod save;
mod sums;
mod view;

pub use events::Related;
pub use export::{EXPORT_PAGE, Export};
pub use gateway_domain::invoicing::DocumentFilter;
pub use import::ImportOutcome;
pub use issue::{Issue, StepError};
pub use listing::{ListedDocuments, Listing, ListingError, ListingFormat, json_lines};
pub use read::{DocumentCount, PAGE_MAX, Page, TimelineEntry};
pub use reject::RejectError;
pub use save::{DeleteError, NO_VERSION, SaveError, Saved};
pub use sums::DocumentSums;
pub use view::{BALANCE_MEMBERS, DocumentView};

use async_trait::async_trait;
use gateway_domain::StoreError;
use gateway_domain::invoicing::{Invoice, IssueDay};
use gateway_domain::ports::{Clock, Regimes};
use gateway_domain::workspace::Workspace;
use gateway_events::Events;
use gateway_storage::{Db, Tx};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::sync::Arc;

/// What an issue or a rejection leads to, in the transaction that made it (specification, Rules 6).
#[async_trait]
pub trait FollowUps: Send + Sync + std::fmt::Debug {
    /// What follows from a document that has just been issued.
    async fn after_issue(&self, tx: &mut Tx, issued: &Invoice) -> Result<(), StepError>;

    /// What follows from a document that has just been rejected.
    async fn after_rejection(&self, tx: &mut Tx, rejected: &Invoice) -> Result<(), StoreError>;
}

/// What documents are kept with.
#[derive(Debug)]
pub struct Parts {
    pub db: Db,
    pub clock: Arc<dyn Clock>,
    /// Written in the transaction of the change that an event tells.
    pub events: Events,
    /// The tax regimes, which know what taxes a line may have.
    pub regimes: Arc<dyn Regimes>,
}

/// The documents of the invoice data service. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Documents(Arc<Parts>);

impl Documents {
    /// The documents in this database.
    pub fn new(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }

    fn db(&self) -> &Db {
        &self.0.db
    }

    fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    fn events(&self) -> &Events {
        &self.0.events
    }

    /// The day of a command given at `at`, none for now, in the time zone of a workspace that was read already.
    pub fn issue_day(&self, at: Option<Timestamp>, workspace: Option<&Workspace>) -> IssueDay {
        let zone = workspace.map_or(TimeZone::UTC, |workspace| workspace.time_zone.clone());
        IssueDay::of(at, self.now(), &zone)
    }
}

/// The invoice data service. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Invoicing {
    documents: Documents,
    follow_ups: Arc<dyn FollowUps>,
}

impl Invoicing {
    /// The service over these documents.
    pub fn new(documents: Documents, follow_ups: Arc<dyn FollowUps>) -> Self {
        Self { documents, follow_ups }
    }

    /// What it keeps, without what follows from an issue or a rejection.
    pub const fn documents(&self) -> &Documents {
        &self.documents
    }
}
