//! Where statements run: on the database or inside a transaction of it.

use crate::db::Db;
use crate::deferred::{DeferredChanges, JoinedStatements, send_deferred};
use crate::error::{StoreError, failed};
use crate::failpoint;
use crate::metrics::Operation;
use crate::open_database::OpenDatabase;
use crate::pending::Pending;
use crate::pools::{OpenTx, Pools};
use crate::select::{Part, Select, Statement};
use crate::sql::{Engine, Param, Sql, pg_arguments, sqlite_arguments};
use crate::transaction::{Tx, TxConnection};
use crate::value::Id;
use futures::TryStreamExt;
use sqlx::{AssertSqlSafe, Either, Executor as _, FromRow, SqlSafeStr, SqlStr};
use sqlx_postgres::PgRow;
use sqlx_sqlite::{SqliteArguments, SqliteRow};

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

/// The text of a statement for the engine it runs on.
enum Text {
    /// One of the code.
    Fixed(&'static str),
    /// Put together of names of the code and placeholders; it holds nothing that came from outside.
    Composed(String),
}

impl Text {
    fn as_str(&self) -> &str {
        match self {
            Self::Fixed(text) => text,
            Self::Composed(text) => text,
        }
    }
}

impl SqlSafeStr for Text {
    fn into_sql_str(self) -> SqlStr {
        match self {
            Self::Fixed(text) => text.into_sql_str(),
            Self::Composed(text) => AssertSqlSafe(text).into_sql_str(),
        }
    }
}

/// How many rows are read.
#[derive(Clone, Copy)]
enum Extent {
    /// The first, if there is one.
    First,
    All,
}

/// Rows as the engine gave them.
enum RawRows {
    Pg(Vec<PgRow>),
    Sqlite(Vec<SqliteRow>),
}

impl RawRows {
    fn decode<T: Record>(self) -> Result<Vec<T>, StoreError> {
        let decoded = match self {
            Self::Pg(rows) => rows.iter().map(T::from_row).collect::<Result<_, _>>(),
            Self::Sqlite(rows) => rows.iter().map(T::from_row).collect(),
        };
        decoded.map_err(failed)
    }
}

/// Reads rows with whatever reaches an engine.
macro_rules! read {
    ($query:expr, $extent:expr, $on:expr) => {
        match $extent {
            Extent::First => $query.fetch_optional($on).await.map(Vec::from_iter),
            Extent::All => $query.fetch_all($on).await,
        }
    };
}

impl<'a> Executor<'a> {
    /// The same place for one more statement.
    pub fn reborrow(&mut self) -> Executor<'_> {
        match self {
            Self::Db(db) => Executor::Db(db),
            Self::Tx(tx) => Executor::Tx(tx),
        }
    }

    /// Exactly one row.
    pub async fn one<T: Record>(self, sql: &Sql, params: Vec<Param>) -> Result<T, StoreError> {
        self.optional(sql, params).await?.ok_or_else(|| failed(sqlx::Error::RowNotFound))
    }

    /// One row or none.
    pub async fn optional<T: Record>(self, sql: &Sql, params: Vec<Param>) -> Result<Option<T>, StoreError> {
        let text = Text::Fixed(sql.text(self.engine()));
        Ok(self.read(text, params, Extent::First).await?.decode()?.pop())
    }

    /// Whether there is a row; the statement reads its id.
    pub async fn exists(self, sql: &Sql, params: Vec<Param>) -> Result<bool, StoreError> {
        Ok(self.optional::<(Id,)>(sql, params).await?.is_some())
    }

    /// All rows; the statement has a LIMIT unless the table is small by nature.
    pub async fn all<T: Record>(self, sql: &Sql, params: Vec<Param>) -> Result<Vec<T>, StoreError> {
        let text = Text::Fixed(sql.text(self.engine()));
        self.read(text, params, Extent::All).await?.decode()
    }

    /// The rows of a part of a list.
    pub async fn rows<T: Record>(self, select: &Select, part: Part) -> Result<Vec<T>, StoreError> {
        let Statement { text, arguments } = select.statement(self.engine(), part);
        self.read(Text::Composed(text), arguments, Extent::All).await?.decode()
    }

