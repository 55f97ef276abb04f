//! When a transaction wakes, and when not.

use crate::testing::{self, samples::at};
use crate::{Db, Id, Topic, Ts, creation_clock, jobs, sandbox};
use gateway_database::sql::{Sql, params};
use gateway_domain::ids::JobId;
use std::time::Duration;
use uuid::Uuid;

const TOPICS: [Topic; 4] = [Topic::Jobs, Topic::Webhooks, Topic::SandboxJobs, Topic::SandboxDeliveries];

/// Which waiters have been woken since this was asked last.
async fn woken(db: &Db) -> Vec<Topic> {
    let mut woken = Vec::new();
    for topic in TOPICS {
        if tokio::time::timeout(Duration::ZERO, db.wakeups(topic).notified()).await.is_ok() {
            woken.push(topic);
        }
    }
    woken
}

/// A transaction that leaves a job and a notification of the stand-in provider.
async fn with_work(db: &Db) -> crate::Tx {
    let mut tx = db.begin().await.unwrap();
    jobs::enqueue(&mut tx, JobId(Uuid::from_u128(1)), "submit", "1", at(0));
    sandbox::insert_delivery(&mut tx, Id(Uuid::from_u128(1)), "{}", Ts(at(0)));
    tx
}

#[tokio::test]
async fn whoever_waits_is_woken_after_the_commit_and_not_before() {
    for db in testing::both().await {
        let tx = with_work(&db).await;
        assert_eq!(woken(&db).await, []);
        tx.commit_at("test").await.unwrap();
        assert_eq!(woken(&db).await, [Topic::Jobs, Topic::SandboxDeliveries], "of these, and no other");
        assert_eq!(woken(&db).await, [], "once");
    }
}

#[tokio::test]
async fn every_clone_of_a_database_wakes_the_same_waiters() {
    for db in testing::both().await {
        with_work(&db.db().clone()).await.commit_at("test").await.unwrap();
        assert_eq!(woken(&db).await, [Topic::Jobs, Topic::SandboxDeliveries]);
    }
}

#[tokio::test]
async fn what_leaves_no_work_wakes_nobody() {
    for db in testing::both().await {
        let mut tx = db.begin().await.unwrap();
        creation_clock::next(&mut tx, at(0)).await.unwrap();
        tx.commit_at("test").await.unwrap();
        assert_eq!(woken(&db).await, []);
    }
}

#[tokio::test]
async fn a_transaction_that_is_taken_back_wakes_nobody() {
    for db in testing::both().await {
        with_work(&db).await.rollback().await.unwrap();
        drop(with_work(&db).await);
        // Behind whatever the dropped one still does.
        db.begin().await.unwrap().commit_at("test").await.unwrap();
        assert_eq!(woken(&db).await, []);
    }
}

#[tokio::test]
async fn a_commit_that_fails_wakes_nobody() {
    // The violations show when the transaction is committed.
    let deferred = Sql {
        pg: "CREATE TEMPORARY TABLE pair (one INT UNIQUE DEFERRABLE INITIALLY DEFERRED)",
        sqlite: "PRAGMA defer_foreign_keys = ON",
    };
    let violation = Sql {
        pg: "INSERT INTO pair VALUES (1), (1)",
        sqlite: "INSERT INTO series (workspace_id, kind, year, next_no) VALUES (9, 'invoice', 1, 1)",
    };
    for db in testing::both().await {
        let mut tx = with_work(&db).await;
        tx.execute(&deferred, params![]).await.unwrap();
        tx.execute(&violation, params![]).await.unwrap();
        tx.commit_at("test").await.unwrap_err();
        assert_eq!(woken(&db).await, []);
        assert_eq!(jobs::count(&*db).await.unwrap(), 0);
    }
}

/// A process of its own that ends at its commit.
#[cfg(feature = "fail-points")]
mod killed {
    use super::{Topic, with_work};
    use crate::{Db, Engine, Options, jobs, testing};
    use std::path::{Path, PathBuf};
    use std::process::Command;

    /// The file of the database that the process works on; in the environment of the process alone.
    const FILE: &str = "GATEWAY_TEST_WAKEUPS_FILE";
    const NAME: &str = "tests::wakeups::killed::a_process_that_is_killed_at_its_commit_wakes_nobody";

    fn woken(file: &Path) -> PathBuf {
        file.with_extension("woken")
    }

    /// Commits work, and writes a file when the waiter is woken.
    async fn work(file: PathBuf) {
        let db = Db::connect(&format!("sqlite:{}", file.display()), &Options::default()).await.unwrap();
        let waiter = tokio::spawn({
            let db = db.clone();
            async move {
                db.wakeups(Topic::Jobs).notified().await;
                std::fs::write(woken(&file), "").unwrap();
            }
        });
        with_work(&db).await.commit_at("work").await.unwrap();
        waiter.await.unwrap();
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_process_that_is_killed_at_its_commit_wakes_nobody() {
        if let Some(file) = std::env::var_os(FILE) {
            return work(file.into()).await;
        }
        for (point, survives, jobs_kept) in
            [("before-work", false, 0), ("after-work", false, 1), ("before-other", true, 1)]
        {
            let db = testing::database(Engine::Sqlite).await;
            let file = PathBuf::from(db.url().trim_start_matches("sqlite:"));
            let mut process = Command::new(std::env::current_exe().unwrap());
            process.args([NAME, "--exact"]).env(FILE, &file).env("GATEWAY_TEST_KILL_AT", point);
            let ended = tokio::task::spawn_blocking(move || process.output().unwrap()).await.unwrap();
            assert_eq!(ended.status.success(), survives, "{point}: {ended:?}");
            assert_eq!(woken(&file).exists(), survives, "{point}");
            assert_eq!(jobs::count(&*db).await.unwrap(), jobs_kept, "{point}");
        }
    }
}
