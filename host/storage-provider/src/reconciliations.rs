//! Runs of the reconciliation with provider and tax authority, and what they found of each entry and record.

use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::sql::{Param, Sql, ids, json_rows, params, statements};
use gateway_database::value::{Id, Ts};
use gateway_domain::ids::{EntryId, InvoiceId, ReconciliationId, WorkspaceId};
use gateway_domain::invoicing::InvoiceNumber;
use gateway_domain_reconciliation::{
    ReconciledEntry, Reconciliation, ReconciliationCounts, ReconciliationOutcome, ReconciliationProgress,
    ReconciliationSource,
};
use jiff::Timestamp;
use serde::Serialize;
use std::collections::BTreeMap;
use uuid::Uuid;

macro_rules! columns {
    () => {
        "id, workspace_id, requested_by, from_at, to_at, stage, cursor, after_at, after_entry, requests, failures, counts, \
         reason, version, started_at, updated_at, authority_stage, authority_cursor, authority_pages"
    };
}

macro_rules! entry_columns {
    () => {
        "entry_id, document_id, number, outcome, divergences, source"
    };
}

statements! {
    INSERT = both concat!("INSERT INTO reconciliation (", columns!(), ") \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19) ON CONFLICT DO NOTHING");
    UPDATE = "UPDATE reconciliation SET (stage, cursor, after_at, after_entry, requests, failures, counts, reason, updated_at,
        authority_stage, authority_cursor, authority_pages)
        = ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14), version = version + 1 WHERE id = $1 AND version = $2";
    FIND = both concat!("SELECT ", columns!(), " FROM reconciliation WHERE id = $1");
    OPEN = both concat!("SELECT ", columns!(), " FROM reconciliation WHERE workspace_id = $1 AND stage IN ('listing', 'missing')");
    OF_WORKSPACE = both concat!("SELECT ", columns!(), " FROM reconciliation WHERE workspace_id = $1 ORDER BY started_at DESC, id LIMIT $2");
    NEWEST = both concat!("SELECT ", columns!(), " FROM reconciliation ORDER BY started_at DESC, id LIMIT $1");
    KEEP = each ["INSERT INTO reconciled_entry (reconciliation_id, entry_id, document_id, number, outcome, divergences, source)
        SELECT ", (uuid "$1"), ", entry_id, document_id, number, outcome, divergences, source FROM ",
        (rows "$2" as found: entry_id UUID, document_id UUID, number TEXT, outcome TEXT, divergences TEXT, source TEXT),
        " WHERE TRUE ON CONFLICT DO NOTHING"];
    COUNTS = "SELECT outcome, COUNT(*) FROM reconciled_entry WHERE reconciliation_id = $1 GROUP BY outcome";
    // Exactly the condition of the partial index, here and below.
    UNKNOWN = "SELECT source, COUNT(*) FROM reconciled_entry
        WHERE reconciliation_id = $1 AND outcome <> 'matching' AND outcome = 'only_there' GROUP BY source";
    ENTRIES = both concat!("SELECT ", entry_columns!(), " FROM reconciled_entry
        WHERE reconciliation_id = $1 AND outcome <> 'matching' AND entry_id > $2 ORDER BY entry_id LIMIT $3");
    FORGET_MATCHING = "DELETE FROM reconciled_entry WHERE outcome = 'matching' AND reconciliation_id IN
        (SELECT id FROM reconciliation WHERE workspace_id = $1 AND stage IN ('ended', 'failed'))";
    OWNERS = each ["SELECT e.entry_id, e.document_id, s.workspace_id FROM submission_entry e
        JOIN submission s ON s.document_id = e.document_id WHERE ", (among "e.entry_id", "$1")];
    NOT_LISTED = "SELECT e.created_at, e.entry_id, e.document_id FROM submission_entry e
        JOIN submission s ON s.document_id = e.document_id
        WHERE e.created_at < $4 AND (e.created_at, e.entry_id) > ($2, $3) AND s.workspace_id = $1
            AND NOT EXISTS (SELECT 1 FROM reconciled_entry r WHERE r.reconciliation_id = $5 AND r.entry_id = e.entry_id)
        ORDER BY e.created_at, e.entry_id LIMIT $6";
    FILED_UNDER = each ["SELECT DISTINCT a.number, a.document_id, s.workspace_id FROM submission_attempt a
        JOIN submission s ON s.document_id = a.document_id WHERE a.number IN ", (words "$1")];
    UNLISTED = "SELECT e.created_at, e.entry_id, e.document_id FROM submission_entry e
        JOIN submission s ON s.document_id = e.document_id
        WHERE e.created_at < $4 AND (e.created_at, e.entry_id) > ($2, $3) AND s.workspace_id = $1 AND s.stage = 'accepted'
            AND NOT EXISTS (SELECT 1 FROM reconciled_entry r
                WHERE r.reconciliation_id = $5 AND r.source = 'authority' AND r.document_id = e.document_id)
        ORDER BY e.created_at, e.entry_id LIMIT $6";
    OPEN_BY_OUTCOME = "SELECT e.outcome, COUNT(*) FROM reconciled_entry e JOIN reconciliation r ON r.id = e.reconciliation_id
        WHERE e.outcome IN ('different', 'only_here', 'only_there') AND NOT EXISTS (SELECT 1 FROM reconciliation later
            WHERE later.workspace_id = r.workspace_id AND later.started_at > r.started_at AND later.stage = 'ended')
        GROUP BY e.outcome";
}

#[derive(sqlx::FromRow)]
struct Row {
    id: Id,
    workspace_id: i64,
    requested_by: String,
    from_at: Ts,
    to_at: Ts,
    stage: String,
    cursor: Option<String>,
    after_at: Option<Ts>,
    after_entry: Option<Id>,
    requests: i64,
    failures: i64,
    counts: Option<String>,
    reason: Option<String>,
    version: i64,
    started_at: Ts,
    updated_at: Ts,
    authority_stage: Option<String>,
    authority_cursor: Option<String>,
    authority_pages: i64,
}

fn corrupt(id: Uuid, column: &'static str, cause: impl std::fmt::Display) -> Corrupt {
    Corrupt::new("reconciliation", id, column, cause)
}

impl TryFrom<Row> for Reconciliation {
    type Error = Corrupt;

    fn try_from(row: Row) -> Result<Self, Corrupt> {
        let id = row.id.0;
        let counts = || {
            let text = row.counts.as_deref().ok_or_else(|| corrupt(id, "counts", "NULL"))?;
            serde_json::from_str(text).map_err(|cause| corrupt(id, "counts", cause))
        };
        let at = row.updated_at.0;
        let after = || -> Result<_, Corrupt> {
            let (Some(at), Some(entry)) = (row.after_at, row.after_entry) else { return Ok(None) };
            let entry = EntryId::try_from(entry.0).map_err(|cause| corrupt(id, "after_entry", cause))?;
            Ok(Some((at.0, entry)))
        };
        let progress = match row.stage.as_str() {
            "listing" => ReconciliationProgress::Listing { cursor: row.cursor },
            "missing" => match row.authority_stage.as_deref() {
                None => ReconciliationProgress::Missing { after: after()? },
                Some("listing") => ReconciliationProgress::AuthorityListing {
                    cursor: row.authority_cursor,
                    pages: u32::try_from(row.authority_pages)
                        .map_err(|cause| corrupt(id, "authority_pages", cause))?,
                },
                Some("missing") => ReconciliationProgress::AuthorityMissing { after: after()? },
                Some(other) => return Err(corrupt(id, "authority_stage", other)),
            },
            "ended" => ReconciliationProgress::Ended { at, counts: counts()? },
            "failed" => {
                let reason = row.reason.clone().ok_or_else(|| corrupt(id, "reason", "NULL"))?;
                ReconciliationProgress::Failed { at, reason, counts: counts()? }
            }
            other => return Err(corrupt(id, "stage", other)),
        };
        Ok(Self {
            id: ReconciliationId(id),
            workspace: WorkspaceId(row.workspace_id),
            requested_by: row.requested_by,
            from: row.from_at.0,
            to: row.to_at.0,
            progress,
            requests: u64::try_from(row.requests).map_err(|cause| corrupt(id, "requests", cause))?,
            failures: u32::try_from(row.failures).map_err(|cause| corrupt(id, "failures", cause))?,
            version: row.version,
            started_at: row.started_at.0,
            updated_at: at,
        })
    }
}

/// What changes with a step: stage, cursor, place, requests, failures, counts and reason.
fn changing(run: &Reconciliation) -> Result<Vec<Param>, StoreError> {
    let (mut cursor, mut after, mut ended, mut reason) = (None, None, None, None);
    let stage = match &run.progress {
        ReconciliationProgress::Listing { .. } => "listing",
        ReconciliationProgress::Missing { .. }
        | ReconciliationProgress::AuthorityListing { .. }
        | ReconciliationProgress::AuthorityMissing { .. } => "missing",
        ReconciliationProgress::Ended { .. } => "ended",
        ReconciliationProgress::Failed { .. } => "failed",
    };
    match &run.progress {
        ReconciliationProgress::Listing { cursor: at } => cursor.clone_from(at),
        ReconciliationProgress::AuthorityListing { .. } => {}
        ReconciliationProgress::Missing { after: at }
        | ReconciliationProgress::AuthorityMissing { after: at } => after = *at,
        ReconciliationProgress::Ended { counts, .. } => ended = Some(counts),
        ReconciliationProgress::Failed { counts, reason: why, .. } => {
            ended = Some(counts);
            reason = Some(why.clone());
        }
    }
    Ok(params![
        stage,
        cursor,
        after.map(|(at, _)| at),
        after.map(|(_, entry)| entry),
        i64::try_from(run.requests).unwrap_or(i64::MAX),
        i64::from(run.failures),
        ended.map(StoreError::json).transpose()?,
        reason,
    ])
}

/// What changes beside that: how far the run is with the authority.
fn at_authority(run: &Reconciliation) -> Vec<Param> {
    let (stage, cursor, pages) = match &run.progress {
        ReconciliationProgress::AuthorityListing { cursor, pages } => {
            (Some("listing".to_owned()), cursor.clone(), i64::from(*pages))
        }
        ReconciliationProgress::AuthorityMissing { .. } => (Some("missing".to_owned()), None, 0),
        ReconciliationProgress::Listing { .. }
        | ReconciliationProgress::Missing { .. }
        | ReconciliationProgress::Ended { .. }
        | ReconciliationProgress::Failed { .. } => (None, None, 0),
    };
    params![stage, cursor, pages]
}

/// Stores a new run; `false` when the workspace has one that has not ended.
pub async fn insert(tx: &mut Tx, run: &Reconciliation) -> Result<bool, StoreError> {
    let mut arguments = params![run.id.0, run.workspace, &run.requested_by, run.from, run.to];
    arguments.extend(changing(run)?);
    arguments.extend(params![run.version, run.started_at, run.updated_at]);
    arguments.extend(at_authority(run));
    Ok(tx.execute(&INSERT, arguments).await? == 1)
}

/// Stores a step if the run is still as it was read; `false` when somebody else went on with it.
pub async fn update(tx: &mut Tx, run: &Reconciliation) -> Result<bool, StoreError> {
    let mut arguments = params![run.id.0, run.version];
    arguments.extend(changing(run)?);
    arguments.extend(params![run.updated_at]);
    arguments.extend(at_authority(run));
    Ok(tx.execute(&UPDATE, arguments).await? == 1)
}

/// None where there is no such run.
pub async fn find(
    on: impl Into<Executor<'_>>,
    id: ReconciliationId,
) -> Result<Option<Reconciliation>, StoreError> {
    let row: Option<Row> = on.into().optional(&FIND, params![id.0]).await?;
    Ok(row.map(Reconciliation::try_from).transpose()?)
}

/// The run of a workspace that has not ended.
pub async fn open(
    on: impl Into<Executor<'_>>,
    workspace: WorkspaceId,
) -> Result<Option<Reconciliation>, StoreError> {
    let row: Option<Row> = on.into().optional(&OPEN, params![workspace]).await?;
    Ok(row.map(Reconciliation::try_from).transpose()?)
}

/// The newest runs of a workspace, or of all, the newest first.
pub async fn newest(
    on: impl Into<Executor<'_>>,
    workspace: Option<WorkspaceId>,
    limit: i64,
) -> Result<Vec<Reconciliation>, StoreError> {
    let rows: Vec<Row> = match workspace {
        Some(workspace) => on.into().all(&OF_WORKSPACE, params![workspace, limit]).await?,
        None => on.into().all(&NEWEST, params![limit]).await?,
    };
    Ok(rows.into_iter().map(Reconciliation::try_from).collect::<Result<_, _>>()?)
}

/// A row as `KEEP` reads it.
#[derive(Serialize)]
struct KeptEntry<'a> {
    entry_id: Uuid,
    document_id: Option<Uuid>,
    number: Option<&'a str>,
    outcome: &'static str,
    divergences: String,
    source: &'static str,
}

impl<'a> KeptEntry<'a> {
    fn of(found: &'a ReconciledEntry) -> Result<Self, StoreError> {
        Ok(Self {
            entry_id: found.entry,
            document_id: found.document.map(|document| document.0),
            number: found.number.as_ref().map(|number| number.0.as_str()),
            outcome: found.outcome.as_str(),
            divergences: StoreError::json(&found.divergences)?,
            source: found.source.as_str(),
        })
    }
}

/// Keeps what a run found; of an entry that it has been at, nothing changes.
pub async fn keep(tx: &mut Tx, run: ReconciliationId, entries: &[ReconciledEntry]) -> Result<(), StoreError> {
    if entries.is_empty() {
        return Ok(());
    }
    let rows = entries.iter().map(KeptEntry::of).collect::<Result<Vec<_>, _>>()?;
    tx.execute(&KEEP, vec![Param::from(run.0), json_rows(&rows)?]).await?;
    Ok(())
}

/// How many entries of a run came to each outcome.
pub async fn counts(
    on: impl Into<Executor<'_>>,
    run: ReconciliationId,
) -> Result<ReconciliationCounts, StoreError> {
    let rows: Vec<(String, i64)> = on.into().all(&COUNTS, params![run.0]).await?;
    let mut counts = ReconciliationCounts::default();
    for (outcome, count) in rows {
        let outcome =
            ReconciliationOutcome::parse(&outcome).ok_or_else(|| corrupt(run.0, "outcome", outcome))?;
        counts.add(outcome, u64::try_from(count).unwrap_or_default());
    }
    Ok(counts)
}

/// How many entries and records of a run nobody filed from here, by where they were found.
pub async fn unknown(
    on: impl Into<Executor<'_>>,
    run: ReconciliationId,
) -> Result<BTreeMap<ReconciliationSource, u64>, StoreError> {
    let rows: Vec<(String, i64)> = on.into().all(&UNKNOWN, params![run.0]).await?;
    let counted = |(source, count): (String, i64)| -> Result<_, Corrupt> {
        let source = ReconciliationSource::parse(&source).ok_or_else(|| corrupt(run.0, "source", &source))?;
        Ok((source, u64::try_from(count).unwrap_or_default()))
    };
    Ok(rows.into_iter().map(counted).collect::<Result<_, _>>()?)
}

#[derive(sqlx::FromRow)]
struct EntryRow {
    entry_id: Id,
    document_id: Option<Id>,
    number: Option<String>,
    outcome: String,
    divergences: String,
    source: String,
}

/// What a run found beside what matches, behind an entry, in the order of the entries' ids.
pub async fn entries(
    on: impl Into<Executor<'_>>,
    run: ReconciliationId,
    after: Uuid,
    limit: i64,
) -> Result<Vec<ReconciledEntry>, StoreError> {
    let rows: Vec<EntryRow> = on.into().all(&ENTRIES, params![run.0, after, limit]).await?;
    let entry = |row: EntryRow| -> Result<_, Corrupt> {
        let outcome = ReconciliationOutcome::parse(&row.outcome)
            .ok_or_else(|| corrupt(run.0, "outcome", &row.outcome))?;
        let source =
            ReconciliationSource::parse(&row.source).ok_or_else(|| corrupt(run.0, "source", &row.source))?;
        Ok(ReconciledEntry {
            source,
            entry: row.entry_id.0,
            document: row.document_id.map(|document| InvoiceId(document.0)),
            number: row.number.map(InvoiceNumber),
            outcome,
            divergences: serde_json::from_str(&row.divergences)
                .map_err(|cause| corrupt(run.0, "divergences", cause))?,
        })
    };
    Ok(rows.into_iter().map(entry).collect::<Result<_, _>>()?)
}

/// Forgets what matched in the runs of a workspace that ended: their counts stay.
pub async fn forget_matching(tx: &mut Tx, workspace: WorkspaceId) -> Result<u64, StoreError> {
    tx.execute(&FORGET_MATCHING, params![workspace]).await
}

/// An entry that was filed from here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FiledEntry {
    /// The provider's entry.
    pub entry: Uuid,
    /// What was filed under it.
    pub document: InvoiceId,
    /// Whose.
    pub workspace: WorkspaceId,
}

