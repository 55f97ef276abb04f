//! Changes that nobody waits for: they go to the database with the next statement of their transaction, or with its commit.
//!
//! SQLite takes several statements as one text. PostgreSQL takes one statement at a time, which may hold several changes: they all see
//! what was there before it, so those that meet the same table, or that read what another one writes, go one after the other.

use crate::connections::Lent;
use crate::error::{StoreError, failed};
use crate::sql::{Param, pg_arguments, sqlite_arguments};
use sqlx::{AssertSqlSafe, SqlSafeStr};
use sqlx_postgres::PgConnection;
use sqlx_sqlite::SqliteArguments;
use std::borrow::Cow;

/// Fails on SQLite where the change before it met no row: a number that is one too large.
const FAIL_WITHOUT_A_ROW: &str = "SELECT 1 WHERE abs(-9223372036854775807 - (changes() = 0)) = 0";
/// `division_by_zero` of PostgreSQL, of a number of rows.
const DIVISION_BY_ZERO: &str = "22012";

/// Changes of a transaction that were not sent yet, in order.
#[derive(Debug, Default)]
pub(crate) struct DeferredChanges(Vec<DeferredChange>);

#[derive(Debug)]
struct DeferredChange {
    text: &'static str,
    arguments: Vec<Param>,
    /// Where it has to meet a row: the table, as people know it.
    must_meet: Option<&'static str>,
}

/// Statements as one text with the arguments of all.
pub(crate) struct JoinedStatements {
    pub(crate) text: String,
    pub(crate) arguments: SqliteArguments,
    /// What the statements are, in order.
    pub(crate) steps: Vec<JoinedStep>,
}

/// One statement of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JoinedStep {
    /// What the transaction stands on: nothing of it was done before.
    Begin,
    /// A change of the transaction.
    Change,
    /// Fails where the change before it met no row of this table.
    MustHaveMet(&'static str),
    /// What comes behind the changes.
    End,
}

impl JoinedStep {
    /// What it means that SQLite refused it.
    pub(crate) fn failed(self, error: sqlx::Error) -> StoreError {
        match self {
            Self::MustHaveMet(table) if is_overflow(&error) => StoreError::Moved { table },
            Self::Begin | Self::Change | Self::MustHaveMet(_) | Self::End => failed(error),
        }
    }
}

/// Changes that PostgreSQL takes as one statement.
struct JointChange {
    text: Cow<'static, str>,
    arguments: Vec<Param>,
    /// The table of the first that has to meet a row.
    must_meet: Option<&'static str>,
    /// Whether the statement itself fails when one met none.
    fails_by_itself: bool,
}

impl DeferredChanges {
    pub(crate) fn push(
        &mut self,
        text: &'static str,
        arguments: Vec<Param>,
        must_meet: Option<&'static str>,
    ) {
        let begins = ["INSERT INTO ", "UPDATE ", "DELETE FROM "].iter().any(|word| text.starts_with(word));
        debug_assert!(begins, "it does not begin with what it writes: {text}");
        let more = [" RETURNING ", " USING "].iter().any(|word| text.contains(word));
        debug_assert!(!more, "it gives rows, or reads tables that are not seen: {text}");
        self.0.push(DeferredChange { text, arguments, must_meet });
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether one of them has to meet a row.
    pub(crate) fn must_meet(&self) -> bool {
        self.0.iter().any(|change| change.must_meet.is_some())
    }

    /// Whether PostgreSQL takes all of them as one statement.
    pub(crate) fn is_one_statement(&self) -> bool {
        !self.is_empty() && first_group(&self.0) == self.0.len()
    }

    /// Them between two texts, either of which may be empty, as one text for SQLite; none are left here. A placeholder says which
    /// argument it is, so those of each statement are numbered on; `arguments` are those of `end`.
    pub(crate) fn join(
        &mut self,
        begin: &'static str,
        end: &str,
        arguments: Vec<Param>,
    ) -> Result<JoinedStatements, StoreError> {
        let (mut text, mut all, mut steps) = (String::new(), Vec::new(), Vec::new());
        if !begin.is_empty() {
            text.push_str(begin);
            text.push(';');
            steps.push(JoinedStep::Begin);
        }
        for change in std::mem::take(&mut self.0) {
            number_on(change.text, all.len(), &mut text);
            text.push(';');
            all.extend(change.arguments);
            steps.push(JoinedStep::Change);
            if let Some(table) = change.must_meet {
                text.push_str(FAIL_WITHOUT_A_ROW);
                text.push(';');
                steps.push(JoinedStep::MustHaveMet(table));
            }
        }
        number_on(end, all.len(), &mut text);
        all.extend(arguments);
        steps.push(JoinedStep::End);
        Ok(JoinedStatements { text, arguments: sqlite_arguments(all)?, steps })
    }

    /// Them in as few statements of PostgreSQL as do the same; none are left here.
    fn joint(&mut self) -> Vec<JointChange> {
        let mut changes = std::mem::take(&mut self.0);
        let mut joint = Vec::new();
        while !changes.is_empty() {
            let rest = changes.split_off(first_group(&changes));
            joint.push(JointChange::of(changes));
            changes = rest;
        }
        joint
    }
}

/// How many of these changes, from the first on, may see what was there before all of them and still do what they would do one by
/// one: no table is written twice, and none reads what one before it writes.
fn first_group(changes: &[DeferredChange]) -> usize {
    let mut written: Vec<&str> = Vec::new();
    for (index, change) in changes.iter().enumerate() {
        let mut met = tables(change.text);
        let Some(own) = met.next() else { return index.max(1) };
        if written.contains(&own) || met.any(|read| written.contains(&read)) {
            return index;
        }
        written.push(own);
    }
    changes.len()
}

/// The table that a change writes, and those it reads.
fn tables(text: &str) -> impl Iterator<Item = &str> {
    let names = |word: &str| matches!(word, "INTO" | "UPDATE" | "FROM" | "JOIN");
    let is_between = |char: char| char.is_whitespace() || matches!(char, '(' | ')' | ',');
    let words = || text.split(is_between).filter(|word| !word.is_empty());
    // Keywords are in capitals: \"DO UPDATE SET\" names none.
    let is_name = |word: &&str| word.starts_with(|first: char| first.is_ascii_lowercase());
    words().zip(words().skip(1)).filter(move |(word, _)| names(word)).map(|(_, name)| name).filter(is_name)
}

impl JointChange {
    fn of(changes: Vec<DeferredChange>) -> Self {
        let must_meet = changes.iter().find_map(|change| change.must_meet);
        let mut changes = changes.into_iter();
        match (changes.next(), changes.len()) {
            (Some(only), 0) => {
                Self { text: only.text.into(), arguments: only.arguments, must_meet, fails_by_itself: false }
            }
            (first, _) => {
                let (text, arguments) = with(first.into_iter().chain(changes));
                Self { text: text.into(), arguments, must_meet, fails_by_itself: true }
            }
        }
    }

