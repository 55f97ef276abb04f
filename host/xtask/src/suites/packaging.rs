//! What is shipped: linted, and installed in a system that has nothing else.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use flate2::Compression;

use super::author::gateway;
use super::serving::folder;
use super::{Environment, SuiteOutcome, python};
use crate::dist::{self, Sources};
use crate::package::{self, Package};
use crate::{plugins, workspace};

const MMDEBSTRAP: Package = Package {
    title: "mmdebstrap",
    names: ["mmdebstrap", "mmdebstrap", "mmdebstrap", "mmdebstrap"],
    by_hand: "install the package `mmdebstrap` by hand",
};

const SYSTEMD_ANALYZE: Package = Package {
    title: "systemd-analyze",
    names: ["systemd", "systemd", "systemd", "systemd"],
    by_hand: "install the package `systemd` by hand",
};

/// What a minimal system needs besides: what the package depends on, and what the first invoice is sent with.
const MINIMAL: [&str; 3] = ["--variant=essential", "--include=ca-certificates,curl,passwd", "--quiet"];
/// Where a system names the archives that it is installed from.
const SOURCES: [&str; 3] = [
    "/etc/apt/sources.list.d/debian.sources",
    "/etc/apt/sources.list.d/ubuntu.sources",
    "/etc/apt/sources.list",
];
/// Mounts, processes and ports that nobody else sees.
const NAMESPACES: [&str; 6] = ["unshare", "--mount", "--pid", "--net", "--fork", "--kill-child"];

/// Everything that `cargo xtask dist` makes, of the gateway that the tests built.
pub(super) fn shipped(_: &Environment) -> Result<SuiteOutcome> {
    if !package::in_path("python3") {
        return Ok(SuiteOutcome::NotRun("there is no python3 to install linters with"));
    }
    let folder = folder("packaging")?;
    let sources = workspace::root().join("tests/clients/packaging");
    let packaging = workspace::root().join("host/gateway/packaging");
    let python = python::install(&folder, &sources.join("requirements.txt"))?;
    if package::in_path("apt-get") && !package::in_path("systemd-analyze") {
        package::install(&SYSTEMD_ANALYZE)?;
    }
    plugins::build("plugin")?;
    let gateway = gateway()?;
    let files = assemble(&gateway, &folder)?;
    let mut check = Command::new(&python);
    check.arg(sources.join("check.py"));
    check.env("PACKAGING", &packaging).env("GATEWAY", &gateway).env("FILES", &files);
    workspace::succeed(&mut check)?;

    let Some(as_root) = package::as_root().filter(|as_root| may_have_namespaces(as_root)) else {
        return Ok(SuiteOutcome::NotRun(
            "files were checked, and nothing was installed: that takes root and namespaces of its own",
        ));
    };
    let Some(archive) = minimal_system(as_root, &folder)? else {
        return Ok(SuiteOutcome::NotRun(
            "files were checked, and nothing was installed: that takes a Debian",
        ));
    };
    let scratch = folder.join("systems");
    fs::create_dir_all(&scratch).with_context(|| format!("could not create {}", scratch.display()))?;
    let mut install = command(&[as_root, &NAMESPACES].concat());
    install.arg(&python).arg(sources.join("clean_root.py"));
    workspace::succeed(install.args([&archive, &files, &packaging, &scratch]))?;
    Ok(SuiteOutcome::Checked)
}

/// What is shipped, in a folder: not compressed, because that takes longer than all the rest. Twice, because the same files
/// have to come of it.
fn assemble(gateway: &Path, folder: &Path) -> Result<PathBuf> {
    let sources = Sources {
        program: gateway.to_owned(),
        plugins: workspace::members()?.target_directory.join("plugins").into_std_path_buf(),
        key: Some(signing_key(gateway, folder)?),
        compression: Compression::none(),
        scratch: folder.join("scratch"),
    };
    let (artefacts, again) = (dist::assemble(&sources)?, dist::assemble(&sources)?);
    for (one, other) in artefacts.iter().zip(&again) {
        ensure!(one.content == other.content, "{} is another file each time", one.name);
    }
    let files = folder.join("files");
    if files.exists() {
        fs::remove_dir_all(&files).with_context(|| format!("could not remove {}", files.display()))?;
    }
    dist::write(&artefacts, &files)?;
    let mut sums = Command::new("sha256sum");
    workspace::succeed(sums.current_dir(&files).args(["--check", "--quiet", "SHA256SUMS"]))?;
    Ok(files)
}

fn signing_key(gateway: &Path, folder: &Path) -> Result<PathBuf> {
    let key = folder.join("plugin-signing.key");
    if !key.exists() {
        let mut keygen = Command::new(gateway);
        workspace::remove_variables(&mut keygen, &["GATEWAY_"]);
        keygen.current_dir(folder).args(["plugin", "keygen", "--key"]);
        workspace::succeed(keygen.arg(&key).stdout(Stdio::null()))?;
    }
    Ok(key)
}

/// A system with nothing but what every Debian has, as an archive; it is made once. None: this is another system.
fn minimal_system(as_root: &[&str], folder: &Path) -> Result<Option<PathBuf>> {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let codename = release.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="));
    let sources = SOURCES.iter().find(|file| Path::new(file).is_file());
    let (Some(codename), Some(sources)) = (codename, sources) else { return Ok(None) };
    let archive = folder.join(format!("{codename}.tar"));
    if archive.exists() {
        return Ok(Some(archive));
    }
    if !package::in_path("mmdebstrap") {
        package::install(&MMDEBSTRAP)?;
    }
    eprintln!("making a minimal {codename}, once for all runs");
    let beside = folder.join("new.tar");
    let mut make = command(&[as_root, &["mmdebstrap"], &MINIMAL].concat());
    workspace::succeed(make.arg(codename).arg(&beside).arg(sources))?;
    fs::rename(&beside, &archive).with_context(|| format!("could not write {}", archive.display()))?;
    Ok(Some(archive))
}

/// Whether this system lets root have namespaces of its own; containers often do not.
fn may_have_namespaces(as_root: &[&str]) -> bool {
    let mut attempt = command(&[as_root, &NAMESPACES, &["true"]].concat());
    attempt.stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// The command of these words.
fn command(words: &[&str]) -> Command {
    let (program, arguments) = words.split_first().unwrap_or((&"true", &[]));
    let mut command = Command::new(program);
    command.args(arguments);
    command
}
