//! Where statements run: on the database or inside a transaction of it.

use crate::db::{Db, Pools, Tx, TxConnection};
use crate::error::{StoreError, failed};
use crate::select::{Part, Select, Statement};
use crate::sql::{Engine, Param, Sql, pg_arguments, sqlite_arguments};
use crate::value::Id;
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{AssertSqlSafe, FromRow, Postgres, Sqlite};

/// A row as a struct: `#[derive(sqlx::FromRow)]` covers both engines.
pub trait Record:
    for<'r> FromRow<'r, PgRow> + for<'r> FromRow<'r, SqliteRow> + Send + Unpin + 'static
{
}

impl<T> Record for T where
    T: for<'r> FromRow<'r, PgRow> + for<'r> FromRow<'r, SqliteRow> + Send + Unpin + 'static
{
}

/// Where a statement runs: on its own, or inside a transaction. Functions that only read take `impl Into<Executor<'_>>`
/// and so serve both.
#[derive(Debug)]
pub enum Executor<'a> {
    /// On its own. Reads of SQLite see the last commit and never wait for a writer.
    Db(&'a Db),
    /// Inside a transaction; its own changes are visible.
    Tx(&'a mut Tx),
}

impl<'a> From<&'a Db> for Executor<'a> {
    fn from(db: &'a Db) -> Self {
        Self::Db(db)
    }
}

impl<'a> From<&'a mut Tx> for Executor<'a> {
    fn from(tx: &'a mut Tx) -> Self {
        Self::Tx(tx)
    }
}

/// Runs `$method` of a built query wherever `$on` points.
macro_rules! run {
    ($on:expr, $method:ident, $pg:expr, $sqlite:expr) => {
        match $on {
            Executor::Db(Db { pools: Pools::Pg(pool), runtime, .. }) => {
                let (pool, query) = (pool.clone(), $pg);
                runtime.run(async move { query.$method(&pool).await }).await
            }
            Executor::Db(Db { pools: Pools::Sqlite(sqlite), runtime, .. }) => {
                sqlite.file.ensure_readable()?;
                let (pool, query) = (sqlite.read.clone(), $sqlite);
                let read = runtime.run(async move { query.$method(&pool).await }).await;
                if read.is_err() {
                    // It may hold something else, which SQLite does not understand.
                    sqlite.file.ensure_there()?;
                }
                read
            }
            Executor::Tx(Tx { connection: TxConnection::Pg(tx), .. }) => $pg.$method(&mut **tx).await,
            Executor::Tx(Tx { connection: TxConnection::Sqlite(tx), .. }) => {
                $sqlite.$method(tx.connection().map_err(failed)?).await
            }
        }
        .map_err(failed)
    };
}

impl Executor<'_> {
    /// The same place for one more statement.
    pub fn reborrow(&mut self) -> Executor<'_> {
        match self {
            Self::Db(db) => Executor::Db(db),
            Self::Tx(tx) => Executor::Tx(tx),
        }
    }

    /// Exactly one row.
    pub async fn one<T: Record>(self, sql: &Sql, params: Vec<Param>) -> Result<T, StoreError> {
        run!(self, fetch_one, select_pg::<T>(sql, params)?, select_sqlite::<T>(sql, params)?)
    }

    /// One row or none.
    pub async fn optional<T: Record>(self, sql: &Sql, params: Vec<Param>) -> Result<Option<T>, StoreError> {
        run!(self, fetch_optional, select_pg::<T>(sql, params)?, select_sqlite::<T>(sql, params)?)
    }

    /// Whether there is a row; the statement reads its id.
    pub async fn exists(self, sql: &Sql, params: Vec<Param>) -> Result<bool, StoreError> {
        Ok(self.optional::<(Id,)>(sql, params).await?.is_some())
    }

    /// All rows; the statement has a LIMIT unless the table is small by nature.
    pub async fn all<T: Record>(self, sql: &Sql, params: Vec<Param>) -> Result<Vec<T>, StoreError> {
        run!(self, fetch_all, select_pg::<T>(sql, params)?, select_sqlite::<T>(sql, params)?)
    }
}

