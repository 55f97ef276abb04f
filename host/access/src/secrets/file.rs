//! The key file: read, made on the first run, watched, and changed in one step.

use super::KeyringError;
use super::ring::{KeyLine, MasterKeyRing, STAGED_MARK};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Instant, SystemTime};
use zeroize::Zeroizing;

/// How often a keyring in use looks whether its file changed, milliseconds.
const LOOK_INTERVAL_MS: u64 = 500;
const HEADING: &str = "# Master keys of the e-invoicing gateway; the first is active. Without this file the sealed tokens are lost.\n";

/// The file of a keyring that follows it.
pub(super) struct KeyFile {
    pub(super) path: PathBuf,
    born: Instant,
    /// When it was last looked at, milliseconds after `born`.
    looked: AtomicU64,
    /// The state that was last read, good or not.
    last_read: Mutex<Option<Stamp>>,
}

/// Tells one state of a file from another.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    bytes: u64,
    /// A file that took the place of another is another one, whatever its time says.
    #[cfg(unix)]
    identity: (u64, u64, i64, i64),
}

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        #[cfg(unix)]
        let identity = {
            use std::os::unix::fs::MetadataExt;
            (metadata.dev(), metadata.ino(), metadata.ctime(), metadata.ctime_nsec())
        };
        Some(Self {
            modified: metadata.modified().ok(),
            bytes: metadata.len(),
            #[cfg(unix)]
            identity,
        })
    }
}

impl KeyFile {
    /// Reads the file, or makes one (mode 0600) on the first run. Several processes may do so at once.
    pub(super) fn open_or_create(path: &Path) -> Result<(Self, MasterKeyRing), KeyringError> {
        // Before reading: a change in between is seen the next time.
        let mut stamp = Stamp::of(path);
        let ring = match read(path) {
            Err(KeyringError::File { cause, .. }) if cause.kind() == io::ErrorKind::NotFound => {
                create(path, &MasterKeyRing::fresh_line()?).map_err(|cause| failed(path, cause))?;
                tracing::info!(
                    "Made a master key in {}: keep a copy apart from the database",
                    path.display()
                );
                stamp = Stamp::of(path);
                read(path)?
            }
            ring => ring?,
        };
        warn_if_readable(path);
        let file = Self {
            path: path.to_owned(),
            born: Instant::now(),
            looked: AtomicU64::default(),
            last_read: Mutex::new(stamp),
        };
        Ok((file, ring))
    }

