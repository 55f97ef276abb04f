//! Values as they are the same on both engines: as SQLite keeps them.

use crate::schema::ColumnKind;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::sql::Param;
use gateway_database::value::{Day, Id, Ts};
use sqlx::error::BoxDynError;
use sqlx::{Column as _, FromRow, Row, TypeInfo, ValueRef};
use sqlx_postgres::PgRow;
use sqlx_sqlite::SqliteRow;

/// One value. Flags are 0 and 1; identifiers, instants and days are texts, as [`gateway_database::value`] says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    /// NULL.
    Null,
    /// A whole number, or a flag.
    Int(i64),
    /// A text, an identifier, an instant or a day.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// One row, in the order in which its columns were asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cells(pub Vec<Cell>);

/// A type that no table of ours has.
#[derive(Debug, thiserror::Error)]
#[error("a column holds {0}, which has no form that both databases know")]
struct UnknownType(String);

fn cell<T>(value: Option<T>, make: impl FnOnce(T) -> Cell) -> Cell {
    value.map_or(Cell::Null, make)
}

fn unknown(column: &str, name: &str) -> sqlx::Error {
    let source: BoxDynError = Box::new(UnknownType(name.to_owned()));
    sqlx::Error::ColumnDecode { index: column.to_owned(), source }
}

impl FromRow<'_, PgRow> for Cells {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let cells = row.columns().iter().map(|column| {
            let at = column.ordinal();
            Ok(match column.type_info().name() {
                "INT8" => cell(row.try_get(at)?, Cell::Int),
                "INT4" => cell(row.try_get::<Option<i32>, _>(at)?, |value| Cell::Int(value.into())),
                "INT2" => cell(row.try_get::<Option<i16>, _>(at)?, |value| Cell::Int(value.into())),
                "BOOL" => cell(row.try_get::<Option<bool>, _>(at)?, |value| Cell::Int(value.into())),
                "TEXT" | "VARCHAR" => cell(row.try_get(at)?, Cell::Text),
                "BYTEA" => cell(row.try_get(at)?, Cell::Bytes),
                "UUID" => cell(row.try_get::<Option<Id>, _>(at)?, |Id(value)| Cell::Text(value.to_string())),
                "TIMESTAMPTZ" => cell(row.try_get::<Option<Ts>, _>(at)?, |value| Cell::Text(value.text())),
                "DATE" => {
                    cell(row.try_get::<Option<Day>, _>(at)?, |Day(value)| Cell::Text(value.to_string()))
                }
                other => return Err(unknown(column.name(), other)),
            })
        });
        cells.collect::<Result<_, _>>().map(Self)
    }
}

impl FromRow<'_, SqliteRow> for Cells {
    fn from_row(row: &SqliteRow) -> Result<Self, sqlx::Error> {
        let cells = row.columns().iter().map(|column| {
            let at = column.ordinal();
            let value = row.try_get_raw(at)?;
            if value.is_null() {
                return Ok(Cell::Null);
            }
            Ok(match value.type_info().name() {
                // The driver tells a number by the type of its column.
                "INTEGER" | "BOOLEAN" => Cell::Int(row.try_get_unchecked(at)?),
                "TEXT" => Cell::Text(row.try_get_unchecked(at)?),
                "BLOB" => Cell::Bytes(row.try_get_unchecked(at)?),
                other => return Err(unknown(column.name(), other)),
            })
        });
        cells.collect::<Result<_, _>>().map(Self)
    }
}

impl Cell {
    /// The value as an argument for a column of this kind.
    pub(super) fn param(self, kind: ColumnKind, table: &str, column: &str) -> Result<Param, StoreError> {
        let unfit = |found: &dyn std::fmt::Display| -> StoreError {
            Corrupt::new("table", table, "of the catalogue", format!("{column}, which does not hold {found}"))
                .into()
        };
        Ok(match (kind, self) {
            (ColumnKind::Int, Self::Null) => Param::Int(None),
            (ColumnKind::Flag, Self::Null) => Param::Flag(None),
            (ColumnKind::Text, Self::Null) => Param::Text(None),
            (ColumnKind::Bytes, Self::Null) => Param::Bytes(None),
            (ColumnKind::Id, Self::Null) => Param::Id(None),
            (ColumnKind::Instant, Self::Null) => Param::Ts(None),
            (ColumnKind::Day, Self::Null) => Param::Day(None),
            (ColumnKind::Int, Self::Int(value)) => value.into(),
            (ColumnKind::Flag, Self::Int(value)) => (value != 0).into(),
            (ColumnKind::Text, Self::Text(value)) => value.into(),
            (ColumnKind::Bytes, Self::Bytes(value)) => value.into(),
            (ColumnKind::Id, Self::Text(value)) => Id(value.parse().map_err(|_| unfit(&value))?).into(),
            (ColumnKind::Instant, Self::Text(value)) => Ts(value.parse().map_err(|_| unfit(&value))?).into(),
            (ColumnKind::Day, Self::Text(value)) => Day(value.parse().map_err(|_| unfit(&value))?).into(),
            (_, Self::Int(value)) => return Err(unfit(&value)),
            (_, Self::Text(_)) => return Err(unfit(&"a text")),
            (_, Self::Bytes(_)) => return Err(unfit(&"bytes")),
        })
    }

    /// How many bytes it takes, about.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Null => 1,
            Self::Int(_) => 8,
            Self::Text(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
        }
    }
}
