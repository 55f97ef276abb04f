//! What tests find in, and do to, the tables; the databases themselves are made by [`gateway_database::testing`].

pub mod ledger;
pub mod samples;

pub use gateway_database::testing::{
    PresentTime, RandomIds, TestClock, TestDb, both, database, empty, until_somebody_waits,
};

use crate::events;
use gateway_database::sql::params;
use gateway_database::testing::fail;
use gateway_database::{Db, Param, Sql, Ts};
use gateway_domain::access::Workspaces;
use gateway_domain_events::{EventSelection, StoredEvent};
use jiff::{SignedDuration, Timestamp};

/// Makes every lease end long ago, as if its holder had died: time that passes for the database.
///
/// # Panics
/// When the database does not carry it out.
pub async fn expire_leases(db: &Db) {
    let jobs = Sql::both("UPDATE job SET lease_until = $1 WHERE lease_owner IS NOT NULL");
    let webhooks = Sql::both("UPDATE webhook_endpoint SET lease_until = $1 WHERE lease_owner IS NOT NULL");
    let duties = Sql::both("UPDATE lease SET held_until = $1");
    set_leases(db, [jobs, webhooks, duties], Timestamp::UNIX_EPOCH).await;
}

/// Gives every job, endpoint and duty to somebody who is dead, for so many hours from now on: what a process leaves behind
/// that was killed while the clock of the database was ahead.
///
/// # Panics
/// When the database does not carry it out.
#[expect(clippy::disallowed_methods, reason = "the clock of the database is the system's")]
pub async fn leave_to_the_dead(db: &Db, hours: i64) {
    let jobs = Sql::both("UPDATE job SET lease_owner = 'dead', lease_until = $1");
    let webhooks = Sql::both("UPDATE webhook_endpoint SET lease_owner = 'dead', lease_until = $1");
    let duties = Sql::both("UPDATE lease SET owner = 'dead', held_until = $1");
    let end = Timestamp::now().checked_add(SignedDuration::from_hours(hours)).unwrap_or(Timestamp::MAX);
    set_leases(db, [jobs, webhooks, duties], end).await;
}

async fn set_leases(db: &Db, statements: [Sql; 3], end: Timestamp) {
    let mut tx = db.begin().await.unwrap_or_else(|error| fail(&error));
    for sql in statements {
        tx.execute(&sql, vec![Ts(end).into()]).await.unwrap_or_else(|error| fail(&error));
    }
    tx.commit().await.unwrap_or_else(|error| fail(&error));
}

/// Takes a number away from those that were given, as only damage does: a trigger keeps everybody else from it.
///
/// # Panics
/// When the database does not carry it out.
pub async fn lose_number(db: &Db, number: &str) {
    let unlock = Sql {
        pg: "DROP TRIGGER IF EXISTS invoice_number_is_for_ever ON invoice_number",
        sqlite: "DROP TRIGGER IF EXISTS invoice_number_is_not_deleted",
    };
    change(db, unlock, Vec::new()).await;
    change(db, Sql::both("DELETE FROM invoice_number WHERE number = $1"), params![number]).await;
}

/// Gives a number, and its position, once more: to the document that carries `carried` too. Only damage does, and not to the table as
/// it is made, whose keys keep everybody from it.
///
/// # Panics
/// When the database does not carry it out.
pub async fn give_number_again(db: &Db, number: &str, carried: &str) {
    for sql in [
        "CREATE TABLE invoice_number_without_keys AS SELECT * FROM invoice_number",
        "DROP TABLE invoice_number",
        "ALTER TABLE invoice_number_without_keys RENAME TO invoice_number",
    ] {
        change(db, Sql::both(sql), Vec::new()).await;
    }
    let sql = Sql::both(
        "INSERT INTO invoice_number (workspace_id, kind, year, no, number, invoice_id, given_at)
        SELECT n.workspace_id, n.kind, n.year, n.no, n.number, i.id, n.given_at
        FROM invoice_number n JOIN invoice i ON i.workspace_id = n.workspace_id AND i.number = $2 WHERE n.number = $1",
    );
    change(db, sql, params![number, carried]).await;
}

