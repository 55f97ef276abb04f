//! Postfix for the tests of mail: each test starts its own, with a configuration of its own; here it is only installed.

use std::path::Path;

use anyhow::Result;

use crate::package::{self, Package};

const PACKAGE: Package = Package {
    title: "Postfix",
    names: ["postfix", "postfix", "postfix", "postfix"],
    by_hand: "install the package `postfix` by hand",
};

/// Installs it where it is missing. Only root starts it, so it is left alone elsewhere, and the tests say that they did not run.
pub(crate) fn ensure_installed() -> Result<()> {
    let is_there = package::in_path("postfix") || Path::new("/usr/sbin/postfix").is_file();
    if is_there || !package::is_root() { Ok(()) } else { package::install(&PACKAGE) }
}
