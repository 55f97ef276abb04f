//! Which databases this gateway has used: one that is empty now, and was not before, was lost, and no other takes its place
//! without a word.
//!
//! They stand in a file beside the master key, which is backed up apart from the database.

use gateway_cli::config::Config;
use gateway_storage::Db;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

/// The file's name, behind that of the master key.
const SUFFIX: &str = "databases";

/// A database is empty that was not.
#[derive(Debug, thiserror::Error)]
#[error("the database {location} is empty, and this gateway used one there before: restore it from its copy, or delete its line in {} if an empty one is meant", file.display())]
pub(crate) struct DatabaseLost {
    location: String,
    file: PathBuf,
}

/// The file that names them, one a line.
#[derive(Debug)]
pub(crate) struct KnownDatabases {
    file: PathBuf,
}

impl KnownDatabases {
    pub(crate) fn of(config: &Config) -> Self {
        let mut file = config.master_key_file().into_os_string();
        file.push(".");
        file.push(SUFFIX);
        Self { file: file.into() }
    }

    /// Refuses to fill an empty database where one was known.
    pub(crate) fn ensure_not_lost(&self, empty: &Db) -> Result<(), DatabaseLost> {
        let location = empty.location();
        if self.knows(&location) { Err(DatabaseLost { location, file: self.file.clone() }) } else { Ok(()) }
    }

    /// From now on this database is known.
    pub(crate) fn remember(&self, db: &Db) {
        let location = db.location();
        if self.knows(&location) {
            return;
        }
        if let Err(error) = self.add(&location) {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "Should the database be lost, the next start will not notice: {} cannot be written",
                self.file.display()
            );
        }
    }

    fn knows(&self, location: &str) -> bool {
        let known = std::fs::read_to_string(&self.file).unwrap_or_default();
        known.lines().any(|known| known == location)
    }

    fn add(&self, location: &str) -> io::Result<()> {
        let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(&self.file)?;
        file.write_all(format!("{location}\n").as_bytes())
    }
}
