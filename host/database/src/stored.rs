//! Columns that are listed once: what a row is read into, what is selected, and how a row is stored.

/// Declares what a table keeps. Of one list it makes the struct that a row is read into, a macro with the columns as they are
/// selected, and a macro with the statement that stores a row: a new one, or the new content of one that is there.
///
/// Between semicolons stand the key, the columns that are set once, those that are written each time, and, if there are any,
/// members of the row that another table has, which the module selects itself. Every row has `created_at` and `updated_at`
/// beside them. The arguments of the statement are the columns in their order, and then the time, which is both for a new row.
///
/// ```
/// # use gateway_database::sql::{statements, Sql};
/// # use gateway_database::stored::stored;
/// # use gateway_database::value::{Id, Ts};
/// stored! {
///     struct Row of building, columns!, put_row! { id: Id; workspace_id: i64; name: String, address: Option<String> }
/// }
/// statements! { PUT = both put_row!(); }
/// # fn main() {
/// assert_eq!(columns!(), "id, workspace_id, name, address, created_at, updated_at");
/// assert_eq!(
///     PUT.pg,
///     "INSERT INTO building (id, workspace_id, name, address, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $5) \
///      ON CONFLICT (id) DO UPDATE SET name = excluded.name, address = excluded.address, updated_at = excluded.updated_at",
/// );
/// # let _ = |row: Row| (row.id, row.workspace_id, row.name, row.address, row.created_at, row.updated_at);
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
        #[derive(sqlx::FromRow)]
        struct $row {
            $key: $key_type,
            $($once: $once_type,)*
            $($column: $type,)*
            $($($joined: $joined_type,)+)?
            created_at: $crate::value::Ts,
            updated_at: $crate::value::Ts,
        }

        macro_rules! $columns {
            () => {
                $crate::sql::listed!(
                    stringify!($key) $(, stringify!($once))* $(, stringify!($column))*, "created_at", "updated_at"
                )
            };
        }

        macro_rules! $put {
            () => {
                concat!(
                    "INSERT INTO ", stringify!($table), " (", $columns!(), ") VALUES (",
                    $crate::stored::placeholders!($key $($once)* $($column)*),
                    ") ON CONFLICT (", stringify!($key), ") DO UPDATE SET ",
                    $(stringify!($column), " = excluded.", stringify!($column), ", ",)*
                    "updated_at = excluded.updated_at"
                )
            };
        }
    };
}
pub use stored;

/// A placeholder for each column, and one for the time, twice.
#[macro_export]
macro_rules! placeholders {
    (@ [$($taken:literal)*] [] $time:literal $($rest:literal)*) => { $crate::sql::listed!($($taken,)* $time, $time) };
    (@ [$($taken:literal)*] [$column:ident $($more:ident)*] $next:literal $($rest:literal)*) => {
        $crate::stored::placeholders!(@ [$($taken)* $next] [$($more)*] $($rest)*)
    };
    ($($column:ident)+) => {
        $crate::stored::placeholders!(
            @ [] [$($column)+]
            "$1" "$2" "$3" "$4" "$5" "$6" "$7" "$8" "$9" "$10" "$11" "$12" "$13" "$14" "$15" "$16" "$17" "$18" "$19" "$20"
        )
    };
}
pub use placeholders;
