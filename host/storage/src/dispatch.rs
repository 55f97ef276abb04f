//! One text for two engines: statements, their arguments, and where they run.

use crate::db::{Db, Tx};
use crate::error::StoreError;
use crate::value::{Id, Ts};
use gateway_domain::ids::{BookingId, ClientId, EntryId, EventId, InvoiceId, JobId, WorkId, WorkspaceId};
use jiff::Timestamp;
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{Arguments, FromRow, Postgres, Sqlite};
use uuid::Uuid;

/// A statement: usually one text, two where an engine has its own way. Placeholders are `$1`, `$2`, … on both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sql {
    /// For PostgreSQL.
    pub pg: &'static str,
    /// For SQLite.
    pub lite: &'static str,
}

impl Sql {
    /// The same text for both.
    pub const fn both(text: &'static str) -> Self {
        Self { pg: text, lite: text }
    }
}

/// Declares the statements of a module and lists them for the catalogue:
/// `statements! { FIND = "SELECT …"; CLAIM = pg "…", lite "…"; }`.
macro_rules! statements {
    (@sql $text:literal) => { $crate::dispatch::Sql::both($text) };
    (@sql pg $pg:literal, lite $lite:literal) => { $crate::dispatch::Sql { pg: $pg, lite: $lite } };
    ($($name:ident = $($text:literal)? $(pg $pg:literal, lite $lite:literal)?;)+) => {
        $(const $name: $crate::dispatch::Sql =
            $crate::dispatch::statements!(@sql $($text)? $(pg $pg, lite $lite)?);)+
        /// Every statement of this module.
        #[cfg(test)]
        pub(crate) const STATEMENTS: &[(&str, $crate::dispatch::Sql)] = &[$((stringify!($name), $name),)+];
    };
}
pub(crate) use statements;

/// The arguments of a statement, in the order of their placeholders.
macro_rules! params {
    ($($value:expr),* $(,)?) => { vec![$($crate::dispatch::Param::from($value)),*] };
}
pub(crate) use params;

/// One argument. `None` is NULL of that type.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "each variant is named after the column type it fits")]
pub enum Param {
    Int(Option<i64>),
    Flag(Option<bool>),
    Text(Option<String>),
    Bytes(Option<Vec<u8>>),
    Id(Option<Id>),
    Ts(Option<Ts>),
}

macro_rules! param_from {
    ($($variant:ident: $($from:ty => |$value:ident| $make:expr),+;)+) => {
        $($(
            impl From<$from> for Param {
                fn from($value: $from) -> Self {
                    Self::$variant(Some($make))
                }
            }

            impl From<Option<$from>> for Param {
                fn from(value: Option<$from>) -> Self {
                    Self::$variant(value.map(|$value| $make))
                }
            }
        )+)+
    };
}

param_from! {
    Int: i64 => |value| value, WorkspaceId => |value| value.0, i16 => |value| value.into();
    Flag: bool => |value| value;
    Text: String => |value| value, &str => |value| value.to_owned(), &String => |value| value.clone();
    Bytes: Vec<u8> => |value| value, &[u8] => |value| value.to_vec();
    Id: Id => |value| value, Uuid => |value| Id(value), InvoiceId => |value| Id(value.0), ClientId => |value| Id(value.0),
        BookingId => |value| Id(value.0), EventId => |value| Id(value.0), WorkId => |value| Id(value.0),
        EntryId => |value| Id(value.uuid()), JobId => |value| Id(value.uuid());
    Ts: Ts => |value| value, Timestamp => |value| Ts(value);
}

/// A row as a struct: `#[derive(sqlx::FromRow)]` covers both engines.
pub trait Record: for<'r> FromRow<'r, PgRow> + for<'r> FromRow<'r, SqliteRow> + Send + Unpin {}

impl<T> Record for T where T: for<'r> FromRow<'r, PgRow> + for<'r> FromRow<'r, SqliteRow> + Send + Unpin {}

/// Where a statement runs: on its own, or inside a transaction. Functions that only read take `impl Into<On<'_>>`
/// and so serve both.
#[derive(Debug)]
pub enum On<'a> {
    /// On its own. Reads of SQLite see the last commit and never wait for a writer.
    Db(&'a Db),
    /// Inside a transaction; its own changes are visible.
    Tx(&'a mut Tx),
}

impl<'a> From<&'a Db> for On<'a> {
    fn from(db: &'a Db) -> Self {
        Self::Db(db)
    }
}

impl<'a> From<&'a mut Tx> for On<'a> {
    fn from(tx: &'a mut Tx) -> Self {
        Self::Tx(tx)
    }
}

/// Runs `$method` of a built query wherever `$on` points.
macro_rules! run {
    ($on:expr, $method:ident, $pg:expr, $lite:expr) => {
        match $on {
            On::Db(Db::Pg(pool)) => $pg.$method(pool).await?,
            On::Db(Db::Lite(lite)) => $lite.$method(&lite.read).await?,
            On::Tx(Tx::Pg(tx)) => $pg.$method(&mut **tx).await?,
            On::Tx(Tx::Lite(tx)) => $lite.$method(tx.connection()?).await?,
        }
    };
}

