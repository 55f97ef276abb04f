//! What is old enough leaves the database: entries of the audit trail, events of the platform's own data, messages to tax
//! authorities. Which kinds there are and when they are old is a rule of [`gateway_domain_events`].
//!
//! One process at a time removes, by a lease. A batch is read, written and synced before the transaction that removes it: a crash
//! in between leaves entries in a file and in the database, never in neither.
//!
//! To add a kind: its rule in `gateway-domain-events`, its statements in `gateway-storage`, its arms in [`batch`].

mod archive;
mod batch;
#[cfg(test)]
mod tests;

use archive::archive;
use batch::Batch;
use gateway_access::Audit;
use gateway_domain::StoreError;
use gateway_domain::access::Actor;
use gateway_domain::ports::{Clock, Ids};
use gateway_domain_events::{RetainedKind, RetentionPolicy};
use gateway_storage::{Db, leases};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The duty of removing.
const LEASE_NAME: &str = "retention";
/// Longer than a batch takes to be written to a slow disk.
const LEASE: SignedDuration = SignedDuration::from_secs(60);

/// How long each kind stays, and where it goes then.
#[derive(Debug, Clone, Default)]
pub struct RetentionSettings {
    /// The age from which each kind leaves.
    pub policy: RetentionPolicy,
    /// The folder that entries are written to before they leave; without, they are deleted, but for what may only be moved.
    pub archive: Option<PathBuf>,
}

/// What old entries there were.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RetentionReport {
    /// Whether they were only counted.
    pub dry_run: bool,
    /// Of each kind.
    pub kinds: Vec<KindReport>,
}

/// What old entries of a kind there were.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KindReport {
    /// Which kind.
    pub kind: RetainedKind,
    /// Entries from before this instant are old enough.
    pub before: Timestamp,
    /// How many there are, or left the database.
    pub entries: u64,
    /// The files that they are in now.
    pub files: Vec<PathBuf>,
    /// Whether they stay because they may only be moved, and there is no folder to move them to.
    pub waits_for_archive: bool,
}

/// Old entries could not leave; what left before is in its files.
#[derive(Debug, thiserror::Error)]
pub enum RetentionError {
    /// The database did not do its part.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Another process has the duty.
    #[error("another process removes old entries: give the command again when it has ended")]
    Busy,
    /// The file of a batch could not be written; its entries are still in the database.
    #[error(
        "old entries stay, because {path} cannot be written: make room, or correct retention.archive_dir"
    )]
    Archive {
        /// The file.
        path: String,
        /// Why.
        source: io::Error,
    },
}

/// A batch, for the audit trail.
#[derive(Debug, Serialize)]
struct RemovedBatch<'a> {
    entries: u64,
    before: Timestamp,
    file: Option<&'a Path>,
}

/// Takes what is old enough out of the database. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Retention {
    db: Db,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    audit: Audit,
}

/// One run: who removes, where to, and by which hold of the duty.
struct Run<'a> {
    settings: &'a RetentionSettings,
    actor: &'a Actor,
    owner: String,
}

impl Retention {
    /// Of this database.
    pub fn new(db: Db, clock: Arc<dyn Clock>, ids: Arc<dyn Ids>) -> Self {
        let audit = Audit::new(db.clone(), Arc::clone(&clock), Arc::clone(&ids));
        Self { db, clock, ids, audit }
    }

    /// Counts what [`Self::run`] would take out.
    pub async fn preview(&self, settings: &RetentionSettings) -> Result<RetentionReport, RetentionError> {
        let mut kinds = Vec::new();
        for kind in RetainedKind::ALL {
            kinds.push(self.counted(settings, kind).await?);
        }
        Ok(RetentionReport { dry_run: true, kinds })
    }

    /// Takes every entry out that is old enough now, batch by batch; each batch is an entry of the audit trail.
    pub async fn run(
        &self,
        settings: &RetentionSettings,
        actor: &Actor,
    ) -> Result<RetentionReport, RetentionError> {
        let run = Run { settings, actor, owner: self.ids.next().to_string() };
        let done = self.remove_all(&run).await;
        let mut tx = self.db.begin().await?;
        leases::release(&mut tx, LEASE_NAME, &run.owner).await?;
        tx.commit_at("retention-released").await?;
        done
    }

