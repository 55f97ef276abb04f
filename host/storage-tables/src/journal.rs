//! How far a move between two databases has come. The database that is filled keeps it, in a table that no migration makes: as
//! long as it is there, nobody serves that database.

use crate::cells::Cell;
use crate::schema::JOURNAL as TABLE;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::sql::{params, statements};
use gateway_database::{Db, Tx};
use std::collections::BTreeMap;

/// The row that says where the rows come from.
const SOURCE: &str = "";

/// How far a table has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// Up to the row with this key.
    Behind(Vec<Cell>),
    /// Every row is there.
    Complete,
}

statements! {
    IS_THERE = pg "SELECT COUNT(*) FROM pg_tables WHERE tablename = 'unfinished_move' AND schemaname = current_schema()",
        sqlite "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name = 'unfinished_move'";
}

/// Whether a move into this database was begun and has not ended.
pub async fn is_unfinished(db: &Db) -> Result<bool, StoreError> {
    let (tables,): (i64,) = db.fetch_one(&IS_THERE, Vec::new()).await?;
    Ok(tables > 0)
}

/// Where the rows of an unfinished move come from.
pub async fn source(db: &Db) -> Result<Option<String>, StoreError> {
    if !is_unfinished(db).await? {
        return Ok(None);
    }
    let text = format!("SELECT place FROM {TABLE} WHERE name = $1");
    let found: Vec<(String,)> = Executor::Db(db).composed(text, params![SOURCE]).await?;
    Ok(found.into_iter().next().map(|(source,)| source))
}

/// Begins a move.
pub async fn begin(db: &Db, source: &str) -> Result<(), StoreError> {
    let mut tx = db.begin().await?;
    let table = format!("CREATE TABLE {TABLE} (name TEXT NOT NULL PRIMARY KEY, place TEXT NOT NULL)");
    tx.execute_composed(table, Vec::new()).await?;
    put(&mut tx, SOURCE, source).await?;
    tx.commit_at("move-begun").await
}

/// Ends a move: the database can be served.
pub async fn end(db: &Db) -> Result<(), StoreError> {
    let mut tx = db.begin().await?;
    tx.execute_composed(format!("DROP TABLE {TABLE}"), Vec::new()).await?;
    tx.commit_at("move-ended").await
}

/// How far each table has come; those that were not begun are not in it.
pub async fn progress(db: &Db) -> Result<BTreeMap<String, Progress>, StoreError> {
    let text = format!("SELECT name, place FROM {TABLE} WHERE name <> $1");
    let rows: Vec<(String, String)> = Executor::Db(db).composed(text, params![SOURCE]).await?;
    rows.into_iter().map(|(name, place)| Ok((name.clone(), parse(&name, &place)?))).collect()
}

/// Notes how far a table has come, in the transaction that brings it there.
pub async fn note(tx: &mut Tx, table: &str, progress: &Progress) -> Result<(), StoreError> {
    let place = match progress {
        Progress::Complete => String::new(),
        Progress::Behind(key) => {
            let key: Vec<Part<'_>> = key.iter().map(Part::from).collect();
            StoreError::json(&key)?
        }
    };
    put(tx, table, &place).await
}

async fn put(tx: &mut Tx, name: &str, place: &str) -> Result<(), StoreError> {
    let text = format!(
        "INSERT INTO {TABLE} (name, place) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET place = excluded.place"
    );
    tx.execute_composed(text, params![name, place]).await.map(drop)
}

/// A value of a key, as it is written down.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(untagged)]
enum Part<'a> {
    Int(i64),
    Text(std::borrow::Cow<'a, str>),
    Bytes { bytes: Vec<u8> },
    Null,
}

impl<'a> From<&'a Cell> for Part<'a> {
    fn from(cell: &'a Cell) -> Self {
        match cell {
            Cell::Null => Self::Null,
            Cell::Int(value) => Self::Int(*value),
            Cell::Text(text) => Self::Text(text.into()),
            Cell::Bytes(bytes) => Self::Bytes { bytes: bytes.clone() },
        }
    }
}

fn parse(table: &str, place: &str) -> Result<Progress, StoreError> {
    if place.is_empty() {
        return Ok(Progress::Complete);
    }
    let parts: Vec<Part<'_>> =
        serde_json::from_str(place).map_err(|_| Corrupt::new(TABLE, table, "place", place))?;
    let cells = parts.into_iter().map(|part| match part {
        Part::Int(value) => Cell::Int(value),
        Part::Text(text) => Cell::Text(text.into_owned()),
        Part::Bytes { bytes } => Cell::Bytes(bytes),
        Part::Null => Cell::Null,
    });
    Ok(Progress::Behind(cells.collect()))
}
