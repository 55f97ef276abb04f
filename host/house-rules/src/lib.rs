//! The rules of the house that no other tool checks: `cargo xtask tidy`.
//!
//! Every check is a function from what was read to violations, so that its tests can show it something wrong.
//! To add one: such a function, a test in which it finds something, one line in [`violations`].

mod bans;
mod crates;
mod directions;
mod files;
mod links;
pub mod lock;
mod modules;
mod names;
mod sizes;
mod sources;
mod supply_chain;
mod surfaces;
mod transactions;

use std::fmt;
use std::path::Path;

use anyhow::Result;
use cargo_metadata::Metadata;

/// One broken rule, on one line: `file:line: what — what to do`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
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

/// Every broken rule of the workspace at `root`, in the order of the files; `graph` is its whole resolved graph.
///
/// # Errors
/// What cannot be read of the workspace.
pub fn violations(root: &Path, graph: &Metadata) -> Result<Vec<Violation>> {
    let members = crates::members(graph)?;
    let lock = std::fs::read_to_string(root.join("Cargo.lock"))?;
    let deny = std::fs::read_to_string(root.join("deny.toml"))?;
    let files = files::all(root)?;
    let mut found = [
        crates::homes(&members),
        crates::directions(&members),
        crates::idle_permissions(&members),
        crates::strict_lints(&members),
        crates::plugins(&members),
        crates::purity(graph, &members)?,
        files::migrations_of_one_database(&files),
        files::generated(&files::in_git(root)?),
        sizes::crates(&files),
        sources::check(&files),
        modules::circles(&files),
        names::check(&files),
        links::broken(&files, |path| root.join(path).exists()),
        supply_chain::check(graph, &lock),
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
