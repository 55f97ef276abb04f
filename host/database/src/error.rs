//! What can go wrong between the gateway and its database.

pub use gateway_domain::StoreError;

use crate::no_connection::NoConnection;
use gateway_domain::{StoreCause, StoreCauseKind};
use gateway_domain_input::unreadable;
use sqlx::error::ErrorKind;
use sqlx::migrate::MigrateError;
use std::path::Path;
use std::{fmt, io};

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

impl From<Corrupt> for StoreError {
    fn from(corrupt: Corrupt) -> Self {
        Self::Failed { message: corrupt.to_string(), cause: None }
    }
}

/// Why a database could not be opened, migrated or taken.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No connection could be opened.
    #[error("no connection to the database: check database.url and that the server runs")]
    Connect(#[source] StoreCause),
    /// The URL names no database the gateway knows.
    #[error("'{scheme}' is no database the gateway knows: use sqlite:PATH or postgres://…")]
    UnknownScheme {
        /// What stands before the colon.
        scheme: String,
    },
    /// The address of a SQLite file says something that has no meaning.
    #[error("the address of the SQLite file cannot be read: use sqlite:PATH, without parameters")]
    SqliteAddress,
    /// The address of a PostgreSQL database says something that has no meaning.
    #[error(
        "'{0}' is no parameter of a database's address: take it out of database.url, or look for a spelling mistake"
    )]
    UnknownParameter(String),
    /// The database was made by something else than releases of this gateway.
    #[error(
        "migration {0} of the database is not this gateway's: use an empty database, or the gateway that made this one"
    )]
    Foreign(i64),
    /// The statements of a migration failed.
    #[error("migration {version} of the database failed: {reason}")]
    Migration {
        /// The number of its file.
        version: i64,
        /// What the database said.
        reason: DriverError,
    },
    /// The migrations of the gateway do not fit those that the database has had.
    #[error("the database could not be migrated: {0}")]
    Migrate(#[source] MigrateError),
    /// Another `serve` uses the data directory.
    #[error("another gateway serves {path}: stop it first, or use another data directory")]
    InUse {
        /// Of the SQLite file, as the URL has it.
        path: String,
    },
    /// There is no room on the disk of a SQLite file, not even to read it.
    #[error("there is no room on the disk of the database {path}: make room, and start again")]
    NoRoom {
        /// Of the SQLite file, as the URL has it.
        path: String,
    },
    /// A SQLite file has several names, and SQLite puts its log beside the one that it is given.
    #[error(
        "the database file {path} has {names} names (hard links), and its log stands beside one of them only: delete the others ('find DIRECTORY -samefile {path}' lists them), and start again"
    )]
    HardLinks {
        /// Of the SQLite file, as the URL has it.
        path: String,
        /// How many there are.
        names: u64,
    },
    /// Another process serves the SQLite file by a name that it was moved or mounted from.
    #[error(
        "another gateway serves {path} by another name, and its log stands beside that one: stop it first, or use the name that it uses"
    )]
    OtherName {
        /// Of the SQLite file, as the URL has it.
        path: String,
    },
    /// The path of a SQLite file leads to a folder.
    #[error("the database {path} is a folder: name a file in database.url, such as sqlite:{path}/gateway.db")]
    Folder {
        /// As the URL has it.
        path: String,
    },
    /// The folder of a SQLite file is not there, and cannot be made.
    #[error(
        "the folder {folder} of the database cannot be made ({reason}): make it, or name a file in another folder in database.url"
    )]
    NoFolder {
        /// Of the SQLite file, as the URL has it.
        folder: String,
        /// What the system said.
        reason: String,
    },
    /// The system does not let the gateway read and write a SQLite file.
    #[error(
        "the database file {path} cannot be opened ({reason}): let the user of the gateway read and write it, or name another file in database.url"
    )]
    Unreadable {
        /// Of the SQLite file, as the URL has it.
        path: String,
        /// What the system said.
        reason: String,
    },
    /// A file holds something else than a database.
    #[error(
        "the file {path} is no SQLite database: name another file in database.url, or restore it from its copy"
    )]
    NotADatabase {
        /// As the URL has it.
        path: String,
    },
    /// A SQLite file does not hold together.
    #[error(
        "the database file {path} is damaged: stop every gateway that uses it, and restore it from its copy"
    )]
    Damaged {
        /// As the URL has it.
        path: String,
    },
    /// Another program does not let the gateway read a SQLite file.
    #[error("another program keeps the database file {path} locked: end it, and start again")]
    Locked {
        /// As the URL has it.
        path: String,
    },
    /// What belongs beside a SQLite file cannot be made or locked.
    #[error(
        "the file {path} cannot be made or locked ({reason}): let the user of the gateway write to its folder, or name a file in another folder in database.url"
    )]
    File {
        /// What could not be made or locked.
        path: String,
        /// What the system said.
        reason: String,
    },
    /// A request to the open database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl OpenError {
    /// What the driver reported while a connection was opened.
    #[expect(clippy::needless_pass_by_value, reason = "stands in map_err, where the driver's error ends")]
    pub fn connect(error: sqlx::Error) -> Self {
        let error = Box::new(NoConnection::of(&error));
        Self::Connect(StoreCause { kind: StoreCauseKind::Transient, error })
    }

    /// What SQLite said when it opened the file at `path`.
    pub(crate) fn sqlite(path: &Path, error: sqlx::Error) -> Self {
        let owned = path.display().to_string();
        let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
        // The last byte says what went wrong, the others where.
        let kind = code.and_then(|code| code.parse::<u32>().ok()).map(|code| code & 0xff);
        match kind {
            Some(3 | 8 | 14 | 23) => Self::unreadable(path, &io::ErrorKind::PermissionDenied.into()),
            Some(5 | 6) => Self::Locked { path: owned },
            Some(11) => Self::Damaged { path: owned },
            Some(26) => Self::NotADatabase { path: owned },
            _ => Self::connect(error),
        }
    }

    pub(crate) fn unreadable(path: &Path, cause: &io::Error) -> Self {
        Self::Unreadable { path: path.display().to_string(), reason: unreadable(cause) }
    }

    pub(crate) fn file(path: &Path, cause: &io::Error) -> Self {
        Self::File { path: path.display().to_string(), reason: unreadable(cause) }
    }
}