    /// Runs now and whenever `every` has passed, until `ending`, whenever no other process does.
    pub async fn run_every(self, every: Duration, settings: RetentionSettings, ending: CancellationToken) {
        let actor = Actor("retention".to_owned());
        while !ending.is_cancelled() {
            match self.run(&settings, &actor).await {
                Ok(report) => log(&report),
                Err(RetentionError::Busy) => tracing::debug!("Another process removes old entries"),
                Err(error) => tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "Old entries could not leave the database: {error}"
                ),
            }
            tokio::select! {
                () = ending.cancelled() => {}
                () = tokio::time::sleep(every) => {}
            }
        }
    }

    async fn counted(
        &self,
        settings: &RetentionSettings,
        kind: RetainedKind,
    ) -> Result<KindReport, RetentionError> {
        let before = settings.policy.age(kind).cutoff(self.clock.now());
        let entries = batch::count(&self.db, kind, before).await?;
        let waits_for_archive = kind.is_only_moved() && settings.archive.is_none() && entries > 0;
        Ok(KindReport { kind, before, entries, files: Vec::new(), waits_for_archive })
    }

    async fn remove_all(&self, run: &Run<'_>) -> Result<RetentionReport, RetentionError> {
        let mut kinds = Vec::new();
        for kind in RetainedKind::ALL {
            let stays = kind.is_only_moved() && run.settings.archive.is_none();
            kinds.push(if stays {
                self.counted(run.settings, kind).await?
            } else {
                self.remove_kind(run, kind).await?
            });
        }
        Ok(RetentionReport { dry_run: false, kinds })
    }

    async fn remove_kind(&self, run: &Run<'_>, kind: RetainedKind) -> Result<KindReport, RetentionError> {
        let before = run.settings.policy.age(kind).cutoff(self.clock.now());
        let mut report = KindReport { kind, before, entries: 0, files: Vec::new(), waits_for_archive: false };
        let mut after = None;
        loop {
            let fence = self.take_duty(&run.owner).await?;
            let batch = Batch::oldest(&self.db, kind, before, after).await?;
            if batch.is_empty() {
                return Ok(report);
            }
            after = batch.end();
            let file = match &run.settings.archive {
                Some(folder) => Some(archive(folder.clone(), kind, self.ids.next(), batch.lines()?).await?),
                None => None,
            };
            report.entries += self.remove(run, fence, (&batch, before, file.as_deref())).await?;
            report.files.extend(file);
        }
    }

    async fn take_duty(&self, owner: &str) -> Result<i64, RetentionError> {
        let mut tx = self.db.begin().await?;
        let fence = leases::take(&mut tx, LEASE_NAME, owner, LEASE).await?;
        tx.commit_at("retention-taken").await?;
        fence.ok_or(RetentionError::Busy)
    }

    async fn remove(
        &self,
        run: &Run<'_>,
        fence: i64,
        (batch, before, file): (&Batch, Timestamp, Option<&Path>),
    ) -> Result<u64, RetentionError> {
        let mut tx = self.db.begin().await?;
        if !leases::hold(&mut tx, LEASE_NAME, &run.owner, fence, LEASE).await? {
            return Err(RetentionError::Busy);
        }
        let entries = batch.remove(&mut tx).await?;
        let removed = RemovedBatch { entries, before, file };
        let subject = batch.kind().as_str().to_owned();
        self.audit.record(&mut tx, run.actor, "retention.run", subject, &removed).await?;
        tx.commit_at("retention-removed").await?;
        Ok(entries)
    }
}

fn log(report: &RetentionReport) {
    for KindReport { kind, before, entries, files, waits_for_archive } in &report.kinds {
        let files = files.len();
        match (entries, waits_for_archive) {
            (0, _) => {}
            (_, true) => tracing::debug!(
                "{entries} {kind} from before {before} stay until retention.archive_dir says where to move them"
            ),
            (_, false) => tracing::info!(
                "{entries} {kind} from before {before} left the database, for {files} files in retention.archive_dir"
            ),
        }
    }
}
