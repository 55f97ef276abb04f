//! Compiled components in a private folder, so that only the first start with a plugin compiles it.
//!
//! An artifact is machine code: loading one is as dangerous as running a program. So the folder belongs to this user
//! alone, an artifact carries its own digest, and its name carries that of the component and everything that decides
//! what the compiler makes of it. Whatever does not fit is compiled again; a file is replaced, never written over.
//!
//! Code runs from the file as it is mapped: only pages that are used are resident, and the system may drop them. The digest is
//! compared when a file is mapped, not afterwards: who writes into it changes code that runs, and who shortens it ends the
//! process. Where no file of the folder may be executed, code is copied into memory instead.

use crate::options::StartError;
use sha2::{Digest, Sha256};
use std::fs;
use std::hash::{Hash, Hasher};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use wasmtime::Engine;
use wasmtime::component::Component;

/// Length of a SHA-256, which ends every artifact.
const DIGEST_BYTES: usize = 32;
/// How much of an artifact is read at a time, bytes.
const PART_BYTES: usize = 64 << 10;

/// Tells apart what two tasks of this process write at the same time.
static WRITES: AtomicU64 = AtomicU64::new(0);

/// The folder of compiled components, or none.
#[derive(Debug, Clone)]
pub(crate) struct Cache {
    folder: Option<PathBuf>,
}

impl Cache {
    /// Makes the folder, private to this user.
    pub(crate) fn open(folder: Option<PathBuf>) -> Result<Self, StartError> {
        if let Some(folder) = &folder {
            make_private(folder).map_err(|source| StartError::Cache { folder: folder.clone(), source })?;
        }
        Ok(Self { folder })
    }

    /// The component whose SHA-256 is `digest`, if it was kept and is sound. Reads and maps: call it off the async
    /// path.
    pub(crate) fn find(&self, engine: &Engine, digest: &str) -> Option<Component> {
        read(engine, &self.file(engine, digest)?)
    }

    /// Keeps the machine code of a component for the next start, if it can be kept, and loads it.
    pub(crate) fn keep(&self, engine: &Engine, digest: &str, code: &[u8]) -> wasmtime::Result<Component> {
        let Some(file) = self.file(engine, digest) else { return deserialize(engine, code) };
        if let Err(error) = write(&file, code) {
            tracing::warn!(file = %file.display(), %error, "a compiled plugin is not kept: the next start compiles it again");
            return deserialize(engine, code);
        }
        let loaded = map(engine, &file)
            .or_else(|error| deserialize(engine, code).inspect(|_| warn_of_copy(&file, &error)));
        loaded.inspect_err(|_| {
            // What no instance has room for would only be read and refused again.
            let _gone = fs::remove_file(&file);
        })
    }

    fn file(&self, engine: &Engine, digest: &str) -> Option<PathBuf> {
        let folder = self.folder.as_ref()?;
        Some(folder.join(format!("{digest}-{}.cwasm", compatibility(engine))))
    }
}

fn make_private(folder: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    // Fails for a folder of somebody else.
    fs::set_permissions(folder, fs::Permissions::from_mode(0o700))
}

/// A name for everything that decides what the compiler makes of a component: its version, settings and target.
fn compatibility(engine: &Engine) -> String {
    struct Sha(Sha256);
    impl Hasher for Sha {
        fn write(&mut self, bytes: &[u8]) {
            self.0.update(bytes);
        }
        fn finish(&self) -> u64 {
            0 // Nobody asks: the digest is read instead.
        }
    }
    let mut hasher = Sha(Sha256::new());
    engine.precompile_compatibility_hash().hash(&mut hasher);
    let mut name = hex::encode(hasher.0.finalize());
    name.truncate(16);
    name
}

/// The component in `file`; none when there is no sound one.
fn read(engine: &Engine, file: &Path) -> Option<Component> {
    match is_whole(file) {
        Ok(true) => {}
        Ok(false) => {
            tracing::warn!(file = %file.display(), "a compiled plugin is damaged: it is compiled again");
            return None;
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
        Err(error) => {
            tracing::warn!(file = %file.display(), %error, "a compiled plugin cannot be read: it is compiled again");
            return None;
        }
    }
    map(engine, file)
        .or_else(|error| copy(engine, file).inspect(|_| warn_of_copy(file, &error)))
        .inspect_err(|error| tracing::warn!(file = %file.display(), %error, "a compiled plugin does not fit: it is compiled again"))
        .ok()
}

/// A component whose code lies in memory of this process, from a whole artifact.
fn copy(engine: &Engine, file: &Path) -> wasmtime::Result<Component> {
    let artifact = fs::read(file)?;
    deserialize(engine, artifact.get(..artifact.len().saturating_sub(DIGEST_BYTES)).unwrap_or_default())
}

fn warn_of_copy(file: &Path, error: &wasmtime::Error) {
    tracing::warn!(
        file = %file.display(),
        "a compiled plugin does not run from its file ({error:#}): it takes memory of its own, unless data_dir is on a file system \
         where programs may run"
    );
}

/// Whether an artifact ends with the digest of what is before.
fn is_whole(file: &Path) -> io::Result<bool> {
    let mut artifact = fs::File::open(file)?;
    let Some(mut left) = artifact.metadata()?.len().checked_sub(DIGEST_BYTES as u64) else {
        return Ok(false);
    };
    let (mut hasher, mut part) = (Sha256::new(), vec![0; PART_BYTES]);
    while left > 0 {
        let length = usize::try_from(left).map_or(PART_BYTES, |left| left.min(PART_BYTES));
        let code = part.get_mut(..length).unwrap_or_default();
        artifact.read_exact(code)?;
        hasher.update(code);
        left = left.saturating_sub(length as u64);
    }
    let mut digest = [0; DIGEST_BYTES];
    artifact.read_exact(&mut digest)?;
    Ok(hasher.finalize().as_slice() == digest)
}

#[expect(
    unsafe_code,
    reason = "runs machine code: it comes from our own compiler, just now or through our own private folder, where it \
              is whole by its digest; Wasmtime checks that its settings and version made it"
)]
pub(crate) fn deserialize(engine: &Engine, code: &[u8]) -> wasmtime::Result<Component> {
    // SAFETY: see the reason above; every caller has the bytes from `Engine::precompile_component`.
    unsafe { Component::deserialize(engine, code) }
}

