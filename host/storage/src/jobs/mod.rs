//! Background work: one row per thing to do, leased by whoever works on it, woken when there is news.
//!
//! A job runs at least once; whoever held it too long has lost it and can neither complete nor postpone it.

pub mod leases;

use self::leases::lease_text;
use gateway_database::dispatch::Executor;
use gateway_database::error::StoreError;
use gateway_database::sql::{ids, params, statements};
use gateway_database::value::{Id, Ts};
use gateway_database::wakeups::Topic;
use gateway_database::{Db, Tx};
use gateway_domain::ids::JobId;
use jiff::{SignedDuration, Timestamp};
use std::collections::HashMap;
use uuid::Uuid;

statements! {
    ENQUEUE = "INSERT INTO job (id, kind, subject, run_at, attempts, wakeups, traceparent) VALUES ($1, $2, $3, $4, 0, 0, $5)
        ON CONFLICT (kind, subject) DO UPDATE SET wakeups = job.wakeups + 1,
            traceparent = COALESCE(job.traceparent, excluded.traceparent),
            run_at = CASE WHEN excluded.run_at < job.run_at THEN excluded.run_at ELSE job.run_at END";
    WAKE = each ["UPDATE job SET wakeups = wakeups + 1, run_at = CASE WHEN run_at > $3 THEN $3 ELSE run_at END
        WHERE kind IN ", (words "$1"), " AND subject = $2"];
    // Each kind is looked up by itself: what waits of one costs the look after another nothing.
    DUE_KINDS = each ["SELECT asked.value FROM ", (words "$2"), " AS asked WHERE EXISTS (SELECT 1 FROM job
            WHERE kind = asked.value AND run_at <= $1 AND (lease_until IS NULL OR lease_until <= ", (now), "
                OR lease_until > ", (now + "'+15 minutes'"), "))"];
    NEXT_DUE = each ["SELECT MIN((SELECT MIN(run_at) FROM job WHERE kind = asked.value
            AND (lease_until IS NULL OR lease_until <= ", (now), " OR lease_until > ", (now + "'+15 minutes'"), ")))
        FROM ", (words "$1"), " AS asked"];
    // Half of what is claimed is what time runs out for, so that what is late for good holds nobody up; the rest waited longest.
    CLAIM = pg "WITH urgent AS MATERIALIZED (
            SELECT id FROM job WHERE kind = $5 AND urgent_at <= $1 AND run_at <= $1
                AND (lease_until IS NULL OR lease_until <= clock_timestamp()
                    OR lease_until > clock_timestamp() + interval '15 minutes')
            ORDER BY urgent_at, id LIMIT ($2 + 1) / 2 FOR UPDATE SKIP LOCKED),
        due AS MATERIALIZED (
            SELECT id FROM job WHERE kind = $5 AND run_at <= $1 AND id NOT IN (SELECT id FROM urgent)
                AND (lease_until IS NULL OR lease_until <= clock_timestamp()
                    OR lease_until > clock_timestamp() + interval '15 minutes')
            ORDER BY run_at, id LIMIT $2 - (SELECT COUNT(*) FROM urgent) FOR UPDATE SKIP LOCKED)
        UPDATE job SET lease_owner = $3, lease_until = clock_timestamp() + $4::text::interval, attempts = attempts + 1
        FROM (SELECT id FROM urgent UNION ALL SELECT id FROM due) AS claimed WHERE job.id = claimed.id
        RETURNING job.id, kind, subject, run_at, urgent_at, attempts, wakeups, traceparent",
        sqlite "WITH urgent AS MATERIALIZED (
            SELECT id FROM job WHERE kind = $5 AND urgent_at <= $1 AND run_at <= $1
                AND (lease_until IS NULL OR lease_until <= strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')
                    OR lease_until > strftime('%Y-%m-%dT%H:%M:%f000Z', 'now', '+15 minutes'))
            ORDER BY urgent_at, id LIMIT ($2 + 1) / 2),
        due AS MATERIALIZED (
            SELECT id FROM job WHERE kind = $5 AND run_at <= $1 AND id NOT IN (SELECT id FROM urgent)
                AND (lease_until IS NULL OR lease_until <= strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')
                    OR lease_until > strftime('%Y-%m-%dT%H:%M:%f000Z', 'now', '+15 minutes'))
            ORDER BY run_at, id LIMIT $2 - (SELECT COUNT(*) FROM urgent))
        UPDATE job SET lease_owner = $3, lease_until = strftime('%Y-%m-%dT%H:%M:%f000Z', 'now', $4), attempts = attempts + 1
        WHERE id IN (SELECT id FROM urgent UNION ALL SELECT id FROM due)
        RETURNING id, kind, subject, run_at, urgent_at, attempts, wakeups, traceparent";
    EXTEND = each ["UPDATE job SET lease_until = ", (now + "$3"), " WHERE ", (among "id", "$1"), " AND lease_owner = $2"];
    RELEASE = "UPDATE job SET lease_owner = NULL, lease_until = NULL
        WHERE lease_owner IS NOT NULL AND (lease_owner = $1 OR $1 IS NULL)";
    COMPLETE = "DELETE FROM job WHERE id = $1 AND lease_owner = $2 AND attempts = $3 AND wakeups = $4";
    POSTPONE = each ["UPDATE job SET lease_owner = NULL, lease_until = NULL,
            run_at = CASE WHEN wakeups = $4 THEN ", (timestamp "$5"), " ELSE ", (timestamp "$6"), " END
        WHERE id = $1 AND lease_owner = $2 AND attempts = $3"];
    SET_URGENT = "UPDATE job SET urgent_at = $3 WHERE kind = $1 AND subject = $2";
    UNKNOWN = each ["SELECT kind, COUNT(*) FROM job
            WHERE kind NOT IN ", (words "$1"), " GROUP BY kind ORDER BY kind"];
    DUE = "SELECT kind, COUNT(*) AS jobs, MIN(run_at) AS since FROM job WHERE run_at <= $1 GROUP BY kind ORDER BY kind";
    ANY_BEYOND = "SELECT id FROM job WHERE run_at > $1 LIMIT 1";
    RECALL = "UPDATE job SET run_at = $2 WHERE run_at > $1";
    REMOVE = "DELETE FROM job WHERE kind = $1 AND subject = $2";
    DUE_OF = each ["SELECT subject, run_at FROM job WHERE kind = $1 AND subject IN ", (words "$2")];
    COUNT = "SELECT COUNT(*) FROM job";
}

/// As people know it.
const TABLE: &str = "job";

/// A job in the hands of `owner`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedJob {
    /// For [`extend`], which takes several jobs.
    pub id: JobId,
    /// What kind of work.
    pub kind: String,
    /// What it is about: unique within its kind.
    pub subject: String,
    /// How often it was claimed, this time included. Never starts over while the job exists.
    pub attempts: i64,
    /// The trace of what queued it first.
    pub traceparent: Option<String>,
    owner: String,
    wakeups: i64,
}

