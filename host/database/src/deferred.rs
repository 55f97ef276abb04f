//! Changes that nobody waits for: they go to the database with the next statement of their transaction, or with its commit.

use crate::error::{StoreError, failed};
use crate::postgres::PgTx;
use crate::sql::{Param, pg_arguments, sqlite_arguments};
use sqlx_sqlite::SqliteArguments;

/// Changes of a transaction that were not sent yet, in order.
#[derive(Debug, Default)]
pub(crate) struct DeferredChanges(Vec<(&'static str, Vec<Param>)>);

/// Statements as one text with the arguments of all.
pub(crate) struct JoinedStatements {
    pub(crate) text: String,
    pub(crate) arguments: SqliteArguments,
}

impl DeferredChanges {
    pub(crate) fn push(&mut self, text: &'static str, arguments: Vec<Param>) {
        self.0.push((text, arguments));
    }

    /// How many they are.
    pub(crate) const fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Them, to be sent one by one; none are left here.
    pub(crate) fn take(&mut self) -> Vec<(&'static str, Vec<Param>)> {
        std::mem::take(&mut self.0)
    }

    /// Them and a statement behind, as one text; none are left here. A placeholder says which argument it is, so those of each
    /// statement are numbered on.
    pub(crate) fn join(&mut self, last: &str, arguments: Vec<Param>) -> Result<JoinedStatements, StoreError> {
        let (mut text, mut all) = (String::new(), Vec::new());
        for (change, own) in self.take() {
            number_on(change, all.len(), &mut text);
            text.push(';');
            all.extend(own);
        }
        number_on(last, all.len(), &mut text);
        all.extend(arguments);
        Ok(JoinedStatements { text, arguments: sqlite_arguments(all)? })
    }
}

/// Sends what waits for the next statement: PostgreSQL takes statements with arguments one by one.
pub(crate) async fn send_deferred(tx: &mut PgTx, deferred: &mut DeferredChanges) -> Result<(), StoreError> {
    for (text, params) in deferred.take() {
        let query = sqlx::query_with(text, pg_arguments(params)?);
        let done = query.execute(tx.connection().map_err(failed)?).await;
        tx.ended(done).map_err(failed)?;
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
