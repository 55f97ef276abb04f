//! PostgreSQL for `cargo xtask test` and `bench`: found, installed when it is missing, started for one run.

use std::env;
use std::path::PathBuf;

use anyhow::Result;
use gateway_test_postgres::{Cluster, Error, URL_VARIABLE, binaries};

use crate::package::{self, Package};
use crate::scratch::Scratch;
use crate::workspace;

const PACKAGE: Package = Package {
    title: "PostgreSQL",
    names: ["postgresql", "postgresql-server", "postgresql", "postgresql"],
    by_hand: "install the package `postgresql` by hand, or set PG_BIN to the folder of `initdb` and `pg_ctl`",
};

/// The server of this run. Ours stops when this is dropped, also when the run fails or is interrupted.
pub(crate) enum Postgres {
    /// Named by `GATEWAY_TEST_POSTGRES` before we started.
    Given(String),
    Started(Cluster),
}

impl Postgres {
    /// A server for tests, with its data where the run keeps what nobody needs afterwards.
    pub(crate) fn start(scratch: &Scratch) -> Result<Self> {
        if let Some(url) = env::var(URL_VARIABLE).ok().filter(|url| !url.is_empty()) {
            eprintln!("PostgreSQL: the server that {URL_VARIABLE} names");
            return Ok(Self::Given(url));
        }
        let folder = install_when_missing()?;
        let cluster = Cluster::start(&scratch.postgres()?)?;
        eprintln!("PostgreSQL: a cluster for this run, with the programs in {}", folder.display());
        Ok(Self::Started(cluster))
    }

    /// A server of our own whose commits are on disk when they return, for measurements.
    pub(crate) fn start_durable() -> Result<Self> {
        let folder = install_when_missing()?;
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

/// A program that comes with the server, if this one brought it.
pub(crate) fn program(name: &str) -> Option<PathBuf> {
    binaries().ok().map(|folder| folder.join(name)).filter(|program| program.is_file())
}

/// The folder of the server's programs, which are installed when they are missing.
fn install_when_missing() -> Result<PathBuf> {
    match binaries() {
        Err(Error::NotInstalled) => {
            package::install(&PACKAGE)?;
            Ok(binaries()?)
        }
        found => Ok(found?),
    }
}
