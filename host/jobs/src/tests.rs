//! The pool on both engines.

use crate::{Attempt, Job, JobQueue, Kind, KindLimit, LeasedWork, Outcome, Pool, Registry, Source, Worker};
use async_trait::async_trait;
use gateway_domain::StoreError;
use gateway_domain::ports::{Clock, Ids};
use gateway_storage::testing::{self, PresentTime};
use gateway_storage::{Db, Engine, Topic, jobs};
use std::future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

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
        future::pending().await
    }
}

async fn enqueue(db: &Db, job: &(impl Job + Sync)) {
    let mut tx = db.begin().await.unwrap();
    job.enqueue(&mut tx, &RandomIds, PresentTime.now());
    tx.commit().await.unwrap();
}

fn job_queue(db: &Db, registry: Registry) -> JobQueue {
    JobQueue::new(db.clone(), Arc::new(PresentTime), registry)
}

/// Waits until the log says so.
async fn until(log: &Log, holds: impl Fn(&Log) -> bool) {
    let waiting = async {
        while !holds(log) {
            log.news.notified().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), waiting).await.expect("it happens in time");
}

#[tokio::test]
async fn a_job_of_a_name_that_is_not_known_is_kept_for_a_version_that_knows_it() {
    for db in testing::both().await {
        let log = Arc::new(Log::default());
        enqueue(&db, &Greet("Jane".to_owned())).await;
        enqueue(&db, &Hang(1)).await;
        let known = job_queue(&db, Registry::default().with::<Greet>(Arc::clone(&log)));
        assert_eq!(known.run_due("me").await.unwrap(), 1);
        assert_eq!(*log.greeted.lock().unwrap(), ["Jane"]);
        assert_eq!(known.unknown().await.unwrap(), [("hang".to_owned(), 1)], "it is kept");
    }
}

#[tokio::test]
async fn a_subject_that_cannot_be_read_is_kept() {
    for db in testing::both().await {
        let log = Arc::new(Log::default());
        enqueue(&db, &Greet("nobody".to_owned())).await;
        let queue = job_queue(&db, Registry::default().with::<Greet>(Arc::clone(&log)));
        assert_eq!(queue.run_due("me").await.unwrap(), 1);
        assert_eq!(queue.run_due("me").await.unwrap(), 0, "it waits a while");
        let due = jobs::due_of(&*db, "greet", &["somebody".to_owned(), "nobody".to_owned()]).await.unwrap();
        assert_eq!(due.keys().collect::<Vec<_>>(), ["nobody"]);
        assert!(log.greeted.lock().unwrap().is_empty());
    }
}

#[tokio::test]
async fn jobs_that_hang_starve_no_job_of_another_name() {
    for db in testing::both().await {
        let log = Arc::new(Log::default());
        let registry = Registry::default().with::<Hang>(Arc::clone(&log)).with::<Greet>(Arc::clone(&log));
        for number in 0..40 {
            enqueue(&db, &Hang(number)).await;
        }
        let pool = Pool::new(db.db().clone()).with(job_queue(&db, registry));
        let running = tokio::spawn(pool.run("me".to_owned(), CancellationToken::new()));
        until(&log, |log| log.hanging.load(Ordering::Acquire) == Hang::AT_ONCE).await;
        for number in 0..10 {
            enqueue(&db, &Greet(number.to_string())).await;
        }
        until(&log, |log| log.greeted.lock().unwrap().len() == 10).await;
        assert_eq!(log.hanging.load(Ordering::Acquire), Hang::AT_ONCE, "no more of them than its permits");
        running.abort();
    }
}

/// What becomes of a piece of work in memory.
#[derive(Debug, Clone, Copy)]
enum Run {
    Hangs,
    Ends,
    Panics,
}

/// A source in memory, which writes down what is kept.
#[derive(Debug, Clone, Default)]
struct MemorySource(Arc<Memory>);

#[derive(Debug, Default)]
struct Memory {
    waiting: Mutex<Vec<(Uuid, Run)>>,
    claimed: Mutex<Vec<Uuid>>,
    extended: Mutex<Vec<Vec<Uuid>>>,
    /// Something was claimed or extended.
    news: Notify,
}

const AT_ONCE: usize = 3;

impl MemorySource {
    fn add(&self, number: u128, run: Run) {
        self.0.waiting.lock().unwrap().push((Uuid::from_u128(number), run));
    }

    /// Waits until the source says so.
    async fn until(&self, holds: impl Fn(&Memory) -> bool) {
        let waiting = async {
            while !holds(&self.0) {
                self.0.news.notified().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), waiting).await.expect("it happens in time");
    }
}

