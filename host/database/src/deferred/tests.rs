//! Changes that wait: what becomes of them, on both databases.

use super::*;
use crate::Db;
use crate::sql::{Sql, params};
use crate::testing;
use gateway_domain::StoreCauseKind;

const ADD: Sql = Sql::both("INSERT INTO feed (name, position) VALUES ($1, $2)");
const MOVE: Sql = Sql::both("UPDATE feed SET position = position + $2 WHERE name = $1 OR $1 = '$1.every'");
const ENROL: Sql = Sql::both("INSERT INTO consumer (name, position, updated_at) VALUES ($1, 0, $2)");
const ENROLLED: Sql = Sql::both("SELECT COUNT(*) FROM consumer WHERE name = 'a'");
const POSITION: Sql = Sql::both("SELECT position FROM feed WHERE name = $1");

async fn position(db: &Db, name: &str) -> Option<i64> {
    db.fetch_optional::<(i64,)>(&POSITION, params![name]).await.unwrap().map(|(position,)| position)
}

#[test]
fn placeholders_are_numbered_on_and_paths_are_not() {
    let mut text = String::new();
    number_on("SELECT $1, json_extract($12, '$.a'), '$' || $2", 3, &mut text);
    assert_eq!(text, "SELECT $4, json_extract($15, '$.a'), '$' || $5");
    number_on("COMMIT", 9, &mut text);
    assert!(text.ends_with("$5COMMIT"), "{text}");
}

#[tokio::test]
async fn they_are_made_before_the_next_statement_which_alone_says_what_it_met() {
    for db in testing::both().await {
        let mut tx = db.begin().await.unwrap();
        tx.execute_later(&ADD, params!["a", 1_i64]);
        tx.execute_later(&ADD, params!["b", 2_i64]);
        let read: (i64,) = tx.fetch_one(&POSITION, params!["b"]).await.unwrap();
        assert_eq!(read, (2,));
        tx.execute_later(&MOVE, params!["a", 10_i64]);
        tx.execute_later(&MOVE, params!["nobody", 10_i64]);
        assert_eq!(tx.execute(&MOVE, params!["b", 10_i64]).await.unwrap(), 1);
        assert_eq!(tx.execute(&MOVE, params!["nobody", 1_i64]).await.unwrap(), 0);
        tx.execute_later(&MOVE, params!["a", 100_i64]);
        tx.commit().await.unwrap();
        assert_eq!([position(&db, "a").await, position(&db, "b").await], [Some(111), Some(12)]);
    }
}

#[tokio::test]
async fn a_transaction_that_is_dropped_or_rolled_back_makes_none() {
    for db in testing::both().await {
        let mut tx = db.begin().await.unwrap();
        tx.execute_later(&ADD, params!["a", 1_i64]);
        tx.rollback().await.unwrap();
        let mut tx = db.begin().await.unwrap();
        tx.execute_later(&ADD, params!["a", 2_i64]);
        drop(tx);
        assert_eq!(position(&db, "a").await, None);
        let mut tx = db.begin().await.unwrap();
        tx.execute_later(&ADD, params!["a", 3_i64]);
        tx.commit().await.unwrap();
        assert_eq!(position(&db, "a").await, Some(3));
    }
}

#[tokio::test]
async fn one_that_is_refused_fails_the_next_statement_or_the_commit_and_takes_all_of_its_transaction_back() {
    for db in testing::both().await {
        let mut tx = db.begin().await.unwrap();
        tx.execute_later(&ADD, params!["events", 1_i64]);
        let failed = tx.execute(&MOVE, params!["events", 1_i64]).await.unwrap_err();
        assert_eq!(failed.kind(), Some(StoreCauseKind::Duplicate));
        tx.rollback().await.unwrap();

        let mut tx = db.begin().await.unwrap();
        tx.execute_later(&ADD, params!["a", 1_i64]);
        tx.execute_later(&ADD, params!["events", 1_i64]);
        tx.execute_later(&ADD, params!["b", 1_i64]);
        let failed = tx.commit().await.unwrap_err();
        assert_eq!(failed.kind(), Some(StoreCauseKind::Duplicate), "{:?}", db.engine());
        assert_eq!([position(&db, "a").await, position(&db, "b").await], [None, None]);
    }
}

#[tokio::test]
async fn one_that_has_to_meet_a_row_fails_the_commit_or_the_next_statement_and_nothing_is_kept() {
    let moved = |failed: StoreError| matches!(failed, StoreError::Moved { table: "feed" });
    for db in testing::both().await {
        // Alone, and beside changes of the same and of another table, behind a statement and without one.
        for (others, statement) in [(0, false), (1, false), (2, false), (0, true), (2, true)] {
            let mut tx = db.begin().await.unwrap();
            if statement {
                tx.execute(&ADD, params!["statement", 1_i64]).await.unwrap();
            }
            if others > 0 {
                tx.execute_later(&ENROL, params!["a", crate::Ts(testing::at(0))]);
            }
            if others > 1 {
                tx.execute_later(&ADD, params!["b", 1_i64]);
            }
            tx.execute_one_later(&MOVE, params!["nobody", 1_i64], "feed");
            assert!(moved(tx.commit().await.unwrap_err()), "{:?} {others} {statement}", db.engine());
            assert_eq!(position(&db, "statement").await, None);
            assert_eq!(position(&db, "b").await, None);
            let enrolled: (i64,) = db.fetch_one(&ENROLLED, params![]).await.unwrap();
            assert_eq!(enrolled, (0,));
        }
        let mut tx = db.begin().await.unwrap();
        tx.execute_one_later(&MOVE, params!["nobody", 1_i64], "feed");
        assert!(moved(tx.execute(&MOVE, params!["events", 1_i64]).await.unwrap_err()));
        tx.rollback().await.unwrap();
        let mut tx = db.begin().await.unwrap();
        tx.execute_one_later(&MOVE, params!["nobody", 1_i64], "feed");
        assert!(moved(tx.fetch_one::<(i64,)>(&POSITION, params!["events"]).await.unwrap_err()));
    }
}

