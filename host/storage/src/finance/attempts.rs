//! Attempts: one row per job of the provider, with what became of it and what the tax authority holds of it.

use crate::finance::submissions::{corrupt, plugin};
use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::sql::{ids, params, statements};
use gateway_database::value::{Id, Ts};
use gateway_domain::ids::{EntryId, InvoiceId, ProviderJobId};
use gateway_domain::invoicing::{Acceptance, InvoiceNumber};
use gateway_domain_finance::{
    Attempt, AttemptEnd, AttemptOutcome, AuthorityRecord, Submission, document_digest,
};
use jiff::Timestamp;
use std::collections::HashMap;

/// What an attempt has from its start.
macro_rules! columns {
    () => {
        "job_id, number, entry_id, plugin_key, plugin_version, plugin_digest, started_at, faults"
    };
}

statements! {
    START = both concat!("INSERT INTO submission_attempt (", columns!(), ", document_id, document_digest, ordinal) \
        VALUES ($1, $3, $4, $5, $6, $7, $8, '[]', $2, $9, (SELECT COALESCE(MAX(ordinal), 0) + 1 FROM submission_attempt WHERE document_id = $2))");
    SET_ENTRY_DIGEST = "UPDATE submission_attempt SET entry_digest = $2 WHERE job_id = $1";
    MOVE = "UPDATE submission_attempt SET entry_id = $2 WHERE job_id = $1";
    END = "UPDATE submission_attempt SET ended_at = $2, outcome = $3, faults = $4, authority_record = $5 WHERE job_id = $1 AND ended_at IS NULL";
    UNWATCHED = each ["SELECT a.document_id FROM submission_attempt a JOIN submission s ON s.document_id = a.document_id
        WHERE a.authority_record IS NULL AND a.ended_at IS NOT NULL AND a.ended_at > $1
            AND (a.outcome = 'superseded' OR (a.outcome = 'failed' AND s.stage IN ('accepted', 'rejected', 'superseded', 'withdrawn')))
            AND NOT EXISTS (SELECT 1 FROM job j WHERE j.kind = $2 AND j.subject = ", (text "a.document_id"), ")
        ORDER BY a.ended_at LIMIT $3"];
    RECORD = "UPDATE submission_attempt SET authority_record = $2, acceptance = $3 WHERE job_id = $1";
    OF_DOCUMENTS = each ["SELECT document_id, ", (columns!), ", ended_at, outcome, authority_record, acceptance, entry_digest
        FROM submission_attempt WHERE ", (among "document_id", "$1"), " ORDER BY document_id, ordinal"];
    OF_DOCUMENT = both concat!("SELECT ", columns!(), ", ended_at, outcome, authority_record, acceptance, entry_digest \
        FROM submission_attempt WHERE document_id = $1 ORDER BY ordinal");
}

#[derive(sqlx::FromRow)]
struct Row {
    job_id: Id,
    number: Option<String>,
    entry_id: Option<Id>,
    plugin_key: Option<String>,
    plugin_version: Option<String>,
    plugin_digest: Option<String>,
    started_at: Ts,
    ended_at: Option<Ts>,
    outcome: Option<String>,
    faults: String,
    authority_record: Option<String>,
    acceptance: Option<String>,
    entry_digest: Option<String>,
}

/// An attempt with its document.
#[derive(sqlx::FromRow)]
struct DocumentRow {
    document_id: Id,
    #[sqlx(flatten)]
    row: Row,
}

/// Starts an attempt: one job of the provider.
pub fn start(tx: &mut Tx, submission: &Submission, job: ProviderJobId, now: Timestamp) {
    let data = submission.data();
    let plugin = data.plugin;
    let arguments = params![
        job,
        submission.document,
        data.number.map(|number| number.0.clone()),
        data.document.map(|document| document.entry),
        plugin.map(|plugin| plugin.key.to_string()),
        plugin.map(|plugin| plugin.version.clone()),
        plugin.map(|plugin| plugin.digest.clone()),
        now,
        data.document.map(|document| document_digest(&document.structured)),
    ];
    tx.execute_later(&START, arguments);
}

/// The provider showed the document of an attempt after its upload: the digest of that.
pub fn set_entry_digest(tx: &mut Tx, job: ProviderJobId, entry_digest: &str) {
    tx.execute_later(&SET_ENTRY_DIGEST, params![job, entry_digest]);
}

/// The attempt goes on under another entry.
pub fn move_to(tx: &mut Tx, job: ProviderJobId, entry: EntryId) {
    tx.execute_later(&MOVE, params![job, entry]);
}

/// Ends an attempt; one that ended before keeps its first outcome.
pub fn end(tx: &mut Tx, end: &AttemptEnd, now: Timestamp) -> Result<(), StoreError> {
    let faults = StoreError::json(&end.faults)?;
    let record = end.record.map(|record| record.as_str().to_owned());
    tx.execute_later(&END, params![end.job, now, end.outcome.as_str(), faults, record]);
    Ok(())
}

/// Documents with an attempt that ended after `since` while nobody knows what the authority holds of it, and that no job
/// of `job_kind` watches.
pub async fn unwatched(
    on: impl Into<Executor<'_>>,
    job_kind: &str,
    since: Timestamp,
    limit: i64,
) -> Result<Vec<InvoiceId>, StoreError> {
    let rows: Vec<(Id,)> = on.into().all(&UNWATCHED, params![since, job_kind, limit]).await?;
    let mut documents: Vec<_> = rows.into_iter().map(|(document,)| InvoiceId(document.0)).collect();
    documents.dedup();
    Ok(documents)
}

/// Keeps what was learned of an attempt after it had ended.
pub fn record(
    tx: &mut Tx,
    job: ProviderJobId,
    record: AuthorityRecord,
    acceptance: Option<&Acceptance>,
) -> Result<(), StoreError> {
    let acceptance = acceptance.map(StoreError::json).transpose()?;
    tx.execute_later(&RECORD, params![job, record.as_str(), acceptance]);
    Ok(())
}

/// Every attempt of a document, first one first. Look the submission up first: that checks who may see it.
pub async fn of_document(
    on: impl Into<Executor<'_>>,
    document: InvoiceId,
) -> Result<Vec<Attempt>, StoreError> {
    let rows: Vec<Row> = on.into().all(&OF_DOCUMENT, params![document]).await?;
    Ok(rows.into_iter().map(|row| row.attempt(document)).collect::<Result<_, _>>()?)
}

/// Every attempt of some documents, by document, first one first of each.
pub async fn of_documents(
    on: impl Into<Executor<'_>>,
    documents: &[InvoiceId],
) -> Result<HashMap<InvoiceId, Vec<Attempt>>, StoreError> {
    let mut attempts: HashMap<_, Vec<_>> = HashMap::new();
    if documents.is_empty() {
        return Ok(attempts);
    }
    let rows: Vec<DocumentRow> = on.into().all(&OF_DOCUMENTS, vec![ids(documents)]).await?;
    for row in rows {
        let document = InvoiceId(row.document_id.0);
        attempts.entry(document).or_default().push(row.row.attempt(document)?);
    }
    Ok(attempts)
}

impl Row {
    fn attempt(self, document: InvoiceId) -> Result<Attempt, Corrupt> {
        let row = self;
        let wrong = |column, cause: &dyn std::fmt::Display| corrupt(document.0, column, cause);
        let entry = row.entry_id.map(|entry| EntryId::try_from(entry.0)).transpose();
        let record = row
            .authority_record
            .map(|text| AuthorityRecord::parse(&text).ok_or_else(|| wrong("authority_record", &text)));
        let outcome =
            row.outcome.map(|text| AttemptOutcome::parse(&text).ok_or_else(|| wrong("outcome", &text)));
        let acceptance = row.acceptance.as_deref().map(serde_json::from_str).transpose();
        Ok(Attempt {
            job: ProviderJobId::try_from(row.job_id.0).map_err(|cause| wrong("job_id", &cause))?,
            number: row.number.map(InvoiceNumber),
            entry: entry.map_err(|cause| wrong("entry_id", &cause))?,
            plugin: plugin(document.0, row.plugin_key, row.plugin_version, row.plugin_digest)?,
            started_at: row.started_at.0,
            ended_at: row.ended_at.map(|at| at.0),
            outcome: outcome.transpose()?,
            faults: serde_json::from_str(&row.faults).map_err(|cause| wrong("faults", &cause))?,
            authority_record: record.transpose()?,
            acceptance: acceptance.map_err(|cause| wrong("acceptance", &cause))?,
            entry_digest: row.entry_digest,
        })
    }
}
