//! What becomes of work that is queued, claimed, postponed and lost.

use super::*;
use crate::testing::{self, samples::at};
use std::collections::BTreeSet;

const LEASE: SignedDuration = SignedDuration::from_secs(600);

async fn due_at(db: &Db, kind: &str, subject: &str) -> Result<Option<Timestamp>, StoreError> {
    Ok(due_of(db, kind, &[subject.to_owned()]).await?.remove(subject))
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
    postpone(&mut tx, job, at(90), at(31));
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
async fn what_is_due_next_is_what_nobody_has_of_the_kinds_that_are_asked_for() {
    for db in testing::both().await {
        assert_eq!(next_due(db.db(), &["submit"]).await.unwrap(), None);
        put(&db, 1, at(10)).await;
        put(&db, 2, at(20)).await;
        assert_eq!(next_due(db.db(), &["submit", "poll"]).await.unwrap(), Some(at(10)));
        assert_eq!(next_due(db.db(), &["poll"]).await.unwrap(), None);
        claim_one(&db, "a", 10).await.unwrap();
        assert_eq!(next_due(db.db(), &["submit"]).await.unwrap(), Some(at(20)), "the first one is leased");
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
        postpone(&mut tx, &again, at(500), at(4));
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
        postpone(&mut tx, &job, at(60), at(31));
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

async fn set_urgent_at(db: &Db, number: u128, urgent_at: Option<i64>) {
    let mut tx = db.begin().await.unwrap();
    set_urgent(&mut tx, "submit", &number.to_string(), urgent_at.map(at));
    tx.commit().await.unwrap();
}

async fn claimed(db: &Db, limit: i64) -> Vec<String> {
    let jobs = claim(db, "a", at(100), LEASE, &[("submit", limit)]).await.unwrap();
    jobs.into_iter().map(|job| job.subject).collect()
}

#[tokio::test]
async fn what_time_runs_out_for_is_claimed_before_what_waited_longer() {
    for db in &testing::both().await {
        for (number, run_at, urgent_at) in
            [(1, 49, None), (2, 48, Some(80)), (3, 47, Some(60)), (4, 46, Some(900)), (5, 500, Some(70))]
        {
            put(db, number, at(run_at)).await;
            set_urgent_at(db, number, urgent_at).await;
        }
        assert_eq!(claimed(db, 1).await, ["3"], "5 is not due");
        assert_eq!(claimed(db, 2).await, ["2", "4"], "4 is not urgent yet, and due for longer than 1");
        assert_eq!(claimed(db, 2).await, ["1"]);
    }
}

#[tokio::test]
async fn what_is_late_for_good_takes_half_of_the_claims_and_no_more() {
    for db in &testing::both().await {
        for number in 1..=6 {
            put(db, number, at(50)).await;
            set_urgent_at(db, number, Some(10)).await;
        }
        for (number, run_at) in [(7, 20), (8, 30), (9, 40)] {
            put(db, number, at(run_at)).await;
        }
        assert_eq!(claimed(db, 4).await, ["1", "2", "7", "8"]);
        assert_eq!(claimed(db, 4).await, ["3", "4", "5", "9"], "what nobody else needs is theirs");
        assert_eq!(claimed(db, 4).await, ["6"]);
    }
}

#[tokio::test]
async fn a_job_that_is_postponed_stays_urgent() {
    for db in testing::both().await {
        put(&db, 1, at(0)).await;
        put(&db, 2, at(1)).await;
        set_urgent_at(&db, 1, Some(3)).await;
        let job = claim_one(&db, "a", 0).await.unwrap();
        let mut tx = db.begin().await.unwrap();
        postpone(&mut tx, &job, at(5), at(0));
        tx.commit().await.unwrap();
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