    async fn send(self, lent: &mut Lent<PgConnection>) -> Result<(), StoreError> {
        let text = match self.text {
            Cow::Borrowed(text) => text.into_sql_str(),
            Cow::Owned(text) => AssertSqlSafe(text).into_sql_str(),
        };
        let query = sqlx::query_with(text, pg_arguments(self.arguments)?);
        let done = query.execute(lent.connection().map_err(failed)?).await;
        let done = lent.ended(done);
        let has_missed = match &done {
            Ok(done) => !self.fails_by_itself && done.rows_affected() == 0,
            Err(error) => self.fails_by_itself && is_division_by_zero(error),
        };
        match self.must_meet.filter(|_| has_missed) {
            Some(table) => Err(StoreError::Moved { table }),
            None => done.map(drop).map_err(failed),
        }
    }
}

/// Changes as one statement of PostgreSQL: it divides by how many rows each of those met that has to meet one. The others it makes
/// from the last to the first, so they stand in it the other way round: rows are locked in the order of the changes.
fn with(changes: impl Iterator<Item = DeferredChange>) -> (String, Vec<Param>) {
    let (mut parts, mut met, mut arguments) = (Vec::new(), Vec::new(), Vec::new());
    for (index, change) in changes.enumerate() {
        let mut part = format!("c{index} AS (");
        number_on(change.text, arguments.len(), &mut part);
        arguments.extend(change.arguments);
        if change.must_meet.is_some() {
            part.push_str(" RETURNING 1");
            met.push(format!("1 / (SELECT COUNT(*) FROM c{index})"));
        }
        part.push(')');
        parts.push(part);
    }
    parts.reverse();
    (format!("WITH {} SELECT {}", parts.join(", "), met.join(", ")), arguments)
}

/// Whether SQLite refused [`FAIL_WITHOUT_A_ROW`], which has no code of its own for it.
fn is_overflow(error: &sqlx::Error) -> bool {
    error.as_database_error().is_some_and(|error| error.message() == "integer overflow")
}

fn is_division_by_zero(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    code.is_some_and(|code| code == DIVISION_BY_ZERO)
}

/// Sends what waits for the next statement of a transaction, or for its end.
pub(crate) async fn send_deferred(
    lent: &mut Lent<PgConnection>,
    deferred: &mut DeferredChanges,
) -> Result<(), StoreError> {
    for joint in deferred.joint() {
        joint.send(lent).await?;
    }
    Ok(())
}

/// Appends a statement whose `$1` stands for the argument behind so many others.
fn number_on(statement: &str, before: usize, text: &mut String) {
    let mut parts = statement.split('$');
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = part.split_at(digits);
        text.push('$');
        match number.parse::<usize>() {
            Ok(number) => text.push_str(&number.saturating_add(before).to_string()),
            // A path within JSON, for example.
            Err(_) => text.push_str(number),
        }
        text.push_str(rest);
    }
}

#[cfg(test)]
mod tests;
