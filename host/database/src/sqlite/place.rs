//! The place of a SQLite database that is not there any more.

use rustix::fs::{FlockOperation, fcntl_lock};
use std::fs::{self, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// The log beside a database, and its index.
const LOG: &str = "-wal";
const INDEX: &str = "-shm";
/// What a log is called that is kept.
const KEPT: &str = ".lost";

fn companion(file: &Path, suffix: &str) -> PathBuf {
    let mut path = file.as_os_str().to_owned();
    path.push(suffix);
    path.into()
}

/// Whether some process has the database open, of which only the index of its log may be left. Ask it before this process opens
/// either.
pub(crate) fn is_used(file: &Path) -> bool {
    let opened = |path: &Path| OpenOptions::new().read(true).write(true).open(path).ok();
    let is_served = opened(file).is_some_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)));
    // Whoever has the database open holds a lock on the index.
    let is_read = opened(&companion(file, INDEX))
        .is_some_and(|index| fcntl_lock(&index, FlockOperation::NonBlockingLockExclusive).is_err());
    is_served || is_read
}

/// Whether the log beside a database holds something.
pub(crate) fn has_log(file: &Path) -> bool {
    fs::metadata(companion(file, LOG)).is_ok_and(|found| found.len() > 0)
}

/// See [`crate::db::Db::set_log_aside`].
pub(crate) fn set_log_aside(file: &Path) -> io::Result<Option<PathBuf>> {
    remove(&companion(file, INDEX))?;
    let log = companion(file, LOG);
    if !has_log(file) {
        remove(&log)?;
        return Ok(None);
    }
    let names = (0..).map(|number| match number {
        0 => format!("{LOG}{KEPT}"),
        number => format!("{LOG}{KEPT}.{number}"),
    });
    let kept = names.map(|name| companion(file, &name)).find(|kept| !kept.exists());
    // There is always another name.
    let kept = kept.ok_or(io::ErrorKind::AlreadyExists)?;
    fs::rename(&log, &kept)?;
    Ok(Some(kept))
}

fn remove(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_was_left_is_kept_under_another_name() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("gateway.db");
        assert_eq!(set_log_aside(&file).unwrap(), None);
        for expected in ["gateway.db-wal.lost", "gateway.db-wal.lost.1"] {
            fs::write(folder.path().join("gateway.db-wal"), "pages").unwrap();
            fs::write(folder.path().join("gateway.db-shm"), "index").unwrap();
            assert_eq!(set_log_aside(&file).unwrap(), Some(folder.path().join(expected)));
        }
        fs::write(folder.path().join("gateway.db-wal"), "").unwrap();
        assert_eq!(set_log_aside(&file).unwrap(), None);
        let mut left: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["gateway.db-wal.lost", "gateway.db-wal.lost.1"]);
    }
}
