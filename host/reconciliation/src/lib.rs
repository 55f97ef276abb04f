//! Reconciliation: a nightly look, or one that somebody asks for, whether provider and gateway hold the same.
//!
//! A run is one job, one request to the provider at a time: pages of its entries, then each entry that was filed from here
//! and was not among them. Where it is set how the tax authority is reached and the plugin reads its list, the same follows with
//! that: the pages of the list, then what it accepted and does not list. What was found of an entry is a row of the run, written
//! with the run's place in one transaction, so that a run which was killed goes on where it was and reports the same.
//!
//! The rules of comparing are `gateway_domain_reconciliation::compare`. A run gives no verdict: a submission that waits while the
//! provider shows everything as it was sent is made to look again.
//!
//! | module | holds |
//! |---|---|
//! | `run` | the steps of a run |
//! | `comparing` | entries side by side with what was filed |
//! | `authority` | the authority's own list: its pages, and what they lack |
//! | `records` | its records side by side with what was filed |
//! | `notices` | what somebody hears of it |
//! | `proof` | whether what is kept here holds together |
//! | `first_number` | whether a supplier filed invoices before its first number here |
//! | `jobs`, `nights` | runs and the nightly beginning of them, as jobs |
//! | [`views`] | runs and rows as they are shown, and as CSV |

mod authority;
mod comparing;
mod first_number;
mod jobs;
mod nights;
mod notices;
mod proof;
mod records;
mod run;
pub mod views;

pub use first_number::FiledBefore;

use gateway_access::Audit;
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Actor, Workspaces as Visible};
use gateway_domain::ids::{ReconciliationId, WorkspaceId};
use gateway_domain::ports::{Clock, Ids};
use gateway_domain_finance::ports::Provider;
use gateway_domain_reconciliation::ports::{AuthorityCalls, AuthorityListings};
use gateway_domain_reconciliation::{Reconciliation, ReconciliationCounts, ReconciliationProgress};
use gateway_evidence::ChainCheck;
use gateway_finance::{DocumentLists, SubmissionQueue, Submissions};
use gateway_jobs::{Job as _, Registry};
use gateway_storage::{Db, reconciliations};
use gateway_workspaces::Workspaces;
use jiff::{SignedDuration, Timestamp};
use jobs::{ReconcileNightly, ReconcileWorkspace};
use serde::Serialize;
use std::sync::Arc;
use uuid::Uuid;
use views::{ReconciledEntryBody, ReconciliationBody};

/// Entries that are read at a time.
const PART: i64 = 500;

/// When runs begin by themselves, and how fast they go.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Requests to provider and authority within a minute, of one run; at least 1.
    pub requests_per_min: u32,
    /// The time of the day in UTC at which a run of every workspace begins; none: only when somebody asks.
    pub nightly_at: Option<jiff::civil::Time>,
    /// How far back a nightly run looks.
    pub nightly_days: u16,
}

/// What the reconciliation works with.
#[derive(Debug)]
pub struct Parts {
    pub db: Db,
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn Ids>,
    /// With their ways to the provider.
    pub workspaces: Workspaces,
    /// None until one is configured, and in a process that only asks for runs.
    pub provider: Option<Arc<dyn Provider>>,
    /// The ways to the authorities' own lists; none in a process that only asks for runs.
    pub authorities: Option<Authorities>,
    /// Whether what was issued holds together.
    pub chain: ChainCheck,
    /// The documents, wherever they are kept.
    pub documents: DocumentLists,
    /// Where submissions wait for their next steps.
    pub queue: SubmissionQueue,
    /// What operators do about submissions.
    pub submissions: Submissions,
    pub settings: Settings,
}

/// What reads the authorities' own lists, and who asks for them.
#[derive(Debug, Clone)]
pub struct Authorities {
    /// The plugins.
    pub listings: Arc<dyn AuthorityListings>,
    /// The addresses that an operator set.
    pub calls: Arc<dyn AuthorityCalls>,
}

