//! The program that is shipped, built so that the same sources give the same bytes wherever they lie.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use super::{archive, compiler};
use crate::package::{self, Package};
use crate::{plugins, workspace};

const BINUTILS: Package = Package {
    title: "objcopy",
    names: ["binutils", "binutils", "binutils", "binutils"],
    by_hand: "install the package `binutils` by hand",
};

/// A program without symbols, and the symbols.
pub(super) struct Program {
    pub(super) stripped: Vec<u8>,
    pub(super) symbols: Vec<u8>,
    /// Where the stripped one lies, to be run.
    pub(super) file: PathBuf,
}

/// Compiles the gateway with this profile; returns where it is. A target folder of its own, because the flags differ from
/// those of every other build. No target is named: Cargo would keep the flags from procedural macros then, whose hashes would
/// follow where they were built, and with them names of functions in every crate that uses them.
pub(super) fn compile(profile: &str, time: u64) -> Result<PathBuf> {
    eprintln!("building the gateway with the profile {profile} (the first time takes many minutes)");
    let folder = workspace::members()?.target_directory.join("dist-build").into_std_path_buf();
    let mut names = plugins::path_names();
    names.push((folder.clone(), "/target"));
    let rust = names.iter().map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display()));
    let mut cargo = workspace::cargo();
    workspace::remove_variables(&mut cargo, &plugins::OUTER);
    cargo.args(["build", "--locked", "--package", "gateway", "--bin", "gateway"]);
    cargo.args(["--profile", profile, "--target-dir"]).arg(&folder);
    cargo.env("CARGO_ENCODED_RUSTFLAGS", rust.collect::<Vec<_>>().join("\x1f"));
    cargo.env("SOURCE_DATE_EPOCH", time.to_string());
    compiler::stand_before(&mut cargo)?;
    cargo.env("CFLAGS", c_flags(env::var_os("CFLAGS"), &names));
    // Functions and lines of what failed, in a file beside the program.
    let setting = |key: &str| format!("CARGO_PROFILE_{}_{key}", profile.to_uppercase().replace('-', "_"));
    cargo.env(setting("DEBUG"), "line-tables-only").env(setting("STRIP"), "none");
    workspace::succeed(&mut cargo)?;
    Ok(folder.join(workspace::profile_folder(profile)).join("gateway"))
}

/// What the compiler of C is told besides: SQLite and the cryptography name their source files.
fn c_flags(own: Option<OsString>, names: &[(PathBuf, &str)]) -> OsString {
    let mut flags = own.unwrap_or_default();
    for (from, to) in names {
        flags.push(format!(" -ffile-prefix-map={}={to}", from.display()));
    }
    flags
}

/// Parts a program and its symbols; both lie in `folder` then.
pub(super) fn strip(program: &Path, folder: &Path) -> Result<Program> {
    if !package::in_path("objcopy") {
        package::install(&BINUTILS)?;
    }
    fs::create_dir_all(folder).with_context(|| format!("could not create {}", folder.display()))?;
    let (file, symbols) = (folder.join("gateway"), folder.join("gateway.debug"));
    let objcopy = || Command::new("objcopy");
    workspace::succeed(objcopy().arg("--only-keep-debug").arg(program).arg(&symbols))?;
    // Debuggers find the symbols by this name beside the program, and by the build id elsewhere.
    let link = ["--strip-all", "--add-gnu-debuglink=gateway.debug"];
    workspace::succeed(objcopy().current_dir(folder).args(link).arg(program).arg(&file))?;
    Ok(Program { stripped: archive::read(&file)?, symbols: archive::read(&symbols)?, file })
}

/// When the sources were committed, in seconds since 1970; SOURCE_DATE_EPOCH where they are no repository.
pub(super) fn time() -> Result<u64> {
    let text = if let Ok(text) = env::var("SOURCE_DATE_EPOCH") {
        text
    } else {
        let mut git = Command::new("git");
        git.args(["-c", "safe.directory=*", "log", "-1", "--format=%ct"]).current_dir(workspace::root());
        stdout(&mut git)
            .context("set SOURCE_DATE_EPOCH to when the sources are from, in seconds since 1970")?
    };
    text.trim().parse().with_context(|| format!("'{}' is no number of seconds", text.trim()))
}

/// The same as RFC 3339 has it.
pub(super) fn written_time(time: u64) -> Result<String> {
    let mut date = Command::new("date");
    Ok(stdout(date.args(["-u", "-d", &format!("@{time}"), "+%Y-%m-%dT%H:%M:%SZ"]))?.trim().to_owned())
}

/// What a command prints; an error with what it said otherwise.
pub(super) fn stdout(command: &mut Command) -> Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("could not start {program}"))?;
    ensure!(output.status.success(), "{program} failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    String::from_utf8(output.stdout).with_context(|| format!("{program} does not write UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_as_the_bill_of_materials_has_it() {
        assert_eq!(written_time(1_700_000_000).unwrap(), "2023-11-14T22:13:20Z");
    }

    #[test]
    fn flags_of_the_machine_stay_beside_ours() {
        let flags = c_flags(Some("-O2".into()), &[("/home/me/gateway".into(), "/workspace")]);
        assert_eq!(flags, "-O2 -ffile-prefix-map=/home/me/gateway=/workspace");
    }
}
