//! Statements and their arguments: one text for two engines.

use crate::error::{StoreError, failed};
use crate::value::{Day, Id, Ts};
use gateway_domain::StoreCauseKind;
use gateway_domain::ids::{
    AmenityId, BookingId, BuildingId, CancelationPolicyId, ClientId, ConversationId, DeliveryId, EntryId,
    EventId, InvoiceId, JobId, MediaItemId, MessageId, ProductGroupId, ProductId, ProviderJobId, RatePlanId,
    TariffId, TaskId, TeamId, UnitId, UnitTypeId, UserId, WebhookId, WorkspaceId,
};
use gateway_domain::money::Amount;
use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Serialize, Serializer};
use sqlx::Arguments;
use sqlx_postgres::PgArguments;
use sqlx_sqlite::SqliteArguments;
use uuid::Uuid;

/// Which engine a database runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// A PostgreSQL server; any number of replicas.
    Postgres,
    /// A SQLite file; one serving process.
    Sqlite,
}

/// A statement: usually one text, two where an engine has its own way. Placeholders are `$1`, `$2`, … on both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sql {
    /// For PostgreSQL.
    pub pg: &'static str,
    /// For SQLite.
    pub sqlite: &'static str,
}

impl Sql {
    /// For statements that PostgreSQL and SQLite read alike.
    pub const fn both(text: &'static str) -> Self {
        Self { pg: text, sqlite: text }
    }

    /// For one engine.
    pub const fn text(self, engine: Engine) -> &'static str {
        match engine {
            Engine::Postgres => self.pg,
            Engine::Sqlite => self.sqlite,
        }
    }
}

/// Declares the statements of a module and lists them for the catalogue. A text is the same for both engines, or is
/// put together for `each` from pieces of which some have a form of their own ([`piece!`]), or is written for each:
/// `statements! { FIND = "SELECT …"; LIST = both concat!(…); HOLD = each ["SELECT …", (lock " FOR UPDATE")];
/// CLAIM = pg "…", sqlite "…"; }`.
#[macro_export]
macro_rules! statements {
    (@sql pg $pg:expr, sqlite $sqlite:expr) => { $crate::sql::Sql { pg: $pg, sqlite: $sqlite } };
    (@sql both $macro:ident ! $body:tt) => { $crate::sql::Sql::both($macro! $body) };
    (@sql each [$($piece:tt),+]) => {
        $crate::sql::Sql {
            pg: concat!($($crate::sql::piece!(pg $piece)),+),
            sqlite: concat!($($crate::sql::piece!(sqlite $piece)),+),
        }
    };
    (@sql $text:literal) => { $crate::sql::Sql::both($text) };
    ($($name:ident = $($text:literal)? $(each [$($piece:tt),+ $(,)?])? $(both $macro:ident ! $body:tt)? $(pg $pg:expr, sqlite $sqlite:expr)?;)+) => {
        $(const $name: $crate::sql::Sql = $crate::sql::statements!(
            @sql $($text)? $(each [$($piece),+])? $(both $macro ! $body)? $(pg $pg, sqlite $sqlite)?
        );)+
        /// Every statement of this module.
        #[cfg(any(test, feature = "testing"))]
        pub const STATEMENTS: &[(&str, $crate::sql::Sql)] = &[$((stringify!($name), $name),)+];
    };
}
pub use statements;

