//! The writer under commits, rollbacks, failures, and callers that go away.

mod lost;

use crate::sql::{Sql, params};
use crate::testing;
use crate::{Db, Engine};
use sqlx_sqlite::SqliteConnection;
use std::task::Poll;

const ADD: Sql = Sql::both("INSERT INTO feed (name, position) VALUES ($1, $2)");
const COUNT: Sql = Sql::both("SELECT COUNT(*) FROM feed WHERE name <> 'events'");

async fn count(db: &Db) -> i64 {
    db.fetch_one::<(i64,)>(&COUNT, params![]).await.unwrap().0
}

async fn add(db: &Db, name: i64) -> Result<(), crate::error::StoreError> {
    let mut tx = db.begin().await?;
    tx.execute(&ADD, params![name.to_string(), name]).await?;
    tx.commit().await
}

#[tokio::test]
async fn what_is_committed_is_on_disk_for_every_reader_at_once() {
    let db = testing::database(Engine::Sqlite).await;
    for name in 0..5_i64 {
        add(&db, name).await.unwrap();
        assert_eq!(count(&db).await, name + 1);
    }
}

#[tokio::test]
async fn transactions_side_by_side_all_become_durable() {
    let db = testing::database(Engine::Sqlite).await;
    let tasks: Vec<_> = (0..200)
        .map(|name| {
            let db = db.db().clone();
            tokio::spawn(async move { add(&db, name).await })
        })
        .collect();
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    assert_eq!(count(&db).await, 200);
}

