//! The pool on both engines.

use crate::{Attempt, Job, Outcome, Pool, PoolParts, Registry};
use async_trait::async_trait;
use gateway_domain::ports::{Clock, Ids};
use gateway_storage::testing;
use gateway_storage::{Db, jobs};
use jiff::Timestamp;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

#[derive(Debug)]
struct SystemTime;

impl Clock for SystemTime {
    #[expect(clippy::disallowed_methods, reason = "the pool and the database have one clock here")]
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

#[derive(Debug)]
struct RandomIds;

impl Ids for RandomIds {
    #[expect(clippy::disallowed_methods, reason = "any ids will do")]
    fn next(&self) -> Uuid {
        Uuid::new_v4()
    }
}

/// What jobs did.
#[derive(Debug, Default)]
struct Log {
    greeted: Mutex<Vec<String>>,
    hanging: AtomicUsize,
    news: Notify,
}

/// Writes its subject down.
#[derive(Debug, Clone)]
struct Greet(String);

#[async_trait]
impl Job for Greet {
    const NAME: &'static str = "greet";
    const AT_ONCE: usize = 2;
    type Context = Arc<Log>;

    fn subject(&self) -> String {
        self.0.clone()
    }

    fn of_subject(subject: &str) -> Option<Self> {
        (subject != "nobody").then(|| Self(subject.to_owned()))
    }

    async fn run(self, log: &Arc<Log>, _: Attempt) -> Outcome {
        log.greeted.lock().unwrap().push(self.0);
        log.news.notify_one();
        Outcome::Done
    }
}

/// Never ends by itself.
#[derive(Debug)]
struct Hang(usize);

#[async_trait]
impl Job for Hang {
    const NAME: &'static str = "hang";
    const AT_ONCE: usize = 3;
    type Context = Arc<Log>;

    fn subject(&self) -> String {
        self.0.to_string()
    }

    fn of_subject(subject: &str) -> Option<Self> {
        subject.parse().ok().map(Self)
    }

    async fn run(self, log: &Arc<Log>, _: Attempt) -> Outcome {
        log.hanging.fetch_add(1, Ordering::AcqRel);
        log.news.notify_one();
        std::future::pending().await
    }
}

async fn queue(db: &Db, job: &(impl Job + Sync)) {
    let mut tx = db.begin().await.unwrap();
    job.enqueue(&mut tx, &RandomIds, SystemTime.now()).await.unwrap();
    tx.commit().await.unwrap();
}

fn pool(db: &Db, registry: Registry) -> Pool {
    Pool::new(PoolParts { db: db.clone(), clock: Arc::new(SystemTime), registry })
}

/// Waits until the log says so.
async fn until(log: &Log, holds: impl Fn(&Log) -> bool) {
    let told = async {
        while !holds(log) {
            log.news.notified().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), told).await.expect("it happens in time");
}

#[tokio::test]
async fn a_job_of_a_name_that_is_not_known_is_kept_for_a_version_that_knows_it() {
    for db in testing::both().await {
        let log = Arc::new(Log::default());
        queue(&db, &Greet("Jane".to_owned())).await;
        queue(&db, &Hang(1)).await;
        let known = pool(&db, Registry::default().with::<Greet>(Arc::clone(&log)));
        assert_eq!(known.run_due("me").await.unwrap(), 1);
        assert_eq!(*log.greeted.lock().unwrap(), ["Jane"]);
        assert_eq!(jobs::unknown(&*db, &["greet"]).await.unwrap(), [("hang".to_owned(), 1)], "it is kept");
    }
}

#[tokio::test]
async fn a_subject_that_cannot_be_read_is_kept() {
    for db in testing::both().await {
        let log = Arc::new(Log::default());
        queue(&db, &Greet("nobody".to_owned())).await;
        let pool = pool(&db, Registry::default().with::<Greet>(Arc::clone(&log)));
        assert_eq!(pool.run_due("me").await.unwrap(), 1);
        assert_eq!(pool.run_due("me").await.unwrap(), 0, "it waits a while");
        assert!(jobs::due_at(&*db, "greet", "nobody").await.unwrap().is_some());
        assert!(log.greeted.lock().unwrap().is_empty());
    }
}

#[tokio::test]
async fn jobs_that_hang_starve_no_job_of_another_name() {
    for db in testing::both().await {
        let log = Arc::new(Log::default());
        let registry = Registry::default().with::<Hang>(Arc::clone(&log)).with::<Greet>(Arc::clone(&log));
        for number in 0..40 {
            queue(&db, &Hang(number)).await;
        }
        let running = tokio::spawn(pool(&db, registry).run("me".to_owned(), CancellationToken::new()));
        until(&log, |log| log.hanging.load(Ordering::Acquire) == Hang::AT_ONCE).await;
        for number in 0..10 {
            queue(&db, &Greet(number.to_string())).await;
        }
        until(&log, |log| log.greeted.lock().unwrap().len() == 10).await;
        assert_eq!(log.hanging.load(Ordering::Acquire), Hang::AT_ONCE, "no more of them than its permits");
        running.abort();
    }
}