impl On<'_> {
    /// The same place for one more statement.
    pub fn reborrow(&mut self) -> On<'_> {
        match self {
            Self::Db(db) => On::Db(db),
            Self::Tx(tx) => On::Tx(tx),
        }
    }

    /// Exactly one row.
    pub async fn one<T: Record>(self, sql: &Sql, params: Vec<Param>) -> Result<T, StoreError> {
        Ok(run!(self, fetch_one, select_pg::<T>(sql, params)?, select_lite::<T>(sql, params)?))
    }

    /// One row or none.
    pub async fn optional<T: Record>(self, sql: &Sql, params: Vec<Param>) -> Result<Option<T>, StoreError> {
        Ok(run!(self, fetch_optional, select_pg::<T>(sql, params)?, select_lite::<T>(sql, params)?))
    }

    /// All rows; the statement has a LIMIT unless the table is small by nature.
    pub async fn all<T: Record>(self, sql: &Sql, params: Vec<Param>) -> Result<Vec<T>, StoreError> {
        Ok(run!(self, fetch_all, select_pg::<T>(sql, params)?, select_lite::<T>(sql, params)?))
    }
}

impl Db {
    /// Exactly one row. Reads only: a changing statement belongs in a [`Tx`].
    pub async fn fetch_one<T: Record>(&self, sql: &Sql, params: Vec<Param>) -> Result<T, StoreError> {
        On::Db(self).one(sql, params).await
    }

    /// One row or none. Reads only.
    pub async fn fetch_optional<T: Record>(
        &self,
        sql: &Sql,
        params: Vec<Param>,
    ) -> Result<Option<T>, StoreError> {
        On::Db(self).optional(sql, params).await
    }

    /// All rows. Reads only.
    pub async fn fetch_all<T: Record>(&self, sql: &Sql, params: Vec<Param>) -> Result<Vec<T>, StoreError> {
        On::Db(self).all(sql, params).await
    }
}

impl Tx {
    /// Changes rows and says how many.
    pub async fn execute(&mut self, sql: &Sql, params: Vec<Param>) -> Result<u64, StoreError> {
        Ok(match self {
            Self::Pg(tx) => {
                sqlx::query_with(sql.pg, pg_arguments(params)?).execute(&mut **tx).await?.rows_affected()
            }
            Self::Lite(tx) => sqlx::query_with(sql.lite, lite_arguments(params)?)
                .execute(tx.connection()?)
                .await?
                .rows_affected(),
        })
    }

    /// Exactly one row, also of a statement with RETURNING.
    pub async fn fetch_one<T: Record>(&mut self, sql: &Sql, params: Vec<Param>) -> Result<T, StoreError> {
        On::Tx(self).one(sql, params).await
    }

    /// One row or none, also of a statement with RETURNING.
    pub async fn fetch_optional<T: Record>(
        &mut self,
        sql: &Sql,
        params: Vec<Param>,
    ) -> Result<Option<T>, StoreError> {
        On::Tx(self).optional(sql, params).await
    }

    /// All rows, also of a statement with RETURNING.
    pub async fn fetch_all<T: Record>(
        &mut self,
        sql: &Sql,
        params: Vec<Param>,
    ) -> Result<Vec<T>, StoreError> {
        On::Tx(self).all(sql, params).await
    }
}

type Select<DB, T, A> = sqlx::query::QueryAs<'static, DB, T, A>;

fn select_pg<T: Record>(
    sql: &Sql,
    params: Vec<Param>,
) -> Result<Select<Postgres, T, PgArguments>, StoreError> {
    Ok(sqlx::query_as_with(sql.pg, pg_arguments(params)?))
}

fn select_lite<T: Record>(
    sql: &Sql,
    params: Vec<Param>,
) -> Result<Select<Sqlite, T, SqliteArguments>, StoreError> {
    Ok(sqlx::query_as_with(sql.lite, lite_arguments(params)?))
}

/// PostgreSQL has no character 0 in texts, and what a caller typed must not end as a failure of the database: it
/// becomes the replacement character, on both engines alike.
fn storable(text: String) -> String {
    if text.contains('\0') { text.replace('\0', "\u{FFFD}") } else { text }
}

macro_rules! arguments {
    ($name:ident, $arguments:ty) => {
        fn $name(params: Vec<Param>) -> Result<$arguments, StoreError> {
            let mut arguments = <$arguments>::default();
            for param in params {
                match param {
                    Param::Int(value) => Arguments::add(&mut arguments, value),
                    Param::Flag(value) => Arguments::add(&mut arguments, value),
                    Param::Text(value) => Arguments::add(&mut arguments, value.map(storable)),
                    Param::Bytes(value) => Arguments::add(&mut arguments, value),
                    Param::Id(value) => Arguments::add(&mut arguments, value),
                    Param::Ts(value) => Arguments::add(&mut arguments, value),
                }
                .map_err(sqlx::Error::Encode)?;
            }
            Ok(arguments)
        }
    };
}

arguments!(pg_arguments, PgArguments);
arguments!(lite_arguments, SqliteArguments);
