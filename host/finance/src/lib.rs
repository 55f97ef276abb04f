//! The finance service: commands on documents, submissions to the tax authority, verdicts, what finance shows.
//!
//! Every command, a person's and the provider's verdict alike, is the same steps: read, decide (`gateway_domain_finance`,
//! pure), check, execute (`invoice_data`, in this process or remote), record, answer. State, events and jobs
//! commit in one transaction; no network inside one.
//!
//! | module | holds | used by |
//! |---|---|---|
//! | `context` | what all share: database, clock, ids, adapters | all |
//! | `record` | what is written down: events, submissions and their steps, jobs | whoever begins the transaction |
//! | `regime` | which way a document goes, and how its tax regime sees it | `invoice_data`, `commands`, `submission` |
//! | `follow_up` | what an issue or a rejection leads to | `invoice_data` |
//! | `services` | how all is put together | the process |
//! | `invoice_data` | documents, and the executor of plans, local and remote, with what it did or would do | `commands`, `submission` |
//! | `commands`, `documents` | [`Finance`]: commands, and documents as finance shows them | surfaces |
//! | [`submission`] | [`Submissions`]: what operators see and do; its `steps` are the way to the authority and back | surfaces, jobs |
//!
//! To add a command: its form in `gateway_domain_finance::CommandForm`, what it is decided from in `CommandFacts` (read by
//! `Finance::read`), its rule in `decide`, what finance writes down in `Record` and in `record`. The body of its route is in
//! `gateway-api-internal`. A command of a service above this one (`gateway-amendment`) that leaves the document as it is takes the
//! same steps by [`Finance::tries`] and [`Finance::record_under_lock`].
//!
//! Not here: documents, states and numbers (`gateway-invoicing`), SQL, HTTP, Wasm.

pub mod submission;

mod commands;
mod context;
mod documents;
mod error;
mod follow_up;
mod invoice_data;
mod jobs;
mod record;
mod regime;
mod services;

pub use commands::{Finance, Tries};
pub use documents::{DocumentLists, FinanceStats};
pub use error::{CommandError, ReadError};
pub use gateway_domain_finance::Settings;
pub use invoice_data::{DryRun, Execution, Outcome, RecordUnderLock};
pub use regime::IdentityError;
pub use services::Services;
pub use submission::{
    AMENDMENT_JOB, RetryError, Structured, SubmissionFilter, SubmissionList, SubmissionQueue, SubmissionView,
    Submissions, WATCHED_FOR, authority_message,
};

use gateway_deadlines::LegalClock;
use gateway_domain::ports::{Clock, Ids, Regimes};
use gateway_domain_finance::ports::{EarlierNumbers, InvoicingClient, Provider};
use gateway_domain_recipients::ports::RecipientChecks;
use gateway_domain_rules::ports::ComingRules;
use gateway_events::Events;
use gateway_invoicing::Documents;
use gateway_storage::Db;
use gateway_workspaces::Workspaces;
use std::sync::Arc;

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
    /// Whom documents are converted by, workspace by workspace.
    pub regimes: Arc<dyn Regimes>,
    /// The provider; none until one is configured.
    pub provider: Option<Arc<dyn Provider>>,
    /// The invoice data service that finance works with, when it is not the one in this process.
    pub invoicing: Option<Arc<dyn InvoicingClient>>,
    /// Objects to first numbers where a supplier filed some before; none where nobody knows.
    pub earlier_numbers: Option<Arc<dyn EarlierNumbers>>,
    /// Checks recipients before documents are issued; none where nobody does.
    pub recipient_checks: Option<Arc<dyn RecipientChecks>>,
    /// What plugins will say of drafts; none where nobody looks ahead.
    pub coming_rules: Option<Arc<dyn ComingRules>>,
    /// Until when documents have to be filed, and what stood in the way.
    pub deadlines: LegalClock,
    /// How long what may take, and how the provider is treated when it fails.
    pub settings: Settings,
}
