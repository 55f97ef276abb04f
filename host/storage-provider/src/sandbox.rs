//! What the stand-in provider keeps: entries, jobs, notifications, and the authority's memory. Bodies are JSON
//! that only the sandbox understands.

use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::StoreError;
use gateway_database::sql::{params, statements};
use gateway_database::value::{Id, Ts};
use gateway_database::wakeups::Topic;
use jiff::Timestamp;
use uuid::Uuid;

macro_rules! entry_columns {
    () => {
        "id, key, body, version, created_at"
    };
}

macro_rules! job_columns {
    () => {
        "id, key, entry_id, body, run_at"
    };
}

macro_rules! delivery_columns {
    () => {
        "id, body, attempts, since, due_at"
    };
}

statements! {
    ENTRY = both concat!("SELECT ", entry_columns!(), " FROM sandbox_entry WHERE id = $1");
    ENTRY_BY_KEY = both concat!("SELECT ", entry_columns!(), " FROM sandbox_entry WHERE key = $1");
    ENTRIES_SINCE = both concat!("SELECT ", entry_columns!(), " FROM sandbox_entry WHERE (created_at, id) > ($1, $2)
        ORDER BY created_at, id LIMIT $3");
    ENTRIES_BEFORE = both concat!("SELECT ", entry_columns!(), " FROM sandbox_entry WHERE (created_at, id) < ($1, $2)
        ORDER BY created_at DESC, id DESC LIMIT $3");
    INSERT_ENTRY = both concat!("INSERT INTO sandbox_entry (", entry_columns!(), ") VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING");
    UPDATE_ENTRY = "UPDATE sandbox_entry SET body = $2, version = $3 + 1 WHERE id = $1 AND version = $3";
    COUNT_CALL = "INSERT INTO sandbox_call (entry_id, calls) VALUES ($1, 1)
        ON CONFLICT (entry_id) DO UPDATE SET calls = sandbox_call.calls + 1 RETURNING calls";
    JOB = both concat!("SELECT ", job_columns!(), " FROM sandbox_job WHERE id = $1");
    JOB_BY_KEY = both concat!("SELECT ", job_columns!(), " FROM sandbox_job WHERE key = $1");
    INSERT_JOB = both concat!("INSERT INTO sandbox_job (", job_columns!(), ") VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT DO NOTHING");
    OPEN_JOBS = both concat!("SELECT ", job_columns!(), " FROM sandbox_job WHERE run_at IS NOT NULL
        ORDER BY run_at, id LIMIT $1");
    FINISH_JOB = "UPDATE sandbox_job SET body = $2, run_at = NULL WHERE id = $1 AND run_at IS NOT NULL";
    POSTPONE_JOB = "UPDATE sandbox_job SET run_at = $2 WHERE id = $1 AND run_at IS NOT NULL";
    INSERT_DELIVERY = both concat!("INSERT INTO sandbox_delivery (", delivery_columns!(), ") VALUES ($1, $2, 0, $3, $3)");
    OPEN_DELIVERIES = both concat!("SELECT ", delivery_columns!(), " FROM sandbox_delivery ORDER BY due_at, id LIMIT $1");
    POSTPONE_DELIVERY = "UPDATE sandbox_delivery SET attempts = attempts + 1, due_at = $2 WHERE id = $1";
    DELETE_DELIVERY = "DELETE FROM sandbox_delivery WHERE id = $1";
    RECORD = "SELECT record FROM sandbox_record WHERE regime = $1 AND record_key = $2";
    PUT_RECORD = "INSERT INTO sandbox_record (regime, record_key, record) VALUES ($1, $2, $3)
        ON CONFLICT (regime, record_key) DO UPDATE SET record = excluded.record";
    CHAIN = "SELECT record, version FROM sandbox_chain WHERE regime = $1 AND chain = $2";
    START_CHAIN = "INSERT INTO sandbox_chain (regime, chain, record, version) VALUES ($1, $2, $3, 1)
        ON CONFLICT DO NOTHING";
    EXTEND_CHAIN = "UPDATE sandbox_chain SET record = $3, version = $4 + 1
        WHERE regime = $1 AND chain = $2 AND version = $4";
}

/// A stored document.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct EntryRow {
    /// Chosen by the caller.
    pub id: Id,
    /// The caller's idempotency key.
    pub key: Option<String>,
    /// JSON that only the sandbox reads.
    pub body: String,
    /// Grows by one with every change.
    pub version: i64,
    /// When it was stored first.
    pub created_at: Ts,
}

/// The order in which entries are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryOrder {
    /// By the time of their making.
    OldestFirst,
    /// The other way round.
    NewestFirst,
}

/// A run of a workflow.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct JobRow {
    /// Chosen by the caller.
    pub id: Id,
    /// The caller's idempotency key.
    pub key: Option<String>,
    /// The entry it works on.
    pub entry_id: Id,
    /// JSON that only the sandbox reads.
    pub body: String,
    /// When it runs; none once it ran.
    pub run_at: Option<Ts>,
}

