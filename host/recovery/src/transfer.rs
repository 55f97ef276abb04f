//! A database into one of the other engine, table by table. A transfer that was interrupted goes on where it was: how far each
//! table has come is committed with its rows.

use crate::content;
use crate::error::RecoveryError;
use crate::manifest::Content;
use gateway_domain::StoreError;
use gateway_storage::tables::journal::{self, Progress};
use gateway_storage::tables::pages::Pages;
use gateway_storage::tables::{Schema, Table};
use gateway_storage::{Db, Executor};

/// What was moved.
#[derive(Debug)]
pub struct Moved {
    /// What both databases hold now.
    pub content: Content,
    /// Whether an earlier move was finished.
    pub resumed: bool,
}

/// Whether a move into this database was begun and has not ended: it is only half there.
pub async fn is_unfinished(db: &Db) -> Result<bool, StoreError> {
    journal::is_unfinished(db).await
}

/// Copies everything, and compares both sides. Nobody may serve either meanwhile.
pub async fn move_all(from: &Db, to: &Db) -> Result<Moved, RecoveryError> {
    if from.engine() == to.engine() {
        return Err(RecoveryError::SameEngine);
    }
    for db in [from, to] {
        if db.is_served().await? {
            return Err(RecoveryError::Served(db.location()));
        }
    }
    let resumed = begin(from, to).await?;
    to.migrate().await?;
    let (leaving, arriving) = (Schema::read(from).await?, Schema::read(to).await?);
    if !leaving.has_same_tables(&arriving) {
        return Err(RecoveryError::OtherTables);
    }
    let progress = journal::progress(to).await?;
    // In the order of the target, whose keys refer to rows that have to be there.
    for table in &arriving.tables {
        copy(from, &leaving, to, table, progress.get(&table.name)).await?;
    }
    let (left, arrived) = (content::read(from).await?, content::read(to).await?);
    let differences = left.differences(&arrived);
    if !differences.is_empty() {
        return Err(RecoveryError::MovedDifferently(differences.join(", ")));
    }
    journal::end(to).await?;
    Ok(Moved { content: arrived, resumed })
}

/// Marks the target as being filled; whether it was already.
async fn begin(from: &Db, to: &Db) -> Result<bool, RecoveryError> {
    let source = from.identity().await?;
    match journal::source(to).await? {
        Some(begun) if begun == source => Ok(true),
        Some(_) => Err(RecoveryError::OtherContent(to.location())),
        None => {
            if !to.is_empty().await? || !Schema::read(to).await?.tables.is_empty() {
                return Err(RecoveryError::OtherContent(to.location()));
            }
            journal::begin(to, &source).await?;
            Ok(false)
        }
    }
}

async fn copy(
    from: &Db,
    leaving: &Schema,
    to: &Db,
    table: &Table,
    progress: Option<&Progress>,
) -> Result<(), RecoveryError> {
    let place = match progress {
        Some(Progress::Complete) => return Ok(()),
        Some(Progress::Behind(place)) => Some(place.clone()),
        None => {
            // Migrations put rows into some tables.
            let mut tx = to.begin().await?;
            table.clear(&mut tx).await?;
            journal::note(&mut tx, &table.name, &Progress::Behind(Vec::new())).await?;
            tx.commit_at("move-table-begun").await?;
            None
        }
    };
    let place = place.filter(|place| !place.is_empty());
    // Both have the same columns; what SQLite does not know of them, it does not need.
    let source = leaving.tables.iter().find(|source| source.name == table.name).unwrap_or(table);
    let mut pages = Pages::after(leaving, source, place);
    loop {
        let rows = pages.next(Executor::Db(from)).await?;
        let mut tx = to.begin().await?;
        if rows.is_empty() {
            table.continue_identity(&mut tx).await?;
            journal::note(&mut tx, &table.name, &Progress::Complete).await?;
            return Ok(tx.commit_at("move-table-complete").await?);
        }
        table.insert(&mut tx, rows).await?;
        let place = pages.last_key().unwrap_or_default().to_vec();
        journal::note(&mut tx, &table.name, &Progress::Behind(place)).await?;
        tx.commit_at("move-page").await?;
    }
}
