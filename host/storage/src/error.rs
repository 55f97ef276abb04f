//! What can go wrong between the gateway and its database.

use sqlx::migrate::MigrateError;
use std::fmt;

/// Longest piece of a damaged value that is shown.
const FOUND_CHARS_MAX: usize = 80;

/// A row that the types do not allow: somebody changed the database by hand, or a migration is missing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the stored {table} '{id}' is damaged: column {column} holds {found}")]
pub struct Corrupt {
    table: &'static str,
    id: String,
    column: &'static str,
    found: String,
}

impl Corrupt {
    /// Names the row and the column, and shows what it holds. Never call it with a secret.
    pub fn new(
        table: &'static str,
        id: impl fmt::Display,
        column: &'static str,
        found: impl fmt::Display,
    ) -> Self {
        let found = found.to_string().chars().take(FOUND_CHARS_MAX).collect();
        Self { table, id: id.to_string(), column, found }
    }
}

/// A request to the database that gave no result. `Display` is fit for an operator and holds no SQL; the cause is
/// in `source`, for the log.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database refused or did not answer.
    #[error("the database did not carry out the request")]
    Database(#[source] sqlx::Error),
    /// No connection could be opened.
    #[error("no connection to the database: check database.url and that the server runs")]
    Connect(#[source] sqlx::Error),
    /// The URL names no database the gateway knows.
    #[error("'{scheme}' is no database the gateway knows: use sqlite:PATH or postgres://…")]
    UnknownScheme {
        /// What stands before the colon.
        scheme: String,
    },
    /// The database was made by something else than releases of this gateway.
    #[error(
        "migration {0} of the database is not this gateway's: use an empty database, or the gateway that made this one"
    )]
    Foreign(i64),
    /// A migration failed.
    #[error("the database could not be migrated: {0}")]
    Migrate(#[source] MigrateError),
    /// A row cannot be what it says.
    #[error(transparent)]
    Corrupt(#[from] Corrupt),
    /// The end of a transaction did not become durable, or nobody knows.
    #[error("the database did not keep the changes: look at the state before repeating")]
    NotDurable(#[source] Option<std::sync::Arc<sqlx::Error>>),
    /// A row that was held changed all the same.
    #[error("the stored {table} moved while it was held: repeat the request")]
    Moved {
        /// The table.
        table: &'static str,
    },
    /// A request with the same idempotency key is carried out at this moment, or was.
    #[error("the same request is carried out already: repeat it in a moment to get its answer")]
    Repeated,
    /// Another `serve` uses the data directory.
    #[error("another gateway serves {path}: stop it first, or use another data directory")]
    InUse {
        /// The database.
        path: String,
    },
    /// The data directory cannot be used.
    #[error("the data directory cannot be used: {path}")]
    File {
        /// The file or directory.
        path: String,
        /// What the system said.
        #[source]
        cause: std::io::Error,
    },
}

impl From<MigrateError> for StoreError {
    fn from(error: MigrateError) -> Self {
        match error {
            MigrateError::VersionMismatch(version) => Self::Foreign(version),
            other => Self::Migrate(other),
        }
    }
}

impl StoreError {
    /// A document as JSON text for a column.
    pub fn json(document: &impl serde::Serialize) -> Result<String, Self> {
        serde_json::to_string(document).map_err(|cause| Self::Database(sqlx::Error::Encode(cause.into())))
    }

    /// A document as JSON that is to be kept.
    pub fn json_value(document: &impl serde::Serialize) -> Result<serde_json::Value, Self> {
        serde_json::to_value(document).map_err(|cause| Self::Database(sqlx::Error::Encode(cause.into())))
    }

    /// Whether a row with these values exists already.
    pub fn is_unique_violation(&self) -> bool {
        self.database().is_some_and(sqlx::error::DatabaseError::is_unique_violation)
    }

    /// Whether the row refers to something that does not exist.
    pub fn is_foreign_key_violation(&self) -> bool {
        self.database().is_some_and(sqlx::error::DatabaseError::is_foreign_key_violation)
    }

    /// Whether the row itself is the trouble: it breaks a rule that the schema keeps too. Nothing of the transaction is
    /// to be kept then; another row may fare better.
    pub fn is_refused(&self) -> bool {
        use sqlx::error::ErrorKind;
        self.database().is_some_and(|error| match error.kind() {
            ErrorKind::UniqueViolation
            | ErrorKind::ForeignKeyViolation
            | ErrorKind::NotNullViolation
            | ErrorKind::CheckViolation
            | ErrorKind::ExclusionViolation => true,
            // SQLITE_CONSTRAINT_TRIGGER: a trigger refused it.
            _ => error.code().is_some_and(|code| code == "1811"),
        })
    }

    /// Whether the same request may succeed in a moment: a lost connection, a lock that was held too long.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Database(error) => passes(error),
            Self::Connect(_) => true,
            Self::UnknownScheme { .. }
            | Self::Foreign(_)
            | Self::Migrate(_)
            | Self::Corrupt(_)
            | Self::Moved { .. }
            | Self::NotDurable(_)
            | Self::Repeated
            | Self::InUse { .. }
            | Self::File { .. } => false,
        }
    }

    /// Whether what is behind an error, however deep, is such a trouble. One that shows itself as the one it wraps leaves
    /// that out of its chain, so the driver's own error counts too.
    pub fn is_behind(error: &(dyn std::error::Error + 'static)) -> bool {
        let mut chain = std::iter::successors(Some(error), |error| error.source());
        chain.any(|error| {
            error.downcast_ref::<Self>().is_some_and(Self::is_transient)
                || error.downcast_ref::<sqlx::Error>().is_some_and(passes)
        })
    }

    fn database(&self) -> Option<&dyn sqlx::error::DatabaseError> {
        match self {
            Self::Database(error) | Self::Connect(error) => error.as_database_error(),
            Self::UnknownScheme { .. }
            | Self::Foreign(_)
            | Self::Migrate(_)
            | Self::Corrupt(_)
            | Self::Moved { .. }
            | Self::NotDurable(_)
            | Self::Repeated
            | Self::InUse { .. }
            | Self::File { .. } => None,
        }
    }
}

fn passes(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut | sqlx::Error::WorkerCrashed => true,
        other => other
            .as_database_error()
            .and_then(sqlx::error::DatabaseError::code)
            .is_some_and(|code| transient(&code)),
    }
}

/// PostgreSQL: serialization, deadlock, lock timeout, shutdown, connection classes. SQLite: BUSY and LOCKED.
fn transient(code: &str) -> bool {
    matches!(
        code,
        "40001" | "40P01" | "55P03" | "57P01" | "57P02" | "57P03" | "25P03" | "5" | "6" | "261" | "517"
    ) || code.starts_with("08")
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    enum Outer {
        #[error(transparent)]
        Shown(#[from] StoreError),
        #[error("it failed")]
        Wrapped(#[source] StoreError),
    }

    #[test]
    fn a_trouble_that_passes_is_found_behind_whatever_wraps_it() {
        let away = || StoreError::Database(sqlx::Error::PoolTimedOut);
        let refused = || StoreError::Connect(sqlx::Error::Io(std::io::ErrorKind::ConnectionRefused.into()));
        for error in [Outer::Shown(away()), Outer::Wrapped(away()), Outer::Shown(refused())] {
            assert!(StoreError::is_behind(&error), "{error}");
        }
        assert!(!StoreError::is_behind(&Outer::Shown(StoreError::Repeated)));
        assert!(!StoreError::is_behind(&Outer::Wrapped(StoreError::Database(sqlx::Error::RowNotFound))));
    }
}
