//! Rows of a table in the order of its key, some at a time.

use crate::cells::{Cell, Cells};
use crate::schema::{ColumnKind, Schema, Table};
use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::StoreError;
use gateway_database::sql::{Engine, Param, params};

/// Most arguments of one statement; SQLite takes 32,766, PostgreSQL 65,535.
const ARGUMENTS_MAX: usize = 30_000;
/// Rows of the first page of a table: they may be large.
const FIRST_ROWS: i64 = 8;
const ROWS_MAX: i64 = 1_000;
/// A page that holds more than this is followed by one with fewer rows.
const PAGE_BYTES: usize = 4 << 20;

/// Follows a table from its beginning, or from behind a key.
#[derive(Debug)]
pub struct Pages<'t> {
    table: &'t Table,
    engine: Engine,
    place: Option<Vec<Cell>>,
    rows: i64,
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn listed(names: impl IntoIterator<Item = String>) -> String {
    names.into_iter().collect::<Vec<_>>().join(", ")
}

impl Table {
    fn kind(&self, name: &str) -> ColumnKind {
        let column = self.columns.iter().find(|column| column.name == name);
        column.map_or(ColumnKind::Text, |column| column.kind)
    }

    fn column_names(&self) -> String {
        listed(self.columns.iter().map(|column| quoted(&column.name)))
    }

    /// A column as both engines order it: texts by their bytes.
    fn ordered(&self, name: &str, engine: Engine) -> String {
        match (engine, self.kind(name)) {
            (Engine::Postgres, ColumnKind::Text) => format!("{} COLLATE \"C\"", quoted(name)),
            _ => quoted(name),
        }
    }

    /// What the rows are ordered by: the key, and whatever tells rows of one key apart.
    fn order(&self, engine: Engine) -> Vec<String> {
        let key = self.key.iter().map(|name| self.ordered(name, engine));
        let rest =
            self.columns.iter().filter(|column| !self.is_key_unique && !self.key.contains(&column.name));
        // As SQLite has it by itself.
        let rest = rest.map(|column| format!("{} NULLS FIRST", self.ordered(&column.name, engine)));
        key.chain(rest).collect()
    }

    /// The key of a row.
    pub fn key_of(&self, row: &Cells) -> Vec<Cell> {
        let place = |name: &String| self.columns.iter().position(|column| column.name == *name);
        let places = self.key.iter().filter_map(place);
        places.filter_map(|place| row.0.get(place).cloned()).collect()
    }

    /// Adds rows, each once.
    pub async fn insert(&self, tx: &mut Tx, rows: Vec<Cells>) -> Result<(), StoreError> {
        let rows_max = (ARGUMENTS_MAX / self.columns.len().max(1)).max(1);
        let mut rows = rows.into_iter().peekable();
        while rows.peek().is_some() {
            let chunk: Vec<Cells> = rows.by_ref().take(rows_max).collect();
            let text = self.insert_text(tx.engine(), chunk.len());
            let mut arguments: Vec<Param> = Vec::with_capacity(chunk.len() * self.columns.len());
            for row in chunk {
                for (cell, column) in row.0.into_iter().zip(&self.columns) {
                    arguments.push(cell.param(column.kind, &self.name, &column.name)?);
                }
            }
            tx.execute_composed(text, arguments).await?;
        }
        Ok(())
    }

    fn insert_text(&self, engine: Engine, rows: usize) -> String {
        let width = self.columns.len();
        let row = |row: usize| {
            let places = (1..=width).map(|column| format!("${}", row * width + column));
            format!("({})", listed(places))
        };
        let own_values = match engine {
            Engine::Postgres if self.columns.iter().any(|column| column.is_identity) => {
                " OVERRIDING SYSTEM VALUE"
            }
            _ => "",
        };
        let (table, columns) = (quoted(&self.name), self.column_names());
        format!("INSERT INTO {table} ({columns}){own_values} VALUES {}", listed((0..rows).map(row)))
    }

