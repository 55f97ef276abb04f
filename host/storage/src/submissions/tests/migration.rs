//! What older versions may have left is mended when the database begins to refuse it, and nothing else changes.

use super::super::row::Row;
use super::super::*;
use crate::db::{POSTGRES, SQLITE};
use crate::sql::Engine;
use crate::testing::{self, TestDb};
use crate::value::Ts;
use sqlx::postgres::PgConnection;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _};

/// The last migration before the constraints.
const BEFORE: i64 = 130;
const AT: &str = "'2026-11-20T08:00:00.000000Z'";
const PLUGIN: &str = "plugin_key = 'es-verifactu', plugin_version = '1.0.0', plugin_digest = 'abc'";

/// A database as it was, on one connection.
enum Old {
    Lite { connection: Box<SqliteConnection>, _directory: tempfile::TempDir },
    Pg { connection: Box<PgConnection>, _database: TestDb },
}

impl Old {
    async fn both() -> [Self; 2] {
        let directory = tempfile::tempdir().unwrap();
        let options = SqliteConnectOptions::new().filename(directory.path().join("old.db"));
        let mut lite = options.create_if_missing(true).foreign_keys(true).connect().await.unwrap();
        SQLITE.run_to(BEFORE, &mut lite).await.unwrap();
        let db = testing::database(Engine::Postgres).await;
        let mut pg = PgConnection::connect(db.url()).await.unwrap();
        for sql in ["CREATE SCHEMA old", "SET search_path TO old"] {
            sqlx::query(sql).execute(&mut pg).await.unwrap();
        }
        POSTGRES.run_to(BEFORE, &mut pg).await.unwrap();
        [
            Self::Lite { connection: Box::new(lite), _directory: directory },
            Self::Pg { connection: Box::new(pg), _database: db },
        ]
    }

    async fn migrate(&mut self) {
        match self {
            Self::Lite { connection, .. } => SQLITE.run(&mut **connection).await.unwrap(),
            Self::Pg { connection, .. } => POSTGRES.run(&mut **connection).await.unwrap(),
        }
    }

    async fn run(&mut self, sql: String) -> Result<(), sqlx::Error> {
        match self {
            Self::Lite { connection, .. } => {
                sqlx::query(AssertSqlSafe(sql)).execute(&mut **connection).await.map(drop)
            }
            Self::Pg { connection, .. } => {
                sqlx::query(AssertSqlSafe(sql)).execute(&mut **connection).await.map(drop)
            }
        }
    }

    /// The indexes of the table, as they are defined.
    async fn indexes(&mut self) -> Vec<(String, String)> {
        match self {
            Self::Lite { connection, .. } => {
                let sql = "SELECT name, COALESCE(sql, '') FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'submission' \
                           ORDER BY name";
                sqlx::query_as(sql).fetch_all(&mut **connection).await.unwrap()
            }
            Self::Pg { connection, .. } => {
                let sql = "SELECT indexname::text, indexdef FROM pg_indexes WHERE tablename = 'submission' AND schemaname = 'old' \
                           ORDER BY indexname";
                sqlx::query_as(sql).fetch_all(&mut **connection).await.unwrap()
            }
        }
    }

    async fn submission(&mut self, id: u128) -> Submission {
        let sql = FIND.text(match self {
            Self::Lite { .. } => Engine::Sqlite,
            Self::Pg { .. } => Engine::Postgres,
        });
        let id = Id(Uuid::from_u128(id));
        let row: Row = match self {
            Self::Lite { connection, .. } => {
                sqlx::query_as(sql).bind(id).fetch_one(&mut **connection).await.unwrap()
            }
            Self::Pg { connection, .. } => {
                sqlx::query_as(sql).bind(id).fetch_one(&mut **connection).await.unwrap()
            }
        };
        row.try_into().unwrap()
    }