/// What became of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndResult {
    /// It is gone, or postponed as asked.
    Done,
    /// It was woken while it ran, so it runs again at once.
    Again,
    /// The lease had passed to somebody else, or the job was removed: what was done must not count twice.
    Lost,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: Id,
    kind: String,
    subject: String,
    run_at: Ts,
    urgent_at: Option<Ts>,
    attempts: i64,
    wakeups: i64,
    traceparent: Option<String>,
}

impl Row {
    /// What is urgent at `now` comes first, by when it became so; the rest by when it was due.
    fn order(&self, now: Timestamp) -> (bool, Timestamp, Uuid) {
        match &self.urgent_at {
            Some(urgent_at) if urgent_at.0 <= now => (false, urgent_at.0, self.id.0),
            _ => (true, self.run_at.0, self.id.0),
        }
    }
}

/// Puts work into the queue. When the same work waits already it is woken, and runs at the earlier of both times;
/// `id` is then not used.
pub fn enqueue(tx: &mut Tx, id: JobId, kind: &str, subject: &str, run_at: Timestamp) {
    let traceparent = gateway_trace_context::current();
    tx.execute_later(&ENQUEUE, params![id, kind, subject, run_at, traceparent]);
    tx.wake_after_commit(Topic::Jobs);
}

/// Makes waiting work of these kinds run now, and running work run again, if there is any.
pub fn wake(tx: &mut Tx, kinds: &[&str], subject: &str, now: Timestamp) -> Result<(), StoreError> {
    tx.execute_later(&WAKE, params![StoreError::json(&kinds)?, subject, now]);
    tx.wake_after_commit(Topic::Jobs);
    Ok(())
}

