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
    // What time runs out for comes before what has waited longer.
    CLAIM = pg "WITH urgent AS MATERIALIZED (
            SELECT id FROM job WHERE kind = $5 AND urgent_at <= $1 AND run_at <= $1
                AND (lease_until IS NULL OR lease_until <= clock_timestamp()
                    OR lease_until > clock_timestamp() + interval '15 minutes')
            ORDER BY urgent_at, id LIMIT $2 FOR UPDATE SKIP LOCKED),
        due AS MATERIALIZED (
            SELECT id FROM job WHERE kind = $5 AND run_at <= $1 AND (urgent_at IS NULL OR urgent_at > $1)
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
            ORDER BY urgent_at, id LIMIT $2),
        due AS MATERIALIZED (
            SELECT id FROM job WHERE kind = $5 AND run_at <= $1 AND (urgent_at IS NULL OR urgent_at > $1)
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
            run_at = CASE WHEN wakeups = $4 THEN ", (timestamp "$5"), " ELSE ", (timestamp "$6"), " END,
            urgent_at = COALESCE(", (timestamp "$7"), ", urgent_at)
        WHERE id = $1 AND lease_owner = $2 AND attempts = $3"];
    UNKNOWN = each ["SELECT kind, COUNT(*) FROM job
            WHERE kind NOT IN ", (words "$1"), " GROUP BY kind ORDER BY kind"];
    DUE = "SELECT kind, COUNT(*) AS jobs, MIN(run_at) AS since FROM job WHERE run_at <= $1 GROUP BY kind ORDER BY kind";
    ANY_BEYOND = "SELECT id FROM job WHERE run_at > $1 LIMIT 1";
    RECALL = "UPDATE job SET run_at = $2 WHERE run_at > $1";
    REMOVE = "DELETE FROM job WHERE kind = $1 AND subject = $2";
    FIND = "SELECT run_at FROM job WHERE kind = $1 AND subject = $2";
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

/// When a job goes on that is not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resumption {
    /// When it is due again.
    pub run_at: Timestamp,
    /// From when on it is claimed before others of its kind, because time runs out for what it is about; none: as it was.
    pub urgent_at: Option<Timestamp>,
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

/// Takes jobs that are due at `now`, those first that are urgent then, the oldest first, up to a limit of each kind, for as long as `lease` by the database's clock, which
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
    let postponed = tx
        .execute(
            &POSTPONE,
            params![job.id, &job.owner, job.attempts, job.wakeups, now, now, None::<Timestamp>],
        )
        .await?;
    Ok(if postponed == 1 { EndResult::Again } else { EndResult::Lost })
}

/// The work goes on later, or now if the job was woken meanwhile. When the lease has passed to somebody else, the next
/// statement or the commit fails with [`StoreError::Moved`].
pub fn postpone(tx: &mut Tx, job: &ClaimedJob, resumption: Resumption, now: Timestamp) {
    let Resumption { run_at, urgent_at } = resumption;
    let params = params![job.id, &job.owner, job.attempts, job.wakeups, run_at, now, urgent_at];
    tx.execute_one_later(&POSTPONE, params, TABLE);
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

/// When the work is due; `None` when nothing waits.
pub async fn due_at(
    on: impl Into<Executor<'_>>,
    kind: &str,
    subject: &str,
) -> Result<Option<Timestamp>, StoreError> {
    let row: Option<(Ts,)> = on.into().optional(&FIND, params![kind, subject]).await?;
    Ok(row.map(|(at,)| at.0))
}

/// How many jobs there are.
pub async fn count(on: impl Into<Executor<'_>>) -> Result<i64, StoreError> {
    let (count,): (i64,) = on.into().one(&COUNT, params![]).await?;
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, samples::at};
    use std::collections::BTreeSet;

    const LEASE: SignedDuration = SignedDuration::from_secs(600);

    fn resumed(at_second: i64) -> Resumption {
        Resumption { run_at: at(at_second), urgent_at: None }
    }

    async fn put(db: &Db, number: u128, run_at: Timestamp) {
        let mut tx = db.begin().await.unwrap();
        enqueue(&mut tx, JobId(Uuid::from_u128(number)), "submit", &number.to_string(), run_at);
        tx.commit().await.unwrap();
    }

    async fn claim_one(db: &Db, owner: &str, now: i64) -> Option<ClaimedJob> {
        claim(db, owner, at(now), LEASE, &[("submit", 1)]).await.unwrap().pop()
    }

    async fn is_lost_when_postponed(db: &Db, job: &ClaimedJob) -> bool {
        let mut tx = db.begin().await.unwrap();
        postpone(&mut tx, job, resumed(90), at(31));
        matches!(tx.commit().await, Err(StoreError::Moved { table: TABLE }))
    }

    #[tokio::test]
    async fn a_due_job_is_claimed_once_and_gone_when_complete() {
        for db in testing::both().await {
            put(&db, 1, at(10)).await;
            assert_eq!(claim_one(&db, "a", 9).await, None, "not due");
            let job = claim_one(&db, "a", 10).await.unwrap();
            assert_eq!((job.kind.as_str(), job.subject.as_str(), job.attempts), ("submit", "1", 1));
            assert_eq!(claim_one(&db, "b", 11).await, None, "leased");
            let mut tx = db.begin().await.unwrap();
            assert_eq!(complete(&mut tx, &job, at(12)).await.unwrap(), EndResult::Done);
            tx.commit().await.unwrap();
            assert_eq!(count(db.db()).await.unwrap(), 0);
        }
    }

    #[tokio::test]
    async fn a_poke_while_the_job_runs_makes_it_run_again_at_once() {
        for db in testing::both().await {
            put(&db, 1, at(0)).await;
            let job = claim_one(&db, "a", 0).await.unwrap();
            let mut tx = db.begin().await.unwrap();
            wake(&mut tx, &["submit"], "1", at(1)).unwrap();
            wake(&mut tx, &["submit"], "2", at(1)).unwrap();
            assert_eq!(complete(&mut tx, &job, at(2)).await.unwrap(), EndResult::Again);
            tx.commit().await.unwrap();
            let again = claim_one(&db, "a", 2).await.unwrap();
            let mut tx = db.begin().await.unwrap();
            assert_eq!(
                complete(&mut tx, &job, at(3)).await.unwrap(),
                EndResult::Lost,
                "a stale claim counts no more"
            );
            wake(&mut tx, &["submit"], "1", at(3)).unwrap();
            postpone(&mut tx, &again, resumed(500), at(4));
            tx.commit().await.unwrap();
            assert_eq!(due_at(db.db(), "submit", "1").await.unwrap(), Some(at(4)));
        }
    }

    #[tokio::test]
    async fn a_job_whose_holder_died_is_claimed_by_another_when_the_lease_ends() {
        for db in testing::both().await {
            put(&db, 1, at(0)).await;
            let lost = claim_one(&db, "a", 0).await.unwrap();
            assert_eq!(claim_one(&db, "b", 86_400).await, None, "whatever the claimer's own clock says");
            testing::expire_leases(&db).await;
            let job = claim_one(&db, "b", 0).await.unwrap();
            assert_eq!(job.attempts, 2);
            assert!(is_lost_when_postponed(&db, &lost).await);
            let mut tx = db.begin().await.unwrap();
            assert_eq!(complete(&mut tx, &lost, at(31)).await.unwrap(), EndResult::Lost);
            postpone(&mut tx, &job, resumed(60), at(31));
            tx.commit().await.unwrap();
            assert_eq!(due_at(db.db(), "submit", "1").await.unwrap(), Some(at(60)));
        }
    }

    #[tokio::test]
    async fn a_claim_of_the_same_owner_that_was_lost_in_between_counts_no_more() {
        for db in testing::both().await {
            put(&db, 1, at(0)).await;
            let first = claim_one(&db, "a", 0).await.unwrap();
            testing::expire_leases(&db).await;
            let second = claim_one(&db, "a", 0).await.unwrap();
            let mut tx = db.begin().await.unwrap();
            assert_eq!(complete(&mut tx, &first, at(1)).await.unwrap(), EndResult::Lost);
            tx.rollback().await.unwrap();
            assert!(is_lost_when_postponed(&db, &first).await);
            let mut tx = db.begin().await.unwrap();
            assert_eq!(complete(&mut tx, &second, at(1)).await.unwrap(), EndResult::Done);
        }
    }

    #[tokio::test]
    async fn whoever_gave_a_job_back_or_never_had_it_cannot_end_it() {
        for db in testing::both().await {
            put(&db, 1, at(0)).await;
            let held = claim_one(&db, "a", 0).await.unwrap();
            let stranger = ClaimedJob { owner: "b".to_owned(), ..held.clone() };
            assert!(is_lost_when_postponed(&db, &stranger).await);
            let mut tx = db.begin().await.unwrap();
            assert_eq!(complete(&mut tx, &stranger, at(1)).await.unwrap(), EndResult::Lost);
            assert_eq!(release(&mut tx, Some("a")).await.unwrap(), 1);
            assert_eq!(complete(&mut tx, &held, at(1)).await.unwrap(), EndResult::Lost);
            tx.commit().await.unwrap();
            assert!(claim_one(&db, "c", 2).await.is_some(), "it is there for others");
        }
    }

    #[tokio::test]
    async fn a_job_is_kept_as_long_as_its_holder_says_so_and_given_back_at_once_when_it_stops() {
        for db in testing::both().await {
            put(&db, 1, at(0)).await;
            put(&db, 2, at(0)).await;
            let kept = claim_one(&db, "a", 0).await.unwrap();
            let other = claim_one(&db, "b", 0).await.unwrap();
            testing::expire_leases(&db).await;
            let mut tx = db.begin().await.unwrap();
            assert_eq!(extend(&mut tx, &[kept.id, other.id], "a", LEASE).await.unwrap(), 1);
            tx.commit().await.unwrap();
            let taken = claim(&db, "c", at(0), LEASE, &[("submit", 10)]).await.unwrap();
            assert_eq!(taken.iter().map(|job| job.id).collect::<Vec<_>>(), [other.id]);
            let mut tx = db.begin().await.unwrap();
            assert_eq!(release(&mut tx, Some("a")).await.unwrap(), 1);
            tx.commit().await.unwrap();
            let taken = claim(&db, "d", at(0), LEASE, &[("submit", 10)]).await.unwrap();
            assert_eq!(taken.iter().map(|job| job.id).collect::<Vec<_>>(), [kept.id]);
            let mut tx = db.begin().await.unwrap();
            assert_eq!(complete(&mut tx, &kept, at(1)).await.unwrap(), EndResult::Lost, "given back");
        }
    }

    #[tokio::test]
    async fn what_time_runs_out_for_is_claimed_before_what_waited_longer() {
        for db in &testing::both().await {
            for (number, urgent_at) in
                [(1, None), (2, Some(80)), (3, Some(60)), (4, Some(900)), (5, Some(70))]
            {
                put(db, number, at(0)).await;
                let job = claim_one(db, "a", 0).await.unwrap();
                // The later its number, the longer ago it is due.
                let run_at = at(if number == 5 { 500 } else { 50 - i64::try_from(number).unwrap() });
                let mut tx = db.begin().await.unwrap();
                postpone(&mut tx, &job, Resumption { run_at, urgent_at: urgent_at.map(at) }, at(0));
                tx.commit().await.unwrap();
            }
            let claimed = |limit| async move {
                let jobs = claim(db.db(), "a", at(100), LEASE, &[("submit", limit)]).await.unwrap();
                jobs.into_iter().map(|job| job.subject).collect::<Vec<_>>()
            };
            assert_eq!(claimed(1).await, ["3"], "5 is not due");
            assert_eq!(claimed(2).await, ["2", "4"], "4 is not urgent yet, and due for longer than 1");
            assert_eq!(claimed(2).await, ["1"]);
        }
    }

    #[tokio::test]
    async fn a_job_that_is_postponed_again_stays_urgent() {
        for db in testing::both().await {
            put(&db, 1, at(0)).await;
            put(&db, 2, at(1)).await;
            let urgent = Resumption { run_at: at(2), urgent_at: Some(at(3)) };
            for (now, resumption) in [(1, urgent), (4, resumed(5))] {
                let job = claim_one(&db, "a", now).await.unwrap();
                assert_eq!(job.subject, "1");
                let mut tx = db.begin().await.unwrap();
                postpone(&mut tx, &job, resumption, at(now));
                tx.commit().await.unwrap();
            }
            assert_eq!(claim_one(&db, "a", 6).await.unwrap().subject, "1");
            assert_eq!(claim_one(&db, "a", 6).await.unwrap().subject, "2");
        }
    }

    #[tokio::test]
    async fn the_same_work_is_queued_once_and_runs_at_the_earlier_time() {
        for db in testing::both().await {
            put(&db, 1, at(50)).await;
            put(&db, 1, at(20)).await;
            put(&db, 1, at(70)).await;
            assert_eq!(count(db.db()).await.unwrap(), 1);
            assert_eq!(due_at(db.db(), "submit", "1").await.unwrap(), Some(at(20)));
            let mut tx = db.begin().await.unwrap();
            assert!(remove(&mut tx, "submit", "1").await.unwrap());
            assert!(!remove(&mut tx, "submit", "1").await.unwrap());
        }
    }

    #[tokio::test]
    async fn a_lease_that_was_given_while_the_clock_was_ahead_holds_nothing() {
        for db in testing::both().await {
            put(&db, 1, at(0)).await;
            claim_one(&db, "dead", 0).await.unwrap();
            assert_eq!(claim_one(&db, "alive", 0).await, None, "a lease of ten minutes");
            testing::leave_to_the_dead(&db, 2).await;
            assert!(claim_one(&db, "alive", 0).await.is_some());
        }
    }

    #[tokio::test]
    async fn work_that_is_due_too_late_is_recalled() {
        for db in testing::both().await {
            put(&db, 1, at(100)).await;
            assert!(!any_beyond(db.db(), at(100)).await.unwrap());
            put(&db, 2, at(101)).await;
            put(&db, 3, at(9_000)).await;
            assert!(any_beyond(db.db(), at(100)).await.unwrap());
            let mut tx = db.begin().await.unwrap();
            assert_eq!(recall(&mut tx, at(100), at(7)).await.unwrap(), 2);
            tx.commit().await.unwrap();
            for (job, due) in [("1", 100), ("2", 7), ("3", 7)] {
                assert_eq!(due_at(db.db(), "submit", job).await.unwrap(), Some(at(due)));
            }
        }
    }

    #[tokio::test]
    async fn many_claimers_never_share_a_job() {
        for db in testing::both().await {
            for number in 0..60 {
                put(&db, number, at(0)).await;
            }
            let claimers: Vec<_> = (0..8)
                .map(|claimer| {
                    let db = db.db().clone();
                    tokio::spawn(async move {
                        let owner = claimer.to_string();
                        let mut subjects = Vec::new();
                        loop {
                            let jobs = claim(&db, &owner, at(0), LEASE, &[("submit", 4)]).await.unwrap();
                            if jobs.is_empty() {
                                return subjects;
                            }
                            subjects.extend(jobs.into_iter().map(|job| job.subject));
                        }
                    })
                })
                .collect();
            let mut subjects = Vec::new();
            for claimer in claimers {
                subjects.extend(claimer.await.unwrap());
            }
            assert_eq!(subjects.len(), 60);
            assert_eq!(subjects.into_iter().collect::<BTreeSet<_>>().len(), 60);
        }
    }

    #[tokio::test]
    async fn leases_of_a_dead_process_can_be_ended_at_once() {
        for db in testing::both().await {
            put(&db, 1, at(0)).await;
            claim_one(&db, "dead", 0).await.unwrap();
            let mut tx = db.begin().await.unwrap();
            assert_eq!(release(&mut tx, None).await.unwrap(), 1);
            tx.commit().await.unwrap();
            assert!(claim_one(&db, "alive", 0).await.is_some());
        }
    }
}
