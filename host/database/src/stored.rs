//! Columns that are listed once: what a row is read into, what is selected, and how rows are stored.

use crate::error::StoreError;
use crate::sql::{Param, json_rows};
use serde::{Serialize, Serializer};
use sqlx::{Column, ColumnIndex, Decode, Row, Type};

/// Declares what a table keeps. Of one list it makes the struct that a row is read into, a macro with the columns as they are
/// selected, and a macro with the statement that stores any number of rows: new ones, or the new content of those that are
/// there. No two of them may have one key.
///
/// Between semicolons stand the key, the columns that are set once, those that are written each time, and, if there are any,
/// members of the row that another table has, which the module selects itself. Every row has `created_at` and `updated_at`
/// beside them. The arguments of the statement are the rows, as `Row::put` makes them of the columns in their order, and the
/// time, which is both for a new row.
///
/// ```
/// # use gateway_database::error::StoreError;
/// # use gateway_database::sql::{statements, Param, Sql};
/// # use gateway_database::stored::stored;
/// # use gateway_database::value::{Id, Ts};
/// # use uuid::Uuid;
/// stored! {
///     struct Row of building, columns!, put_rows! { id: Id; workspace_id: i64; name: String, address: Option<String> }
/// }
/// statements! { PUT = each [(put_rows! engine)]; }
/// # fn main() -> Result<(), StoreError> {
/// assert_eq!(columns!(), "id, workspace_id, name, address, created_at, updated_at");
/// let update = "ON CONFLICT (id) DO UPDATE SET name = excluded.name, address = excluded.address, \
///     updated_at = excluded.updated_at";
/// let insert = "INSERT INTO building (id, workspace_id, name, address, created_at, updated_at)";
/// assert_eq!(
///     PUT.pg,
///     format!(
///         "{insert} SELECT id, workspace_id, name, address, $2, $2 \
///          FROM json_populate_recordset(NULL::building, $1::json) WHERE true {update}"
///     ),
/// );
/// assert_eq!(
///     PUT.sqlite,
///     format!(
///         "{insert} SELECT value ->> 'id', value ->> 'workspace_id', value ->> 'name', value ->> 'address', $2, $2 \
///          FROM json_each($1) WHERE true {update}"
///     ),
/// );
/// let row = [Id(Uuid::nil()).into(), 7_i64.into(), "Casa".into(), Param::Text(None)];
/// let rows = r#"[{"id":"00000000-0000-0000-0000-000000000000","workspace_id":7,"name":"Casa","address":null}]"#;
/// assert_eq!(Row::put([Ok(row)])?, Param::from(rows));
/// # let _ = |row: Row| (row.id, row.workspace_id, row.name, row.address, row.created_at, row.updated_at);
/// # Ok(())
/// # }
/// ```
#[macro_export]
macro_rules! stored {
    (
        struct $row:ident of $table:ident, $columns:ident !, $put:ident ! {
            $key:ident: $key_type:ty;
            $($once:ident: $once_type:ty),*;
            $($column:ident: $type:ty),* $(,)?
            $(; $($joined:ident: $joined_type:ty),+ $(,)?)?
        }
    ) => {
        struct $row {
            $key: $key_type,
            $($once: $once_type,)*
            $($column: $type,)*
            $($($joined: $joined_type,)+)?
            created_at: $crate::value::Ts,
            updated_at: $crate::value::Ts,
        }

        impl<'r, R: sqlx::Row> sqlx::FromRow<'r, R> for $row
        where
            usize: sqlx::ColumnIndex<R>,
            for<'n> &'n str: sqlx::ColumnIndex<R>,
            $key_type: sqlx::Decode<'r, R::Database> + sqlx::Type<R::Database>,
            $($once_type: sqlx::Decode<'r, R::Database> + sqlx::Type<R::Database>,)*
            $($type: sqlx::Decode<'r, R::Database> + sqlx::Type<R::Database>,)*
            $($($joined_type: sqlx::Decode<'r, R::Database> + sqlx::Type<R::Database>,)+)?
            $crate::value::Ts: sqlx::Decode<'r, R::Database> + sqlx::Type<R::Database>,
        {
            fn from_row(row: &'r R) -> Result<Self, sqlx::Error> {
                let mut columns = $crate::stored::ColumnsInOrder::of(row);
                Ok(Self {
                    $key: columns.read(stringify!($key))?,
                    $($once: columns.read(stringify!($once))?,)*
                    $($column: columns.read(stringify!($column))?,)*
                    $($($joined: row.try_get(stringify!($joined))?,)+)?
                    created_at: columns.read("created_at")?,
                    updated_at: columns.read("updated_at")?,
                })
            }
        }

        macro_rules! $columns {
            () => {
                $crate::sql::listed!(
                    stringify!($key) $(, stringify!($once))* $(, stringify!($column))*, "created_at", "updated_at"
                )
            };
        }

        impl $row {
            const PUT: &'static [&'static str] =
                &[stringify!($key) $(, stringify!($once))* $(, stringify!($column))*];

            /// Rows as the statement takes them.
            fn put(
                rows: impl IntoIterator<Item = Result<[$crate::sql::Param; Self::PUT.len()], $crate::error::StoreError>>,
            ) -> Result<$crate::sql::Param, $crate::error::StoreError> {
                $crate::stored::rows(Self::PUT, rows)
            }
        }

        macro_rules! $put {
            (pg) => {
                concat!(
                    $put!(), $crate::sql::listed!(
                        stringify!($key) $(, stringify!($once))* $(, stringify!($column))*, "$2", "$2"
                    ),
                    " FROM json_populate_recordset(NULL::", stringify!($table), ", $1::json)", $put!(update)
                )
            };
            (sqlite) => {
                concat!(
                    $put!(), $crate::sql::listed!(
                        concat!("value ->> '", stringify!($key), "'")
                        $(, concat!("value ->> '", stringify!($once), "'"))*
                        $(, concat!("value ->> '", stringify!($column), "'"))*, "$2", "$2"
                    ),
                    " FROM json_each($1)", $put!(update)
                )
            };
            (update) => {
                concat!(
                    " WHERE true ON CONFLICT (", stringify!($key), ") DO UPDATE SET ",
                    $(stringify!($column), " = excluded.", stringify!($column), ", ",)*
                    "updated_at = excluded.updated_at"
                )
            };
            () => {
                concat!("INSERT INTO ", stringify!($table), " (", $columns!(), ") SELECT ")
            };
        }
    };
}
pub use stored;

/// Reads the columns of a row in the order in which they are usually selected: a name that stands where it is expected need not be
/// looked up.
#[derive(Debug)]
pub struct ColumnsInOrder<'r, R> {
    row: &'r R,
    next: usize,
}

impl<'r, R: Row> ColumnsInOrder<'r, R>
where
    usize: ColumnIndex<R>,
    for<'n> &'n str: ColumnIndex<R>,
{
    /// From the first on.
    pub const fn of(row: &'r R) -> Self {
        Self { row, next: 0 }
    }

    /// The value of a column, which is probably the next.
    pub fn read<T>(&mut self, name: &str) -> Result<T, sqlx::Error>
    where
        T: Decode<'r, R::Database> + Type<R::Database>,
    {
        let place = self.next;
        self.next = place.saturating_add(1);
        if self.row.columns().get(place).is_some_and(|column| column.name() == name) {
            self.row.try_get(place)
        } else {
            self.row.try_get(name)
        }
    }
}

/// Rows of these columns as one argument.
pub fn rows<const COLUMNS: usize>(
    columns: &'static [&'static str],
    rows: impl IntoIterator<Item = Result<[Param; COLUMNS], StoreError>>,
) -> Result<Param, StoreError> {
    let rows = rows.into_iter().map(|row| Ok(StoredRow { columns, values: row? }));
    json_rows(&rows.collect::<Result<Vec<_>, StoreError>>()?)
}

/// A row as an object with a member for each column.
struct StoredRow<const COLUMNS: usize> {
    columns: &'static [&'static str],
    values: [Param; COLUMNS],
}

impl<const COLUMNS: usize> Serialize for StoredRow<COLUMNS> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.columns.iter().zip(&self.values))
    }
}
