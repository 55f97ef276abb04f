//! Backups are made, damaged and restored, and databases move, without a gateway.

use crate::archive::ArchiveError;
use crate::backup::{BackupRequest, back_up};
use crate::content;
use crate::error::RecoveryError;
use crate::manifest::{Content, Manifest};
use crate::restore::{RestoreRequest, Restored, RestoredKeys, restore, verify};
use crate::transfer::{Moved, move_all};
use gateway_access::ensure_opens;
use gateway_access::secrets::{Keyring, Passphrase, WrapError};
use gateway_domain::ids::WorkspaceId;
use gateway_domain::invoicing::{DocumentKind, SeriesKey};
use gateway_storage::testing::{self, TestClock, TestDb, samples};
use gateway_storage::{Db, Engine, Options, numbers};
use std::fs;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::task::Poll;

const PASSPHRASE: &str = "nobody guesses this";

fn passphrase() -> Passphrase {
    Passphrase::new(PASSPHRASE).unwrap()
}

/// A database with rows in some tables, a master key beside it, and room for backups.
struct Filled {
    db: TestDb,
    folder: tempfile::TempDir,
}

impl Filled {
    async fn of(engine: Engine) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let db = testing::database(engine).await;
        // More than fit on the first pages.
        for id in 1..=40 {
            samples::stored_workspace(&db, id).await;
        }
        let mut tx = db.begin().await.unwrap();
        let key = SeriesKey { workspace: WorkspaceId(3), kind: DocumentKind::Invoice, year: 2026 };
        numbers::start_at(&mut tx, key, 12).await.unwrap();
        tx.commit().await.unwrap();
        let filled = Self { db, folder };
        let keyring = Keyring::open_or_create(&filled.key()).unwrap();
        ensure_opens(&filled.db, &keyring, &TestClock::default()).await.unwrap();
        filled
    }

    fn key(&self) -> PathBuf {
        self.folder.path().join("master.key")
    }

    fn backup(&self) -> PathBuf {
        self.folder.path().join("backup")
    }

    async fn back_up(&self, keys: bool) -> Result<Manifest, RecoveryError> {
        let (passphrase, key) = (passphrase(), self.key());
        let request = BackupRequest {
            file: &self.backup(),
            url: self.db.url(),
            gateway_version: "1.2.3",
            now: samples::at(5),
            keys: keys.then_some((key.as_path(), &passphrase)),
        };
        back_up(&self.db, request).await.map(|done| done.manifest)
    }
}

