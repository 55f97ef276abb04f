//! A database that something else writes over, and what only looks like it.

use super::{add, count};
use crate::pools::{Pools, SqlitePools};
use crate::sql::{Sql, params};
use crate::testing::{self, TestDb};
use crate::{Db, Engine, OpenError, Options};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, SqlSafeStr};
use sqlx_sqlite::{SqliteConnectOptions, SqliteConnection};
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// More than the log takes before it is copied to the database.
const CHECKPOINT_BYTES: usize = 5 << 20;

/// Writes over a database: its file, an earlier copy of it, the file of another one.
type WriteDatabase = fn(&Path, &[u8], &Path);
/// Writes over a log: its file, the one of another database.
type WriteLog = fn(&Path, &Path);

fn file(db: &TestDb) -> PathBuf {
    db.url().strip_prefix("sqlite:").unwrap().into()
}

fn url(file: &Path) -> String {
    format!("sqlite:{}", file.display())
}

fn sibling(file: &Path, suffix: &str) -> PathBuf {
    PathBuf::from(format!("{}{suffix}", file.display()))
}

fn pools(db: &Db) -> &SqlitePools {
    match &db.database.pools {
        Pools::Sqlite(sqlite) => sqlite,
        Pools::Pg(_) => panic!("it is a file"),
    }
}

async fn grow(db: &Db, name: &str) {
    let sql = Sql::both("INSERT INTO feed (name, position) VALUES ($1, 1)");
    let mut tx = db.begin().await.unwrap();
    tx.execute(&sql, params![format!("{name}{}", "x".repeat(CHECKPOINT_BYTES))]).await.unwrap();
    tx.commit().await.unwrap();
}

/// Changes bytes of a file that stays the same file, and as long.
fn write_in_place(file: &Path, bytes: &[u8]) {
    File::options().write(true).open(file).unwrap().write_all_at(bytes, 0).unwrap();
}

fn zeros(file: &Path) -> Vec<u8> {
    vec![0; usize::try_from(fs::metadata(file).unwrap().len()).unwrap()]
}

/// Another program of SQLite.
async fn shell(file: &Path) -> SqliteConnection {
    SqliteConnectOptions::new().filename(file).connect().await.unwrap()
}

async fn run(shell: &mut SqliteConnection, sql: &str) {
    // It may find the database locked by whoever writes, and that is no matter.
    let _ = sqlx::raw_sql(AssertSqlSafe(sql.to_owned()).into_sql_str()).execute(shell).await;
}

#[tokio::test]
async fn a_database_that_is_written_over_in_place_is_noticed_and_left_as_it_is() {
    let other = testing::database(Engine::Sqlite).await;
    grow(&other, "other").await;
    let other = file(&other);
    let overwrites: [(&str, WriteDatabase); 4] = [
        ("its first page is zeroed", |file, _, _| write_in_place(file, &[0; 4096])),
        ("all of it is zeroed", |file, _, _| write_in_place(file, &zeros(file))),
        ("its copy from before is put there", |file, copy, _| fs::write(file, copy).unwrap()),
        ("another database is copied there", |file, _, other| _ = fs::copy(other, file).unwrap()),
    ];
    for (what, overwrite) in overwrites {
        let db = testing::database(Engine::Sqlite).await;
        grow(&db, "before").await;
        let (file, copy) = (file(&db), fs::read(file(&db)).unwrap());
        grow(&db, "after").await;
        assert!(db.is_migrated().await.unwrap(), "{what}");
        overwrite(&file, &copy, &other);
        let put_there = fs::read(&file).unwrap();
        let refused = add(&db, 1).await.unwrap_err();
        assert_eq!(refused.kind(), Some(gateway_domain::StoreCauseKind::Transient), "{what}");
        let sentence = db.is_migrated().await.unwrap_err().to_string();
        assert!(sentence.contains("the database file"), "{what}: {sentence}");
        let read = db.fetch_all::<(String,)>(&Sql::both("SELECT name FROM feed"), params![]).await;
        assert_eq!(read.unwrap_err().to_string(), sentence, "{what}");
        db.close().await;
        assert_eq!(fs::read(&file).unwrap(), put_there, "{what}");
    }
}

