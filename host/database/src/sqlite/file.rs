//! The file of a SQLite database, known by its identity (device and inode) and not by its name: whoever serves it is the only
//! one by whatever path, and notices when somebody takes it away.
//!
//! SQLite keeps its locks by file and process: when a process closes any descriptor of the file, all its locks are gone. So
//! what is opened here stays open until the process ends.

use crate::error::OpenError;
use gateway_domain::{StoreCause, StoreCauseKind, StoreError};
use std::collections::HashMap;
use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};

/// Only its owner reads what customers told us, and writes it.
const MODE: u32 = 0o600;
/// With less room than this, a disk is full: the next checkpoint of the log may fail.
const ROOM_BYTES_MIN: u64 = 8 << 20;
/// Kept beside the database, to be given up when a start finds no room: SQLite makes an index of the log before it reads.
const RESERVE_BYTES: usize = 1 << 20;
/// How every database of SQLite begins, where pages and their number stand (SQLite, "Database File Format", 1.3).
const MAGIC: &[u8] = b"SQLite format 3\0";
const HEADER_BYTES: usize = 100;

/// Every database file that this process opened.
static HELD: LazyLock<Mutex<HashMap<Identity, Arc<HeldFile>>>> = LazyLock::new(Mutex::default);

/// What stays the same however a file is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Identity {
    device: u64,
    inode: u64,
}

impl From<&Metadata> for Identity {
    fn from(found: &Metadata) -> Self {
        Self { device: found.dev(), inode: found.ino() }
    }
}

/// A file that stays open.
#[derive(Debug)]
struct HeldFile {
    file: File,
    /// Whether this process serves it: the system would grant its lock to the same process twice.
    served: AtomicBool,
}

/// Why what is written would be lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FileLost {
    #[error(
        "the database file was deleted while the gateway used it: stop the gateway, and restore the file from its copy"
    )]
    Deleted,
    #[error(
        "another file took the place of the database file while the gateway used it: start the gateway again"
    )]
    Replaced,
    #[error("the database file was cut off: stop the gateway, and restore the file from its copy")]
    Truncated,
    #[error(
        "the write-ahead log beside the database file was taken away: stop the gateway, and restore both from their copy"
    )]
    LogLost,
}

impl From<FileLost> for StoreError {
    fn from(lost: FileLost) -> Self {
        Self::Failed {
            message: lost.to_string(),
            cause: Some(StoreCause { kind: StoreCauseKind::Transient, error: Box::new(lost) }),
        }
    }
}

/// What was seen of a file and of those beside it. Held while somebody looks: who looks at the same time would take what the
/// other saw a moment later for what was there before.
#[derive(Debug, Default)]
struct SeenFiles {
    /// Of the database, bytes.
    length: u64,
    /// The files beside it, each once it was seen, with its length: SQLite makes them, deletes them only when nobody is left,
    /// and shortens none while it is used.
    companions: HashMap<&'static str, (Identity, u64)>,
}

/// The file of a database that is open.
#[derive(Debug)]
pub(crate) struct DatabaseFile {
    path: PathBuf,
    identity: Identity,
    held: Arc<HeldFile>,
    seen: Mutex<SeenFiles>,
    /// Once it is gone it does not come back: what was open still is the old one.
    lost: OnceLock<FileLost>,
}

impl DatabaseFile {
    /// Opens the file, or makes it, before SQLite does.
    pub(crate) fn open(path: &Path) -> Result<Self, OpenError> {
        let refused = |cause: io::Error| OpenError::File { path: path.display().to_string(), cause };
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        let known = std::fs::metadata(path).ok().and_then(|found| held.get(&Identity::from(&found)).cloned());
        let (file, identity) = if let Some(file) = known {
            let identity = Identity::from(&file.file.metadata().map_err(refused)?);
            (file, identity)
        } else {
            let mut options = OpenOptions::new();
            let file = options.read(true).write(true).create(true).truncate(false).mode(MODE).open(path);
            let file = file.map_err(refused)?;
            let found = file.metadata().map_err(refused)?;
            restrict_to_owner(&file, &found, path);
            let identity = Identity::from(&found);
            let file = Arc::new(HeldFile { file, served: AtomicBool::new(false) });
            (Arc::clone(held.entry(identity).or_insert(file)), identity)
        };
        drop(held);
        Ok(Self {
            path: path.to_owned(),
            identity,
            held: file,
            seen: Mutex::default(),
            lost: OnceLock::new(),
        })
    }