async fn restored(file: &Path, into: &Path, words: Option<&str>) -> Result<Restored, RecoveryError> {
    let url = format!("sqlite:{}", into.join("gateway.db").display());
    let words = words.map(|words| Passphrase::new(words).unwrap());
    restore(RestoreRequest {
        file,
        url: &url,
        master_key_file: &into.join("master.key"),
        passphrase: words.as_ref(),
        clock: &TestClock::default(),
    })
    .await
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[tokio::test]
async fn a_backup_comes_back_under_other_paths_with_every_row_and_the_keys() {
    let filled = Filled::of(Engine::Sqlite).await;
    let before = content::read(filled.db.db()).await.unwrap();
    let manifest = filled.back_up(true).await.unwrap();
    assert_eq!(manifest.content, before);
    assert_eq!(names(filled.folder.path()), ["backup", "master.key"]);
    assert_eq!(verify(&filled.backup()).await.unwrap(), manifest);
    let elsewhere = tempfile::tempdir().unwrap();
    let place = elsewhere.path().join("data");
    let done = restored(&filled.backup(), &place, Some(PASSPHRASE)).await.unwrap();
    assert_eq!((done.keys, done.log_set_aside), (RestoredKeys::Installed, None));
    assert_eq!(names(&place), ["gateway.db", "master.key"]);
    assert_eq!(fs::read(place.join("master.key")).unwrap(), fs::read(filled.key()).unwrap());
    let db = Db::connect_file(&place.join("gateway.db")).await.unwrap();
    assert_eq!(content::read(&db).await.unwrap(), before);
    db.close().await;
    let again = restored(&filled.backup(), &place, None).await.unwrap_err();
    assert!(matches!(again, RecoveryError::NotEmpty(_)), "{again}");
}

#[tokio::test]
async fn an_earlier_backup_is_never_written_over() {
    let filled = Filled::of(Engine::Sqlite).await;
    fs::write(filled.backup(), "precious").unwrap();
    let refused = filled.back_up(false).await.unwrap_err();
    assert!(matches!(refused, RecoveryError::Archive(ArchiveError::Exists(_))), "{refused}");
    assert_eq!(fs::read_to_string(filled.backup()).unwrap(), "precious");
    assert_eq!(names(filled.folder.path()), ["backup", "master.key"]);
}

#[tokio::test]
async fn a_backup_that_was_cut_off_or_changed_anywhere_is_refused_and_leaves_nothing_behind() {
    let filled = Filled::of(Engine::Sqlite).await;
    filled.back_up(true).await.unwrap();
    let sound = fs::read(filled.backup()).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let place = elsewhere.path().join("data");
    let last = sound.len() - 1;
    for at in [0, 20, 150, 515, 2_000, 40_000, sound.len() / 2, last - 2_000, last - 1_400, last - 700, last]
    {
        let mut changed = sound.clone();
        changed[at] ^= 0x20;
        fs::write(filled.backup(), changed).unwrap();
        let refused = restored(&filled.backup(), &place, Some(PASSPHRASE)).await.unwrap_err();
        assert!(matches!(refused, RecoveryError::Archive(_)), "byte {at}: {refused}");
        assert!(verify(&filled.backup()).await.is_err(), "byte {at}");
    }
    for length in [0, 100, 512, 30_000, sound.len() - 2_560, sound.len() - 1_024, last] {
        fs::write(filled.backup(), &sound[..length]).unwrap();
        let refused = restored(&filled.backup(), &place, Some(PASSPHRASE)).await.unwrap_err();
        assert!(matches!(refused, RecoveryError::Archive(_)), "{length} bytes: {refused}");
    }
    fs::write(filled.backup(), [sound.as_slice(), b"more"].concat()).unwrap();
    assert!(restored(&filled.backup(), &place, None).await.is_err(), "something stands behind it");
    assert!(!place.exists(), "nothing was made");
}

#[tokio::test]
async fn the_keys_of_a_backup_need_their_passphrase_and_never_replace_others() {
    let filled = Filled::of(Engine::Sqlite).await;
    filled.back_up(true).await.unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let wrong = restored(&filled.backup(), elsewhere.path(), Some("somebody else's")).await.unwrap_err();
    assert!(matches!(wrong, RecoveryError::Wrap(WrapError::WrongPassphrase)), "{wrong}");
    Keyring::open_or_create(&elsewhere.path().join("master.key")).unwrap();
    let other = restored(&filled.backup(), elsewhere.path(), Some(PASSPHRASE)).await.unwrap_err();
    assert!(matches!(other, RecoveryError::Wrap(WrapError::OtherKeys { .. })), "{other}");
    assert_eq!(names(elsewhere.path()), ["master.key"]);
}

#[tokio::test]
async fn without_a_passphrase_the_keys_stay_where_they_are() {
    let filled = Filled::of(Engine::Sqlite).await;
    let manifest = filled.back_up(false).await.unwrap();
    assert!(!manifest.has_keys());
    let elsewhere = tempfile::tempdir().unwrap();
    let none = restored(&filled.backup(), elsewhere.path(), Some(PASSPHRASE)).await.unwrap_err();
    assert!(matches!(none, RecoveryError::NoKeys), "{none}");
    let done = restored(&filled.backup(), elsewhere.path(), None).await.unwrap();
    assert_eq!(done.keys, RestoredKeys::Missing);
    assert_eq!(names(elsewhere.path()), ["gateway.db"]);
}

#[tokio::test]
async fn a_backup_of_a_newer_schema_is_refused() {
    let filled = Filled::of(Engine::Sqlite).await;
    let manifest = filled.back_up(false).await.unwrap();
    let known = Db::newest_schema_version(Engine::Sqlite);
    assert_eq!(manifest.schema_version, known);
    let newer = Manifest { schema_version: known + 1, members: Vec::new(), ..manifest };
    let file = filled.folder.path().join("newer");
    crate::archive::write(&file, &filled.folder.path().join("draft"), &newer, &[]).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let refused = restored(&file, elsewhere.path(), None).await.unwrap_err();
    assert!(refused.to_string().contains("made by gateway 1.2.3"), "{refused}");
    assert!(names(elsewhere.path()).is_empty());
}

#[tokio::test]
async fn a_lost_database_is_restored_in_its_place_once_nobody_uses_it_and_its_log_is_kept_aside() {
    let filled = Filled::of(Engine::Sqlite).await;
    filled.back_up(true).await.unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let log = elsewhere.path().join("gateway.db-wal");
    fs::write(&log, "of the lost one").unwrap();
    let done = restored(&filled.backup(), elsewhere.path(), Some(PASSPHRASE)).await.unwrap();
    assert_eq!(done.log_set_aside, Some(elsewhere.path().join("gateway.db-wal.lost")));
    assert_eq!(names(elsewhere.path()), ["gateway.db", "gateway.db-wal.lost", "master.key"]);
}

/// A connection that is not taken for a gateway's.
async fn reconnected(db: &TestDb) -> Db {
    db.close().await;
    Db::connect(db.url(), &Options::for_recovery()).await.unwrap()
}

#[tokio::test]
async fn everything_moves_to_postgresql_and_back_with_the_same_digests() {
    let filled = Filled::of(Engine::Sqlite).await;
    let before = content::read(filled.db.db()).await.unwrap();
    let [to, back] = [testing::empty(Engine::Postgres).await, testing::empty(Engine::Sqlite).await];
    let (to, back) = (reconnected(&to).await, reconnected(&back).await);
    assert_eq!(move_all(&filled.db, &to).await.unwrap().content, before);
    assert_eq!(move_all(&to, &back).await.unwrap().content, before);
    assert!(to.is_migrated().await.unwrap());
    let again = move_all(&filled.db, &to).await.unwrap_err();
    assert!(matches!(again, RecoveryError::OtherContent(_)), "{again}");
}

/// Lets a move take so many steps, and drops it wherever it is then.
async fn at_most(steps: usize, from: &Db, to: &Db) -> Option<Result<Moved, RecoveryError>> {
    let mut moving = pin!(move_all(from, to));
    let mut taken = 0;
    std::future::poll_fn(|context| {
        taken += 1;
        match moving.as_mut().poll(context) {
            Poll::Ready(done) => Poll::Ready(Some(done)),
            Poll::Pending if taken > steps => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}

#[tokio::test]
async fn a_move_that_is_interrupted_anywhere_goes_on_where_it_was() {
    let filled = Filled::of(Engine::Sqlite).await;
    let before = content::read(filled.db.db()).await.unwrap();
    let target = testing::empty(Engine::Postgres).await;
    let to = reconnected(&target).await;
    let (mut interruptions, mut steps) = (0, 40);
    let moved: Content = loop {
        if let Some(done) = at_most(steps, &filled.db, &to).await {
            break done.unwrap().content;
        }
        (interruptions, steps) = (interruptions + 1, steps + 60);
    };
    assert!(interruptions > 2, "{interruptions}");
    assert_eq!(moved, before);
}

#[tokio::test]
async fn a_database_that_another_move_has_begun_to_fill_is_refused() {
    let [one, other] = [Filled::of(Engine::Sqlite).await, Filled::of(Engine::Sqlite).await];
    let target = testing::empty(Engine::Postgres).await;
    let to = reconnected(&target).await;
    assert!(at_most(60, &one.db, &to).await.is_none());
    let refused = move_all(&other.db, &to).await.unwrap_err();
    assert!(matches!(refused, RecoveryError::OtherContent(_)), "{refused}");
}

#[tokio::test]
async fn a_database_that_a_gateway_is_connected_to_is_not_moved() {
    let filled = Filled::of(Engine::Sqlite).await;
    let target = testing::empty(Engine::Postgres).await;
    let to = Db::connect(target.url(), &Options::for_recovery()).await.unwrap();
    target.is_empty().await.unwrap();
    let refused = move_all(&filled.db, &to).await.unwrap_err();
    assert!(matches!(refused, RecoveryError::Served(_)), "{refused}");
}