/// Why no run begins.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// There is no such workspace, or the caller may not see it.
    #[error("there is no workspace {0}: list them with 'gateway workspace list'")]
    UnknownWorkspace(WorkspaceId),
    /// The workspace sends nothing to a provider.
    #[error("workspace {0} sends nothing to a provider: set 'gateway workspace e-invoicing set' first")]
    NotConfigured(WorkspaceId),
    /// The time ends before it begins, or in the future.
    #[error("the time has to begin before it ends, and to end in the past: correct 'from' and 'to'")]
    Time,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Reconciliations with provider and tax authority. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Reconciliations(Arc<Parts>);

/// What the audit trail says of a run that was asked for.
#[derive(Debug, Serialize)]
struct RunRequest {
    from: Timestamp,
    to: Timestamp,
}

impl Reconciliations {
    /// Puts the parts together.
    pub fn new(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }

    /// Adds its jobs to those that the program knows.
    pub fn register(&self, registry: Registry) -> Registry {
        registry.with::<ReconcileWorkspace>(self.clone()).with::<ReconcileNightly>(self.clone())
    }

    /// Begins a run over the entries that the provider made from `from` on and before `to`, or answers the one that has not
    /// ended; usually as far back as a nightly run looks, until now.
    pub async fn start(
        &self,
        acting: &Acting,
        workspace: WorkspaceId,
        from: Option<Timestamp>,
        to: Option<Timestamp>,
    ) -> Result<Reconciliation, StartError> {
        let now = self.0.clock.now();
        let to = to.unwrap_or(now);
        let from = from.unwrap_or_else(|| self.usual_start(to));
        if from >= to || to > now {
            return Err(StartError::Time);
        }
        let found = self.0.workspaces.with_provider_access(workspace).await?;
        let found = found.filter(|_| acting.workspaces.contain(workspace));
        if found.ok_or(StartError::UnknownWorkspace(workspace))?.e_invoicing.is_none() {
            return Err(StartError::NotConfigured(workspace));
        }
        Ok(self.begin(&acting.actor, workspace, from, to).await?)
    }

    /// A run, if the caller may see its workspace.
    pub async fn find(
        &self,
        visible: &Visible,
        id: ReconciliationId,
    ) -> Result<Option<Reconciliation>, StoreError> {
        let found = reconciliations::find(&self.0.db, id).await?;
        Ok(found.filter(|run| visible.contain(run.workspace)))
    }

    /// The newest runs that the caller may see, of one workspace or of all, the newest first.
    pub async fn newest(
        &self,
        visible: &Visible,
        workspace: Option<WorkspaceId>,
        limit: i64,
    ) -> Result<Vec<Reconciliation>, StoreError> {
        let requested = match (workspace, visible) {
            (Some(workspace), visible) if visible.contain(workspace) => vec![Some(workspace)],
            (Some(_), _) => Vec::new(),
            (None, Visible::All) => vec![None],
            (None, Visible::Only(workspaces)) => workspaces.iter().copied().map(Some).collect(),
        };
        let mut runs = Vec::new();
        for workspace in requested {
            runs.extend(reconciliations::newest(&self.0.db, workspace, limit).await?);
        }
        runs.sort_by_key(|run| std::cmp::Reverse((run.started_at, run.id)));
        runs.truncate(usize::try_from(limit).unwrap_or_default());
        Ok(runs)
    }

    /// How many entries came to each outcome so far.
    async fn counts(&self, run: &Reconciliation) -> Result<ReconciliationCounts, StoreError> {
        match &run.progress {
            ReconciliationProgress::Ended { counts, .. } | ReconciliationProgress::Failed { counts, .. } => {
                Ok(*counts)
            }
            ReconciliationProgress::Listing { .. }
            | ReconciliationProgress::Missing { .. }
            | ReconciliationProgress::AuthorityListing { .. }
            | ReconciliationProgress::AuthorityMissing { .. } => {
                reconciliations::counts(&self.0.db, run.id).await
            }
        }
    }

