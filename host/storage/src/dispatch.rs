//! One text for two engines: statements, their arguments, and where they run.

use crate::db::{Db, Tx};
use crate::error::StoreError;
use crate::value::{Day, Id, Ts};
use gateway_domain::ids::{
    AmenityId, BookingId, BuildingId, CancelationPolicyId, ClientId, ConversationId, DeliveryId, EntryId,
    EventId, InvoiceId, JobId, MediaItemId, MessageId, ProductGroupId, ProductId, RatePlanId, TariffId,
    TaskId, TeamId, UnitId, UnitTypeId, UserId, WebhookId, WorkId, WorkspaceId,
};
use gateway_domain::money::Amount;
use jiff::Timestamp;
use jiff::civil::Date;
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
/// `statements! { FIND = "SELECT …"; CLAIM = pg "…", lite "…"; LIST = each list; }`,
/// where `list!(pg)` and `list!(lite)` are the texts.
macro_rules! statements {
    (@sql pg $pg:expr, lite $lite:expr) => { $crate::dispatch::Sql { pg: $pg, lite: $lite } };
    (@sql each $text:ident) => { $crate::dispatch::Sql { pg: $text!(pg), lite: $text!(lite) } };
    (@sql $text:literal) => { $crate::dispatch::Sql::both($text) };
    ($($name:ident = $($text:literal)? $(each $each:ident)? $(pg $pg:expr, lite $lite:expr)?;)+) => {
        $(const $name: $crate::dispatch::Sql = $crate::dispatch::statements!(
            @sql $($text)? $(each $each)? $(pg $pg, lite $lite)?
        );)+
        /// Every statement of this module.
        #[cfg(any(test, feature = "testing"))]
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
    Day(Option<Day>),
    /// A list: an array on PostgreSQL, a JSON array on SQLite, as `among!` reads it.
    Ids(Option<Vec<Id>>),
    /// A list, likewise.
    Ints(Option<Vec<i64>>),
}

/// Identifiers of any kind as one argument.
pub(crate) fn ids<T: Into<Uuid> + Copy>(list: &[T]) -> Param {
    Param::Ids(Some(list.iter().map(|id| Id((*id).into())).collect()))
}

/// That a column is among an argument, a list; as a condition for one engine.
macro_rules! among {
    (pg $column:literal, $list:literal) => {
        concat!($column, " = ANY (", $list, ")")
    };
    (lite $column:literal, $list:literal) => {
        concat!($column, " IN (SELECT value FROM json_each(", $list, "))")
    };
}
pub(crate) use among;

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
    Int: i64 => |value| value, WorkspaceId => |value| value.0, i16 => |value| value.into(), i32 => |value| value.into();
    Flag: bool => |value| value;
    Text: String => |value| value, &str => |value| value.to_owned(), &String => |value| value.clone(), Amount => |value| value.to_string(),
        CancelationPolicyId => |value| value.0;
    Bytes: Vec<u8> => |value| value, &[u8] => |value| value.to_vec();
    Id: Id => |value| value, Uuid => |value| Id(value), InvoiceId => |value| Id(value.0), ClientId => |value| Id(value.0),
        BookingId => |value| Id(value.0), EventId => |value| Id(value.0), WorkId => |value| Id(value.0),
        EntryId => |value| Id(value.uuid()), JobId => |value| Id(value.uuid()), AmenityId => |value| Id(value.0),
        BuildingId => |value| Id(value.0), ConversationId => |value| Id(value.0),
        MediaItemId => |value| Id(value.0), MessageId => |value| Id(value.0), ProductGroupId => |value| Id(value.0),
        ProductId => |value| Id(value.0), RatePlanId => |value| Id(value.0), TariffId => |value| Id(value.0),
        TaskId => |value| Id(value.0), TeamId => |value| Id(value.0), UnitId => |value| Id(value.0),
        UnitTypeId => |value| Id(value.0), UserId => |value| Id(value.0), WebhookId => |value| Id(value.0), DeliveryId => |value| Id(value.0);
    Day: Day => |value| value, Date => |value| Day(value);
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

/// How SQLite takes a list: as the text of a JSON array.
fn json_array<T: serde::Serialize>(list: Option<Vec<T>>) -> Result<Option<String>, StoreError> {
    list.map(|list| StoreError::json(&list)).transpose()
}

fn json_ids(list: Option<Vec<Id>>) -> Result<Option<String>, StoreError> {
    json_array(list.map(|ids| ids.into_iter().map(|id| id.0).collect()))
}

macro_rules! arguments {
    ($name:ident, $arguments:ty, $ids:expr, $ints:expr) => {
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
                    Param::Day(value) => Arguments::add(&mut arguments, value),
                    Param::Ids(list) => Arguments::add(&mut arguments, $ids(list)?),
                    Param::Ints(list) => Arguments::add(&mut arguments, $ints(list)?),
                }
                .map_err(sqlx::Error::Encode)?;
            }
            Ok(arguments)
        }
    };
}

arguments!(pg_arguments, PgArguments, Ok::<_, StoreError>, Ok::<_, StoreError>);
arguments!(lite_arguments, SqliteArguments, json_ids, json_array);
