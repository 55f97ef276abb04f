//! What a file is, whatever it is called, and the descriptors that stay open.
//!
//! SQLite keeps its locks by file and process: when a process closes any descriptor of the file, all its locks are gone. So
//! what is opened here stays open until the process ends.

use std::collections::HashMap;
use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

/// Every database file that this process opened, and every index of a log.
static OPEN_FILES: LazyLock<Mutex<HashMap<Identity, Arc<OpenFile>>>> = LazyLock::new(Mutex::default);

/// What stays the same however a file is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Identity {
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
pub(super) struct OpenFile {
    pub(super) file: File,
    /// Whether this process serves it: the system would grant its lock to the same process twice, and lose it when either is
    /// given back.
    served: Mutex<bool>,
}

impl OpenFile {
    /// The file at `path`, opened with `options` unless this process has it open.
    pub(super) fn open(path: &Path, options: &OpenOptions) -> io::Result<Arc<Self>> {
        let mut held = OPEN_FILES.lock().unwrap_or_else(PoisonError::into_inner);
        let known = std::fs::metadata(path).ok().and_then(|found| held.get(&Identity::from(&found)).cloned());
        if let Some(known) = known {
            return Ok(known);
        }
        let opened = Arc::new(Self { file: options.open(path)?, served: Mutex::new(false) });
        let identity = Identity::from(&opened.file.metadata()?);
        if let Some(known) = held.get(&identity) {
            // It came to this name between the two looks. The second descriptor must not be closed either.
            std::mem::forget(opened);
            return Ok(Arc::clone(known));
        }
        held.insert(identity, Arc::clone(&opened));
        Ok(opened)
    }

    /// Makes this process the only one that serves it; false when another one does, or this one already.
    pub(super) fn lock(&self) -> io::Result<bool> {
        let mut served = self.lock_served();
        if *served {
            return Ok(false);
        }
        match self.file.try_lock() {
            Ok(()) => *served = true,
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(cause)) => return Err(cause),
        }
        Ok(*served)
    }

    /// Gives back what [`Self::lock`] took.
    pub(super) fn unlock(&self) {
        let mut served = self.lock_served();
        // The system does it when the process ends, if it cannot now.
        let _ = self.file.unlock();
        *served = false;
    }

    /// Whether some process serves it.
    pub(super) fn is_served(&self) -> bool {
        let served = self.lock_served();
        if *served {
            return true;
        }
        match self.file.try_lock_shared() {
            Ok(()) => {
                // As above.
                let _ = self.file.unlock();
                false
            }
            Err(TryLockError::WouldBlock) => true,
            // Where the system has no such locks, nobody holds one.
            Err(TryLockError::Error(_)) => false,
        }
    }

    fn lock_served(&self) -> MutexGuard<'_, bool> {
        self.served.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