/// Takes jobs that are due at `now`, up to half of them those that are urgent then, the oldest first, up to a limit of each kind, for as long as `lease` by the database's clock, which
/// is the same for every process. A lease that ends later than any was given for is not believed, see [`leases`]. Two claimers
/// never get the same job. Costs one read when nothing of these kinds is due.
pub async fn claim(
    db: &Db,
    owner: &str,
    now: Timestamp,
    lease: SignedDuration,
    limits: &[(&str, i64)],
) -> Result<Vec<ClaimedJob>, StoreError> {
    let kinds: Vec<_> = limits.iter().map(|(kind, _)| kind).collect();
    let due: Vec<(String,)> = db.fetch_all(&DUE_KINDS, params![now, StoreError::json(&kinds)?]).await?;
    if due.is_empty() {
        return Ok(Vec::new());
    }
    let mut due = limits.iter().filter(|(kind, _)| due.iter().any(|(due,)| due == kind));
    let Some(last) = due.next_back() else { return Ok(Vec::new()) };
    let arguments = |(kind, limit): &(&str, i64)| params![now, *limit, owner, lease_text(lease), *kind];
    let mut tx = db.begin().await?;
    let mut rows: Vec<Row> = Vec::new();
    for one in due {
        rows.extend(tx.fetch_all::<Row>(&CLAIM, arguments(one)).await?);
    }
    rows.extend(tx.commit_with::<Row>("claimed", &CLAIM, arguments(last)).await?);
    rows.sort_by_key(|row| row.order(now));
    let claimed = |row: Row| ClaimedJob {
        id: JobId(row.id.0),
        kind: row.kind,
        subject: row.subject,
        attempts: row.attempts,
        traceparent: row.traceparent,
        owner: owner.to_owned(),
        wakeups: row.wakeups,
    };
    Ok(rows.into_iter().map(claimed).collect())
}

/// When the next job of these kinds is due that nobody has, already or later; none: there is none.
pub async fn next_due(on: impl Into<Executor<'_>>, kinds: &[&str]) -> Result<Option<Timestamp>, StoreError> {
    let (at,): (Option<Ts>,) = on.into().one(&NEXT_DUE, params![StoreError::json(&kinds)?]).await?;
    Ok(at.map(|at| at.0))
}

/// Keeps jobs that `owner` has for as long as `lease` from now on, and says how many there are.
pub async fn extend(
    tx: &mut Tx,
    jobs: &[JobId],
    owner: &str,
    lease: SignedDuration,
) -> Result<u64, StoreError> {
    let mut arguments = vec![ids(jobs)];
    arguments.extend(params![owner, lease_text(lease)]);
    tx.execute(&EXTEND, arguments).await
}

/// Ends the lease of every job that `owner` has, or that anybody has, so that somebody goes on at once; says how many. What
/// the owner still does counts no more. Everybody's only by whoever holds the instance lock of a SQLite file; replicas on
/// PostgreSQL wait for the leases to end.
pub async fn release(tx: &mut Tx, owner: Option<&str>) -> Result<u64, StoreError> {
    tx.execute(&RELEASE, params![owner.map(str::to_owned)]).await
}

