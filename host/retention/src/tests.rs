//! What is old enough leaves the database, on both engines.

use super::*;
use gateway_domain::ids::{EventId, InvoiceId, ProviderJobId, WorkspaceId};
use gateway_domain_events::{AuditEntry, RetentionDays};
use gateway_domain_finance::{AttemptEnd, AttemptOutcome, AuthorityMessage, AuthorityRecord, Submission};
use gateway_storage::testing::{self, RandomIds, TestClock, TestDb};
use gateway_storage::{attempts, audit, events, messages, submissions};
use serde_json::{Value, json};
use uuid::Uuid;

const DAY: SignedDuration = SignedDuration::from_hours(24);
/// Of every kind.
const AGE: RetentionDays = RetentionDays(30);

/// How far an attempt is.
enum Progress {
    /// It did not end yet.
    Waiting,
    /// It ended, and nobody knows what the authority holds.
    Unknown,
    /// The authority accepted it.
    Accepted,
}

struct World {
    db: TestDb,
    clock: Arc<TestClock>,
}

fn settings(archive: Option<&Path>) -> RetentionSettings {
    let policy = RetentionPolicy { audit: AGE, events: AGE, messages: AGE };
    RetentionSettings { policy, archive: archive.map(Path::to_owned) }
}

fn of(report: &RetentionReport, kind: RetainedKind) -> (u64, usize) {
    let report = report.kinds.iter().find(|report| report.kind == kind).unwrap();
    (report.entries, report.files.len())
}

