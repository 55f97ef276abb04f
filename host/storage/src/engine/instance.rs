//! Who may use a SQLite data directory: one `serve` at a time, commands beside it, one migration at a time.

use crate::engine::error::OpenError;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

/// Held while `serve` runs; the system releases it when the process ends, however it ends.
#[derive(Debug)]
pub struct InstanceLock {
    /// None on PostgreSQL, where any number of replicas may serve.
    _file: Option<File>,
}

impl InstanceLock {
    pub(crate) const fn shared() -> Self {
        Self { _file: None }
    }

    /// Takes the lock or says who has it; never waits.
    pub(crate) fn take(database: &Path) -> Result<Self, OpenError> {
        let path = with_suffix(database, "serve.lock");
        let file = open(&path)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: Some(file) }),
            Err(TryLockError::WouldBlock) => Err(OpenError::InUse { path: database.display().to_string() }),
            Err(TryLockError::Error(cause)) => {
                Err(OpenError::File { path: path.display().to_string(), cause })
            }
        }
    }
}

/// Waits until nobody else sets up or migrates `database`; dropping the file ends that.
pub(crate) fn setup_lock(database: &Path) -> Result<File, OpenError> {
    let path = with_suffix(database, "migrate.lock");
    let file = open(&path)?;
    file.lock().map_err(|cause| OpenError::File { path: path.display().to_string(), cause })?;
    Ok(file)
}

fn open(path: &Path) -> Result<File, OpenError> {
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .map_err(|cause| OpenError::File { path: path.display().to_string(), cause })
}

fn with_suffix(database: &Path, suffix: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    PathBuf::from(name)
}
