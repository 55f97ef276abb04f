use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{self, Path, PathBuf};
use std::process::Command;

use crate::Error;

/// Who runs the server: ourselves, or, because PostgreSQL refuses root, an ordinary user of the machine.
#[derive(Debug, Clone, Copy)]
pub(crate) enum User {
    Ourselves,
    Ordinary { uid: u32, gid: u32 },
}

impl User {
    pub(crate) fn for_server() -> Result<Self, Error> {
        if id(&["-u"]) != Some(0) {
            return Ok(Self::Ourselves);
        }
        ["postgres", "nobody"]
            .iter()
            .find_map(|name| Some(Self::Ordinary { uid: id(&["-u", name])?, gid: id(&["-g", name])? }))
            .ok_or(Error::NoUser)
    }

    /// A command that runs as this user, in `dir`: the caller's own folder may be closed to them.
    pub(crate) fn command(self, program: impl AsRef<std::ffi::OsStr>, dir: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(dir).env("LC_ALL", "C").env_remove("PGDATA").env_remove("PGPORT");
        if let Self::Ordinary { uid, gid } = self {
            command.uid(uid).gid(gid);
        }
        command
    }

    /// A shell script that runs as this user in `dir`; its first argument is `$0`. Only the system's programs are
    /// in its `PATH`: what ours finds may be closed to them.
    pub(crate) fn shell(self, script: &str, dir: &Path) -> Command {
        let mut command = self.command("/bin/sh", dir);
        command.args(["-c", script]).env("PATH", "/usr/bin:/bin");
        command
    }

    pub(crate) fn give(self, path: &Path) -> Result<(), Error> {
        match self {
            Self::Ourselves => Ok(()),
            Self::Ordinary { uid, gid } => chown(path, Some(uid), Some(gid))
                .map_err(Error::io(format!("give {} to the user of the server", path.display()))),
        }
    }

    /// Creates `wanted` for this user and returns it, or, when a folder above it is closed to them (a
    /// checkout below `/root`), a folder of the same fate below the temporary folder.
    pub(crate) fn folder(self, folder: &Path) -> Result<PathBuf, Error> {
        self.create(folder)?;
        let folder = path::absolute(folder).map_err(Error::io("find the current folder"))?;
        let reachable = self.shell("test -w \"$0\"", Path::new("/")).arg(&folder).status();
        if reachable.is_ok_and(|status| status.success()) {
            return Ok(folder);
        }
        let mut hasher = DefaultHasher::new();
        folder.hash(&mut hasher);
        let remote_service = env::temp_dir().join(format!("gateway-test-postgres-{:016x}", hasher.finish()));
        self.create(&remote_service)?;
        Ok(remote_service)
    }

    fn create(self, dir: &Path) -> Result<(), Error> {
        let what = || format!("create {}", dir.display());
        fs::create_dir_all(dir).map_err(Error::io(what()))?;
        let found = fs::symlink_metadata(dir).map_err(Error::io(what()))?;
        let ours = match self {
            Self::Ourselves => true,
            Self::Ordinary { uid, .. } => found.uid() == 0 || found.uid() == uid,
        };
        if found.is_dir() && ours { self.give(dir) } else { Err(Error::NotOurs { dir: dir.to_path_buf() }) }
    }
}

fn id(args: &[&str]) -> Option<u32> {
    let output = Command::new("id").args(args).output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}