/// A notification that was not taken yet.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct DeliveryRow {
    /// Its id; several deliveries may carry one notification.
    pub id: Id,
    /// JSON, as it is sent.
    pub body: String,
    /// How often it was tried.
    pub attempts: i64,
    /// Since when it is owed.
    pub since: Ts,
    /// When it is tried next.
    pub due_at: Ts,
}

/// The end of a chain of records.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct ChainRow {
    /// The last record, opaque.
    pub record: String,
    /// How many records the chain has.
    pub version: i64,
}

#[derive(sqlx::FromRow)]
struct CallCountRow {
    calls: i64,
}

#[derive(sqlx::FromRow)]
struct Record {
    record: String,
}

/// None where nothing was stored under this id.
pub async fn entry(on: impl Into<Executor<'_>>, id: Id) -> Result<Option<EntryRow>, StoreError> {
    on.into().optional(&ENTRY, params![id]).await
}

/// By the idempotency key of its caller; none where nobody used it.
pub async fn entry_by_key(on: impl Into<Executor<'_>>, key: &str) -> Result<Option<EntryRow>, StoreError> {
    on.into().optional(&ENTRY_BY_KEY, params![key]).await
}

/// Entries behind a place of the list, which itself is left out.
pub async fn entries(
    on: impl Into<Executor<'_>>,
    order: EntryOrder,
    (at, id): (Timestamp, Uuid),
    limit: i64,
) -> Result<Vec<EntryRow>, StoreError> {
    let statement = match order {
        EntryOrder::OldestFirst => &ENTRIES_SINCE,
        EntryOrder::NewestFirst => &ENTRIES_BEFORE,
    };
    on.into().all(statement, params![at, id, limit]).await
}

/// Stores a new entry; the commit fails with [`StoreError::Moved`] when id or key are taken.
pub fn insert_entry(tx: &mut Tx, row: &EntryRow) {
    let values = params![row.id, row.key.clone(), &row.body, row.version, row.created_at];
    tx.execute_one_later(&INSERT_ENTRY, values, "entry");
}

/// Replaces the body of an entry that still has `row.version`; the commit fails with [`StoreError::Moved`] when somebody else was
/// faster.
pub fn update_entry(tx: &mut Tx, row: &EntryRow) {
    tx.execute_one_later(&UPDATE_ENTRY, params![row.id, &row.body, row.version], "entry");
}

/// [`update_entry`], unless somebody else was faster.
pub fn update_entry_if_same(tx: &mut Tx, row: &EntryRow) {
    tx.execute_later(&UPDATE_ENTRY, params![row.id, &row.body, row.version]);
}

/// Counts a call about an entry that may not exist yet, and says which one it is, from 1.
pub async fn count_call(tx: &mut Tx, entry: Id) -> Result<i64, StoreError> {
    Ok(tx.fetch_one::<CallCountRow>(&COUNT_CALL, params![entry]).await?.calls)
}

