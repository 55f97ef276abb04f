//! Packages of the system that the tests need, installed when they are missing, saying so.

use std::env;
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::workspace;

/// A program that tests need: a server to run against, a checker.
pub(crate) struct Package {
    /// What people call it.
    pub(crate) title: &'static str,
    /// Its package at each manager of [`MANAGERS`].
    pub(crate) names: [&'static str; 4],
    /// What to do without a package manager.
    pub(crate) by_hand: &'static str,
}

/// A package manager: its program, what it wants to be told first, and the words before the package.
struct Manager {
    program: &'static str,
    before: Option<&'static [&'static str]>,
    install: &'static [&'static str],
}

const MANAGERS: [Manager; 4] = [
    Manager {
        program: "apt-get",
        before: Some(&["apt-get", "update", "--quiet"]),
        install: &["apt-get", "install", "--quiet", "--yes", "--no-install-recommends"],
    },
    Manager { program: "dnf", before: None, install: &["dnf", "install", "--assumeyes"] },
    Manager { program: "apk", before: None, install: &["apk", "add"] },
    Manager { program: "pacman", before: None, install: &["pacman", "-Sy", "--noconfirm"] },
];

/// Installs a package, with sudo where that is needed.
pub(crate) fn install(package: &Package) -> Result<()> {
    let Package { title, names, by_hand } = package;
    let found = MANAGERS.iter().zip(names).find(|(manager, _)| in_path(manager.program));
    let Some((manager, name)) = found else {
        bail!("{title} was not found, and no package manager that we know: {by_hand}");
    };
    let Some(as_root) = as_root() else {
        bail!("{title} was not found, and installing it takes root or sudo: {by_hand}");
    };
    let install = [manager.install, &[*name]].concat();
    for command in manager.before.into_iter().chain([install.as_slice()]) {
        let words: Vec<&str> = as_root.iter().chain(command).copied().collect();
        let Some((program, arguments)) = words.split_first() else { continue };
        eprintln!("{title} is not installed; running: {}", words.join(" "));
        workspace::succeed(Command::new(program).args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))
            .with_context(|| format!("could not install {title}: {by_hand}"))?;
    }
    Ok(())
}

/// The words before a command that takes root; none: it cannot be had.
pub(crate) fn as_root() -> Option<&'static [&'static str]> {
    if is_root() {
        return Some(&[]);
    }
    in_path("sudo").then_some(&["sudo"])
}

/// Whether a program can be called by its name.
pub(crate) fn in_path(program: &str) -> bool {
    env::var_os("PATH").is_some_and(|path| env::split_paths(&path).any(|dir| dir.join(program).is_file()))
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