    /// A submission in a stage, with one attempt, of which `kept` is left.
    async fn stored(&mut self, id: u128, stage: &str, kept: &str) {
        let document = Uuid::from_u128(id);
        self.run(format!(
            "INSERT INTO submission (document_id, workspace_id, stage, entry_renewed, retries, version, actor, created_at, \
             updated_at, issue_at) VALUES ('{document}', 1, '{stage}', FALSE, 0, 3, 'jane', {AT}, {AT}, {AT})"
        ))
        .await
        .unwrap();
        let (entry, job) = (version7(id), version7(100 + id));
        self.run(format!("INSERT INTO submission_entry VALUES ('{entry}', '{document}', {AT})"))
            .await
            .unwrap();
        self.run(format!(
            "INSERT INTO submission_attempt (job_id, document_id, ordinal, number, entry_id, started_at, faults) \
             VALUES ('{job}', '{document}', 1, 'F-{id}', '{entry}', {AT}, '[]')"
        ))
        .await
        .unwrap();
        for column in kept.split(' ').filter(|column| !column.is_empty()) {
            let set = match column {
                "number" => format!("number = 'F-{id}'"),
                "entry" => format!("entry_id = '{entry}'"),
                "document" => "structured = '{}'".to_owned(),
                "plugin" => PLUGIN.to_owned(),
                "job" => format!("job_id = '{job}'"),
                "taken" => format!("job_taken_at = {AT}"),
                "check" => "check_earlier_attempts = TRUE".to_owned(),
                "reject" => r#"settlement = '{"settlement":"reject","reason":"no","faults":[]}'"#.to_owned(),
                "calls" => "retries = 3, last_error = '{}', held_until = updated_at".to_owned(),
                other => panic!("no column {other}"),
            };
            self.run(format!("UPDATE submission SET {set} WHERE document_id = '{document}'")).await.unwrap();
        }
    }
}

fn version7(low: u128) -> Uuid {
    Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0000 | low)
}

/// What a submission has, in the words of [`Old::stored`].
fn shown(submission: &Submission) -> String {
    let data = submission.data();
    let has = [
        ("number", data.number.is_some()),
        ("entry document", data.document.is_some()),
        ("plugin", data.plugin.is_some()),
        ("job", data.job.is_some()),
        ("taken", data.taken_at.is_some()),
        ("check", data.check_earlier_attempts),
        ("reject", data.verdict.is_some()),
        ("calls", submission.retries() > 0),
    ];
    let words: Vec<_> = has.into_iter().filter(|(_, has)| *has).map(|(word, _)| word).collect();
    format!("{}: {}", data.stage.as_str(), words.join(" "))
}

/// What was left, and what it is mended to.
const LEFT: [(&str, &str, &str); 21] = [
    // As it should be.
    ("requested", "check", "requested: check"),
    ("converting", "number", "converting: number"),
    ("waiting", "number entry document plugin job taken", "waiting: number entry document plugin job taken"),
    (
        "rejected",
        "number entry document plugin job taken reject",
        "rejected: number entry document plugin job taken reject",
    ),
    ("rejected", "number job reject", "rejected: number job reject"),
    ("superseded", "number entry document plugin job", "superseded: number entry document plugin job"),
    // From before a number had an entry of its own.
    ("requested", "number document plugin job", "requested: check"),
    ("converting", "number document plugin taken", "converting: number"),
    ("superseded", "number document plugin", "superseded: number"),
    ("rejected", "number document plugin job reject", "rejected: number entry document plugin job reject"),
    ("withdrawn", "entry document job calls", "withdrawn: check"),
    // From before the time of jobs was kept, and while earlier attempts were marked in any stage.
    ("waiting", "number entry document plugin job check", "waiting: number entry document plugin job taken"),
    ("starting", "number entry document plugin job check", "starting: number entry document plugin job"),
    ("rejected", "number job reject check calls", "rejected: number job reject"),
    // A job that had sent nothing, as it waits for the retry.
    ("waiting", "number entry document plugin taken", "waiting: number entry document plugin taken check"),
    // What the steps took for missing, and mended by themselves.
    ("uploading", "number plugin job", "converting: number check"),
    ("starting", "number entry document plugin", "converting: number entry document plugin check"),
    ("settling", "number entry document plugin job", "waiting: number entry document plugin job taken"),
    ("uploading", "entry document plugin job", "uploading: number entry document plugin job"),
    // What nobody can have left.
    ("rejected", "", "superseded: number job"),
    ("settling", "number reject", "settling: number job reject"),
];

#[tokio::test]
async fn what_older_versions_left_is_mended_and_everything_that_refers_to_it_stays() {
    for mut old in Old::both().await {
        for (id, (stage, kept, _)) in (1..).zip(LEFT) {
            old.stored(id, stage, kept).await;
        }
        let before = old.indexes().await;
        old.migrate().await;
        assert_eq!(old.indexes().await, before);
        for (id, (stage, kept, mended)) in (1..).zip(LEFT) {
            let submission = old.submission(id).await;
            assert_eq!(shown(&submission), mended, "{stage} with {kept}");
            assert_eq!((submission.version, submission.actor.as_str()), (3, "jane"));
            assert_eq!(Ts(submission.updated_at).text(), "2026-11-20T08:00:00.000000Z");
            let document = Uuid::from_u128(id);
            let delete = format!("DELETE FROM submission WHERE document_id = '{document}'");
            let refused = old.run(delete).await.unwrap_err();
            assert!(refused.into_database_error().unwrap().is_foreign_key_violation());
        }
    }
}
