//! NATS for `cargo xtask test`: found, installed when it is missing, started for one run.

use std::env;

use anyhow::Result;
use gateway_test_nats::{Error, Nats, URL_VARIABLE, binary};

use crate::package::{self, Package};

const PACKAGE: Package = Package {
    title: "NATS",
    names: ["nats-server", "nats-server", "nats-server", "nats-server"],
    by_hand: "install the package `nats-server` by hand, or set NATS_BIN to the program",
};

/// The server of this run. Ours stops when this is dropped, also when the run fails.
pub(crate) fn start() -> Result<Nats> {
    if env::var_os(URL_VARIABLE).is_some_and(|url| !url.is_empty()) {
        eprintln!("NATS: the server that {URL_VARIABLE} names");
        return Ok(Nats::for_tests()?);
    }
    let program = match binary() {
        Err(Error::NotInstalled) => {
            package::install(&PACKAGE)?;
            binary()?
        }
        found => found?,
    };
    let nats = Nats::start()?;
    eprintln!("NATS: a server for this run, {}", program.display());
    Ok(nats)
}