    /// Whether it is time to look; true for one caller each time.
    pub(super) fn is_due(&self) -> bool {
        let now = u64::try_from(self.born.elapsed().as_millis()).unwrap_or(u64::MAX);
        let looked = self.looked.load(Ordering::Relaxed);
        now.saturating_sub(looked) >= LOOK_INTERVAL_MS
            && self.looked.compare_exchange(looked, now, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Gives the keys to `take` if the file changed since it was last read and still has the same keys under the ids of
    /// `known`. What cannot be used is said once.
    pub(super) fn reload_with(&self, known: &MasterKeyRing, take: impl FnOnce(MasterKeyRing)) {
        let mut last_read = self.last_read.lock().unwrap_or_else(PoisonError::into_inner);
        // Before reading: a change in between is seen the next time.
        let stamp = Stamp::of(&self.path);
        if stamp == *last_read {
            return;
        }
        *last_read = stamp;
        let fits = |ring: MasterKeyRing| match ring.first_other_key(known) {
            None => Ok(ring),
            Some(id) => {
                let path = self.path.display().to_string();
                Err(KeyringError::Wrong { ids: id.to_owned(), path })
            }
        };
        match read(&self.path).and_then(fits) {
            Ok(ring) => {
                tracing::info!("Read the master keys again: {} is active", ring.active());
                take(ring);
            }
            Err(error) => tracing::error!("Goes on with the master keys it has, because {error}"),
        }
    }
}

/// Adds a fresh key that opens what others seal with it and is not active yet, or finds the one that is there. Its id.
pub(super) fn stage(path: &Path) -> Result<String, KeyringError> {
    change(path, |lines| {
        if let Some((_, id)) = staged(lines) {
            return Ok(id);
        }
        let fresh = MasterKeyRing::fresh_line()?;
        let id = id_of(&fresh);
        let line = Zeroizing::new(format!("{} {STAGED_MARK}", *fresh));
        lines.insert(first_key(lines) + 1, line);
        Ok(id)
    })
}

/// Makes another key the active one: the staged one if there is one, else a fresh one. Its id.
pub(super) fn rotate(path: &Path) -> Result<String, KeyringError> {
    change(path, |lines| {
        let line = match staged(lines) {
            Some((place, _)) => {
                let line = lines.remove(place);
                let key = KeyLine::split(&line).and_then(Result::ok);
                Zeroizing::new(key.map(|key| format!("{} {}", key.id, key.key)).unwrap_or_default())
            }
            None => MasterKeyRing::fresh_line()?,
        };
        let id = id_of(&line);
        lines.insert(first_key(lines), line);
        Ok(id)
    })
}

fn id_of(line: &str) -> String {
    line.split(' ').next().unwrap_or_default().to_owned()
}

fn staged(lines: &[Zeroizing<String>]) -> Option<(usize, String)> {
    lines.iter().enumerate().find_map(|(place, line)| {
        let key = KeyLine::split(line)?.ok().filter(|key| key.staged)?;
        Some((place, key.id.to_owned()))
    })
}

fn first_key(lines: &[Zeroizing<String>]) -> usize {
    lines.iter().position(|line| KeyLine::split(line).is_some()).unwrap_or(lines.len())
}

/// Changes the lines of the file in one step: whoever reads it finds all the old ones or all the new ones, and a
/// process that dies leaves the old file. One change at a time.
fn change<T>(
    path: &Path,
    edit: impl FnOnce(&mut Vec<Zeroizing<String>>) -> Result<T, KeyringError>,
) -> Result<T, KeyringError> {
    let failed = |cause| failed(path, cause);
    // Behind a link, the file changes and not the link.
    let file = fs::canonicalize(path).map_err(failed)?;
    let folder = file.parent().map(Path::to_owned).unwrap_or_default();
    let directory = File::open(&folder).map_err(failed)?;
    directory.lock().map_err(failed)?;
    let text = Zeroizing::new(fs::read_to_string(&file).map_err(failed)?);
    MasterKeyRing::parse(&text, path)?;
    let mut lines: Vec<_> = text.lines().map(|line| Zeroizing::new(line.to_owned())).collect();
    let outcome = edit(&mut lines)?;
    let mut changed = Zeroizing::new(String::new());
    for line in &lines {
        changed.push_str(line);
        changed.push('\n');
    }
    MasterKeyRing::parse(&changed, path)?;
    if *changed != *text {
        replace(&file, &changed).and_then(|()| directory.sync_all()).map_err(failed)?;
    }
    Ok(outcome)
}

/// Puts a new file in the place of the old one, for the same users.
fn replace(file: &Path, text: &str) -> io::Result<()> {
    let mut name = file.as_os_str().to_owned();
    name.push(".draft");
    let draft = Path::new(&name);
    // Of somebody who died on the way; nobody else writes now.
    match fs::remove_file(draft) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let replaced = write_private(draft, &[text])
        .and_then(|()| keep_owner(file, draft))
        .and_then(|()| fs::rename(draft, file));
    if replaced.is_err() {
        // What matters is why it was not replaced.
        let _ = fs::remove_file(draft);
    }
    replaced
}

/// Whoever could read the old file can read the new one, and nobody else: an operator may be another user than the
/// gateway.
fn keep_owner(file: &Path, draft: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, chown};
        let (old, new) = (fs::metadata(file)?, fs::metadata(draft)?);
        if (old.uid(), old.gid()) != (new.uid(), new.gid()) {
            chown(draft, Some(old.uid()), Some(old.gid()))?;
        }
        fs::set_permissions(draft, old.permissions())?;
    }
    File::open(draft)?.sync_all()
}

pub(super) fn failed(path: &Path, cause: io::Error) -> KeyringError {
    KeyringError::File { path: path.display().to_string(), cause }
}

fn read(path: &Path) -> Result<MasterKeyRing, KeyringError> {
    MasterKeyRing::parse(&read_text(path)?, path)
}

pub(super) fn read_text(path: &Path) -> Result<Zeroizing<String>, KeyringError> {
    fs::read_to_string(path).map(Zeroizing::new).map_err(|cause| failed(path, cause))
}

fn create(path: &Path, line: &str) -> io::Result<()> {
    make(path, &id_of(line), &[HEADING, line, "\n"]).map(drop)
}

/// Makes the file with this text; `false` when there is one.
pub(super) fn create_from(path: &Path, text: &str) -> io::Result<bool> {
    make(path, "restored", &[text])
}

/// Makes the file in one step: nobody ever reads half of it, and whoever comes second keeps the first one's.
fn make(path: &Path, draft: &str, parts: &[&str]) -> io::Result<bool> {
    if let Some(directory) = path.parent().filter(|directory| !directory.as_os_str().is_empty()) {
        fs::create_dir_all(directory)?;
    }
    let mut name = path.as_os_str().to_owned();
    // A process of another container has the same process id.
    name.push(format!(".{draft}"));
    let draft = Path::new(&name);
    let written = write_private(draft, parts).and_then(|()| match fs::hard_link(draft, path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        linked => linked.map(|()| true),
    });
    fs::remove_file(draft)?;
    written
}

/// Mounted secrets are often readable by a group, so this is no refusal.
fn warn_if_readable(path: &Path) {
    #[cfg(unix)]
    if let Ok(metadata) = fs::metadata(path)
        && std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o077 != 0
    {
        tracing::warn!("Others can read the master key file {}: chmod 600 it", path.display());
    }
}

fn write_private(path: &Path, parts: &[&str]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    for part in parts {
        file.write_all(part.as_bytes())?;
    }
    file.sync_all()
}
