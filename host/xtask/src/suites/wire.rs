//! What goes over the wire to tax authorities against their own schemas and rules: every golden document of each plugin and
//! hundreds of variants of them, as the record that the authority takes, and what the authority writes back to them.

use std::fs;
use std::process::Command;

use anyhow::{Context as _, Result};

use super::serving::folder;
use super::{Environment, SuiteOutcome, python};
use crate::workspace::TEST_FEATURES;
use crate::{package, workspace};

/// Names the folder with the rules and their validator, `validate.py`.
const RULES: &str = "GATEWAY_WIRE_RULES";
/// Where the tests of the plugins put records, and how many variants of golden documents become one.
const PAYLOADS: &str = "GATEWAY_WIRE_PAYLOADS";
const VARIANTS: (&str, &str) = ("GATEWAY_WIRE_VARIANTS", "500");
const TEST: &str = "the_authority_takes_every_document_with_other_lines";

/// Records and answers of every plugin. Nothing may be fatal.
pub(super) fn records(environment: &Environment) -> Result<SuiteOutcome> {
    let Some(rules) = environment(RULES) else {
        return Ok(SuiteOutcome::NotRun(
            "GATEWAY_WIRE_RULES names no folder with the rules of the authorities",
        ));
    };
    if !package::in_path("python3") {
        return Ok(SuiteOutcome::NotRun("there is no python3 to install lxml and saxonche with"));
    }
    let folder = folder("wire")?;
    let sources = workspace::root().join("tests/clients/wire");
    let python = python::install(&folder, &sources.join("requirements.txt"))?;
    let payloads = folder.join("payloads");
    if payloads.exists() {
        fs::remove_dir_all(&payloads).with_context(|| format!("could not remove {}", payloads.display()))?;
    }
    // The whole workspace with the features of the tests, so that nothing is compiled twice.
    let mut cargo = workspace::cargo();
    if workspace::has_nextest() {
        // Side by side, every test whose name begins so: one for each form that a plugin writes.
        let tests = format!("binary(golden) & test({TEST})");
        cargo.args(["nextest", "run", "--workspace"]).args(TEST_FEATURES).args(["-E", &tests]);
    } else {
        cargo.args(["test", "--workspace", "--test", "golden"]).args(TEST_FEATURES).args(["--", TEST]);
    }
    workspace::succeed(cargo.env(PAYLOADS, &payloads).env(VARIANTS.0, VARIANTS.1))?;
    let mut check = Command::new(python);
    check.arg(sources.join("check.py")).env("PAYLOADS", payloads).env("RULES", rules);
    check.env("GOLDEN", workspace::root().join("tests/golden")).env("VARIANTS", VARIANTS.1);
    workspace::succeed(&mut check)?;
    Ok(SuiteOutcome::Checked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_rules_nothing_is_checked_and_the_suite_says_so() {
        let SuiteOutcome::NotRun(why) = records(&|_| None).unwrap() else {
            panic!("there was nothing to check")
        };
        assert!(why.contains(RULES), "{why}");
    }
}
