//! What stands between Cargo and the compiler while what is shipped is built.
//!
//! A build script may hand its crate a folder of the build as a variable, which then stands in the crate: one of Wasmtime's
//! procedural macros names the folder for its debug output so. The crate's hash would follow where it was built, and with it
//! the names of functions in every crate that uses it. The variable gets the same value everywhere.
//!
//! Another macro of Wasmtime's, which reads the contract with plugins, writes where its files lie into the source that it
//! generates, with links resolved; the compiler takes a digest of that source into the hash of the crate. So the crate reads a
//! copy of the contract from a folder whose name is the same everywhere.

use crate::workspace;
use anyhow::{Context, Result, ensure};
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// Is set while this program is called instead of the compiler.
const MARK: &str = "XTASK_COMPILES";
/// What is handed to crates, and names a folder of the build.
const FOLDERS: [&str; 1] = ["DEBUG_OUTPUT_DIR"];
/// What it is called instead.
const NAME: &str = "/target";

/// The crate that reads the contract with plugins, as the compiler is told its name and from where it reads.
const READER: (&str, &str) = ("gateway_plugin_host", "host/plugin-host");
/// Where it finds a copy of the contract, as if that were the root of the workspace. Not a folder for temporary files that the
/// environment names: its name has to be the same everywhere.
const COPY: &str = "/tmp/gateway-dist-contract";

/// Has a Cargo call this program instead of the compiler.
pub(super) fn stand_before(cargo: &mut Command) -> Result<()> {
    copy_contract(&workspace::root().join("wit"), Path::new(COPY))?;
    let program = env::current_exe().context("the system does not say which program this is")?;
    cargo.env("RUSTC_WRAPPER", program).env(MARK, "1");
    Ok(())
}

/// Whether these are the arguments of a Cargo that wants the compiler, which stands first.
pub(crate) fn is_called_for(first: &str) -> bool {
    env::var_os(MARK).is_some() && Path::new(first).file_stem() == Some(OsStr::new("rustc"))
}

/// Becomes the compiler.
pub(crate) fn become_it(compiler: &str, arguments: &[String]) -> anyhow::Error {
    let mut command = Command::new(compiler);
    command.args(arguments).env_remove(MARK);
    for name in FOLDERS.iter().filter(|name| env::var_os(name).is_some()) {
        command.env(name, NAME);
    }
    if arguments.iter().any(|argument| argument == READER.0) {
        command.env("CARGO_MANIFEST_DIR", Path::new(COPY).join(READER.1));
    }
    anyhow::Error::new(command.exec()).context(format!("could not start {compiler}"))
}

/// Makes `root` hold the packages in `contract` and nothing older, for this user alone. Files that are the same are left alone:
/// what was built from them need not be built again.
fn copy_contract(contract: &Path, root: &Path) -> Result<()> {
    let copy = root.join("wit");
    let own = |path: &Path| {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        fs::symlink_metadata(path)
    };
    let made = own(root).with_context(|| format!("could not create {}", root.display()))?;
    let me = fs::metadata("/proc/self").context("could not find out who runs this")?;
    ensure!(
        made.is_dir() && made.uid() == me.uid() && made.mode() & 0o022 == 0,
        "{} belongs to somebody else, or others may write there: have it removed",
        root.display()
    );
    own(&root.join(READER.1))?;
    let packages = folders(contract)?;
    for package in folders(&copy).unwrap_or_default().iter().filter(|name| !packages.contains(name)) {
        fs::remove_dir_all(copy.join(package))?;
    }
    for package in packages {
        let (from, to) = (contract.join(&package), copy.join(&package));
        own(&to)?;
        let stale = names(&to)?;
        let current = names(&from)?;
        for name in stale.iter().filter(|name| !current.contains(name)) {
            fs::remove_file(to.join(name))?;
        }
        for name in current {
            let text = fs::read(from.join(&name))?;
            if fs::read(to.join(&name)).ok().as_ref() != Some(&text) {
                fs::write(to.join(&name), text)?;
            }
        }
    }
    Ok(())
}

/// The names of what is in a folder.
fn names(folder: &Path) -> Result<Vec<OsString>> {
    let entries = fs::read_dir(folder).with_context(|| format!("could not read {}", folder.display()))?;
    entries.map(|entry| Ok(entry?.file_name())).collect()
}

/// The folders in a folder.
fn folders(folder: &Path) -> Result<Vec<OsString>> {
    Ok(names(folder)?.into_iter().filter(|name| folder.join(name).is_dir()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn the_copy_of_the_contract_follows_it() {
        let folder = tempfile::tempdir().unwrap();
        let (contract, copy) = (folder.path().join("wit"), folder.path().join("copy"));
        let write = |path: &str, text: &str| {
            fs::create_dir_all(contract.join(path).parent().unwrap()).unwrap();
            fs::write(contract.join(path), text).unwrap();
        };
        let read = |path: &str| fs::read_to_string(copy.join("wit").join(path)).ok();
        write("v1/regime.wit", "first");
        write("v1/old.wit", "old");
        write("v2/other.wit", "other");
        copy_contract(&contract, &copy).unwrap();
        assert_eq!(read("v1/old.wit").as_deref(), Some("old"));

        write("v1/regime.wit", "second");
        fs::remove_file(contract.join("v1/old.wit")).unwrap();
        fs::remove_dir_all(contract.join("v2")).unwrap();
        copy_contract(&contract, &copy).unwrap();
        assert_eq!((read("v1/regime.wit").as_deref(), read("v1/old.wit")), (Some("second"), None));
        assert_eq!(read("v2/other.wit"), None);
        assert!(copy.join(READER.1).is_dir());
    }

    #[test]
    fn a_folder_that_others_may_write_to_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let (contract, copy) = (folder.path().join("wit"), folder.path().join("copy"));
        fs::create_dir_all(&contract).unwrap();
        fs::DirBuilder::new().mode(0o700).create(&copy).unwrap();
        fs::set_permissions(&copy, fs::Permissions::from_mode(0o777)).unwrap();
        assert!(copy_contract(&contract, &copy).is_err());
    }
}