fn lines(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

impl World {
    async fn both() -> Vec<Self> {
        let make = |db| Self { db, clock: Arc::default() };
        testing::both().await.into_iter().map(make).collect()
    }

    fn retention(&self) -> Retention {
        Retention::new(self.db.db().clone(), Arc::clone(&self.clock) as Arc<dyn Clock>, Arc::new(RandomIds))
    }

    async fn run(&self, archive: Option<&Path>) -> Result<RetentionReport, RetentionError> {
        self.retention().run(&settings(archive), &Actor::operator()).await
    }

    fn before(&self, days: i32) -> Timestamp {
        self.clock.now() - DAY * days
    }

    /// Entries of the audit trail of ages in days.
    async fn recorded(&self, ages: impl IntoIterator<Item = i32>) {
        let mut tx = self.db.begin().await.unwrap();
        for age in ages {
            let (actor, data) = (Actor::operator(), json!({"age": age}));
            let (action, subject) = ("client.create".to_owned(), format!("client:{age}"));
            let entry =
                AuditEntry { id: RandomIds.next(), at: self.before(age), actor, action, subject, data };
            audit::append(&mut tx, &entry).await.unwrap();
        }
        tx.commit().await.unwrap();
    }

    /// Events of a source and a subject of ages in days, relayed.
    async fn happened(&self, source: &str, subject: u128, ages: &[i32]) {
        let mut tx = self.db.begin().await.unwrap();
        for age in ages {
            let event = events::NewEvent {
                id: EventId(RandomIds.next()),
                source,
                workspace: WorkspaceId(1),
                subject: InvoiceId(Uuid::from_u128(subject)),
                kind: "unit.changed",
                time: self.before(*age),
                actor: &Actor::operator(),
                data: json!({"age": age}).to_string(),
            };
            events::append(&mut tx, event).await.unwrap();
        }
        events::relay_all(&mut tx).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// A consumer has read the feed up to a position.
    async fn consumed(&self, consumer: &str, position: i64) {
        let mut tx = self.db.begin().await.unwrap();
        let from = events::hold(&mut tx, consumer, self.clock.now()).await.unwrap().unwrap();
        assert!(events::consume(&mut tx, consumer, from, position, self.clock.now()).await.unwrap());
        tx.commit().await.unwrap();
    }

    async fn sequences(&self, source: &str, subject: u128) -> Vec<i64> {
        let (visible, subject) =
            (gateway_domain::access::Workspaces::All, InvoiceId(Uuid::from_u128(subject)));
        let events = events::of_subject(self.db.db(), &visible, source, subject).await.unwrap();
        events.iter().map(|event| event.sequence).collect()
    }

    /// An attempt whose message was sent so many days ago, and how far it is.
    async fn sent(&self, id: u128, age: i32, progress: Progress) -> ProviderJobId {
        let mut tx = self.db.begin().await.unwrap();
        let document = InvoiceId(Uuid::from_u128(id));
        let submission = Submission::requested(document, WorkspaceId(1), "jane".to_owned(), self.before(age));
        assert!(submissions::insert(&mut tx, &submission).await.unwrap());
        let job = ProviderJobId::try_from(Uuid::from_u128(0x7000_8000_0000_0000_0000 | id)).unwrap();
        attempts::start(&mut tx, &submission, job, self.before(age));
        let message =
            AuthorityMessage { media_type: "application/xml".to_owned(), body: format!("<r n=\"{id}\"/>") };
        messages::keep(&mut tx, job, &message, self.before(age));
        let record = match progress {
            Progress::Waiting => None,
            Progress::Unknown => Some(None),
            Progress::Accepted => Some(Some(AuthorityRecord::Accepted)),
        };
        if let Some(record) = record {
            let end = AttemptEnd { job, outcome: AttemptOutcome::Accepted, faults: Vec::new(), record };
            attempts::end(&mut tx, &end, self.before(age)).unwrap();
        }
        tx.commit().await.unwrap();
        job
    }

    /// What the trail is about, the newest first.
    async fn subjects(&self) -> Vec<String> {
        let entries = audit::page(self.db.db(), None, 2000).await.unwrap();
        entries.into_iter().map(|entry| entry.subject).collect()
    }
}

#[tokio::test]
async fn entries_that_are_old_enough_are_in_a_file_before_they_are_removed() {
    for world in World::both().await {
        world.recorded([29, 30, 31, 40]).await;
        let folder = tempfile::tempdir().unwrap();
        let archive = folder.path().join("archive");
        let preview = world.retention().preview(&settings(Some(&archive))).await.unwrap();
        assert!(preview.dry_run);
        assert_eq!(of(&preview, RetainedKind::Audit), (2, 0));
        assert!(!archive.exists() && world.subjects().await.len() == 4, "a preview changes nothing");

        let done = world.run(Some(&archive)).await.unwrap();
        assert!(!done.dry_run);
        assert_eq!(of(&done, RetainedKind::Audit), (2, 1));
        assert_eq!(world.subjects().await, ["audit", "client:29", "client:30"]);
        let lines = lines(&done.kinds[0].files[0]);
        let subjects: Vec<_> = lines.iter().map(|line| line["subject"].as_str().unwrap()).collect();
        assert_eq!(subjects, ["client:40", "client:31"]);
        assert_eq!(lines[0]["data"], json!({"age": 40}));

        let again = world.run(Some(&archive)).await.unwrap();
        assert_eq!(of(&again, RetainedKind::Audit), (0, 0), "there is nothing left, and no entry says so");
        assert_eq!(world.subjects().await.len(), 3);
    }
}

#[tokio::test]
async fn more_entries_than_a_batch_are_deleted_without_an_archive() {
    for world in World::both().await {
        world.recorded(std::iter::repeat_n(31, 501)).await;
        let done = world.run(None).await.unwrap();
        assert_eq!(of(&done, RetainedKind::Audit), (501, 0));
        assert_eq!(world.subjects().await, ["audit", "audit"]);
    }
}

#[tokio::test]
async fn events_of_the_platform_leave_once_everybody_has_read_them_and_the_youngest_of_a_subject_stays() {
    for world in World::both().await {
        world.happened("/platform", 1, &[40, 35, 31]).await;
        world.happened("/platform", 2, &[50]).await;
        world.happened("/platform", 3, &[45, 10]).await;
        let folder = tempfile::tempdir().unwrap();
        let preview = async || {
            let report = world.retention().preview(&settings(None)).await.unwrap();
            of(&report, RetainedKind::Events)
        };
        assert_eq!(preview().await, (0, 0), "nobody follows the feed yet");
        world.consumed("copies", 6).await;
        world.consumed("bus", 1).await;
        assert_eq!(preview().await, (1, 0), "the slowest reader decides");
        world.consumed("bus", 6).await;
        assert_eq!(preview().await, (3, 0));

        let done = world.run(Some(folder.path())).await.unwrap();
        assert_eq!(of(&done, RetainedKind::Events), (3, 1));
        assert_eq!(world.sequences("/platform", 1).await, [3]);
        assert_eq!(world.sequences("/platform", 2).await, [1]);
        assert_eq!(world.sequences("/platform", 3).await, [2]);
        let moved: Vec<_> = lines(&done.kinds[1].files[0])
            .iter()
            .map(|line| (line["sequence"].clone(), line["data"]["age"].clone()))
            .collect();
        assert_eq!(moved, [(json!(1), json!(45)), (json!(1), json!(40)), (json!(2), json!(35))]);
        world.happened("/platform", 1, &[0]).await;
        assert_eq!(world.sequences("/platform", 1).await, [3, 4], "events are counted on");
    }
}

#[tokio::test]
async fn events_of_documents_never_leave() {
    for world in World::both().await {
        for source in ["/invoicing", "/finance"] {
            world.happened(source, 1, &[9000, 8000]).await;
        }
        world.consumed("copies", 4).await;
        let done = world.run(None).await.unwrap();
        assert_eq!(of(&done, RetainedKind::Events), (0, 0));
        assert_eq!(world.sequences("/invoicing", 1).await, [1, 2]);
        assert_eq!(world.sequences("/finance", 1).await, [1, 2]);
    }
}

#[tokio::test]
async fn messages_to_authorities_are_moved_once_the_verdict_is_known_and_never_deleted() {
    for world in World::both().await {
        let old = world.sent(1, 31, Progress::Accepted).await;
        let young = world.sent(2, 29, Progress::Accepted).await;
        let waiting = world.sent(3, 40, Progress::Waiting).await;
        let unknown = world.sent(4, 40, Progress::Unknown).await;
        let done = world.run(None).await.unwrap();
        assert_eq!(of(&done, RetainedKind::Messages), (1, 0));
        assert!(done.kinds[2].waits_for_archive, "there is nowhere to move it");
        assert!(messages::find(world.db.db(), old).await.unwrap().is_some());

        let folder = tempfile::tempdir().unwrap();
        let done = world.run(Some(folder.path())).await.unwrap();
        assert_eq!(of(&done, RetainedKind::Messages), (1, 1));
        assert!(!done.kinds[2].waits_for_archive);
        assert_eq!(messages::find(world.db.db(), old).await.unwrap(), None);
        for stays in [young, waiting, unknown] {
            assert!(messages::find(world.db.db(), stays).await.unwrap().is_some());
        }
        let [line] = &lines(&done.kinds[2].files[0])[..] else { panic!("one line") };
        assert_eq!(line["body"], json!("<r n=\"1\"/>"));
        assert_eq!(line["document_id"], json!(Uuid::from_u128(1)));
    }
}

#[tokio::test]
async fn entries_stay_when_their_file_cannot_be_written() {
    for world in World::both().await {
        world.recorded([31]).await;
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = world.run(Some(file.path())).await.unwrap_err();
        assert!(matches!(error, RetentionError::Archive { .. }), "{error}");
        assert_eq!(world.subjects().await, ["client:31"]);
        let done = world.run(None).await.unwrap();
        assert_eq!(of(&done, RetainedKind::Audit), (1, 0), "the duty was given back");
    }
}

#[tokio::test]
async fn one_process_at_a_time_removes() {
    for world in World::both().await {
        world.recorded([31]).await;
        let mut tx = world.db.begin().await.unwrap();
        leases::take(&mut tx, LEASE_NAME, "another", SignedDuration::from_secs(60)).await.unwrap();
        tx.commit().await.unwrap();
        let error = world.run(None).await.unwrap_err();
        assert!(matches!(error, RetentionError::Busy), "{error}");
        assert_eq!(world.subjects().await, ["client:31"]);
    }
}

#[tokio::test]
async fn a_process_that_serves_looks_at_once_and_ends_when_it_is_to_end() {
    for world in World::both().await {
        world.recorded([31]).await;
        let ending = CancellationToken::new();
        let looking = world.retention().run_every(Duration::from_hours(24), settings(None), ending.clone());
        let looking = tokio::spawn(looking);
        while world.subjects().await != ["audit"] {
            tokio::task::yield_now().await;
        }
        ending.cancel();
        looking.await.unwrap();
    }
}