/// None where nothing was started under this id.
pub async fn job(on: impl Into<Executor<'_>>, id: Id) -> Result<Option<JobRow>, StoreError> {
    on.into().optional(&JOB, params![id]).await
}

/// By the idempotency key of its caller; none where nobody used it.
pub async fn job_by_key(on: impl Into<Executor<'_>>, key: &str) -> Result<Option<JobRow>, StoreError> {
    on.into().optional(&JOB_BY_KEY, params![key]).await
}

/// Stores a new job; the commit fails with [`StoreError::Moved`] when id or key are taken.
pub fn insert_job(tx: &mut Tx, row: &JobRow) {
    let values = params![row.id, row.key.clone(), row.entry_id, &row.body, row.run_at];
    tx.execute_one_later(&INSERT_JOB, values, "job");
    tx.wake_after_commit(Topic::SandboxJobs);
}

/// Jobs that did not run yet, the earliest first, due or not.
pub async fn open_jobs(on: impl Into<Executor<'_>>, limit: i64) -> Result<Vec<JobRow>, StoreError> {
    on.into().all(&OPEN_JOBS, params![limit]).await
}

/// Ends a job; the commit fails with [`StoreError::Moved`] when it ended already.
pub fn finish_job(tx: &mut Tx, id: Id, body: &str) {
    tx.execute_one_later(&FINISH_JOB, params![id, body], "job");
}

/// Runs a job later.
pub fn postpone_job(tx: &mut Tx, id: Id, run_at: Ts) {
    tx.execute_later(&POSTPONE_JOB, params![id, run_at]);
}

/// Owes a notification from `since` on.
pub fn insert_delivery(tx: &mut Tx, id: Id, body: &str, since: Ts) {
    tx.execute_later(&INSERT_DELIVERY, params![id, body, since]);
    tx.wake_after_commit(Topic::SandboxDeliveries);
}

/// Notifications that are owed, the earliest first, due or not.
pub async fn open_deliveries(
    on: impl Into<Executor<'_>>,
    limit: i64,
) -> Result<Vec<DeliveryRow>, StoreError> {
    on.into().all(&OPEN_DELIVERIES, params![limit]).await
}

/// Tries a notification again later, and counts the try that failed.
pub fn postpone_delivery(tx: &mut Tx, id: Id, due_at: Ts) {
    tx.execute_later(&POSTPONE_DELIVERY, params![id, due_at]);
}

/// Owes a notification no longer.
pub fn delete_delivery(tx: &mut Tx, id: Id) {
    tx.execute_later(&DELETE_DELIVERY, params![id]);
}

/// What the authority filed under this key.
pub async fn record(
    on: impl Into<Executor<'_>>,
    regime: &str,
    record_key: &str,
) -> Result<Option<String>, StoreError> {
    let found: Option<Record> = on.into().optional(&RECORD, params![regime, record_key]).await?;
    Ok(found.map(|row| row.record))
}

/// Files a record, over an earlier one of the same key.
pub fn put_record(tx: &mut Tx, regime: &str, record_key: &str, record: &str) {
    tx.execute_later(&PUT_RECORD, params![regime, record_key, record]);
}

/// The end of this chain; none before its first record.
pub async fn chain(
    on: impl Into<Executor<'_>>,
    regime: &str,
    chain: &str,
) -> Result<Option<ChainRow>, StoreError> {
    on.into().optional(&CHAIN, params![regime, chain]).await
}

/// Puts `record` at the end of the chain whose end was `expected`; the commit fails with [`StoreError::Moved`] when the chain went
/// on meanwhile.
pub fn extend_chain(tx: &mut Tx, regime: &str, chain: &str, record: &str, expected: Option<&ChainRow>) {
    match expected {
        None => tx.execute_one_later(&START_CHAIN, params![regime, chain, record], "chain"),
        Some(end) => {
            tx.execute_one_later(&EXTEND_CHAIN, params![regime, chain, record, end.version], "chain");
        }
    }
}