#[tokio::test]
async fn one_that_meets_its_row_is_made_with_those_beside_it() {
    for db in testing::both().await {
        let mut tx = db.begin().await.unwrap();
        tx.execute_later(&ADD, params!["a", 1_i64]);
        tx.commit().await.unwrap();
        let mut tx = db.begin().await.unwrap();
        tx.execute_one_later(&MOVE, params!["a", 10_i64], "feed");
        tx.execute_later(&ENROL, params!["a", crate::Ts(testing::at(0))]);
        tx.commit().await.unwrap();
        let mut tx = db.begin().await.unwrap();
        tx.execute_one_later(&MOVE, params!["a", 100_i64], "feed");
        tx.execute_one_later(&MOVE, params!["a", 1_000_i64], "feed");
        assert_eq!(tx.fetch_one::<(i64,)>(&POSITION, params!["a"]).await.unwrap(), (1_111,));
        tx.commit().await.unwrap();
        let enrolled: (i64,) = db.fetch_one(&ENROLLED, params![]).await.unwrap();
        assert_eq!(enrolled, (1,));
    }
}

#[test]
fn changes_are_one_statement_as_long_as_none_meets_what_another_writes() {
    let group = |texts: &[&'static str]| {
        let change = |text: &&'static str| DeferredChange { text, arguments: Vec::new(), must_meet: None };
        first_group(&texts.iter().map(change).collect::<Vec<_>>())
    };
    let job = "INSERT INTO job (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET id = job.id";
    let event = "INSERT INTO event (id) SELECT (SELECT MAX(id) FROM event) + 1";
    let copy = "INSERT INTO copy (id) SELECT id FROM (SELECT id FROM event) AS made";
    assert_eq!(group(&[job, event]), 2);
    assert_eq!(group(&[job, event, "UPDATE job SET id = $1"]), 2);
    assert_eq!(group(&[event, copy]), 1, "it reads what the first writes");
    assert_eq!(group(&[copy, event]), 2, "both see what was there before");
    assert_eq!(group(&[job, "DELETE FROM event WHERE id IN (SELECT id FROM job)"]), 1);
    assert_eq!(group(&[event]), 1);
}

#[test]
fn a_joint_statement_locks_in_the_order_of_its_changes() {
    let change = |text, must_meet| DeferredChange { text, arguments: params![1_i64, 2_i64], must_meet };
    let changes = [
        change("UPDATE a SET n = $1 WHERE id = $2", Some("a")),
        change("DELETE FROM b WHERE id = $2", None),
        change("INSERT INTO c VALUES ($1)", None),
    ];
    let (text, arguments) = with(changes.into_iter());
    assert_eq!(
        text,
        "WITH c2 AS (INSERT INTO c VALUES ($5)), c1 AS (DELETE FROM b WHERE id = $4), \
         c0 AS (UPDATE a SET n = $1 WHERE id = $2 RETURNING 1) SELECT 1 / (SELECT COUNT(*) FROM c0)"
    );
    assert_eq!(arguments.len(), 6);
}

#[tokio::test]
async fn a_transaction_of_which_nothing_was_asked_ends_without_the_database() {
    for db in testing::both().await {
        let held = db.begin().await.unwrap();
        // On SQLite there is one writer.
        let mut other = db.begin().await.unwrap();
        other.execute(&ADD, params!["a", 1_i64]).await.unwrap();
        held.commit().await.unwrap();
        other.commit().await.unwrap();
        assert_eq!(position(&db, "a").await, Some(1));
    }
}

#[tokio::test]
async fn one_that_is_refused_takes_nothing_of_others_with_it() {
    for db in testing::both().await {
        let tasks: Vec<_> = (0..120_i64)
            .map(|number| {
                let db = db.db().clone();
                tokio::spawn(async move {
                    let mut tx = db.begin().await.unwrap();
                    tx.execute_later(&ADD, params![format!("first {number}"), number]);
                    tx.execute_later(&ADD, params![format!("second {}", number - number % 2), number]);
                    tx.commit().await.is_ok()
                })
            })
            .collect();
        let mut kept = 0;
        for task in tasks {
            kept += usize::from(task.await.unwrap());
        }
        assert_eq!(kept, 60, "one of two that have a name in common");
        let count = Sql::both("SELECT COUNT(*) FROM feed WHERE name <> 'events'");
        assert_eq!(db.fetch_one::<(i64,)>(&count, params![]).await.unwrap(), (120,));
    }
}