/// Those of some entries that were filed from here, whoever filed them.
pub async fn filed(on: impl Into<Executor<'_>>, entries: &[Uuid]) -> Result<Vec<FiledEntry>, StoreError> {
    let rows: Vec<(Id, Id, i64)> = on.into().all(&OWNERS, vec![ids(entries)]).await?;
    let filed = |(entry, document, workspace): (Id, Id, i64)| FiledEntry {
        entry: entry.0,
        document: InvoiceId(document.0),
        workspace: WorkspaceId(workspace),
    };
    Ok(rows.into_iter().map(filed).collect())
}

/// What was filed from here under some numbers, whoever filed it: number, document and workspace.
pub async fn filed_under(
    on: impl Into<Executor<'_>>,
    numbers: &[String],
) -> Result<Vec<(String, InvoiceId, WorkspaceId)>, StoreError> {
    let rows: Vec<(String, Id, i64)> =
        on.into().all(&FILED_UNDER, params![StoreError::json(&numbers)?]).await?;
    let filed = |(number, document, workspace): (String, Id, i64)| {
        (number, InvoiceId(document.0), WorkspaceId(workspace))
    };
    Ok(rows.into_iter().map(filed).collect())
}

/// Entries that a workspace filed within the time of a run and that the run has not been at, behind a place, in the order of
/// their filing.
pub async fn not_listed(
    on: impl Into<Executor<'_>>,
    run: &Reconciliation,
    after: Option<(Timestamp, EntryId)>,
    limit: i64,
) -> Result<Vec<(Timestamp, EntryId, InvoiceId)>, StoreError> {
    filed_within(on, &NOT_LISTED, run, after, limit).await
}

