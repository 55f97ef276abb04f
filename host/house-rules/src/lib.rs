//! `cargo xtask tidy`: the rules of the house that no other tool checks.
//!
//! Every check is a function from what was read to violations, so that its tests can show it something wrong.
//! To add one: such a function, a test in which it finds something, one line in [`violations`].

mod bans;
mod crates;
mod directions;
mod files;
mod links;
mod modules;
mod names;
mod sizes;
mod sources;
mod supply_chain;
mod surfaces;
mod transactions;

use std::fmt;

use anyhow::{Result, bail};

use crate::{Outcome, workspace};

/// One broken rule, on one line: `file:line: what — what to do`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Violation {
    /// Relative to the root of the workspace.
    file: String,
    /// From 1.
    line: usize,
    what: String,
    remedy: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, what, remedy } = self;
        write!(f, "{file}:{line}: {what} — {remedy}")
    }
}

pub(crate) fn run(arguments: &[String]) -> Result<Outcome> {
    if !arguments.is_empty() {
        return Ok(Outcome::Misuse);
    }
    check()?;
    println!("tidy: nothing to complain about");
    Ok(Outcome::Done)
}

/// Prints every violation; an error when there is one.
pub(crate) fn check() -> Result<()> {
    let found = violations()?;
    for violation in &found {
        println!("{violation}");
    }
    if found.is_empty() { Ok(()) } else { bail!("{} broken rules of the house, listed above", found.len()) }
}

fn violations() -> Result<Vec<Violation>> {
    let graph = workspace::graph()?;
    let members = crates::members(&graph)?;
    let lock = std::fs::read_to_string(workspace::root().join("Cargo.lock"))?;
    let deny = std::fs::read_to_string(workspace::root().join("deny.toml"))?;
    let files = files::all(&workspace::root())?;
    let mut found = [
        crates::homes(&members),
        crates::directions(&members),
        crates::idle_permissions(&members),
        crates::strict_lints(&members),
        crates::plugins(&members),
        crates::purity(&graph, &members)?,
        files::migrations_of_one_database(&files),
        files::generated(&files::in_git(&workspace::root())?),
        sizes::crates(&files),
        sources::check(&files),
        modules::circles(&files),
        names::check(&files),
        links::broken(&files, |path| workspace::root().join(path).exists()),
        supply_chain::check(&graph, &lock),
        bans::check(&deny, &lock, &members),
        bans::homes(&deny),
        surfaces::storage(&files),
        surfaces::binary(&files),
        transactions::check(&files),
    ]
    .concat();
    found.sort();
    Ok(found)
}