    /// What a run found beside what matches, behind an entry or from the first, in the order of the entries' ids; with what
    /// settles it as its documents stand now.
    pub async fn entries(
        &self,
        run: &Reconciliation,
        after: Option<Uuid>,
        limit: i64,
    ) -> Result<Vec<ReconciledEntryBody>, StoreError> {
        let found = reconciliations::entries(&self.0.db, run.id, after.unwrap_or_default(), limit).await?;
        let ids: Vec<_> = found.iter().filter_map(|entry| entry.document).collect();
        let documents = self.0.documents.by_ids(&Acting::gateway(), &ids).await?;
        Ok(found.iter().map(|entry| ReconciledEntryBody::new(entry, &documents)).collect())
    }

    /// All of that.
    pub async fn all_entries(&self, run: &Reconciliation) -> Result<Vec<ReconciledEntryBody>, StoreError> {
        let (mut all, mut after) = (Vec::new(), None);
        loop {
            let part = self.entries(run, after, PART).await?;
            let Some(last) = part.last() else { return Ok(all) };
            after = Some(last.entry_id);
            all.extend(part);
        }
    }

    /// A run as it is shown.
    pub async fn body(&self, run: &Reconciliation) -> Result<ReconciliationBody, StoreError> {
        Ok(ReconciliationBody::new(run, self.counts(run).await?))
    }

    /// How many entries somebody has to settle, by the newest run of each workspace.
    pub async fn open(&self) -> Result<ReconciliationCounts, StoreError> {
        reconciliations::open_by_outcome(&self.0.db).await
    }

    /// Makes sure that the nightly runs begin, or do so no more, as the settings say.
    pub async fn schedule_nightly(&self) -> Result<(), StoreError> {
        let mut tx = self.0.db.begin().await?;
        match self.next_look() {
            Some(at) => ReconcileNightly.enqueue(&mut tx, self.0.ids.as_ref(), at),
            None => {
                gateway_storage::jobs::remove(&mut tx, ReconcileNightly::NAME, &ReconcileNightly.subject())
                    .await?;
            }
        }
        tx.commit_at("reconciliation-scheduled").await
    }

    /// Begins a run, or answers the one that has not ended.
    async fn begin(
        &self,
        actor: &Actor,
        workspace: WorkspaceId,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Reconciliation, StoreError> {
        let parts = self.0.as_ref();
        let now = parts.clock.now();
        let run = Reconciliation {
            id: ReconciliationId(parts.ids.next()),
            workspace,
            requested_by: actor.0.clone(),
            from,
            to,
            progress: ReconciliationProgress::Listing { cursor: None },
            requests: 0,
            failures: 0,
            version: 1,
            started_at: now,
            updated_at: now,
        };
        let mut tx = parts.db.begin().await?;
        if !reconciliations::insert(&mut tx, &run).await? {
            let open = reconciliations::open(&mut tx, workspace).await?;
            return open.ok_or(StoreError::Moved { table: "reconciliation" });
        }
        reconciliations::forget_matching(&mut tx, workspace).await?;
        let audit = Audit::new(parts.db.clone(), Arc::clone(&parts.clock), Arc::clone(&parts.ids));
        let subject = format!("workspace:{workspace}");
        audit.record(&mut tx, actor, "reconciliation.start", subject, &RunRequest { from, to }).await?;
        ReconcileWorkspace(run.id).enqueue(&mut tx, parts.ids.as_ref(), now);
        tx.commit_at("reconciliation-started").await?;
        Ok(run)
    }

    fn usual_start(&self, to: Timestamp) -> Timestamp {
        let days = SignedDuration::from_hours(24).saturating_mul(self.0.settings.nightly_days.into());
        to.checked_sub(days).unwrap_or(Timestamp::MIN)
    }
}
