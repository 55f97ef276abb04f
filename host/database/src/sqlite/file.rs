//! The file of a SQLite database, known by its identity (device and inode) and not by its name: whoever serves it is the only
//! one by whatever path, and notices when somebody takes it away or writes over it.

use super::header::DatabaseHeader;
use super::identity::{Identity, OpenFile};
use super::log::LogIndex;
use super::lost::FileLost;
use crate::error::OpenError;
use std::fs::{File, Metadata, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Only its owner reads what customers told us, and writes it.
const MODE: u32 = 0o600;
/// With less room than this, a disk is full: the next checkpoint of the log may fail.
const ROOM_BYTES_MIN: u64 = 8 << 20;
/// Kept beside the database, to be given up when a start finds no room: SQLite makes an index of the log before it reads.
const RESERVE_BYTES: usize = 1 << 20;
/// How often something is looked for before it counts as lost: what SQLite writes at the same moment may be half there.
const CHECKS_MAX: usize = 3;
/// The log beside a database, and its index.
const LOG: &str = "-wal";
const INDEX: &str = "-shm";

/// A file beside the database, since it was there: SQLite makes it, deletes it only when nobody is left, and puts no other in
/// its place while it is used.
#[derive(Debug)]
struct Companion<F> {
    identity: Identity,
    file: F,
}

/// How the database was when its index said something.
#[derive(Debug, Clone, Copy)]
struct Beginning {
    header: DatabaseHeader,
    /// When somebody last wrote to it: seconds, and nanoseconds behind them.
    written: (i64, i64),
    /// None where it said nothing, or something else a moment later.
    index: Option<LogIndex>,
}

/// What was found of a file and of those beside it. Held while somebody looks: who looks at the same time would take what the
/// other found a moment later for what was there before.
#[derive(Debug, Default)]
struct FoundFiles {
    /// Of the database, bytes.
    length: u64,
    /// Of the database, once it had one.
    beginning: Option<Beginning>,
    /// SQLite holds no lock on the log: it may be closed at any time.
    log: Option<Companion<File>>,
    index: Option<Companion<Arc<OpenFile>>>,
    /// Of the index, bytes: SQLite never makes it shorter.
    index_length: u64,
    /// Nobody looks any more: the connections are closed, and SQLite takes away what it made.
    closed: bool,
}

/// The file of a database that is open.
#[derive(Debug)]
pub(crate) struct DatabaseFile {
    path: PathBuf,
    /// Behind symbolic links: where SQLite puts what stands beside it.
    target: PathBuf,
    identity: Identity,
    held: Arc<OpenFile>,
    found: Mutex<FoundFiles>,
    /// Once it is gone it does not come back: what was open still is the old one.
    lost: OnceLock<FileLost>,
}

impl DatabaseFile {
    /// Opens the file, or makes it, before SQLite does; refuses what SQLite would spoil.
    pub(crate) fn open(path: &Path) -> Result<Self, OpenError> {
        let refused = |cause| OpenError::unreadable(path, &cause);
        match std::fs::metadata(path) {
            Ok(found) if found.is_dir() => {
                return Err(OpenError::Folder { path: path.display().to_string() });
            }
            // A pipe or a device.
            Ok(found) if !found.is_file() => {
                return Err(OpenError::NotADatabase { path: path.display().to_string() });
            }
            _ => {}
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(MODE);
        let held = OpenFile::open(path, &options).map_err(refused)?;
        let found = held.file.metadata().map_err(refused)?;
        // SQLite puts the log beside the name that it was given: by another name it would begin a second log.
        if found.nlink() > 1 {
            return Err(OpenError::HardLinks { path: path.display().to_string(), names: found.nlink() });
        }
        restrict_to_owner(&held.file, &found, path);
        Ok(Self {
            path: path.to_owned(),
            target: std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()),
            identity: Identity::from(&found),
            held,
            found: Mutex::default(),
            lost: OnceLock::new(),
        })
    }

    /// As the URL has it.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Where it is, whatever symbolic links lead there.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Refuses a file that holds something else. An empty one becomes a database.
    pub(crate) fn ensure_database(&self) -> Result<(), OpenError> {
        let is_empty = self.held.file.metadata().is_ok_and(|found| found.len() == 0);
        if is_empty || DatabaseHeader::read(&self.held.file).is_some() {
            return Ok(());
        }
        Err(OpenError::NotADatabase { path: self.path.display().to_string() })
    }

    /// Whether another process serves it by a name that it was moved or mounted from: its log is there and not here.
    pub(crate) fn is_served_by_other_name(&self) -> bool {
        !self.sibling(LOG).exists() && self.held.is_served()
    }

    /// Whether the disk has room for what comes next; true where the system does not tell.
    pub(crate) fn has_room(&self) -> bool {
        rustix::fs::fstatvfs(&self.held.file)
            .ok()
            .and_then(|disk| disk.f_bavail.checked_mul(disk.f_frsize))
            .is_none_or(|free| free >= ROOM_BYTES_MIN)
    }

    /// Keeps some room for a start on a full disk.
    pub(crate) fn reserve(&self) {
        let reserve = self.sibling(".reserve");
        let is_kept = std::fs::metadata(&reserve).is_ok_and(|found| found.len() == RESERVE_BYTES as u64);
        if is_kept || !self.has_room() {
            return;
        }
        let mut options = OpenOptions::new();
        let written = options
            .write(true)
            .create(true)
            .truncate(true)
            .mode(MODE)
            .open(&reserve)
            .and_then(|mut file| file.write_all(&vec![0; RESERVE_BYTES]));
        if let Err(error) = written {
            tracing::warn!("Nothing is kept for a start on a full disk ({}): {error}", reserve.display());
        }
    }

    /// Gives up what [`Self::reserve`] keeps; false when there is nothing.
    pub(crate) fn give_up_reserve(&self) -> bool {
        std::fs::remove_file(self.sibling(".reserve")).is_ok()
    }

    fn sibling(&self, suffix: &str) -> PathBuf {
        let mut path = self.target.as_os_str().to_owned();
        path.push(suffix);
        path.into()
    }

    /// Makes this process the only one that serves the file.
    pub(crate) fn serve(&self) -> Result<ServedFile, OpenError> {
        let locked = self.held.lock().map_err(|cause| OpenError::unreadable(&self.path, &cause))?;
        if locked {
            Ok(ServedFile(Arc::clone(&self.held)))
        } else {
            Err(OpenError::InUse { path: self.path.display().to_string() })
        }
    }

    /// The writer opened another connection: the files beside may be others now.
    pub(crate) fn reopened(&self) {
        let mut found = self.lock_found();
        *found = FoundFiles { length: found.length, ..FoundFiles::default() };
    }

    /// The connections are about to be closed: whether everything was there until now. What goes away from here on, SQLite
    /// takes away itself.
    pub(crate) fn close(&self) -> Result<(), FileLost> {
        let was_there = self.ensure_there();
        *self.lock_found() = FoundFiles { closed: true, ..FoundFiles::default() };
        was_there
    }

    /// Whether what is read is of this database, as far as anybody noticed.
    pub(crate) fn ensure_readable(&self) -> Result<(), FileLost> {
        self.lost.get().filter(|lost| !lost.is_readable()).map_or(Ok(()), |lost| Err(*lost))
    }

    /// Whether what is written to the open database stays.
    pub(crate) fn ensure_there(&self) -> Result<(), FileLost> {
        if let Some(lost) = self.lost.get() {
            return Err(*lost);
        }
        let mut looked = Ok(());
        for _ in 0..CHECKS_MAX {
            looked = self.look();
            if looked.is_ok() {
                break;
            }
            std::thread::yield_now();
        }
        looked.inspect_err(|lost| {
            if self.lost.set(*lost).is_ok() {
                tracing::error!("Nothing is written any more to {}: {lost}", self.path.display());
            }
        })
    }

    fn look(&self) -> Result<(), FileLost> {
        let mut before = self.lock_found();
        if before.closed {
            return Ok(());
        }
        let found = std::fs::metadata(&self.path).map_err(|_| FileLost::Deleted)?;
        if Identity::from(&found) != self.identity {
            return Err(FileLost::Replaced);
        }
        self.find_index(&mut before)?;
        let index = || before.index.as_ref().and_then(|index| LogIndex::read(&index.file.file));
        let (at_first, header) = (index(), DatabaseHeader::read(&self.held.file));
        let written = self.held.file.metadata().map_err(|_| FileLost::Deleted)?;
        let written = (written.mtime(), written.mtime_nsec());
        check_length(before.length, found.len(), header)?;
        // What changed while this looked is known at the next look.
        let now = index().filter(|now| Some(*now) == at_first);
        self.find_log(&mut before, now)?;
        let beginning = header.map(|header| Beginning { header, written, index: now });
        check_beginning(before.beginning, beginning)?;
        // Otherwise the next look compares with what was known before.
        if now.is_some() || before.beginning.is_none() {
            before.beginning = beginning;
        }
        before.length = found.len();
        Ok(())
    }

    fn find_index(&self, before: &mut FoundFiles) -> Result<(), FileLost> {
        let path = self.sibling(INDEX);
        let length = find_companion(&path, &mut before.index, || {
            // SQLite locks it as it locks the database.
            let held = OpenFile::open(&path, OpenOptions::new().read(true)).ok()?;
            let found = held.file.metadata().ok()?;
            Some(Companion { identity: Identity::from(&found), file: held })
        })?;
        if length < before.index_length {
            return Err(FileLost::LogLost);
        }
        before.index_length = length;
        Ok(())
    }

    fn find_log(&self, before: &mut FoundFiles, index: Option<LogIndex>) -> Result<(), FileLost> {
        let path = self.sibling(LOG);
        find_companion(&path, &mut before.log, || {
            let file = File::open(&path).ok()?;
            let found = file.metadata().ok()?;
            Some(Companion { identity: Identity::from(&found), file })
        })?;
        match (&before.log, index) {
            (Some(log), Some(index)) if !index.agrees_with(&log.file) => Err(FileLost::LogOverwritten),
            _ => Ok(()),
        }
    }

    fn lock_found(&self) -> MutexGuard<'_, FoundFiles> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long a file beside the database is, which must be there once it was.
fn find_companion<F>(
    path: &Path,
    before: &mut Option<Companion<F>>,
    open: impl FnOnce() -> Option<Companion<F>>,
) -> Result<u64, FileLost> {
    let found = std::fs::metadata(path).ok();
    match (before.as_ref(), &found) {
        (None, None) => {}
        (None, Some(_)) => *before = open(),
        (Some(known), Some(found)) if known.identity == Identity::from(found) => {}
        (Some(_), _) => return Err(FileLost::LogLost),
    }
    Ok(found.map_or(0, |found| found.len()))
}

/// A checkpoint of another process lengthens the file piece by piece, behind its header. Only somebody who packs it makes it
/// shorter, and says so in the header.
fn check_length(before: u64, now: u64, header: Option<DatabaseHeader>) -> Result<(), FileLost> {
    let is_packed = header.and_then(|header| header.length()) == Some(now);
    if now < before && !is_packed { Err(FileLost::Truncated) } else { Ok(()) }
}

/// Whether the database still is as it was, or as a checkpoint left it. A copy that was made of it earlier may begin as it does:
/// that somebody wrote it is all that tells it from the database.
fn check_beginning(before: Option<Beginning>, now: Option<Beginning>) -> Result<(), FileLost> {
    let Some(known) = before else { return Ok(()) };
    let Some(now) = now else { return Err(FileLost::Overwritten) };
    let is_changed = (now.header, now.written) != (known.header, known.written);
    // Only a checkpoint writes to the database.
    let is_foreign = is_changed
        && now
            .index
            .zip(known.index)
            .is_some_and(|(index, earlier)| index.has_copied_nothing_since(&earlier));
    if is_foreign || !known.header.leads_to(&now.header) { Err(FileLost::Overwritten) } else { Ok(()) }
}

/// Takes the file from everybody but its owner.
fn restrict_to_owner(file: &File, found: &Metadata, path: &Path) {
    let mode = found.permissions().mode() & 0o7777;
    if mode & !MODE == 0 {
        return;
    }
    if let Err(error) = file.set_permissions(std::fs::Permissions::from_mode(mode & MODE)) {
        tracing::warn!("Others can read {} (mode {mode:o}), and that stays so: {error}", path.display());
    }
}

/// A file that this process serves, until this is dropped.
#[derive(Debug)]
pub(crate) struct ServedFile(Arc<OpenFile>);

impl Drop for ServedFile {
    fn drop(&mut self) {
        self.0.unlock();
    }
}

#[cfg(test)]
mod tests;