/// Changes what is stored of the document that was sent under a number.
///
/// # Panics
/// When the database does not carry it out.
pub async fn change_sent_document(db: &Db, number: &str) {
    let sql = Sql::both("UPDATE submission SET structured = structured || ' ' WHERE number = $1");
    change(db, sql, params![number]).await;
}

/// Changes the amount in what was sent to the tax authority under a number, as its record states it.
///
/// # Panics
/// When the database does not carry it out.
pub async fn change_message(db: &Db, number: &str) {
    let sql = Sql::both(
        "UPDATE submission_message SET body = REPLACE(body, 'ImporteTotal>', 'ImporteTotal>1')
        WHERE job_id IN (SELECT job_id FROM submission_attempt WHERE number = $1)",
    );
    change(db, sql, params![number]).await;
}

/// Makes every outage one of a single failed call, past its seal.
///
/// # Panics
/// When the database does not carry it out.
pub async fn shorten_outages(db: &Db) {
    change(db, Sql::both("UPDATE outage SET failures = 1"), Vec::new()).await;
}

/// Changes rows as nobody but a test does.
///
/// # Panics
/// When the database does not carry it out.
pub async fn change(db: &Db, sql: Sql, arguments: Vec<Param>) {
    let mut tx = db.begin().await.unwrap_or_else(|error| fail(&error));
    tx.execute(&sql, arguments).await.unwrap_or_else(|error| fail(&error));
    tx.commit().await.unwrap_or_else(|error| fail(&error));
}

/// What is kept of the answers to requests with a key, as it is stored.
///
/// # Panics
/// When the database does not carry it out.
pub async fn stored_answers(db: &Db) -> Vec<String> {
    let sql = Sql::both("SELECT response FROM idempotency WHERE response IS NOT NULL ORDER BY key");
    let mut tx = db.begin().await.unwrap_or_else(|error| fail(&error));
    let rows: Vec<(String,)> = tx.fetch_all(&sql, Vec::new()).await.unwrap_or_else(|error| fail(&error));
    tx.rollback().await.unwrap_or_else(|error| fail(&error));
    rows.into_iter().map(|(text,)| text).collect()
}

/// From when on the work of a kind about a subject is urgent; none when it never is, or when there is none.
///
/// # Panics
/// When the database does not carry it out.
pub async fn urgent_at(db: &Db, kind: &str, subject: &str) -> Option<Timestamp> {
    let sql = Sql::both("SELECT urgent_at FROM job WHERE kind = $1 AND subject = $2");
    let mut tx = db.begin().await.unwrap_or_else(|error| fail(&error));
    let rows: Vec<(Option<Ts>,)> =
        tx.fetch_all(&sql, params![kind, subject]).await.unwrap_or_else(|error| fail(&error));
    tx.rollback().await.unwrap_or_else(|error| fail(&error));
    rows.first()?.0.map(|urgent_at| urgent_at.0)
}

/// The notices in the log, the oldest first.
///
/// # Panics
/// When the database does not carry it out.
pub async fn notices(db: &Db) -> Vec<StoredEvent> {
    while events::relay(db, i64::MAX).await.unwrap_or_else(|error| fail(&error)) > 0 {}
    let selection = EventSelection::Source("/notices");
    let found = events::feed(db, &Workspaces::All, selection, 0, i64::MAX).await;
    found.unwrap_or_else(|error| fail(&error))
}

/// A statement by its module and name, to run it without what is around it in a measurement.
///
/// # Panics
/// When there is none.
#[expect(clippy::panic, reason = "a measurement of another statement has nothing to say")]
pub fn statement(module: &str, name: &str) -> Sql {
    let modules = crate::catalogue::MODULES.iter().filter(|(known, _)| *known == module);
    let mut found = modules.flat_map(|(_, statements)| *statements).filter(|(known, _)| *known == name);
    found.next().map_or_else(|| panic!("there is no statement {module}::{name}"), |(_, sql)| *sql)
}
