//! Why a backup, a restore or a move did not end well.

use crate::archive::ArchiveError;
use crate::postgres::ProgramError;
use gateway_access::AccessError;
use gateway_access::secrets::{KeyringError, WrapError};
use gateway_domain::StoreError;
use gateway_storage::OpenError;
use std::path::PathBuf;

/// Why it did not end well. Each says what to do next.
#[derive(Debug, thiserror::Error)]
pub enum RecoveryError {
    /// There is nothing to back up or to move.
    #[error("there is nothing in the database yet: check database.url")]
    NothingThere,
    /// The copy of a SQLite file does not hold what the file held.
    #[error(
        "the copy of the database is not sound ({0}): back it up again, and if it stays so restore the database from an earlier backup"
    )]
    UnsoundCopy(String),
    /// A backup is of another kind of database.
    #[error(
        "the backup is of a {found} database, and database.url names one of {configured}: restore it into {found}, then use 'gateway move'"
    )]
    OtherEngine {
        /// Of the backup.
        found: &'static str,
        /// Of the configuration.
        configured: &'static str,
    },
    /// A newer program made the database.
    #[error(
        "the backup has schema {found}, made by gateway {made_by}, and this program knows {known}: restore it with that version or a newer one"
    )]
    NewerSchema {
        /// Of the backup.
        found: i64,
        /// The newest that this program knows.
        known: i64,
        /// The version that made the backup.
        made_by: String,
    },
    /// Something is where the database would be restored to.
    #[error(
        "there is a database at {0} already: stop the gateway and move it away, or name another place in database.url"
    )]
    NotEmpty(String),
    /// A gateway has it open.
    #[error("a gateway serves the database {0}, or has just done so: stop it first")]
    Served(String),
    /// What was restored is not what was backed up.
    #[error(
        "what was restored differs from what was backed up ({0}): use another backup, and leave this database unused"
    )]
    Different(String),
    /// There are keys, and no passphrase for them, or the other way round.
    #[error(
        "the backup holds no master keys: leave --passphrase-file out, and put the master key file in its place"
    )]
    NoKeys,
    /// The target of a move holds something else.
    #[error("the database {0} is not empty, and holds no unfinished move of this one: name an empty one")]
    OtherContent(String),
    /// Both are the same engine.
    #[error("--to names a database of the same kind: it moves from SQLite to PostgreSQL, or back")]
    SameEngine,
    /// The databases do not have the same tables.
    #[error("the two databases have different tables: move with the version that made the one to be moved")]
    OtherTables,
    /// What arrived is not what left.
    #[error(
        "what arrived differs from what left ({0}): empty the database that was moved to, and begin again while no command changes the other"
    )]
    MovedDifferently(String),
    /// A file cannot be made, read or moved.
    #[error("{} cannot be {done}: look at its folder, and try again", path.display())]
    File {
        /// Which one.
        path: PathBuf,
        /// What was to be done with it.
        done: &'static str,
        /// What the system said.
        #[source]
        cause: std::io::Error,
    },
    /// The program is ending.
    #[error("it was interrupted, and nothing was changed: try again")]
    Interrupted,
    /// The backup cannot be used.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// A program of PostgreSQL did not do its part.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The database cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The database did not do its part.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The keys cannot be wrapped or unwrapped.
    #[error(transparent)]
    Wrap(#[from] WrapError),
    /// The keys are not those that sealed what is stored.
    #[error(transparent)]
    Keyring(#[from] KeyringError),
    /// The keys do not open what is stored.
    #[error(transparent)]
    Access(#[from] AccessError),
}

impl RecoveryError {
    /// What the system said when `path` was to be `done`.
    pub(crate) fn file(path: &std::path::Path, done: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |cause| Self::File { path, done, cause }
    }
}

/// Runs what waits for files on a thread for that.
pub(crate) async fn blocking<T: Send + 'static, E: Into<RecoveryError> + Send + 'static>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, RecoveryError> {
    tokio::task::spawn_blocking(work).await.map_err(|_| RecoveryError::Interrupted)?.map_err(Into::into)
}