/// A piece of a statement for one engine: a text, or one of these.
///
/// - `(among "id", "$1")`: a column is one of a list of ids.
/// - `(words "$1")`: the rows of a JSON array of texts, behind `IN`.
/// - `(ids "$2")`: what a `SELECT` ends with that has a row for each of a list of ids.
/// - `(rows "$1" as told: id UUID, kind TEXT)`: a JSON array of objects as a table.
/// - `(lock " FOR UPDATE")`: what SQLite leaves out, which has one writer.
/// - `(now)`, `(now + "$4")`: the database's clock, and an interval later.
/// - `(timestamp "$5")`, `(uuid "$1")`: an argument whose type PostgreSQL cannot tell.
/// - `(text "a.id")`: a column compared with texts.
/// - `(columns!)`, `(columns! engine)`: what the macro of this name says, which may take the engine.
#[macro_export]
macro_rules! piece {
    ($engine:tt $text:literal) => { $text };
    (pg (among $column:literal, $list:literal)) => { concat!($column, " = ANY (", $list, ")") };
    (sqlite (among $column:literal, $list:literal)) => {
        concat!($column, " IN (SELECT value FROM json_each(", $list, "))")
    };
    (pg (words $list:literal)) => { concat!("(SELECT value FROM json_array_elements_text(", $list, "::json) AS value)") };
    (sqlite (words $list:literal)) => { concat!("(SELECT value FROM json_each(", $list, "))") };
    (pg (ids $list:literal)) => { concat!("unnest(", $list, "::uuid[])") };
    (sqlite (ids $list:literal)) => { concat!("value FROM json_each(", $list, ")") };
    (pg (rows $list:literal as $name:ident: $($column:ident $type:ident),+)) => {
        concat!(
            "(SELECT * FROM json_to_recordset(", $list, "::json) AS given(",
            $crate::sql::listed!($(concat!(stringify!($column), " ", stringify!($type))),+), ")) AS ", stringify!($name)
        )
    };
    (sqlite (rows $list:literal as $name:ident: $($column:ident $type:ident),+)) => {
        concat!(
            "(SELECT ", $crate::sql::listed!($(concat!("value ->> '", stringify!($column), "' AS ", stringify!($column))),+),
            " FROM json_each(", $list, ")) AS ", stringify!($name)
        )
    };
    (pg (lock $text:literal)) => { $text };
    (sqlite (lock $text:literal)) => { "" };
    (pg (now)) => { "clock_timestamp()" };
    (sqlite (now)) => { "strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')" };
    (pg (now + $interval:literal)) => { concat!("clock_timestamp() + ", $interval, "::text::interval") };
    (sqlite (now + $interval:literal)) => { concat!("strftime('%Y-%m-%dT%H:%M:%f000Z', 'now', ", $interval, ")") };
    (pg (timestamp $argument:literal)) => { concat!($argument, "::timestamptz") };
    (sqlite (timestamp $argument:literal)) => { $argument };
    (pg (uuid $argument:literal)) => { concat!($argument, "::uuid") };
    (sqlite (uuid $argument:literal)) => { $argument };
    (pg (text $column:literal)) => { concat!($column, "::text") };
    (sqlite (text $column:literal)) => { $column };
    ($engine:tt ($name:ident ! engine)) => { $name!($engine) };
    ($engine:tt ($name:ident !)) => { $name!() };
}
pub use piece;

/// Texts with commas between.
#[macro_export]
macro_rules! listed {
    ($first:expr $(, $next:expr)*) => { concat!($first $(, ", ", $next)*) };
}
pub use listed;

/// The values of a row, in the order of its columns.
#[macro_export]
macro_rules! row {
    ($($value:expr),* $(,)?) => { [$($crate::sql::Param::from($value)),*] };
}
pub use row;

/// The arguments of a statement, in the order of their placeholders.
#[macro_export]
macro_rules! params {
    ($($value:expr),* $(,)?) => { vec![$($crate::sql::Param::from($value)),*] };
}
pub use params;

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
    /// A list: an array on PostgreSQL, a JSON array on SQLite, as `(among …)` reads it.
    Ids(Option<Vec<Id>>),
    /// A list, likewise.
    Ints(Option<Vec<i64>>),
}

/// As a member of a row in JSON, which both engines read back as what it is.
impl Serialize for Param {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Int(value) => value.serialize(serializer),
            Self::Flag(value) => value.serialize(serializer),
            Self::Text(value) => value.serialize(serializer),
            Self::Id(value) => value.map(|id| id.0).serialize(serializer),
            Self::Ts(value) => value.map(Ts::text).serialize(serializer),
            Self::Day(value) => value.map(|day| day.0).serialize(serializer),
            Self::Bytes(_) | Self::Ids(_) | Self::Ints(_) => {
                Err(serde::ser::Error::custom("bytes and lists have no place in a row of JSON"))
            }
        }
    }
}