/// The same of entries of documents that the authority accepted, and of which the run has found no record in its list.
pub async fn unlisted(
    on: impl Into<Executor<'_>>,
    run: &Reconciliation,
    after: Option<(Timestamp, EntryId)>,
    limit: i64,
) -> Result<Vec<(Timestamp, EntryId, InvoiceId)>, StoreError> {
    filed_within(on, &UNLISTED, run, after, limit).await
}

async fn filed_within(
    on: impl Into<Executor<'_>>,
    statement: &Sql,
    run: &Reconciliation,
    after: Option<(Timestamp, EntryId)>,
    limit: i64,
) -> Result<Vec<(Timestamp, EntryId, InvoiceId)>, StoreError> {
    let (at, entry) = after.map_or((run.from, Uuid::nil()), |(at, entry)| (at, entry.uuid()));
    let arguments = params![run.workspace, at, entry, run.to, run.id.0, limit];
    let rows: Vec<(Ts, Id, Id)> = on.into().all(statement, arguments).await?;
    let found = |(at, entry, document): (Ts, Id, Id)| -> Result<_, Corrupt> {
        let entry = EntryId::try_from(entry.0).map_err(|cause| corrupt(run.id.0, "entry_id", cause))?;
        Ok((at.0, entry, InvoiceId(document.0)))
    };
    Ok(rows.into_iter().map(found).collect::<Result<_, _>>()?)
}

/// How many entries somebody has to settle, by outcome, in the newest run of each workspace that ended.
pub async fn open_by_outcome(on: impl Into<Executor<'_>>) -> Result<ReconciliationCounts, StoreError> {
    let rows: Vec<(String, i64)> = on.into().all(&OPEN_BY_OUTCOME, params![]).await?;
    let mut counts = ReconciliationCounts::default();
    for (outcome, count) in rows {
        if let Some(outcome) = ReconciliationOutcome::parse(&outcome) {
            counts.add(outcome, u64::try_from(count).unwrap_or_default());
        }
    }
    Ok(counts)
}
