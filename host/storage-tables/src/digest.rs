//! What a table holds, as one SHA-256: the same on both engines when the rows are the same.

use crate::cells::Cell;
use crate::pages::Pages;
use crate::schema::{Schema, Table};
use gateway_database::dispatch::Executor;
use gateway_database::error::StoreError;
use sha2::{Digest, Sha256};

/// How many rows a table has, and what they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableDigest {
    /// How many.
    pub rows: u64,
    /// Of every value of every row, in the order of the key; 64 characters.
    pub sha256: String,
}

fn add(digest: &mut Sha256, cell: &Cell) {
    let mut add = |tag: u8, bytes: &[u8]| {
        digest.update([tag]);
        digest.update((bytes.len() as u64).to_be_bytes());
        digest.update(bytes);
    };
    match cell {
        Cell::Null => add(0, &[]),
        Cell::Int(value) => add(1, &value.to_be_bytes()),
        Cell::Text(text) => add(2, text.as_bytes()),
        Cell::Bytes(bytes) => add(3, bytes),
    }
}

impl TableDigest {
    /// Reads the whole table.
    pub async fn of(on: impl Into<Executor<'_>>, schema: &Schema, table: &Table) -> Result<Self, StoreError> {
        let mut on = on.into();
        let (mut digest, mut rows) = (Sha256::new(), 0_u64);
        for column in &table.columns {
            add(&mut digest, &Cell::Text(column.name.clone()));
        }
        let mut pages = Pages::after(schema, table, None);
        loop {
            let page = pages.next(on.reborrow()).await?;
            if page.is_empty() {
                return Ok(Self { rows, sha256: hex::encode(digest.finalize()) });
            }
            rows += page.len() as u64;
            page.iter().flat_map(|row| &row.0).for_each(|cell| add(&mut digest, cell));
        }
    }
}