/// Identifiers of any kind as one argument.
pub fn ids<T: Into<Uuid> + Copy>(list: &[T]) -> Param {
    Param::Ids(Some(list.iter().map(|id| Id((*id).into())).collect()))
}

/// Objects as one argument, which `(rows …)` reads.
pub fn json_rows<T: Serialize>(rows: &[T]) -> Result<Param, StoreError> {
    let mut text = Vec::new();
    let written = rows.serialize(&mut serde_json::Serializer::with_formatter(&mut text, StorableJson));
    written.map_err(|error| StoreError::failed(StoreCauseKind::Other, error))?;
    let text = String::from_utf8(text).map_err(|error| StoreError::failed(StoreCauseKind::Other, error))?;
    Ok(Param::Text(Some(text)))
}

/// JSON in which no text has a character 0, as [`storable`] has it: written as an escape, it would come back as one.
struct StorableJson;

impl serde_json::ser::Formatter for StorableJson {
    fn write_char_escape<W: ?Sized + std::io::Write>(
        &mut self,
        writer: &mut W,
        escape: serde_json::ser::CharEscape,
    ) -> std::io::Result<()> {
        match escape {
            serde_json::ser::CharEscape::AsciiControl(0) => writer.write_all("\u{FFFD}".as_bytes()),
            escape => serde_json::ser::CompactFormatter.write_char_escape(writer, escape),
        }
    }
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
    Int: i64 => |value| value, WorkspaceId => |value| value.0, i16 => |value| value.into(), i32 => |value| value.into();
    Flag: bool => |value| value;
    Text: String => |value| value, &str => |value| value.to_owned(), &String => |value| value.clone(), Amount => |value| value.to_string(),
        CancelationPolicyId => |value| value.0;
    Bytes: Vec<u8> => |value| value, &[u8] => |value| value.to_vec();
    Id: Id => |value| value, Uuid => |value| Id(value), InvoiceId => |value| Id(value.0), ClientId => |value| Id(value.0),
        BookingId => |value| Id(value.0), EventId => |value| Id(value.0), JobId => |value| Id(value.0),
        EntryId => |value| Id(value.uuid()), ProviderJobId => |value| Id(value.uuid()), AmenityId => |value| Id(value.0),
        BuildingId => |value| Id(value.0), ConversationId => |value| Id(value.0),
        MediaItemId => |value| Id(value.0), MessageId => |value| Id(value.0), ProductGroupId => |value| Id(value.0),
        ProductId => |value| Id(value.0), RatePlanId => |value| Id(value.0), TariffId => |value| Id(value.0),
        TaskId => |value| Id(value.0), TeamId => |value| Id(value.0), UnitId => |value| Id(value.0),
        UnitTypeId => |value| Id(value.0), UserId => |value| Id(value.0), WebhookId => |value| Id(value.0), DeliveryId => |value| Id(value.0);
    Day: Day => |value| value, Date => |value| Day(value);
    Ts: Ts => |value| value, Timestamp => |value| Ts(value);
}

/// PostgreSQL has no character 0 in texts, and what a caller typed must not end as a failure of the database: it
/// becomes the replacement character, on both engines alike.
fn storable(text: String) -> String {
    if text.contains('\0') { text.replace('\0', "\u{FFFD}") } else { text }
}

/// How SQLite takes a list: as the text of a JSON array.
fn json_array<T: Serialize>(list: Option<Vec<T>>) -> Result<Option<String>, StoreError> {
    list.map(|list| StoreError::json(&list)).transpose()
}

fn json_ids(list: Option<Vec<Id>>) -> Result<Option<String>, StoreError> {
    json_array(list.map(|ids| ids.into_iter().map(|id| id.0).collect()))
}

macro_rules! arguments {
    ($name:ident, $arguments:ty, $ids:expr, $ints:expr) => {
        pub fn $name(params: Vec<Param>) -> Result<$arguments, StoreError> {
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
                .map_err(|error| failed(sqlx::Error::Encode(error)))?;
            }
            Ok(arguments)
        }
    };
}

arguments!(pg_arguments, PgArguments, Ok::<_, StoreError>, Ok::<_, StoreError>);
arguments!(sqlite_arguments, SqliteArguments, json_ids, json_array);