    /// How many rows a list has.
    pub async fn count(self, select: &Select) -> Result<i64, StoreError> {
        let Statement { text, arguments } = select.statement(self.engine(), Part::Count);
        let counted = self.read(Text::Composed(text), arguments, Extent::First).await?.decode()?;
        let (count,) = counted.into_iter().next().ok_or_else(|| failed(sqlx::Error::RowNotFound))?;
        Ok(count)
    }

    /// All rows of a statement that was put together of names of the catalogue and placeholders.
    pub async fn composed<T: Record>(self, text: String, params: Vec<Param>) -> Result<Vec<T>, StoreError> {
        self.read(Text::Composed(text), params, Extent::All).await?.decode()
    }

    /// Which engine it is of.
    pub fn engine(&self) -> Engine {
        match self {
            Self::Db(db) => db.engine(),
            Self::Tx(tx) => tx.engine(),
        }
    }

    fn read(self, text: Text, params: Vec<Param>, extent: Extent) -> Pending<'a, RawRows> {
        match self {
            Self::Db(db) => Box::pin(
                db.database.metrics.measured(Operation::Read, read_alone(&db.database, text, params, extent)),
            ),
            Self::Tx(tx) => Box::pin(async move {
                let metrics = tx.metrics.clone();
                metrics.measured(Operation::Statement, read_within(tx, text, params, extent)).await
            }),
        }
    }
}

/// Rows as of the last commit.
async fn read_alone(
    OpenDatabase { pools, runtime, .. }: &OpenDatabase,
    text: Text,
    params: Vec<Param>,
    extent: Extent,
) -> Result<RawRows, StoreError> {
    match pools {
        Pools::Pg(connections) => {
            let (connections, query) = (connections.clone(), sqlx::query_with(text, pg_arguments(params)?));
            let read = runtime.run(async move {
                let mut lent = connections.lend().await?;
                let rows = read!(query, extent, lent.connection()?);
                lent.ended(rows)
            });
            read.await.map(RawRows::Pg).map_err(failed)
        }
        Pools::Sqlite(sqlite) => {
            sqlite.file.ensure_readable()?;
            let (connections, query) =
                (sqlite.read.clone(), sqlx::query_with(text, sqlite_arguments(params)?));
            let read = runtime.run(async move {
                let mut lent = connections.lend().await?;
                let rows = read!(query, extent, lent.connection()?);
                lent.ended(rows)
            });
            let read = read.await;
            if read.is_err() {
                // It may hold something else, which SQLite does not understand.
                sqlite.file.ensure_there()?;
            }
            read.map(RawRows::Sqlite).map_err(failed)
        }
    }
}

/// Rows as a transaction has left them.
async fn read_within(
    tx: &mut Tx,
    text: Text,
    params: Vec<Param>,
    extent: Extent,
) -> Result<RawRows, StoreError> {
    let deferred = &mut tx.deferred;
    match tx.connection.opened(&tx.metrics).await? {
        OpenTx::Pg(open) => {
            let lent = open.lent().map_err(failed)?;
            send_deferred(lent, deferred).await?;
            let query = sqlx::query_with(text, pg_arguments(params)?);
            let rows = read!(query, extent, lent.connection().map_err(failed)?);
            lent.ended(rows).map(RawRows::Pg).map_err(failed)
        }
        OpenTx::Sqlite(open) => {
            open.make(deferred).await?;
            // Changes give no rows, so all rows are the last statement's.
            let (text, arguments) = behind(open.savepoint(), deferred, text, params)?;
            let query = sqlx::query_with(text, arguments);
            let connection = open.connection().map_err(failed)?;
            read!(query, extent, connection).map(RawRows::Sqlite).map_err(failed)
        }
    }
}