    /// Takes every row away.
    pub async fn clear(&self, tx: &mut Tx) -> Result<(), StoreError> {
        tx.execute_composed(format!("DELETE FROM {}", quoted(&self.name)), Vec::new()).await.map(drop)
    }

    /// Lets PostgreSQL go on behind the greatest value of a column that it gives values to.
    pub async fn continue_identity(&self, tx: &mut Tx) -> Result<(), StoreError> {
        for column in self.columns.iter().filter(|column| column.is_identity) {
            let (table, name) = (quoted(&self.name), quoted(&column.name));
            let text = format!(
                "SELECT setval(pg_get_serial_sequence($1, $2), (SELECT COALESCE(MAX({name}), 0) + 1 FROM {table}), FALSE)"
            );
            let arguments = params![table.as_str(), column.name.as_str()];
            let _: Vec<(i64,)> = Executor::Tx(tx).composed(text, arguments).await?;
        }
        Ok(())
    }

    /// How many rows there are.
    pub async fn count(&self, on: impl Into<Executor<'_>>) -> Result<i64, StoreError> {
        let text = format!("SELECT COUNT(*) FROM {}", quoted(&self.name));
        let counted: Vec<(i64,)> = on.into().composed(text, Vec::new()).await?;
        Ok(counted.first().map_or(0, |(count,)| *count))
    }
}

impl<'t> Pages<'t> {
    /// From the beginning, or from behind `place`, which is the key of a row.
    pub fn after(schema: &Schema, table: &'t Table, place: Option<Vec<Cell>>) -> Self {
        Self { table, engine: schema.engine, place, rows: FIRST_ROWS }
    }

    /// The next rows; none at the end.
    pub async fn next(&mut self, mut on: Executor<'_>) -> Result<Vec<Cells>, StoreError> {
        loop {
            let (text, arguments) = self.statement()?;
            let mut rows: Vec<Cells> = on.reborrow().composed(text, arguments).await?;
            let is_full = i64::try_from(rows.len()).is_ok_and(|rows| rows == self.rows);
            if is_full && !self.table.is_key_unique && !self.keep_whole_keys(&mut rows) {
                self.rows *= 2;
                continue;
            }
            let Some(last) = rows.last() else { return Ok(rows) };
            self.place = Some(self.table.key_of(last));
            let bytes: usize = rows.iter().flat_map(|row| &row.0).map(Cell::size).sum();
            self.rows = match bytes {
                large if large > PAGE_BYTES => (self.rows / 2).max(1),
                small if small < PAGE_BYTES / 4 => (self.rows * 2).min(ROWS_MAX),
                _ => self.rows,
            };
            return Ok(rows);
        }
    }

    /// Leaves the rows of the last key to the next page, because more of them may follow; `false` when there is no other key.
    fn keep_whole_keys(&self, rows: &mut Vec<Cells>) -> bool {
        let last = rows.last().map(|row| self.table.key_of(row));
        rows.retain(|row| Some(self.table.key_of(row)) != last);
        !rows.is_empty()
    }

    /// The key of the last row that was read.
    pub fn last_key(&self) -> Option<&[Cell]> {
        self.place.as_deref()
    }

    fn statement(&self) -> Result<(String, Vec<Param>), StoreError> {
        let table = self.table;
        let mut arguments = Vec::new();
        let behind = match &self.place {
            None => String::new(),
            Some(place) => {
                for (cell, name) in place.iter().cloned().zip(&table.key) {
                    arguments.push(cell.param(table.kind(name), &table.name, name)?);
                }
                let key = listed(table.key.iter().map(|name| table.ordered(name, self.engine)));
                let places = (1..=arguments.len()).map(|place| format!("${place}"));
                format!(" WHERE ({key}) > ({})", listed(places))
            }
        };
        let order = table.order(self.engine).join(", ");
        let (columns, from, rows) = (table.column_names(), quoted(&table.name), self.rows);
        Ok((format!("SELECT {columns} FROM {from}{behind} ORDER BY {order} LIMIT {rows}"), arguments))
    }
}
