//! Old entries of the audit trail leave the database, on both engines.

use super::*;
use gateway_domain_events::{AuditEntry, RetentionDays};
use gateway_storage::leases;
use jiff::Timestamp;
use std::path::Path;

const DAY: SignedDuration = SignedDuration::from_hours(24);

fn settings(archive: Option<&Path>) -> RetentionSettings {
    RetentionSettings { audit: RetentionDays(30), archive: archive.map(Path::to_owned) }
}

impl World {
    fn retention(&self) -> AuditRetention {
        let (clock, ids) = (Arc::clone(&self.clock) as Arc<dyn Clock>, Arc::clone(&self.ids) as Arc<dyn Ids>);
        AuditRetention::new(self.db.db().clone(), clock, ids)
    }

    /// Entries of ages in days.
    async fn aged(&self, ages: impl IntoIterator<Item = i32>) {
        let mut tx = self.db.begin().await.unwrap();
        for age in ages {
            let at: Timestamp = self.clock.now() - DAY * age;
            let (actor, data) = (Actor::operator(), json!({"age": age}));
            let (action, subject) = ("client.create".to_owned(), format!("client:{age}"));
            let entry = AuditEntry { id: self.ids.next(), at, actor, action, subject, data };
            audit::append(&mut tx, &entry).await.unwrap();
        }
        tx.commit().await.unwrap();
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
        world.aged([29, 30, 31, 40]).await;
        let folder = tempfile::tempdir().unwrap();
        let archive = folder.path().join("archive");
        let preview = world.retention().preview(&settings(Some(&archive))).await.unwrap();
        assert_eq!((preview.dry_run, preview.audit), (true, 2));
        assert!(!archive.exists() && world.subjects().await.len() == 4, "a preview changes nothing");

        let done = world.retention().run(&settings(Some(&archive)), &Actor::operator()).await.unwrap();
        assert_eq!((done.dry_run, done.audit, done.files.len()), (false, 2, 1));
        assert_eq!(world.subjects().await, ["audit", "client:29", "client:30"]);
        let text = std::fs::read_to_string(&done.files[0]).unwrap();
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let subjects: Vec<_> = lines.iter().map(|line| line["subject"].as_str().unwrap()).collect();
        assert_eq!(subjects, ["client:40", "client:31"]);
        assert_eq!(lines[0]["data"], json!({"age": 40}));

        let again = world.retention().run(&settings(Some(&archive)), &Actor::operator()).await.unwrap();
        assert_eq!((again.audit, again.files.len()), (0, 0), "there is nothing left, and no entry says so");
        assert_eq!(world.subjects().await.len(), 3);
    }
}

#[tokio::test]
async fn more_entries_than_a_batch_are_deleted_without_an_archive() {
    for world in World::both().await {
        world.aged(std::iter::repeat_n(31, 501)).await;
        let done = world.retention().run(&settings(None), &Actor::operator()).await.unwrap();
        assert_eq!((done.audit, done.files.len()), (501, 0));
        assert_eq!(world.subjects().await, ["audit", "audit"]);
    }
}

#[tokio::test]
async fn entries_stay_when_their_file_cannot_be_written() {
    for world in World::both().await {
        world.aged([31]).await;
        let file = tempfile::NamedTempFile::new().unwrap();
        let error =
            world.retention().run(&settings(Some(file.path())), &Actor::operator()).await.unwrap_err();
        assert!(matches!(error, RetentionError::Archive { .. }), "{error}");
        assert_eq!(world.subjects().await, ["client:31"]);
        let done = world.retention().run(&settings(None), &Actor::operator()).await.unwrap();
        assert_eq!(done.audit, 1, "the duty was given back");
    }
}

#[tokio::test]
async fn one_process_at_a_time_removes() {
    for world in World::both().await {
        world.aged([31]).await;
        let mut tx = world.db.begin().await.unwrap();
        leases::take(&mut tx, "audit-retention", "another", SignedDuration::from_secs(60)).await.unwrap();
        tx.commit().await.unwrap();
        let error = world.retention().run(&settings(None), &Actor::operator()).await.unwrap_err();
        assert!(matches!(error, RetentionError::Busy), "{error}");
        assert_eq!(world.subjects().await, ["client:31"]);
    }
}
