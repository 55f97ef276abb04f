//! The audit trail's way out of the database: entries that are old enough go to files, or away.
//!
//! One process at a time removes, by a lease. A batch is read, written and synced before the transaction that removes it: a crash
//! in between leaves entries in a file and in the database, never in neither.

use crate::Audit;
use gateway_domain::StoreError;
use gateway_domain::access::Actor;
use gateway_domain::ports::{Clock, Ids};
use gateway_domain_events::{AuditEntry, RetentionDays};
use gateway_storage::{Db, audit, leases};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use uuid::Uuid;

/// The duty of removing.
const LEASE_NAME: &str = "audit-retention";
/// Longer than a batch takes to be written to a slow disk.
const LEASE: SignedDuration = SignedDuration::from_secs(60);
/// Entries of one file and one transaction.
const BATCH: i64 = 500;

/// How long the audit trail stays, and where it goes then.
#[derive(Debug, Clone)]
pub struct RetentionSettings {
    /// The age from which entries leave.
    pub audit: RetentionDays,
    /// The folder that they are written to before; without, they are deleted.
    pub archive: Option<PathBuf>,
}

/// What old entries there were.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RetentionReport {
    /// Whether they were only counted.
    pub dry_run: bool,
    /// Entries from before this instant are old enough.
    pub audit_before: Timestamp,
    /// How many there are, or were removed.
    pub audit: u64,
    /// The files that they are in now.
    pub files: Vec<PathBuf>,
}

/// Old entries could not leave; what was removed before stays removed.
#[derive(Debug, thiserror::Error)]
pub enum RetentionError {
    /// The database did not do its part.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Another process has the duty.
    #[error("another process removes old audit entries: give the command again when it has ended")]
    Busy,
    /// The file of a batch could not be written; its entries are still in the database.
    #[error(
        "old audit entries stay, because {path} cannot be written: make room, or correct retention.archive_dir"
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

/// An entry as a line of an archive.
#[derive(Debug, Serialize)]
struct ArchivedEntry<'a> {
    id: Uuid,
    at: Timestamp,
    actor: &'a str,
    action: &'a str,
    subject: &'a str,
    data: &'a serde_json::Value,
}

/// Removes old entries of the audit trail. Cheap to clone.
#[derive(Debug, Clone)]
pub struct AuditRetention {
    db: Db,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    audit: Audit,
}

impl AuditRetention {
    /// Of the trail in this database.
    pub fn new(db: Db, clock: Arc<dyn Clock>, ids: Arc<dyn Ids>) -> Self {
        let audit = Audit::new(db.clone(), Arc::clone(&clock), Arc::clone(&ids));
        Self { db, clock, ids, audit }
    }

    /// Counts what [`Self::run`] would remove.
    pub async fn preview(&self, settings: &RetentionSettings) -> Result<RetentionReport, RetentionError> {
        let audit_before = settings.audit.cutoff(self.clock.now());
        let count = audit::count_before(&self.db, audit_before).await?;
        let audit = u64::try_from(count).unwrap_or_default();
        Ok(RetentionReport { dry_run: true, audit_before, audit, files: Vec::new() })
    }

    /// Removes every entry that is old enough now, batch by batch; each batch is an entry of the trail itself.
    pub async fn run(
        &self,
        settings: &RetentionSettings,
        actor: &Actor,
    ) -> Result<RetentionReport, RetentionError> {
        let owner = self.ids.next().to_string();
        let done = self.remove_all(settings, actor, &owner).await;
        let mut tx = self.db.begin().await?;
        leases::release(&mut tx, LEASE_NAME, &owner).await?;
        tx.commit_at("retention-released").await?;
        done
    }

    async fn remove_all(
        &self,
        settings: &RetentionSettings,
        actor: &Actor,
        owner: &str,
    ) -> Result<RetentionReport, RetentionError> {
        let audit_before = settings.audit.cutoff(self.clock.now());
        let mut report = RetentionReport { dry_run: false, audit_before, audit: 0, files: Vec::new() };
        loop {
            let fence = self.take_duty(owner).await?;
            let entries = audit::oldest(&self.db, audit_before, BATCH).await?;
            if entries.is_empty() {
                return Ok(report);
            }
            let file = match &settings.archive {
                Some(folder) => Some(archive(folder.clone(), self.ids.next(), entries.clone()).await?),
                None => None,
            };
            report.audit +=
                self.remove(&entries, (audit_before, file.as_deref()), actor, (owner, fence)).await?;
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
        entries: &[AuditEntry],
        (before, file): (Timestamp, Option<&Path>),
        actor: &Actor,
        (owner, fence): (&str, i64),
    ) -> Result<u64, RetentionError> {
        let mut tx = self.db.begin().await?;
        if !leases::hold(&mut tx, LEASE_NAME, owner, fence, LEASE).await? {
            return Err(RetentionError::Busy);
        }
        let mut removed = 0;
        for entry in entries {
            removed += u64::from(audit::remove(&mut tx, entry.id).await?);
        }
        let batch = RemovedBatch { entries: removed, before, file };
        self.audit.record(&mut tx, actor, "retention.run", "audit".to_owned(), &batch).await?;
        tx.commit_at("retention-removed").await?;
        Ok(removed)
    }
}

/// Writes entries to a new file of the folder, one JSON object a line; both are on the disk when this answers.
async fn archive(folder: PathBuf, id: Uuid, entries: Vec<AuditEntry>) -> Result<PathBuf, RetentionError> {
    let path = folder.join(format!("audit-{id}.ndjson"));
    let file = path.clone();
    let written = tokio::task::spawn_blocking(move || write_synced(&folder, &file, &entries)).await;
    match written.unwrap_or_else(|error| Err(io::Error::other(error))) {
        Ok(()) => Ok(path),
        Err(source) => Err(RetentionError::Archive { path: path.display().to_string(), source }),
    }
}

fn write_synced(folder: &Path, path: &Path, entries: &[AuditEntry]) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut options = std::fs::File::options();
    options.write(true).create_new(true);
    // Who did what is for the operator's eyes, as it is in the database.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = io::BufWriter::new(options.open(path)?);
    for entry in entries {
        let AuditEntry { id, at, actor, action, subject, data } = entry;
        let line = ArchivedEntry { id: *id, at: *at, actor: &actor.0, action, subject, data };
        serde_json::to_writer(&mut file, &line)?;
        file.write_all(b"\n")?;
    }
    file.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
    // The name of the file is the folder's to store.
    std::fs::File::open(folder)?.sync_all()
}
