//! Where a run of the tests keeps what nobody needs afterwards: databases by the hundred, data directories, keys.
//!
//! In memory where the system offers a folder of it with enough room, because a disk's file system spends more than a
//! tenth of the run's time on making and removing so many files; else on disk, below the target folder and the system's temporary one.

use std::fs::{self, DirBuilder};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::{self, Command};

use anyhow::{Context as _, Result};

use crate::workspace;

/// A file system in memory, on Linux; containers often have a small one.
const MEMORY: &str = "/dev/shm";
/// Several times what a run needs.
const ROOM_KIB_MIN: u64 = 4 * 1024 * 1024;
/// Names the temporary folder of a run, before the number of its process.
const TEMPORARY: &str = "tmp-";

/// The folders of one run; they are gone when it is dropped.
#[derive(Debug)]
pub(crate) struct Scratch {
    /// In memory; none: on disk.
    memory: Option<PathBuf>,
}

impl Scratch {
    /// Finds a place, and clears away what runs of this checkout left that were killed.
    pub(crate) fn find() -> Result<Self> {
        let target = workspace::members()?.target_directory;
        let mut hasher = DefaultHasher::new();
        target.hash(&mut hasher);
        let name = format!("gateway-tests-{:016x}", hasher.finish());
        let memory = has_room(Path::new(MEMORY)).then(|| private(&Path::new(MEMORY).join(name))).flatten();
        if let Some(folder) = &memory {
            eprintln!("what the tests leave: in memory, {}", folder.display());
            clear_leftovers(folder)?;
        }
        Ok(Self { memory })
    }

    /// Where the run's PostgreSQL keeps its data. The same for every run of a checkout: one waits for the other.
    pub(crate) fn postgres(&self) -> Result<PathBuf> {
        Ok(match &self.memory {
            Some(folder) => folder.join("postgres"),
            None => workspace::members()?.target_directory.join("test-postgres").into_std_path_buf(),
        })
    }

    /// Makes this run's temporary folder that of `command`.
    pub(crate) fn serve(&self, command: &mut Command) -> Result<()> {
        if let Some(folder) = self.temporary() {
            fs::create_dir_all(&folder).with_context(|| format!("could not create {}", folder.display()))?;
            command.env("TMPDIR", folder);
        }
        Ok(())
    }

    fn temporary(&self) -> Option<PathBuf> {
        let folder = self.memory.as_ref()?;
        Some(folder.join(format!("{TEMPORARY}{}", process::id())))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Some(folder) = self.temporary() {
            // The next run of this checkout clears away what this one cannot.
            let _left = fs::remove_dir_all(folder);
        }
    }
}

fn has_room(folder: &Path) -> bool {
    let output = Command::new("df").arg("-Pk").arg(folder).env("LC_ALL", "C").output();
    let output = output.ok().filter(|output| output.status.success());
    output.is_some_and(|output| free_kib(&String::from_utf8_lossy(&output.stdout)) >= Some(ROOM_KIB_MIN))
}

/// The fourth column of the second line, as POSIX has it.
fn free_kib(df: &str) -> Option<u64> {
    df.lines().nth(1)?.split_whitespace().nth(3)?.parse().ok()
}

/// The folder, made when it is missing; none when it is somebody else's, as anybody may write beside it. Others may
/// look through it, as the user of the server must.
fn private(folder: &Path) -> Option<PathBuf> {
    let made = DirBuilder::new().mode(0o755).create(folder);
    let found = fs::symlink_metadata(folder).ok()?;
    let ours = made.is_ok() || fs::metadata("/proc/self").is_ok_and(|own| own.uid() == found.uid());
    (found.is_dir() && ours).then(|| folder.to_owned())
}

fn clear_leftovers(folder: &Path) -> Result<()> {
    let read = || format!("could not read {}", folder.display());
    for entry in fs::read_dir(folder).with_context(read)? {
        let entry = entry.with_context(read)?;
        let owner =
            entry.file_name().to_str().and_then(|name| name.strip_prefix(TEMPORARY)?.parse::<u32>().ok());
        if owner.is_some_and(|owner| !Path::new("/proc").join(owner.to_string()).exists()) {
            let path = entry.path();
            fs::remove_dir_all(&path).with_context(|| format!("could not remove {}", path.display()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_free_room_is_read_from_df() {
        let df = "Filesystem 1024-blocks Used Available Capacity Mounted on\ntmpfs 24684092 92 24684000 1% /dev/shm\n";
        assert_eq!(free_kib(df), Some(24_684_000));
        assert_eq!(free_kib(""), None);
        assert_eq!(free_kib("df: no such file\n"), None);
    }

    #[test]
    fn what_a_killed_run_left_is_cleared_away_and_what_runs_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (dead, alive) =
            (folder.path().join("tmp-4294967294"), folder.path().join(format!("tmp-{}", process::id())));
        let other = folder.path().join("postgres");
        for made in [&dead, &alive, &other] {
            fs::create_dir(made).unwrap();
        }
        clear_leftovers(folder.path()).unwrap();
        assert_eq!([dead.exists(), alive.exists(), other.exists()], [false, true, true]);
    }

    #[test]
    fn a_run_has_its_temporary_folder_in_memory_and_takes_it_away() {
        let folder = tempfile::tempdir().unwrap();
        let scratch = Scratch { memory: Some(folder.path().to_owned()) };
        let mut command = Command::new("true");
        scratch.serve(&mut command).unwrap();
        let temporary = scratch.temporary().unwrap();
        assert!(temporary.is_dir());
        assert!(
            command.get_envs().any(|(name, value)| name == "TMPDIR" && value == Some(temporary.as_os_str()))
        );
        drop(scratch);
        assert!(!temporary.exists());
    }

    #[test]
    fn a_folder_of_somebody_else_is_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(folder.path(), &link).unwrap();
        assert_eq!(private(&link), None);
        let fresh = folder.path().join("fresh");
        assert_eq!(private(&fresh), Some(fresh.clone()));
        assert_eq!(private(&fresh), Some(fresh));
    }
}