/// A statement behind the savepoint, where that is still to be made, and the changes that wait for it.
fn behind(
    savepoint: &'static str,
    deferred: &mut DeferredChanges,
    text: Text,
    params: Vec<Param>,
) -> Result<(Text, SqliteArguments), StoreError> {
    if savepoint.is_empty() && deferred.is_empty() {
        return Ok((text, sqlite_arguments(params)?));
    }
    let JoinedStatements { text, arguments, .. } = deferred.join(savepoint, text.as_str(), params)?;
    Ok((Text::Composed(text), arguments))
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
    pub fn execute(&mut self, sql: &Sql, params: Vec<Param>) -> Pending<'_, u64> {
        let text = Text::Fixed(sql.text(self.engine()));
        self.change(text, params)
    }

    /// [`Tx::execute`] of a statement that was put together of names of the catalogue and placeholders.
    pub fn execute_composed(&mut self, text: String, params: Vec<Param>) -> Pending<'_, u64> {
        self.change(Text::Composed(text), params)
    }

    /// Changes rows with the next statement of this transaction, or with its commit, whose error says when it fails. Nobody learns how
    /// many rows it met. Each statement that is waited for is a round trip to PostgreSQL; on SQLite it wakes a thread and is woken by
    /// it, which takes longer than most changes. A transaction that only has such changes is one statement, as far as they are
    /// about different tables.
    pub fn execute_later(&mut self, sql: &Sql, params: Vec<Param>) {
        self.deferred.push(sql.text(self.engine()), params, None);
    }

    /// [`Tx::execute_later`] of a change that has to meet a row of `table`, as people know it: if it meets none, the next statement
    /// or the commit fails with [`StoreError::Moved`], and nothing of this transaction is kept. Of several that go to PostgreSQL as one
    /// statement, the first is named.
    pub fn execute_one_later(&mut self, sql: &Sql, params: Vec<Param>, table: &'static str) {
        self.deferred.push(sql.text(self.engine()), params, Some(table));
    }

    fn change(&mut self, text: Text, params: Vec<Param>) -> Pending<'_, u64> {
        let (connection, deferred, metrics) = (&mut self.connection, &mut self.deferred, &self.metrics);
        let execute = async move {
            match connection.opened(metrics).await? {
                OpenTx::Pg(open) => {
                    let lent = open.lent().map_err(failed)?;
                    send_deferred(lent, deferred).await?;
                    let query = sqlx::query_with(text, pg_arguments(params)?);
                    let done = query.execute(lent.connection().map_err(failed)?).await;
                    lent.ended(done).map(|done| done.rows_affected())
                }
                OpenTx::Sqlite(open) => {
                    open.make(deferred).await?;
                    let (text, arguments) = behind(open.savepoint(), deferred, text, params)?;
                    let connection = open.connection().map_err(failed)?;
                    // Each statement says how many rows it changed: the last is the one that is asked.
                    let mut done = connection.fetch_many(sqlx::query_with(text, arguments));
                    let mut changed = 0;
                    while let Some(step) = done.try_next().await.map_err(failed)? {
                        if let Either::Left(end) = step {
                            changed = end.rows_affected();
                        }
                    }
                    Ok(changed)
                }
            }
            .map_err(failed)
        };
        Box::pin(self.metrics.measured(Operation::Statement, execute))
    }

    /// A statement with its rows, and [`Tx::commit_at`]: on PostgreSQL one round trip where it is the only statement.
    pub fn commit_with<'a, T: Record>(
        mut self,
        point: &'a str,
        sql: &'a Sql,
        params: Vec<Param>,
    ) -> Pending<'a, Vec<T>> {
        Box::pin(async move {
            if let TxConnection::Unopened(database) = &self.connection
                && matches!(database.pools, Pools::Pg(_))
                && self.deferred.is_empty()
            {
                failpoint::before(point);
                let text = Text::Fixed(sql.text(Engine::Postgres));
                let made = read_alone(database, text, params, Extent::All);
                let rows = self.metrics.measured(Operation::Commit, made).await?.decode()?;
                failpoint::after(point);
                self.wakeups.fire();
                return Ok(rows);
            }
            let rows = self.fetch_all(sql, params).await?;
            self.commit_at(point).await?;
            Ok(rows)
        })
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
