//! Which tables there are, as the catalogue of the database says.

use gateway_database::dispatch::Executor;
use gateway_database::error::StoreError;
use gateway_database::sql::{Engine, statements};
use std::collections::{BTreeMap, BTreeSet};

statements! {
    COLUMNS = pg "SELECT c.relname::text AS table_name, a.attname::text AS name, t.typname::text AS type_name,
            (COALESCE(array_position(i.indkey::smallint[], a.attnum), -1) + 1)::bigint AS key_place,
            a.attnotnull AS is_required, a.attidentity <> '' AS is_identity
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        JOIN pg_type t ON t.oid = a.atttypid
        LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
        ORDER BY c.relname::text COLLATE \"C\", a.attname::text COLLATE \"C\"",
        sqlite "SELECT t.name AS table_name, c.name AS name, c.type AS type_name, c.pk AS key_place,
            c.\"notnull\" AS is_required, FALSE AS is_identity
        FROM sqlite_schema t JOIN pragma_table_xinfo(t.name) c
        WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY t.name, c.name";
    REFERENCES = pg "SELECT c.relname::text AS child, a.attname::text AS name, p.relname::text AS parent FROM pg_constraint r
        JOIN pg_class c ON c.oid = r.conrelid JOIN pg_class p ON p.oid = r.confrelid
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = r.conkey[1]
        WHERE r.contype = 'f' AND r.connamespace = current_schema()::regnamespace",
        sqlite "SELECT t.name AS child, r.\"from\" AS name, r.\"table\" AS parent FROM sqlite_schema t JOIN pragma_foreign_key_list(t.name) r
        WHERE t.type = 'table'";
}

/// What [`super::journal`] is kept in.
pub(super) const JOURNAL: &str = "unfinished_move";
/// What SQLx keeps its migrations in: each database has its own.
const MIGRATIONS: &str = "_sqlx_migrations";
/// Begins the names of tables that triggers fill from rows of others: they come back with those.
const DERIVED_PREFIX: &str = "derived_";

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// A whole number.
    Int,
    /// True or false.
    Flag,
    /// A text.
    Text,
    /// Bytes.
    Bytes,
    /// A UUID.
    Id,
    /// An instant, to the microsecond.
    Instant,
    /// A calendar day.
    Day,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// What it holds. SQLite knows numbers, texts and bytes only.
    pub kind: ColumnKind,
    /// Whether PostgreSQL gives it a value of its own.
    pub(super) is_identity: bool,
}

/// A table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// By name.
    pub columns: Vec<Column>,
    /// What its rows are read by: the columns of its primary key, in their order; without one a column that every row has.
    pub key: Vec<String>,
    /// Whether there is one row at most for a key.
    pub is_key_unique: bool,
}

/// The tables of a database, those that others refer to first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schema {
    /// The engine that they are of.
    pub engine: Engine,
    /// All of them but those that a database keeps about itself, and those that triggers fill.
    pub tables: Vec<Table>,
}

#[derive(sqlx::FromRow)]
struct ColumnRow {
    table_name: String,
    name: String,
    type_name: String,
    key_place: i64,
    is_required: bool,
    is_identity: bool,
}

/// A table refers to another, with a column.
#[derive(sqlx::FromRow)]
struct Reference {
    child: String,
    name: String,
    parent: String,
}

impl Schema {
    /// Reads the catalogue.
    pub async fn read(on: impl Into<Executor<'_>>) -> Result<Self, StoreError> {
        let mut on = on.into();
        let engine = on.engine();
        let rows: Vec<ColumnRow> = on.reborrow().all(&COLUMNS, Vec::new()).await?;
        let references: Vec<Reference> = on.all(&REFERENCES, Vec::new()).await?;
        let mut columns: BTreeMap<String, Vec<ColumnRow>> = BTreeMap::new();
        let is_content =
            |name: &str| ![MIGRATIONS, JOURNAL].contains(&name) && !name.starts_with(DERIVED_PREFIX);
        for row in rows.into_iter().filter(|row| is_content(&row.table_name)) {
            columns.entry(row.table_name.clone()).or_default().push(row);
        }
        let tables = columns.into_iter().map(|(name, columns)| table(name, columns, &references));
        Ok(Self { engine, tables: parents_first(tables.collect::<Result<_, _>>()?, &references) })
    }