    /// As the URL has it.
    pub(crate) fn path(&self) -> &Path {
        &self.path
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
        let mut path = self.path.as_os_str().to_owned();
        path.push(suffix);
        path.into()
    }

    /// Makes this process the only one that serves the file.
    pub(crate) fn serve(&self) -> Result<ServedFile, OpenError> {
        let in_use = || OpenError::InUse { path: self.path.display().to_string() };
        if self.held.served.swap(true, Ordering::AcqRel) {
            return Err(in_use());
        }
        let served = ServedFile(Arc::clone(&self.held));
        match self.held.file.try_lock() {
            Ok(()) => Ok(served),
            Err(TryLockError::WouldBlock) => Err(in_use()),
            Err(TryLockError::Error(cause)) => {
                Err(OpenError::File { path: self.path.display().to_string(), cause })
            }
        }
    }

    /// The writer opened another connection: the files beside may be others now.
    pub(crate) fn reopened(&self) {
        self.lock_seen().companions.clear();
    }

    /// Whether what is written to the open database stays.
    pub(crate) fn ensure_there(&self) -> Result<(), FileLost> {
        if let Some(lost) = self.lost.get() {
            return Err(*lost);
        }
        self.look().inspect_err(|lost| {
            if self.lost.set(*lost).is_ok() {
                tracing::error!("Nothing is written any more to {}: {lost}", self.path.display());
            }
        })
    }

    fn look(&self) -> Result<(), FileLost> {
        let mut before = self.lock_seen();
        let found = std::fs::metadata(&self.path).map_err(|_| FileLost::Deleted)?;
        if Identity::from(&found) != self.identity {
            return Err(FileLost::Replaced);
        }
        // A checkpoint of another process lengthens it piece by piece, behind its header. Only somebody who packs it makes it
        // shorter, and says so in the header.
        if found.len() < before.length && self.header_bytes() != Some(found.len()) {
            return Err(FileLost::Truncated);
        }
        before.length = found.len();
        self.check_companion(&mut before, "-wal")?;
        self.check_companion(&mut before, "-shm")
    }

    /// How long the file is by its own header; none where it has no header.
    fn header_bytes(&self) -> Option<u64> {
        let mut header = [0; HEADER_BYTES];
        self.held.file.read_exact_at(&mut header, 0).ok()?;
        bytes_of(&header)
    }

    fn check_companion(&self, before: &mut SeenFiles, suffix: &'static str) -> Result<(), FileLost> {
        let found = std::fs::metadata(self.sibling(suffix)).ok();
        let found = found.map(|found| (Identity::from(&found), found.len()));
        match (before.companions.get(suffix).copied(), found) {
            (None, None) => Ok(()),
            (Some((known, length)), Some((identity, now))) if known != identity || now < length => {
                Err(FileLost::LogLost)
            }
            (_, Some(found)) => {
                before.companions.insert(suffix, found);
                Ok(())
            }
            (Some(_), None) => Err(FileLost::LogLost),
        }
    }