/// The work is done: the job goes, unless it was woken meanwhile.
pub async fn complete(tx: &mut Tx, job: &ClaimedJob, now: Timestamp) -> Result<EndResult, StoreError> {
    if tx.execute(&COMPLETE, params![job.id, &job.owner, job.attempts, job.wakeups]).await? == 1 {
        return Ok(EndResult::Done);
    }
    // The wakeups differ, so the job runs now whatever time is given.
    let postponed =
        tx.execute(&POSTPONE, params![job.id, &job.owner, job.attempts, job.wakeups, now, now]).await?;
    Ok(if postponed == 1 { EndResult::Again } else { EndResult::Lost })
}

/// The work goes on at `run_at`, or now if the job was woken meanwhile. When the lease has passed to somebody else, the next
/// statement or the commit fails with [`StoreError::Moved`].
pub fn postpone(tx: &mut Tx, job: &ClaimedJob, run_at: Timestamp, now: Timestamp) {
    let params = params![job.id, &job.owner, job.attempts, job.wakeups, run_at, now];
    tx.execute_one_later(&POSTPONE, params, TABLE);
}

/// From when on work is claimed before others of its kind, because time runs out for what it is about; none: never.
pub fn set_urgent(tx: &mut Tx, kind: &str, subject: &str, urgent_at: Option<Timestamp>) {
    tx.execute_later(&SET_URGENT, params![kind, subject, urgent_at]);
}

/// Kinds of work in the queue beside the known ones, and how much of each.
pub async fn unknown(on: impl Into<Executor<'_>>, known: &[&str]) -> Result<Vec<(String, i64)>, StoreError> {
    on.into().all(&UNKNOWN, params![StoreError::json(&known)?]).await
}

/// Kinds of work that is due at `now`, that which runs included: how much of each, and since when the first of it is due.
pub async fn due(
    on: impl Into<Executor<'_>>,
    now: Timestamp,
) -> Result<Vec<(String, i64, Timestamp)>, StoreError> {
    let rows: Vec<(String, i64, Ts)> = on.into().all(&DUE, params![now]).await?;
    Ok(rows.into_iter().map(|(kind, jobs, since)| (kind, jobs, since.0)).collect())
}

/// Whether work is due later than `horizon`.
pub async fn any_beyond(on: impl Into<Executor<'_>>, horizon: Timestamp) -> Result<bool, StoreError> {
    on.into().exists(&ANY_BEYOND, params![horizon]).await
}

/// Makes what is due later than `horizon` due now, and says how much that was.
pub async fn recall(tx: &mut Tx, horizon: Timestamp, now: Timestamp) -> Result<u64, StoreError> {
    let recalled = tx.execute(&RECALL, params![horizon, now]).await?;
    tx.wake_after_commit(Topic::Jobs);
    Ok(recalled)
}

/// Takes work out of the queue, whoever holds it; `false` when there is none.
pub async fn remove(tx: &mut Tx, kind: &str, subject: &str) -> Result<bool, StoreError> {
    Ok(tx.execute(&REMOVE, params![kind, subject]).await? == 1)
}

/// When the jobs of these subjects are due, by subject; those without a job are left out.
pub async fn due_of(
    on: impl Into<Executor<'_>>,
    kind: &str,
    subjects: &[String],
) -> Result<HashMap<String, Timestamp>, StoreError> {
    if subjects.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<(String, Ts)> = on.into().all(&DUE_OF, params![kind, StoreError::json(&subjects)?]).await?;
    Ok(rows.into_iter().map(|(subject, at)| (subject, at.0)).collect())
}

/// How many jobs there are.
pub async fn count(on: impl Into<Executor<'_>>) -> Result<i64, StoreError> {
    let (count,): (i64,) = on.into().one(&COUNT, params![]).await?;
    Ok(count)
}

#[cfg(test)]
mod tests;
