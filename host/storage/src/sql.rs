//! Statements and their arguments: one text for two engines.

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
use sqlx::Arguments;
use sqlx::postgres::PgArguments;
use sqlx::sqlite::SqliteArguments;
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
    pub lite: &'static str,
}

impl Sql {
    /// The same text for both.
    pub const fn both(text: &'static str) -> Self {
        Self { pg: text, lite: text }
    }

    /// For one engine.
    pub(crate) const fn text(self, engine: Engine) -> &'static str {
        match engine {
            Engine::Postgres => self.pg,
            Engine::Sqlite => self.lite,
        }
    }
}

/// Declares the statements of a module and lists them for the catalogue:
/// `statements! { FIND = "SELECT …"; LIST = both concat!(…); CLAIM = pg "…", lite "…"; HOLD = each hold; }`,
/// where `hold!(pg)` and `hold!(lite)` are the texts.
macro_rules! statements {
    (@sql pg $pg:expr, lite $lite:expr) => { $crate::sql::Sql { pg: $pg, lite: $lite } };
    (@sql both $macro:ident ! $body:tt) => { $crate::sql::Sql::both($macro! $body) };
    (@sql each $text:ident) => { $crate::sql::Sql { pg: $text!(pg), lite: $text!(lite) } };
    (@sql $text:literal) => { $crate::sql::Sql::both($text) };
    ($($name:ident = $($text:literal)? $(each $each:ident)? $(both $macro:ident ! $body:tt)? $(pg $pg:expr, lite $lite:expr)?;)+) => {
        $(const $name: $crate::sql::Sql = $crate::sql::statements!(
            @sql $($text)? $(each $each)? $(both $macro ! $body)? $(pg $pg, lite $lite)?
        );)+
        /// Every statement of this module.
        #[cfg(any(test, feature = "testing"))]
        pub(crate) const STATEMENTS: &[(&str, $crate::sql::Sql)] = &[$((stringify!($name), $name),)+];
    };
}
pub(crate) use statements;

/// The arguments of a statement, in the order of their placeholders.
macro_rules! params {
    ($($value:expr),* $(,)?) => { vec![$($crate::sql::Param::from($value)),*] };
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
        pub(crate) fn $name(params: Vec<Param>) -> Result<$arguments, StoreError> {
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