impl From<MigrateError> for OpenError {
    fn from(error: MigrateError) -> Self {
        match error {
            MigrateError::VersionMismatch(version) => Self::Foreign(version),
            MigrateError::ExecuteMigration(error, version) => {
                Self::Migration { version, reason: DriverError(error) }
            }
            MigrateError::Execute(error) => Self::Store(failed(error)),
            other => Self::Migrate(other),
        }
    }
}

/// What the driver reported, as people are told it: the database's own words, or the system's in plain ones, without
/// what the driver writes before them.
#[derive(Debug)]
pub struct DriverError(sqlx::Error);

impl fmt::Display for DriverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            sqlx::Error::Database(said) => fmt::Display::fmt(said, f),
            sqlx::Error::Io(said) => f.write_str(&unreadable(said)),
            other => fmt::Display::fmt(other, f),
        }
    }
}

impl std::error::Error for DriverError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0 {
            // Told in full.
            sqlx::Error::Database(_) | sqlx::Error::Io(_) => None,
            other => other.source(),
        }
    }
}

/// What the driver said, in the words of the domain. Not `From`: both types are of other crates.
pub fn failed(error: sqlx::Error) -> StoreError {
    StoreError::failed(kind(&error), DriverError(error))
}

/// What a program tells it by.
pub fn kind(error: &sqlx::Error) -> StoreCauseKind {
    // A server that stops, or a proxy in front of one, ends a connection also where the driver expects something else.
    let is_away = matches!(
        error,
        sqlx::Error::Io(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::Protocol(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::WorkerCrashed
    );
    if is_away || is_without_room(error) {
        return StoreCauseKind::Transient;
    }
    let Some(error) = error.as_database_error() else { return StoreCauseKind::Other };
    match error.kind() {
        ErrorKind::UniqueViolation => StoreCauseKind::Duplicate,
        ErrorKind::ForeignKeyViolation => StoreCauseKind::MissingReference,
        ErrorKind::NotNullViolation | ErrorKind::CheckViolation | ErrorKind::ExclusionViolation => {
            StoreCauseKind::Constraint
        }
        _ => error.code().map_or(StoreCauseKind::Other, |code| kind_of_code(&code)),
    }
}

/// Whether SQLite had no room on the disk: for a page, or for the index of the log, without which nothing can be read.
pub(crate) fn is_without_room(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(sqlx::error::DatabaseError::code);
    code.is_some_and(|code| matches!(code.as_ref(), "13" | "778" | "4874"))
}

/// PostgreSQL: serialization, deadlock, lock timeout, shutdown, no room on the disk, connection classes. SQLite: BUSY and
/// LOCKED, and `SQLITE_CONSTRAINT_TRIGGER`: a trigger refused the row.
fn kind_of_code(code: &str) -> StoreCauseKind {
    match code {
        "1811" => StoreCauseKind::Constraint,
        "40001" | "40P01" | "55P03" | "57P01" | "57P02" | "57P03" | "25P03" | "53100" | "5" | "6" | "261"
        | "517" => StoreCauseKind::Transient,
        code if code.starts_with("08") => StoreCauseKind::Transient,
        _ => StoreCauseKind::Other,
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
        #[error(transparent)]
        Opening(#[from] OpenError),
    }

    #[test]
    fn a_failure_of_the_driver_is_told_without_the_words_of_the_driver() {
        let refused = sqlx::Error::Io(io::Error::from_raw_os_error(111));
        let away = DriverError(refused);
        assert_eq!(away.to_string(), "nobody listens there");
        assert!(std::error::Error::source(&away).is_none(), "told once");
        let other = DriverError(sqlx::Error::PoolTimedOut);
        assert_eq!(other.to_string(), sqlx::Error::PoolTimedOut.to_string());
    }

    #[test]
    fn a_trouble_that_passes_is_found_behind_whatever_wraps_it() {
        let away = || failed(sqlx::Error::PoolTimedOut);
        let refused = || OpenError::connect(sqlx::Error::Io(std::io::ErrorKind::ConnectionRefused.into()));
        for error in [Outer::Shown(away()), Outer::Wrapped(away()), Outer::Opening(refused())] {
            assert!(StoreError::is_transient(&error), "{error}");
        }
        assert!(!StoreError::is_transient(&Outer::Shown(StoreError::Repeated)));
        assert!(!StoreError::is_transient(&Outer::Wrapped(failed(sqlx::Error::RowNotFound))));
    }
}
