//! Migrations are forward only: each stays as it is, and a database that was made with them becomes what a
//! fresh one is, with everything that was in it.

use crate::finance::submissions;
use crate::invoicing::invoices;
use crate::testing::{self, TestDb};
use gateway_database::db::{POSTGRES, SQLITE};
use gateway_database::error::OpenError;
use gateway_database::sql::Engine;
use gateway_domain::access::Workspaces;
use gateway_domain::ids::InvoiceId;
use gateway_domain_finance::Stage;
use sqlx::migrate::Migrator;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _};
use sqlx_postgres::PgConnection;
use sqlx_sqlite::SqliteConnection;
use std::collections::BTreeSet;

/// The last migration of the baseline.
const BASELINE: i64 = 10;
/// The invoice of the kept rows.
const ACCEPTED: &str = "01a207a5-892f-709f-bde7-66d006bf28cb";
/// What a gateway had written that ran with the baseline.
const ROWS: [&str; 2] = [include_str!("baseline/sqlite.sql"), include_str!("baseline/postgres.sql")];

#[test]
fn no_migration_is_changed() {
    let checksums = |migrator: &'static Migrator| {
        migrator.iter().map(|migration| {
            let start = migration.checksum.first_chunk().map(|start| u64::from_be_bytes(*start)).unwrap();
            format!("{:04} {} {start:016x}", migration.version, migration.description)
        })
    };
    let all: Vec<_> = checksums(&SQLITE).chain(checksums(&POSTGRES)).collect();
    insta::assert_debug_snapshot!(all);
}

#[tokio::test]
async fn a_database_of_the_baseline_becomes_what_a_fresh_one_is_and_keeps_its_rows() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let fresh = testing::database(engine).await;
        let old = testing::empty(engine).await;
        restore(&old).await;
        assert!(old.is_migrated().await.unwrap() || newest() > BASELINE);
        old.migrate().await.unwrap();
        assert!(old.is_migrated().await.unwrap());
        let (expected, found) = (schema(&fresh).await, schema(&old).await);
        assert!(expected.len() > 150, "{}", expected.len());
        assert_eq!(found.symmetric_difference(&expected).collect::<Vec<_>>(), Vec::<&String>::new());

        let mut tx = old.begin().await.unwrap();
        let id = InvoiceId(ACCEPTED.parse().unwrap());
        let invoice = invoices::find(&mut tx, id, &Workspaces::All).await.unwrap().unwrap();
        assert_eq!(invoice.state.number().map(ToString::to_string).as_deref(), Some("F-2026-000001"));
        let submission = submissions::find(&mut tx, id, &Workspaces::All).await.unwrap().unwrap();
        assert_eq!(submission.stage(), Stage::Accepted);
    }
}

#[tokio::test]
async fn a_database_with_other_migrations_is_refused_and_one_with_newer_ones_is_served() {
    for db in testing::both().await {
        let mut tx = db.begin().await.unwrap();
        let newer = gateway_database::sql::Sql::both(
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
                SELECT 9999, 'newer', success, checksum, 0 FROM _sqlx_migrations WHERE version = 1",
        );
        tx.execute(&newer, Vec::new()).await.unwrap();
        tx.commit().await.unwrap();
        db.migrate().await.unwrap();
        assert!(db.is_migrated().await.unwrap());

        let mut tx = db.begin().await.unwrap();
        let other = gateway_database::sql::Sql::both(
            "UPDATE _sqlx_migrations SET checksum = (SELECT checksum FROM _sqlx_migrations WHERE version = 1) WHERE version = 2",
        );
        tx.execute(&other, Vec::new()).await.unwrap();
        tx.commit().await.unwrap();
        assert!(!db.is_migrated().await.unwrap());
        let refused = db.migrate().await.unwrap_err();
        assert!(matches!(refused, OpenError::Foreign(2)), "{refused}");
    }
}

pub(super) fn newest() -> i64 {
    SQLITE.iter().map(|migration| migration.version).max().unwrap()
}

/// The schema of the baseline, and the kept rows in it.
async fn restore(db: &TestDb) {
    migrate_to(db, BASELINE).await;
    insert_kept_rows(db).await.unwrap();
}

/// An empty database becomes what it was with this migration.
pub(super) async fn migrate_to(db: &TestDb, migration: i64) {
    if let Some(path) = db.url().strip_prefix("sqlite:") {
        let mut connection = SqliteConnection::connect(path).await.unwrap();
        SQLITE.run_to(migration, &mut connection).await.unwrap();
        connection.close().await.unwrap();
    } else {
        let mut connection = PgConnection::connect(db.url()).await.unwrap();
        POSTGRES.run_to(migration, &mut connection).await.unwrap();
        connection.close().await.unwrap();
    }
}

/// The kept rows, as the gateway of the baseline wrote them.
pub(super) async fn insert_kept_rows(db: &TestDb) -> Result<(), sqlx::Error> {
    let [sqlite, postgres] = ROWS;
    if let Some(path) = db.url().strip_prefix("sqlite:") {
        let mut connection = SqliteConnection::connect(path).await?;
        connection.execute(AssertSqlSafe(sqlite)).await?;
        connection.close().await
    } else {
        let mut connection = PgConnection::connect(db.url()).await?;
        sqlx::raw_sql(AssertSqlSafe(postgres)).execute(&mut connection).await?;
        connection.close().await
    }
}

const SQLITE_SCHEMA: &str = "SELECT type || ' ' || name || ' ' || COALESCE(sql, '') FROM sqlite_schema";
const POSTGRES_SCHEMA: &str = "
    SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || ' ' || COALESCE(column_default, '')
        FROM information_schema.columns WHERE table_schema = 'public'
    UNION ALL SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
        FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL SELECT viewname || ' ' || definition FROM pg_views WHERE schemaname = 'public'
    UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace";

/// What a database is made of, without its rows and without the order of its columns.
async fn schema(db: &TestDb) -> BTreeSet<String> {
    let rows: Vec<(String,)> = if let Some(path) = db.url().strip_prefix("sqlite:") {
        let mut connection = SqliteConnection::connect(path).await.unwrap();
        sqlx::query_as(SQLITE_SCHEMA).fetch_all(&mut connection).await.unwrap()
    } else {
        let mut connection = PgConnection::connect(db.url()).await.unwrap();
        sqlx::query_as(POSTGRES_SCHEMA).fetch_all(&mut connection).await.unwrap()
    };
    rows.into_iter().map(|(line,)| line).collect()
}