#[tokio::test]
async fn a_transaction_that_fails_is_dropped_or_rolled_back_takes_nothing_of_others_with_it() {
    let db = testing::database(Engine::Sqlite).await;
    let tasks: Vec<_> = (0..120)
        .map(|name: i64| {
            let db = db.db().clone();
            tokio::spawn(async move {
                let mut tx = db.begin().await.unwrap();
                tx.execute(&ADD, params![name.to_string(), name]).await.unwrap();
                match name % 4 {
                    0 => drop(tx),
                    1 => tx.rollback().await.unwrap(),
                    2 => {
                        let twice = tx.execute(&ADD, params![name.to_string(), name]).await;
                        assert_eq!(
                            twice.unwrap_err().kind(),
                            Some(gateway_domain::StoreCauseKind::Duplicate)
                        );
                        tx.rollback().await.unwrap();
                    }
                    _ => tx.commit().await.unwrap(),
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(count(&db).await, 30);
    add(&db, 1_000).await.unwrap();
    assert_eq!(count(&db).await, 31);
}

#[tokio::test]
async fn whoever_stops_waiting_for_its_turn_leaves_no_group_open() {
    let db = testing::database(Engine::Sqlite).await;
    for name in 0..50_i64 {
        let first = db.begin().await.unwrap();
        let waiting = tokio::spawn({
            let db = db.db().clone();
            async move { db.begin().await.map(drop) }
        });
        let committing = tokio::spawn(async move {
            let mut tx = first;
            tx.execute(&ADD, params![name.to_string(), name]).await.unwrap();
            tx.commit().await
        });
        tokio::task::yield_now().await;
        waiting.abort();
        committing.await.unwrap().unwrap();
    }
    assert_eq!(count(&db).await, 50);
}

/// Gives others `rounds` chances to run.
async fn others_run(rounds: usize) {
    for _ in 0..rounds {
        tokio::task::yield_now().await;
    }
}

/// Does as much of `work` as happens in so many polls, and goes away.
async fn hang_up_after(polls: usize, work: impl Future<Output = ()>) {
    let mut work = std::pin::pin!(work);
    for _ in 0..polls {
        let ended = std::future::poll_fn(|context| Poll::Ready(work.as_mut().poll(context).is_ready()));
        if ended.await {
            return;
        }
        others_run(1).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_that_go_away_at_any_moment_take_nothing_of_others_with_them() {
    let db = testing::database(Engine::Sqlite).await;
    // Three kinds side by side: those that stay, those that hang up while they commit, and those that hang up
    // while they take back what they did.
    let workers: Vec<_> = (0..6_usize)
        .map(|worker| {
            let db = db.db().clone();
            tokio::spawn(async move {
                for round in 0..150_usize {
                    let (name, polls) = (i64::try_from(worker * 1_000 + round).unwrap(), round * 7 % 60);
                    let committed = async {
                        let _ = add(&db, name).await;
                    };
                    let taken_back = async {
                        let mut tx = db.begin().await.unwrap();
                        tx.execute(&ADD, params![format!("gone {name}"), name]).await.unwrap();
                        tx.rollback().await.unwrap();
                    };
                    match worker % 3 {
                        0 => add(&db, name).await.unwrap(),
                        1 => hang_up_after(polls, committed).await,
                        _ => hang_up_after(polls, taken_back).await,
                    }
                }
            })
        })
        .collect();
    for worker in workers {
        worker.await.unwrap();
    }
    add(&db, 9_000).await.unwrap();
    let names: Vec<(String,)> = db.fetch_all(&Sql::both("SELECT name FROM feed"), params![]).await.unwrap();
    assert!(!names.iter().any(|(name,)| name.starts_with("gone")), "what was taken back is not there");
    for name in (0..150).chain(3_000..3_150).chain([9_000]) {
        assert!(names.iter().any(|(found,)| *found == name.to_string()), "{name} was committed");
    }
}

/// Two transactions that end up in one group, because a third has the turn until both wait for theirs. The first commits; what
/// the second does, which is open and has no savepoint yet, is up to the caller. Says how the first ended.
async fn in_a_group(
    db: &Db,
    second: impl AsyncFnOnce(crate::Tx) + Send + 'static,
) -> Result<(), crate::error::StoreError> {
    let holder = db.begin_snapshot().await.unwrap();
    let first = add(db, 1);
    let second = async {
        second(db.begin_snapshot().await.unwrap()).await;
    };
    let release = async {
        others_run(3).await;
        drop(holder);
    };
    tokio::join!(first, second, release).0
}

#[tokio::test]
async fn when_a_group_cannot_be_kept_everybody_in_it_is_told_and_the_next_one_is_kept() {
    let db = testing::database(Engine::Sqlite).await;
    let first = in_a_group(&db, async |mut tx| {
        // The violation shows when the group is committed.
        tx.execute(&Sql::both("PRAGMA defer_foreign_keys = ON"), params![]).await.unwrap();
        let orphan =
            Sql::both("INSERT INTO series (workspace_id, kind, year, next_no) VALUES (9, 'invoice', 1, 1)");
        tx.execute(&orphan, params![]).await.unwrap();
        assert!(matches!(tx.commit().await, Err(crate::error::StoreError::NotDurable(Some(_)))));
    });
    assert!(matches!(first.await, Err(crate::error::StoreError::NotDurable(Some(_)))));
    assert_eq!(count(&db).await, 0);
    add(&db, 2).await.unwrap();
    assert_eq!(count(&db).await, 1);
}

/// A first statement that is refused.
async fn add_twice(tx: &mut crate::Tx) {
    let refused = tx.execute(&ADD, params!["1", 1_i64]).await.unwrap_err();
    assert_eq!(refused.kind(), Some(gateway_domain::StoreCauseKind::Duplicate));
}

#[tokio::test]
async fn whoever_joins_a_group_and_goes_away_takes_nothing_of_it_along() {
    // Who joins has no savepoint before the first statement, which brings it along.
    for way in 0..20 {
        let db = testing::database(Engine::Sqlite).await;
        let first = in_a_group(&db, async move |mut tx| match way {
            0 => drop(tx),
            1 => tx.rollback().await.unwrap(),
            2 => tx.commit().await.unwrap(),
            3 => add_twice(&mut tx).await,
            4 => {
                add_twice(&mut tx).await;
                tx.rollback().await.unwrap();
            }
            5..10 => {
                hang_up_after(way - 5, async {
                    tx.execute(&ADD, params!["2", 2_i64]).await.unwrap();
                    std::future::pending::<()>().await;
                })
                .await;
            }
            10..15 => {
                hang_up_after(way - 10, async {
                    tx.fetch_optional::<(i64,)>(&COUNT, params![]).await.unwrap();
                    std::future::pending::<()>().await;
                })
                .await;
            }
            _ => {
                // A change that has to meet a row is a text of its own.
                tx.execute_one_later(&ADD, params!["2", 2_i64], "feed");
                hang_up_after(way - 15, async {
                    tx.fetch_optional::<(i64,)>(&COUNT, params![]).await.unwrap();
                    std::future::pending::<()>().await;
                })
                .await;
            }
        });
        first.await.unwrap();
        assert_eq!(count(&db).await, 1, "{way}");
        add(&db, 3).await.unwrap();
        assert_eq!(count(&db).await, 2, "{way}");
    }
}

#[tokio::test]
async fn the_writer_waits_no_longer_for_other_processes_once_somebody_had_it_alone() {
    let db = testing::database(Engine::Sqlite).await;
    let crate::pools::Pools::Sqlite(sqlite) = &db.db().database.pools else { panic!("it is of SQLite") };
    for _ in 0..2 {
        sqlite.write.alone(async |_: &mut SqliteConnection| {}).await.unwrap();
        let mut tx = db.begin().await.unwrap();
        let (wait,) = tx.fetch_one::<(i64,)>(&Sql::both("PRAGMA busy_timeout"), params![]).await.unwrap();
        assert_eq!(wait, 10);
    }
}

#[tokio::test]
async fn when_sqlite_takes_a_group_back_by_itself_nobody_in_it_believes_to_be_durable() {
    let db = testing::database(Engine::Sqlite).await;
    let first = in_a_group(&db, async |mut tx| {
        // As after a full disk: the statement takes the surrounding transaction with it.
        let fatal = Sql::both("INSERT OR ROLLBACK INTO feed (name, position) VALUES ('events', 1)");
        tx.execute(&fatal, params![]).await.unwrap_err();
    });
    assert!(matches!(first.await, Err(crate::error::StoreError::NotDurable(Some(_)))));
    assert_eq!(count(&db).await, 0);
    add(&db, 2).await.unwrap();
    assert_eq!(count(&db).await, 1);
}

#[tokio::test]
async fn what_was_begun_before_the_database_closes_is_kept_and_the_rest_is_refused() {
    let db = testing::database(Engine::Sqlite).await;
    let with_suffix = Db::connect(db.url(), &crate::Options::default()).await.unwrap();
    let mut tx = db.begin().await.unwrap();
    tx.execute(&ADD, params!["1", 1_i64]).await.unwrap();
    let (committed, ()) = tokio::join!(tx.commit(), db.close());
    committed.unwrap();
    add(&db, 2).await.unwrap_err();
    assert_eq!(count(&with_suffix).await, 1);
    with_suffix.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_process_gets_its_turn_although_this_one_writes_without_pause() {
    let db = testing::database(Engine::Sqlite).await;
    let other = Db::connect(db.url(), &crate::Options::default()).await.unwrap();
    let enough = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let busy: Vec<_> = (0..40_i64)
        .map(|worker| {
            let (db, enough) = (db.db().clone(), std::sync::Arc::clone(&enough));
            tokio::spawn(async move {
                let mut name = 1_000_000 * worker;
                while !enough.load(std::sync::atomic::Ordering::Relaxed) {
                    name += 1;
                    add(&db, name).await.unwrap();
                }
            })
        })
        .collect();
    for name in 0..5_i64 {
        add(&other, -1 - name).await.unwrap();
    }
    enough.store(true, std::sync::atomic::Ordering::Relaxed);
    for worker in busy {
        worker.await.unwrap();
    }
    other.close().await;
}

#[tokio::test]
async fn another_process_can_write_once_nobody_here_does() {
    let db = testing::database(Engine::Sqlite).await;
    let other = Db::connect(db.url(), &crate::Options::default()).await.unwrap();
    for name in 0..20_i64 {
        add(if name % 2 == 0 { &db } else { &other }, name).await.unwrap();
        drop(db.begin().await.unwrap());
    }
    assert_eq!(count(&other).await, 20);
    other.close().await;
}

#[tokio::test]
async fn what_finds_no_room_is_tried_again_later_and_what_is_there_is_read_meanwhile() {
    let db = testing::database(Engine::Sqlite).await;
    add(&db, 1).await.unwrap();
    let large = async || {
        let mut tx = db.begin().await?;
        tx.execute(&ADD, params!["x".repeat(1 << 20), 2_i64]).await?;
        tx.commit().await
    };
    for _ in 0..3 {
        // SQLite takes no fewer pages than there are. Beyond them it says what it says on a full disk, until the writer
        // opens another connection.
        let mut tx = db.begin().await.unwrap();
        tx.execute(&Sql::both("PRAGMA max_page_count = 1"), params![]).await.unwrap();
        tx.commit().await.unwrap();
        assert!(gateway_domain::StoreError::is_transient(&large().await.unwrap_err()));
        assert_eq!(count(&db).await, 1);
    }
    large().await.unwrap();
    assert_eq!(count(&db).await, 2);
}