#[expect(
    unsafe_code,
    reason = "runs machine code from a file: it lies in a folder that is this user's alone, where files are replaced and \
              never written over, and it was whole by its digest a moment ago or is the compiler's work of just now"
)]
fn map(engine: &Engine, file: &Path) -> wasmtime::Result<Component> {
    // SAFETY: see the reason above; nothing but `write` makes such files. The digest behind the code belongs to no section of it.
    unsafe { Component::deserialize_file(engine, file) }
}

/// Writes beside and renames: nobody ever reads half an artifact.
fn write(file: &Path, code: &[u8]) -> io::Result<()> {
    let turn = WRITES.fetch_add(1, Ordering::Relaxed);
    let beside = file.with_extension(format!("{}-{turn}.new", std::process::id()));
    let kept = fill(&beside, code).and_then(|()| fs::rename(&beside, file));
    if kept.is_err() {
        let _gone = fs::remove_file(&beside);
    }
    kept
}

fn fill(file: &Path, code: &[u8]) -> io::Result<()> {
    let mut out = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(file)?;
    out.write_all(code)?;
    out.write_all(&Sha256::digest(code))?;
    out.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn component() -> Vec<u8> {
        wat::parse_str("(component (core module (func (export \"f\"))))").unwrap()
    }

    fn artifact(folder: &Path) -> PathBuf {
        let mut files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let file = files.next().unwrap();
        assert_eq!(files.next(), None);
        file
    }

    #[test]
    fn the_folder_is_private_even_if_it_was_not() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("cache");
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();

        Cache::open(Some(folder.clone())).unwrap();
        assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_component_is_kept_under_its_digest_and_found_again() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(Some(folder.path().to_owned())).unwrap();
        let engine = Engine::default();

        assert!(cache.find(&engine, "d1").is_none());
        cache.keep(&engine, "d1", &engine.precompile_component(&component()).unwrap()).unwrap();
        assert!(cache.find(&engine, "d1").is_some());
        assert!(cache.find(&engine, "d2").is_none());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn kept_code_runs_from_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(Some(folder.path().to_owned())).unwrap();
        let engine = Engine::default();
        let code = engine.precompile_component(&component()).unwrap();
        let is_mapped = || {
            let maps = fs::read_to_string("/proc/self/maps").unwrap();
            maps.contains(folder.path().to_str().unwrap())
        };

        let kept = cache.keep(&engine, "d1", &code).unwrap();
        assert!(is_mapped());
        drop(kept);
        assert!(!is_mapped());
        let found = cache.find(&engine, "d1").unwrap();
        assert!(is_mapped());
        drop(found);
    }

    #[test]
    fn what_no_engine_takes_is_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(Some(folder.path().to_owned())).unwrap();
        cache.keep(&Engine::default(), "d1", b"no machine code").unwrap_err();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn kept_code_that_cannot_be_mapped_is_copied() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(Some(folder.path().to_owned())).unwrap();
        let engine = Engine::default();
        cache.keep(&engine, "d1", &engine.precompile_component(&component()).unwrap()).unwrap();
        copy(&engine, &artifact(folder.path())).unwrap();
    }

    #[test]
    fn a_damaged_artifact_is_not_found() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(Some(folder.path().to_owned())).unwrap();
        let engine = Engine::default();
        let code = engine.precompile_component(&component()).unwrap();
        cache.keep(&engine, "d1", &code).unwrap();
        let file = artifact(folder.path());
        let sound = fs::read(&file).unwrap();

        let mut flipped = sound.clone();
        flipped[sound.len() / 2] ^= 1;
        for damaged in [&flipped[..], &sound[..sound.len() / 2], b"", b"junk"] {
            fs::write(&file, damaged).unwrap();
            assert!(cache.find(&engine, "d1").is_none());
            cache.keep(&engine, "d1", &code).unwrap();
            assert_eq!(fs::read(&file).unwrap(), sound);
        }
    }

    #[test]
    fn another_compiler_setting_is_another_artifact() {
        let plain = Engine::default();
        let timed = Engine::new(wasmtime::Config::new().epoch_interruption(true)).unwrap();
        assert_eq!(compatibility(&plain), compatibility(&Engine::default()));
        assert_ne!(compatibility(&plain), compatibility(&timed));
    }
}
