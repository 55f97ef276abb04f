//! `cargo xtask tidy`: the rules of the house, held against the workspace around us.

use anyhow::{Result, bail};

use crate::{Outcome, workspace};

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
    let found = house_rules::violations(&workspace::root(), &workspace::graph()?)?;
    for violation in &found {
        println!("{violation}");
    }
    if found.is_empty() { Ok(()) } else { bail!("{} broken rules of the house, listed above", found.len()) }
}