    fn lock_seen(&self) -> MutexGuard<'_, SeenFiles> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many bytes a database has whose header this is; none when it is no header.
fn bytes_of(header: &[u8; HEADER_BYTES]) -> Option<u64> {
    if !header.starts_with(MAGIC) {
        return None;
    }
    // 1 stands for 65,536, which two bytes cannot hold.
    let page = match header.get(16..18)? {
        [0, 1] => 65_536,
        [high, low] => u64::from(u16::from_be_bytes([*high, *low])),
        _ => return None,
    };
    let pages = header.get(28..32)?.try_into().ok()?;
    page.checked_mul(u64::from(u32::from_be_bytes(pages)))
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
pub(crate) struct ServedFile(Arc<HeldFile>);

impl Drop for ServedFile {
    fn drop(&mut self) {
        // The system does it when the process ends, if it cannot now.
        let _ = self.0.file.unlock();
        self.0.served.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn create_file(directory: &Path, name: &str) -> PathBuf {
        let path = directory.join(name);
        std::fs::write(&path, [0; 0]).unwrap();
        path
    }

    #[test]
    fn a_file_is_served_once_by_whatever_name() {
        let directory = tempfile::tempdir().unwrap();
        let path = create_file(directory.path(), "gateway.db");
        let (hard, soft) = (directory.path().join("hard.db"), directory.path().join("soft.db"));
        std::fs::hard_link(&path, &hard).unwrap();
        std::os::unix::fs::symlink(&path, &soft).unwrap();
        let file = DatabaseFile::open(&path).unwrap();
        let served = file.serve().unwrap();
        for name in [&path, &hard, &soft] {
            let refused = DatabaseFile::open(name).unwrap().serve().unwrap_err();
            assert!(matches!(refused, OpenError::InUse { .. }), "{}", name.display());
        }
        drop(served);
        DatabaseFile::open(&hard).unwrap().serve().unwrap();
    }

    #[test]
    fn only_the_owner_reads_a_new_file_and_one_that_everybody_could_read() {
        let directory = tempfile::tempdir().unwrap();
        let open = create_file(directory.path(), "open.db");
        std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o644)).unwrap();
        for path in [open, directory.path().join("new.db")] {
            DatabaseFile::open(&path).unwrap();
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, MODE);
        }
    }

    #[test]
    fn a_file_that_goes_away_is_noticed_and_stays_lost() {
        let directory = tempfile::tempdir().unwrap();
        let lost = |name: &str, take_away: &dyn Fn(&Path)| {
            let path = create_file(directory.path(), name);
            let file = DatabaseFile::open(&path).unwrap();
            file.ensure_there().unwrap();
            take_away(&path);
            let lost = file.ensure_there().unwrap_err();
            create_file(directory.path(), name);
            assert_eq!(file.ensure_there(), Err(lost));
            lost
        };
        assert_eq!(lost("a", &|path| std::fs::remove_file(path).unwrap()), FileLost::Deleted);
        let replaced = |path: &Path| std::fs::rename(create_file(directory.path(), "other"), path).unwrap();
        assert_eq!(lost("b", &replaced), FileLost::Replaced);
        let path = create_file(directory.path(), "c");
        std::fs::write(&path, "longer").unwrap();
        let file = DatabaseFile::open(&path).unwrap();
        file.ensure_there().unwrap();
        std::fs::write(&path, "long").unwrap();
        assert_eq!(file.ensure_there(), Err(FileLost::Truncated));
    }

    #[test]
    fn a_header_says_how_long_the_file_is() {
        let mut header = [0; HEADER_BYTES];
        assert_eq!(bytes_of(&header), None);
        header[..16].copy_from_slice(MAGIC);
        header[16..18].copy_from_slice(&[16, 0]);
        header[28..32].copy_from_slice(&7_u32.to_be_bytes());
        assert_eq!(bytes_of(&header), Some(7 * 4096));
        header[16..18].copy_from_slice(&[0, 1]);
        assert_eq!(bytes_of(&header), Some(7 * 65_536));
    }

    #[test]
    fn a_file_that_grows_while_several_look_is_not_lost() {
        use std::io::Write;
        let directory = tempfile::tempdir().unwrap();
        let path = create_file(directory.path(), "gateway.db");
        let mut log = File::create(directory.path().join("gateway.db-wal")).unwrap();
        let (file, mut database) =
            (DatabaseFile::open(&path).unwrap(), File::options().append(true).open(&path).unwrap());
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while !done.load(Ordering::Acquire) {
                        file.ensure_there().unwrap();
                    }
                });
            }
            for _ in 0..50_000 {
                log.write_all(b"frame").unwrap();
                database.write_all(b"page").unwrap();
            }
            done.store(true, Ordering::Release);
        });
        file.ensure_there().unwrap();
    }
}
