//! Who may use a SQLite data directory: one `serve` at a time, commands beside it, one migration at a time.

use crate::error::OpenError;
use crate::sqlite::file::{DatabaseFile, ServedFile};
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

/// Held while `serve` runs; the system releases it when the process ends, however it ends.
#[derive(Debug)]
pub struct InstanceLock {
    /// None on PostgreSQL, where any number of replicas may serve.
    _file: Option<ServedFile>,
}

impl InstanceLock {
    pub(crate) const fn shared() -> Self {
        Self { _file: None }
    }

    /// Takes the lock or says who has it, and never waits; keeps room for the next start. The lock is on the file itself, so
    /// that another name of it helps nobody, and is taken before SQLite opens the file.
    pub(crate) fn take(database: &DatabaseFile) -> Result<Self, OpenError> {
        let served = database.serve()?;
        database.reserve();
        Ok(Self { _file: Some(served) })
    }
}

/// Waits until nobody else sets up or migrates `database`; dropping the file ends that.
pub(crate) fn setup_lock(database: &Path) -> Result<File, OpenError> {
    let mut name = database.as_os_str().to_owned();
    name.push(".migrate.lock");
    let path = PathBuf::from(name);
    let refused = |cause| OpenError::file(&path, &cause);
    let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path).map_err(refused)?;
    file.lock().map_err(refused)?;
    Ok(file)
}
