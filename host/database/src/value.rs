//! Values that the two engines keep differently: identifiers, instants and days. Integers are always `i64`, flags are
//! `bool`, texts and JSON documents are `String`, sealed secrets are `Vec<u8>`.

use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::{Decode, Encode, Type};
use sqlx_postgres::Postgres;
use sqlx_postgres::types::Oid;
use sqlx_postgres::{PgArgumentBuffer, PgHasArrayType, PgTypeInfo, PgValueRef};
use sqlx_sqlite::Sqlite;
use sqlx_sqlite::{SqliteArgumentsBuffer, SqliteTypeInfo, SqliteValueRef};
use uuid::Uuid;

/// `timestamptz` in the catalogue of every PostgreSQL.
const TIMESTAMPTZ: Oid = Oid(1184);
/// `date` in the catalogue of every PostgreSQL.
const DATE: Oid = Oid(1082);
/// Where PostgreSQL counts days from.
const EPOCH_2000: Date = jiff::civil::date(2000, 1, 1);
/// Microseconds between 1970 and 2000, where PostgreSQL counts from.
const EPOCH_2000_MICROS: i64 = 946_684_800_000_000;
/// The earliest instant PostgreSQL knows, 4714 BC, counted from 2000; whatever a filter asks for before that is the same.
const PG_MIN_MICROS: i64 = -211_813_488_000_000_000;

/// An identifier: `uuid` on PostgreSQL, 36 lower-case characters on SQLite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(pub Uuid);

/// An instant, to the microsecond: `timestamptz` on PostgreSQL, RFC 3339 text of fixed width on SQLite (it sorts as time).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ts(pub Timestamp);

/// A calendar day: `date` on PostgreSQL, `YYYY-MM-DD` on SQLite (it sorts as time).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(pub Date);

impl Ts {
    /// As SQLite keeps it; PostgreSQL reads it too.
    pub fn text(self) -> String {
        format!("{:.6}", self.0)
    }
}

impl Type<Postgres> for Id {
    fn type_info() -> PgTypeInfo {
        <Uuid as Type<Postgres>>::type_info()
    }
}

impl Encode<'_, Postgres> for Id {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        <Uuid as Encode<'_, Postgres>>::encode_by_ref(&self.0, buffer)
    }
}

impl Decode<'_, Postgres> for Id {
    fn decode(value: PgValueRef<'_>) -> Result<Self, BoxDynError> {
        <Uuid as Decode<'_, Postgres>>::decode(value).map(Self)
    }
}

impl Type<Sqlite> for Id {
    fn type_info() -> SqliteTypeInfo {
        <String as Type<Sqlite>>::type_info()
    }
}

impl Encode<'_, Sqlite> for Id {
    fn encode_by_ref(&self, buffer: &mut SqliteArgumentsBuffer) -> Result<IsNull, BoxDynError> {
        <String as Encode<'_, Sqlite>>::encode(self.0.to_string(), buffer)
    }
}

impl Decode<'_, Sqlite> for Id {
    fn decode(value: SqliteValueRef<'_>) -> Result<Self, BoxDynError> {
        Ok(Self(<String as Decode<'_, Sqlite>>::decode(value)?.parse()?))
    }
}

impl PgHasArrayType for Id {
    fn array_type_info() -> PgTypeInfo {
        <Uuid as PgHasArrayType>::array_type_info()
    }
}

impl Type<Postgres> for Day {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_oid(DATE)
    }
}

impl Encode<'_, Postgres> for Day {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        let days = i32::try_from(self.0.duration_since(EPOCH_2000).as_hours() / 24)?;
        <i32 as Encode<'_, Postgres>>::encode(days, buffer)
    }
}

impl Decode<'_, Postgres> for Day {
    fn decode(value: PgValueRef<'_>) -> Result<Self, BoxDynError> {
        let days = <i32 as Decode<'_, Postgres>>::decode(value)?;
        Ok(Self(EPOCH_2000.checked_add(days.days())?))
    }
}

impl Type<Sqlite> for Day {
    fn type_info() -> SqliteTypeInfo {
        <String as Type<Sqlite>>::type_info()
    }
}

impl Encode<'_, Sqlite> for Day {
    fn encode_by_ref(&self, buffer: &mut SqliteArgumentsBuffer) -> Result<IsNull, BoxDynError> {
        <String as Encode<'_, Sqlite>>::encode(self.0.to_string(), buffer)
    }
}

impl Decode<'_, Sqlite> for Day {
    fn decode(value: SqliteValueRef<'_>) -> Result<Self, BoxDynError> {
        Ok(Self(<String as Decode<'_, Sqlite>>::decode(value)?.parse()?))
    }
}

impl Type<Postgres> for Ts {
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_oid(TIMESTAMPTZ)
    }
}

impl Encode<'_, Postgres> for Ts {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        let micros = (self.0.as_microsecond() - EPOCH_2000_MICROS).max(PG_MIN_MICROS);
        <i64 as Encode<'_, Postgres>>::encode(micros, buffer)
    }
}

impl Decode<'_, Postgres> for Ts {
    fn decode(value: PgValueRef<'_>) -> Result<Self, BoxDynError> {
        let micros = <i64 as Decode<'_, Postgres>>::decode(value)?.saturating_add(EPOCH_2000_MICROS);
        Ok(Self(Timestamp::from_microsecond(micros)?))
    }
}

impl Type<Sqlite> for Ts {
    fn type_info() -> SqliteTypeInfo {
        <String as Type<Sqlite>>::type_info()
    }
}

impl Encode<'_, Sqlite> for Ts {
    fn encode_by_ref(&self, buffer: &mut SqliteArgumentsBuffer) -> Result<IsNull, BoxDynError> {
        <String as Encode<'_, Sqlite>>::encode(self.text(), buffer)
    }
}

impl Decode<'_, Sqlite> for Ts {
    fn decode(value: SqliteValueRef<'_>) -> Result<Self, BoxDynError> {
        Ok(Self(<String as Decode<'_, Sqlite>>::decode(value)?.parse()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_as_text_have_one_width_and_sort_as_time() {
        let early: Timestamp = "2026-11-20T07:00:00Z".parse().unwrap();
        let late: Timestamp = "2026-11-20T07:00:00.5Z".parse().unwrap();
        assert_eq!(Ts(early).text(), "2026-11-20T07:00:00.000000Z");
        assert_eq!(Ts(late).text(), "2026-11-20T07:00:00.500000Z");
        assert!(Ts(early).text() < Ts(late).text());
    }
}
