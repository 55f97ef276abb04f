//! `cargo xtask test --suites`: checks that need a program or data the tests do without.
//!
//! A suite installs the program it needs. Data it cannot fetch is named by an environment variable; without it the
//! suite says that it did not run.
//!
//! To add a suite: one function, one row in [`SUITES`].

mod author;
mod console;
mod generated;
mod graphql;
pub(crate) mod node;
mod oauth;
mod openapi;
mod packaging;
mod pdf;
mod prometheus;
mod python;
mod registry;
mod serving;
mod upgrade;
mod webhooks;
mod wire;

use std::env;
use std::ffi::OsString;

use anyhow::Result;

use crate::package::{self, Package};
use crate::stages::Stages;
use crate::workspace::TEST_FEATURES;
use crate::{Outcome, workspace};

struct Suite {
    name: &'static str,
    run: fn(&Environment) -> Result<SuiteOutcome>,
}

const SUITES: [Suite; 17] = [
    Suite { name: "aeat", run: aeat },
    Suite { name: "wire", run: wire::records },
    Suite { name: "new plugin", run: author::new_plugin },
    Suite { name: "python", run: author::python },
    Suite { name: "javascript", run: author::javascript },
    Suite { name: "authlib", run: oauth::authlib },
    Suite { name: "openid-client", run: oauth::openid_client },
    Suite { name: "graphql", run: graphql::clients },
    Suite { name: "schemathesis", run: openapi::schemathesis },
    Suite { name: "generated clients", run: generated::clients },
    Suite { name: "webhooks", run: webhooks::standard },
    Suite { name: "console", run: console::browser },
    Suite { name: "pdf", run: pdf::samples },
    Suite { name: "prometheus", run: prometheus::rules },
    Suite { name: "packaging", run: packaging::shipped },
    Suite { name: "registry", run: registry::plugins },
    Suite { name: "rolling upgrade", run: upgrade::rolling },
];

/// What a suite did.
#[derive(Debug, PartialEq, Eq)]
enum SuiteOutcome {
    Checked,
    /// It could not run, and why.
    NotRun(&'static str),
}

/// Reads a variable; an empty one is none.
type Environment = dyn Fn(&str) -> Option<OsString>;

/// Runs the suites of these names, or all when there are none.
pub(crate) fn run(names: &[String]) -> Outcome {
    if let Some(unknown) = names.iter().find(|name| SUITES.iter().all(|suite| suite.name != *name)) {
        let known: Vec<_> = SUITES.iter().map(|suite| suite.name).collect();
        eprintln!("there is no suite `{unknown}`: the suites are {}", known.join(", "));
        return Outcome::Misuse;
    }
    let environment = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    let mut stages = Stages::default();
    let mut missed = Vec::new();
    for Suite { name, run } in &SUITES {
        if !names.is_empty() && names.iter().all(|requested| requested != name) {
            continue;
        }
        if let Some(SuiteOutcome::NotRun(why)) = stages.run(name, || run(&environment)) {
            missed.push(format!("{name}: did not run: {why}"));
        }
    }
    let outcome = stages.report();
    for line in missed {
        eprintln!("{line}");
    }
    outcome
}

const XMLLINT: Package = Package {
    title: "xmllint",
    names: ["libxml2-utils", "libxml2", "libxml2-utils", "libxml2"],
    by_hand: "install the package `libxml2-utils` by hand",
};

/// The messages to the Spanish tax agency against its own XML Schemas.
fn aeat(environment: &Environment) -> Result<SuiteOutcome> {
    let Some(schemas) = environment("AEAT_XSD") else {
        return Ok(SuiteOutcome::NotRun("AEAT_XSD names no folder with the agency's schemas"));
    };
    if !package::in_path("xmllint") {
        package::install(&XMLLINT)?;
    }
    // The whole workspace with the features of the tests, so that nothing is compiled twice.
    let mut cargo = workspace::cargo();
    cargo.args(["test", "--workspace", "--test", "authority"]).args(TEST_FEATURES);
    cargo.args(["--", "--nocapture"]);
    cargo.env("AEAT_XSD", schemas).env("AEAT_XSD_REQUIRED", "1");
    workspace::succeed(&mut cargo)?;
    Ok(SuiteOutcome::Checked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suite_without_its_data_says_so_and_installs_nothing() {
        let SuiteOutcome::NotRun(why) = aeat(&|_| None).unwrap() else {
            panic!("there was nothing to check")
        };
        assert!(why.contains("AEAT_XSD"), "{why}");
    }

    #[test]
    fn every_suite_has_its_own_name() {
        let mut names: Vec<_> = SUITES.iter().map(|suite| suite.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), SUITES.len());
    }
}