    /// Whether both have the same tables with the same columns and keys.
    pub fn has_same_tables(&self, other: &Self) -> bool {
        self.shape() == other.shape()
    }

    fn shape(&self) -> BTreeMap<&str, (Vec<&str>, &[String])> {
        self.tables
            .iter()
            .map(|table| {
                let columns = table.columns.iter().map(|column| column.name.as_str()).collect();
                (table.name.as_str(), (columns, table.key.as_slice()))
            })
            .collect()
    }
}

fn table(name: String, rows: Vec<ColumnRow>, references: &[Reference]) -> Result<Table, StoreError> {
    let places = rows.iter().filter(|row| row.key_place > 0).map(|row| (row.key_place, row.name.clone()));
    let mut key: Vec<String> = places.collect::<BTreeMap<_, _>>().into_values().collect();
    let is_key_unique = !key.is_empty();
    if !is_key_unique {
        // What belongs to a row of another table is few rows for each of those.
        let refers = |row: &&ColumnRow| {
            references.iter().any(|reference| reference.child == name && reference.name == row.name)
        };
        let required = || rows.iter().filter(|row| row.is_required);
        let column = required().find(refers).or_else(|| required().next());
        key.push(column.ok_or_else(|| without_key(&name))?.name.clone());
    }
    let columns = rows.into_iter().map(|row| {
        let kind = kind(&row.type_name).ok_or_else(|| unknown_type(&row))?;
        Ok(Column { name: row.name, kind, is_identity: row.is_identity })
    });
    let columns = columns.collect::<Result<_, StoreError>>()?;
    Ok(Table { name, columns, key, is_key_unique })
}

fn without_key(table: &str) -> StoreError {
    StoreError::Failed {
        message: format!(
            "the table {table} has no column that every row has, so that its rows cannot be read in order"
        ),
        cause: None,
    }
}

fn kind(type_name: &str) -> Option<ColumnKind> {
    Some(match type_name {
        "int8" | "int4" | "int2" | "INTEGER" => ColumnKind::Int,
        "bool" => ColumnKind::Flag,
        "text" | "TEXT" => ColumnKind::Text,
        "bytea" | "BLOB" => ColumnKind::Bytes,
        "uuid" => ColumnKind::Id,
        "timestamptz" => ColumnKind::Instant,
        "date" => ColumnKind::Day,
        _ => return None,
    })
}

fn unknown_type(row: &ColumnRow) -> StoreError {
    let ColumnRow { table_name, name, type_name, .. } = row;
    StoreError::Failed {
        message: format!(
            "the column {name} of the table {table_name} has the type {type_name}, which this program does not know: use the one that made it"
        ),
        cause: None,
    }
}

/// A table comes behind those that it refers to. Tables that refer to each other in a circle come last, as they are.
fn parents_first(tables: Vec<Table>, references: &[Reference]) -> Vec<Table> {
    let (mut sorted, mut open) = (Vec::with_capacity(tables.len()), tables);
    loop {
        let waiting: BTreeSet<String> = open.iter().map(|table| table.name.clone()).collect();
        let is_ready = |table: &Table| {
            let own = references.iter().filter(|reference| reference.child == table.name);
            let mut parents = own.map(|reference| &reference.parent);
            !parents.any(|parent| *parent != table.name && waiting.contains(parent))
        };
        let (ready, rest): (Vec<_>, Vec<_>) = open.into_iter().partition(is_ready);
        if ready.is_empty() {
            sorted.extend(rest);
            return sorted;
        }
        sorted.extend(ready);
        open = rest;
    }
}