#[async_trait]
impl Source for MemorySource {
    fn name(&self) -> &'static str {
        "memories"
    }

    fn kinds(&self) -> Vec<Kind> {
        vec![Kind { name: "memory", at_once: AT_ONCE }]
    }

    fn topic(&self) -> Topic {
        Topic::Webhooks
    }

    fn heartbeat(&self) -> Duration {
        Duration::from_millis(10)
    }

    async fn claim(&self, limits: &[KindLimit], _: &Worker) -> Result<Vec<LeasedWork>, StoreError> {
        let [KindLimit { name: kind, limit }] = *limits else { panic!("it has one kind") };
        let mut waiting = self.0.waiting.lock().unwrap();
        let count = waiting.len().min(limit);
        let claimed = waiting.drain(..count).map(|(id, run)| {
            self.0.claimed.lock().unwrap().push(id);
            let run = async move {
                match run {
                    Run::Hangs => future::pending().await,
                    Run::Ends => {}
                    Run::Panics => panic!("as it is meant to"),
                }
            };
            LeasedWork { kind, id, run: Box::pin(run) }
        });
        let claimed = claimed.collect();
        self.0.news.notify_one();
        Ok(claimed)
    }

    async fn next_due_after(&self, _: &[KindLimit]) -> Result<Option<Duration>, StoreError> {
        let is_empty = self.0.waiting.lock().unwrap().is_empty();
        Ok((!is_empty).then_some(Duration::ZERO))
    }

    async fn extend(&self, work: &[Uuid], _: &str) -> Result<(), StoreError> {
        self.0.extended.lock().unwrap().push(work.to_vec());
        self.0.news.notify_one();
        Ok(())
    }

    async fn release(&self, _: Option<&str>) -> Result<u64, StoreError> {
        Ok(0)
    }

    async fn maintain(&self, _: &Worker, _: CancellationToken) {}
}

#[tokio::test]
async fn a_source_whose_work_hangs_starves_no_other_source() {
    for db in testing::both().await {
        let (log, hanging) = (Arc::new(Log::default()), MemorySource::default());
        for number in 0..40 {
            hanging.add(number, Run::Hangs);
        }
        let registry = Registry::default().with::<Greet>(Arc::clone(&log));
        let pool = Pool::new(db.db().clone()).with(hanging.clone()).with(job_queue(&db, registry));
        let running = tokio::spawn(pool.run("me".to_owned(), CancellationToken::new()));
        hanging.until(|memory| memory.claimed.lock().unwrap().len() == AT_ONCE).await;
        for number in 0..10 {
            enqueue(&db, &Greet(number.to_string())).await;
        }
        until(&log, |log| log.greeted.lock().unwrap().len() == 10).await;
        assert_eq!(hanging.0.claimed.lock().unwrap().len(), AT_ONCE, "no more of it than its permits");
        running.abort();
    }
}

#[tokio::test]
async fn only_what_runs_is_kept_and_what_ended_in_any_way_leaves_its_permit() {
    let db = testing::database(Engine::Sqlite).await;
    let source = MemorySource::default();
    for (number, run) in [(1, Run::Hangs), (2, Run::Ends), (3, Run::Panics)] {
        source.add(number, run);
    }
    let pool = Pool::new(db.db().clone()).with(source.clone());
    let running = tokio::spawn(pool.run("me".to_owned(), CancellationToken::new()));
    let kept = |memory: &Memory, numbers: &[u128]| {
        let kept = memory.extended.lock().unwrap().last().cloned().unwrap_or_default();
        kept == numbers.iter().copied().map(Uuid::from_u128).collect::<Vec<_>>()
    };
    source.until(|memory| kept(memory, &[1])).await;
    for number in [4, 5] {
        source.add(number, Run::Hangs);
    }
    source.until(|memory| kept(memory, &[1, 4, 5])).await;
    running.abort();
}

#[tokio::test]
async fn a_lease_that_is_not_extended_ends_whatever_else_its_owner_extends() {
    for db in testing::both().await {
        let log = Arc::new(Log::default());
        enqueue(&db, &Hang(1)).await;
        enqueue(&db, &Hang(2)).await;
        let queue = job_queue(&db, Registry::default().with::<Hang>(Arc::clone(&log)));
        let worker = Worker { owner: "me".to_owned(), shutdown: CancellationToken::new() };
        let hang = [KindLimit { name: Hang::NAME, limit: 2 }];
        let held = queue.claim(&hang, &worker).await.unwrap();
        testing::expire_leases(&db).await;
        queue.extend(&[held[0].id], "me").await.unwrap();
        let ids = |work: Vec<LeasedWork>| work.into_iter().map(|work| work.id).collect::<Vec<_>>();
        assert_eq!(ids(queue.claim(&hang, &worker).await.unwrap()), [held[1].id], "which nobody runs");
    }
}
