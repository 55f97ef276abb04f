//! PostgreSQL for `cargo xtask test` and `bench`: found, installed when it is missing, started for one run.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use gateway_test_postgres::{Cluster, Error, URL_VARIABLE, binaries};

use crate::workspace;

/// The server of this run. Ours stops when this is dropped, also when the run fails or is interrupted.
pub(crate) enum Postgres {
    /// Named by `GATEWAY_TEST_POSTGRES` before we started.
    Given(String),
    Started(Cluster),
}

impl Postgres {
    pub(crate) fn start() -> Result<Self> {
        if let Some(url) = env::var(URL_VARIABLE).ok().filter(|url| !url.is_empty()) {
            eprintln!("PostgreSQL: the server that {URL_VARIABLE} names");
            return Ok(Self::Given(url));
        }
        let folder = installed()?;
        let target = workspace::members()?.target_directory;
        let cluster = Cluster::start(target.join("test-postgres").as_std_path())?;
        eprintln!("PostgreSQL: a cluster for this run, with the programs in {}", folder.display());
        Ok(Self::Started(cluster))
    }

    /// A server of our own whose commits are on disk when they return, for measurements.
    pub(crate) fn start_durable() -> Result<Self> {
        let folder = installed()?;
        let target = workspace::members()?.target_directory;
        let cluster = Cluster::start_durable(target.join("bench-postgres").as_std_path())?;
        eprintln!("PostgreSQL: a cluster with durable commits, with the programs in {}", folder.display());
        Ok(Self::Started(cluster))
    }

    pub(crate) fn url(&self) -> &str {
        match self {
            Self::Given(url) => url,
            Self::Started(cluster) => cluster.url(),
        }
    }
}

/// The folder of the server's programs, which are installed when they are missing.
fn installed() -> Result<PathBuf> {
    match binaries() {
        Err(Error::NotInstalled) => {
            install()?;
            Ok(binaries()?)
        }
        found => Ok(found?),
    }
}

/// A package manager, and the commands that bring a PostgreSQL server.
struct Installer {
    program: &'static str,
    commands: &'static [&'static [&'static str]],
}

const INSTALLERS: [Installer; 4] = [
    Installer {
        program: "apt-get",
        commands: &[
            &["apt-get", "update", "--quiet"],
            &["apt-get", "install", "--quiet", "--yes", "--no-install-recommends", "postgresql"],
        ],
    },
    Installer { program: "dnf", commands: &[&["dnf", "install", "--assumeyes", "postgresql-server"]] },
    Installer { program: "apk", commands: &[&["apk", "add", "postgresql"]] },
    Installer { program: "pacman", commands: &[&["pacman", "-Sy", "--noconfirm", "postgresql"]] },
];

fn install() -> Result<()> {
    let by_hand =
        "install the package `postgresql` by hand, or set PG_BIN to the folder of `initdb` and `pg_ctl`";
    let Some(installer) = INSTALLERS.iter().find(|installer| in_path(installer.program)) else {
        bail!("no PostgreSQL server found, and no package manager that we know: {by_hand}");
    };
    let as_root = if is_root() {
        None
    } else if in_path("sudo") {
        Some("sudo")
    } else {
        bail!("no PostgreSQL server found, and installing it takes root or sudo: {by_hand}");
    };
    for command in installer.commands {
        let words: Vec<&str> = as_root.into_iter().chain(command.iter().copied()).collect();
        let Some((program, arguments)) = words.split_first() else { continue };
        eprintln!("PostgreSQL is not installed; running: {}", words.join(" "));
        workspace::succeed(Command::new(program).args(arguments).env("DEBIAN_FRONTEND", "noninteractive"))
            .with_context(|| format!("could not install PostgreSQL: {by_hand}"))?;
    }
    Ok(())
}

fn in_path(program: &str) -> bool {
    env::var_os("PATH").is_some_and(|path| env::split_paths(&path).any(|dir| dir.join(program).is_file()))
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
