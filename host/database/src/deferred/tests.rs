//! Changes that wait: what becomes of them, on both databases.

use super::*;
use crate::Db;
use crate::sql::{Sql, params};
use crate::testing;
use gateway_domain::StoreCauseKind;

const ADD: Sql = Sql::both("INSERT INTO feed (name, position) VALUES ($1, $2)");
const MOVE: Sql = Sql::both("UPDATE feed SET position = position + $2 WHERE name = $1 OR $1 = '$1.every'");
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