#[tokio::test]
async fn an_older_copy_that_begins_as_the_database_does_is_noticed() {
    let db = testing::database(Engine::Sqlite).await;
    let file = file(&db);
    add(&db, 1).await.unwrap();
    let mut shell = shell(&file).await;
    run(&mut shell, "PRAGMA wal_checkpoint(PASSIVE)").await;
    let copy = fs::read(&file).unwrap();
    add(&db, 2).await.unwrap();
    run(&mut shell, "PRAGMA wal_checkpoint(PASSIVE)").await;
    assert_eq!(copy[..100], fs::read(&file).unwrap()[..100], "only another page is another");
    assert!(db.is_migrated().await.unwrap());
    fs::write(&file, &copy).unwrap();
    // The clock of the file system may be too coarse to tell them apart.
    let written = fs::metadata(&file).unwrap().modified().unwrap();
    let later = written + std::time::Duration::from_secs(1);
    File::options().write(true).open(&file).unwrap().set_modified(later).unwrap();
    add(&db, 3).await.unwrap_err();
    let sentence = db.is_migrated().await.unwrap_err().to_string();
    assert!(sentence.contains("something else was written over the database file"), "{sentence}");
    db.close().await;
    assert_eq!(fs::read(&file).unwrap(), copy, "it is left as it is");
}

#[tokio::test]
async fn a_database_that_was_set_up_in_the_same_way_is_still_another_one() {
    let (db, other) = (testing::database(Engine::Sqlite).await, testing::database(Engine::Sqlite).await);
    for db in [&db, &other] {
        grow(db, "same").await;
        assert!(db.is_migrated().await.unwrap());
    }
    fs::copy(file(&other), file(&db)).unwrap();
    db.is_migrated().await.unwrap_err();
    add(&db, 1).await.unwrap_err();
}

#[tokio::test]
async fn a_transaction_that_was_open_is_not_written_to_what_was_put_there() {
    let db = testing::database(Engine::Sqlite).await;
    let mut tx = db.begin().await.unwrap();
    let sql = Sql::both("INSERT INTO feed (name, position) VALUES ($1, 1)");
    tx.execute(&sql, params!["x".repeat(CHECKPOINT_BYTES)]).await.unwrap();
    write_in_place(&file(&db), &[0; 4096]);
    tx.commit().await.unwrap_err();
    assert_eq!(fs::read(file(&db)).unwrap()[..4096], [0; 4096]);
}

#[tokio::test]
async fn a_log_that_goes_away_or_is_written_over_is_noticed() {
    let other = testing::database(Engine::Sqlite).await;
    grow(&other, "other").await;
    let other = sibling(&file(&other), "-wal");
    let overwrites: [(&str, WriteLog); 5] = [
        ("deleted", |log, _| fs::remove_file(log).unwrap()),
        ("emptied", |log, _| drop(File::create(log).unwrap())),
        ("zeroed", |log, _| write_in_place(log, &zeros(log))),
        ("of another database", |log, other| _ = fs::copy(other, log).unwrap()),
        ("another file", |log, other| {
            let copy = sibling(log, ".copy");
            fs::copy(other, &copy).unwrap();
            fs::rename(copy, log).unwrap();
        }),
    ];
    for (what, overwrite) in overwrites {
        let db = testing::database(Engine::Sqlite).await;
        add(&db, 1).await.unwrap();
        overwrite(&sibling(&file(&db), "-wal"), &other);
        add(&db, 2).await.unwrap_err();
        let sentence = db.is_migrated().await.unwrap_err().to_string();
        assert!(sentence.contains("write-ahead log"), "{what}: {sentence}");
    }
}