impl Executor<'_> {
    const fn engine(&self) -> Engine {
        match self {
            Self::Db(db) => db.engine(),
            Self::Tx(tx) => tx.engine(),
        }
    }

    /// The rows of a part of a list.
    pub async fn rows<T: Record>(self, select: &Select, part: Part) -> Result<Vec<T>, StoreError> {
        let Statement { text, arguments } = select.statement(self.engine(), part);
        run!(self, fetch_all, composed_pg::<T>(text, arguments)?, composed_sqlite::<T>(text, arguments)?)
    }

    /// How many rows a list has.
    pub async fn count(self, select: &Select) -> Result<i64, StoreError> {
        let Statement { text, arguments } = select.statement(self.engine(), Part::Count);
        let (count,): (i64,) =
            run!(self, fetch_one, composed_pg(text, arguments)?, composed_sqlite(text, arguments)?)?;
        Ok(count)
    }
}

impl Db {
    /// Exactly one row. Reads only: a changing statement belongs in a [`Tx`].
    pub async fn fetch_one<T: Record>(&self, sql: &Sql, params: Vec<Param>) -> Result<T, StoreError> {
        Executor::Db(self).one(sql, params).await
    }

    /// One row or none. Reads only.
    pub async fn fetch_optional<T: Record>(
        &self,
        sql: &Sql,
        params: Vec<Param>,
    ) -> Result<Option<T>, StoreError> {
        Executor::Db(self).optional(sql, params).await
    }

    /// All rows. Reads only.
    pub async fn fetch_all<T: Record>(&self, sql: &Sql, params: Vec<Param>) -> Result<Vec<T>, StoreError> {
        Executor::Db(self).all(sql, params).await
    }
}

impl Tx {
    /// Changes rows and says how many.
    pub async fn execute(&mut self, sql: &Sql, params: Vec<Param>) -> Result<u64, StoreError> {
        match &mut self.connection {
            TxConnection::Pg(tx) => {
                let done = sqlx::query_with(sql.pg, pg_arguments(params)?).execute(&mut **tx).await;
                done.map(|done| done.rows_affected())
            }
            TxConnection::Sqlite(tx) => {
                let connection = tx.connection().map_err(failed)?;
                let done = sqlx::query_with(sql.sqlite, sqlite_arguments(params)?).execute(connection).await;
                done.map(|done| done.rows_affected())
            }
        }
        .map_err(failed)
    }

    /// Exactly one row, also of a statement with RETURNING.
    pub async fn fetch_one<T: Record>(&mut self, sql: &Sql, params: Vec<Param>) -> Result<T, StoreError> {
        Executor::Tx(self).one(sql, params).await
    }

    /// One row or none, also of a statement with RETURNING.
    pub async fn fetch_optional<T: Record>(
        &mut self,
        sql: &Sql,
        params: Vec<Param>,
    ) -> Result<Option<T>, StoreError> {
        Executor::Tx(self).optional(sql, params).await
    }

    /// All rows, also of a statement with RETURNING.
    pub async fn fetch_all<T: Record>(
        &mut self,
        sql: &Sql,
        params: Vec<Param>,
    ) -> Result<Vec<T>, StoreError> {
        Executor::Tx(self).all(sql, params).await
    }
}

type Query<DB, T, A> = sqlx::query::QueryAs<'static, DB, T, A>;

fn select_pg<T: Record>(
    sql: &Sql,
    params: Vec<Param>,
) -> Result<Query<Postgres, T, PgArguments>, StoreError> {
    Ok(sqlx::query_as_with(sql.pg, pg_arguments(params)?))
}

fn select_sqlite<T: Record>(
    sql: &Sql,
    params: Vec<Param>,
) -> Result<Query<Sqlite, T, SqliteArguments>, StoreError> {
    Ok(sqlx::query_as_with(sql.sqlite, sqlite_arguments(params)?))
}

/// A composed text holds nothing that came from outside: names of the code and placeholders.
fn composed_pg<T: Record>(
    text: String,
    arguments: Vec<Param>,
) -> Result<Query<Postgres, T, PgArguments>, StoreError> {
    Ok(sqlx::query_as_with(AssertSqlSafe(text), pg_arguments(arguments)?))
}

fn composed_sqlite<T: Record>(
    text: String,
    arguments: Vec<Param>,
) -> Result<Query<Sqlite, T, SqliteArguments>, StoreError> {
    Ok(sqlx::query_as_with(AssertSqlSafe(text), sqlite_arguments(arguments)?))
}