#[tokio::test]
async fn what_a_process_that_died_left_in_the_log_does_not_hide_what_is_written_over() {
    let died = testing::database(Engine::Sqlite).await;
    add(&died, 1).await.unwrap();
    let directory = tempfile::tempdir().unwrap();
    let copy = directory.path().join("gateway.db");
    for suffix in ["", "-wal"] {
        fs::copy(sibling(&file(&died), suffix), sibling(&copy, suffix)).unwrap();
    }
    let db = Db::connect(&url(&copy), &Options::default()).await.unwrap();
    assert_eq!(count(&db).await, 1);
    let mut header = fs::read(&copy).unwrap();
    // The next number of changes.
    header[27] = header[27].wrapping_add(1);
    write_in_place(&copy, &header[..100]);
    add(&db, 2).await.unwrap_err();
}

#[tokio::test]
async fn a_database_that_is_served_is_opened_by_no_name_that_has_another_log() {
    let directory = tempfile::tempdir().unwrap();
    let (file, link) = (directory.path().join("gateway.db"), directory.path().join("link.db"));
    let (served, _lock) = Db::connect_to_serve(&url(&file), &Options::default()).await.unwrap();
    let refused = async |name: &Path| {
        let served = Db::connect_to_serve(&url(name), &Options::default()).await.unwrap_err();
        let shared = Db::connect(&url(name), &Options::default()).await.unwrap_err();
        for suffix in ["-wal", "-shm", ".reserve"] {
            assert!(!sibling(name, suffix).exists(), "{suffix}");
        }
        [served, shared]
    };
    fs::hard_link(&file, &link).unwrap();
    for error in refused(&link).await {
        assert!(matches!(error, OpenError::HardLinks { names: 2, .. }), "{error}");
    }
    fs::remove_file(&file).unwrap();
    let [second, command] = refused(&link).await;
    assert!(matches!(second, OpenError::InUse { .. }), "{second}");
    assert!(matches!(command, OpenError::OtherName { .. }), "{command}");
    served.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_sqlite_writes_by_itself_is_no_loss() {
    let db = testing::database(Engine::Sqlite).await;
    let second = Db::connect(db.url(), &Options::default()).await.unwrap();
    let mut shell = shell(&file(&db)).await;
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for db in [db.db(), &second] {
            let done = &done;
            scope.spawn(move || {
                while !done.load(Ordering::Acquire) {
                    pools(db).file.ensure_there().unwrap();
                }
            });
        }
        let runtime = tokio::runtime::Handle::current();
        tokio::task::block_in_place(|| {
            runtime.block_on(async {
                for round in 0..8_i64 {
                    for name in 0..20 {
                        add(if name % 2 == 0 { &db } else { &second }, round * 20 + name).await.unwrap();
                    }
                    grow(&db, &format!("{round}")).await;
                    let checkpoint =
                        ["PASSIVE", "FULL", "RESTART", "TRUNCATE"][usize::try_from(round).unwrap() % 4];
                    run(&mut shell, &format!("PRAGMA wal_checkpoint({checkpoint})")).await;
                    run(&mut shell, "DELETE FROM feed WHERE length(name) > 100; VACUUM").await;
                }
            });
        });
        done.store(true, Ordering::Release);
    });
    shell.close().await.unwrap();
    assert_eq!(count(&db).await, 160);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_is_closed_has_lost_nothing() {
    for _ in 0..20 {
        let db = testing::database(Engine::Sqlite).await;
        add(&db, 1).await.unwrap();
        let looking = tokio::task::spawn_blocking({
            let db = db.db().clone();
            move || {
                let log = sibling(pools(&db).file.path(), "-wal");
                while log.exists() {
                    pools(&db).file.ensure_there().unwrap();
                }
                pools(&db).file.ensure_there().unwrap();
            }
        });
        db.close().await;
        looking.await.unwrap();
    }
}
