//! `cargo xtask test`: what must hold before a change is done, in one command.

use std::path::PathBuf;
use std::{env, thread};

use anyhow::Result;
use gateway_test_nats::URL_VARIABLE as NATS_VARIABLE;
use gateway_test_postgres::URL_VARIABLE;

use crate::postgres::Postgres;
use crate::scratch::Scratch;
use crate::stages::Stages;
use crate::workspace::{BUILD_TESTS, TEST_FEATURES};
use crate::{Outcome, nats, openapi_coverage, plugins, suites, tidy, workspace};

/// Data that is too large to be kept here, by the variable that names it, and which tests do not run without it.
const DATA: [(&str, &str); 5] = [
    (
        "GOBL_SCHEMAS",
        "documents against the format's JSON Schemas; golden ones were compared with those that had been held against them",
    ),
    ("GOBL_TABLES", "codes of documents against the tables of their add-ons"),
    ("GOBL_EXAMPLES", "the reference's examples as our documents"),
    ("GATEWAY_TOTALS_SAMPLE", "totals against the reference's documents"),
    (
        "GATEWAY_TEST_CONTRACT",
        "routes, commands, keys, permissions, events and metrics against the page of the public contract",
    ),
];

pub(crate) fn run(arguments: &[String]) -> Outcome {
    match Request::parse(arguments) {
        Some(Request::Suites { names }) => suites::run(&names),
        Some(Request::Tests { fast, filter }) => tests(fast, &filter),
        None => Outcome::Misuse,
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Request {
    /// All of them, or those of these names.
    Suites {
        names: Vec<String>,
    },
    Tests {
        fast: bool,
        filter: Vec<String>,
    },
}

impl Request {
    fn parse(arguments: &[String]) -> Option<Self> {
        let (mut suites, mut fast, mut filter) = (false, false, Vec::new());
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--suites" => suites = true,
                "--fast" => fast = true,
                "--" => filter.extend(words.by_ref().cloned()),
                option if option.starts_with('-') => return None,
                _ => filter.push(word.clone()),
            }
        }
        if !suites {
            return Some(Self::Tests { fast, filter });
        }
        (!fast).then_some(Self::Suites { names: filter })
    }
}

/// Fastest first. A broken rule of form does not stop the tests: one run names everything that is wrong.
fn tests(fast: bool, filter: &[String]) -> Outcome {
    let mut stages = Stages::default();
    let Some(scratch) = stages.run("scratch", Scratch::find) else { return stages.report() };
    let Some(postgres) = stages.run("postgres", || Postgres::start(&scratch)) else { return stages.report() };
    let Some(nats) = stages.run("nats", nats::start) else { return stages.report() };
    if !fast {
        stages.run("fmt", || cargo(&["fmt", "--all", "--check"]));
        stages.run("tidy", tidy::check);
        stages.run("deny", deny);
        stages.run("clippy", || {
            let mut clippy = workspace::cargo();
            clippy.args(["clippy", "--workspace", "--all-targets"]).args(TEST_FEATURES);
            workspace::succeed(clippy.args(["--", "-D", "warnings"]))
        });
    }
    if stages.run("plugins", || plugins::build("plugin")).is_none() {
        return stages.report();
    }
    if stages.run("build", || cargo(&BUILD_TESTS)).is_none() {
        return stages.report();
    }
    // Only a run of everything can say that something never occurred.
    let whole = !fast && filter.is_empty();
    let notes = if whole { stages.run("notes", openapi_coverage::prepare) } else { None };
    let on_servers = |arguments: &[&str]| {
        let mut cargo = workspace::cargo();
        cargo.args(arguments).args(TEST_FEATURES).args(filter);
        cargo.env(URL_VARIABLE, postgres.url()).env(NATS_VARIABLE, nats.url());
        cargo.env_remove(openapi_coverage::VARIABLE);
        if let Some(notes) = &notes {
            cargo.env(openapi_coverage::VARIABLE, notes);
        }
        scratch.serve(&mut cargo)?;
        workspace::succeed(&mut cargo)
    };
    if workspace::has_nextest() {
        let at_once = tests_at_once().to_string();
        let all = ["nextest", "run", "--workspace", "--no-fail-fast", "--test-threads", &at_once];
        stages.run("tests", || on_servers(&all));
        if filter.is_empty() && !fast {
            stages.run("doc tests", || on_servers(&["test", "--workspace", "--no-fail-fast", "--doc"]));
        }
    } else {
        stages.run("tests", || on_servers(&["test", "--workspace", "--no-fail-fast"]));
    }
    drop((postgres, nats));
    if let Some(notes) = &notes {
        stages.run("openapi", || openapi_coverage::check(notes));
    }
    let outcome = stages.report();
    if filter.is_empty() {
        for line in not_run(|name| env::var_os(name).is_some()) {
            eprintln!("{line}");
        }
    }
    outcome
}

/// What did not run for want of its data.
fn not_run(is_there: impl Fn(&str) -> bool) -> Vec<String> {
    let missing = DATA.iter().filter(|(name, _)| !is_there(name));
    missing.map(|(name, what)| format!("did not run, because {name} is not set: {what}")).collect()
}

fn cargo(arguments: &[&str]) -> Result<()> {
    workspace::succeed(workspace::cargo().args(arguments))
}

/// More tests at once than cores, because many wait: for a webhook, for a time-out, for a process that starts.
fn tests_at_once() -> usize {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    cores + cores.div_ceil(2)
}

/// What `deny.toml` says, where `cargo deny` is installed; `tidy` looks at most of it everywhere. Advisories need their
/// database, which nobody here fetches.
fn deny() -> Result<()> {
    let is_installed =
        workspace::cargo().args(["deny", "--version"]).output().is_ok_and(|it| it.status.success());
    if !is_installed {
        eprintln!("cargo-deny is not installed: its checks did not run");
        return Ok(());
    }
    let checks = ["deny", "--offline", "check", "--hide-inclusion-graph", "bans", "licenses", "sources"];
    let cargo_home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let cargo_home = cargo_home.or_else(|| Some(env::home_dir()?.join(".cargo")));
    let has_advisories = cargo_home.is_some_and(|home| home.join("advisory-dbs").is_dir());
    if !has_advisories {
        eprintln!("the database of advisories is not here: `cargo deny fetch` brings it");
    }
    cargo(&[&checks[..], if has_advisories { &["advisories"] } else { &[] }].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Option<Request> {
        Request::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn what_did_not_run_for_want_of_data_is_said() {
        assert!(not_run(|_| true).is_empty());
        let said = not_run(|name| name != "GOBL_SCHEMAS");
        assert!(matches!(said.as_slice(), [one] if one.contains("GOBL_SCHEMAS is not set")), "{said:?}");
    }

    #[test]
    fn options_come_before_the_filter_and_the_rest_is_handed_on() {
        let tests = |fast, filter: &[&str]| {
            Some(Request::Tests { fast, filter: filter.iter().map(|&word| word.to_owned()).collect() })
        };
        assert_eq!(parse(""), tests(false, &[]));
        assert_eq!(parse("--fast issuing"), tests(true, &["issuing"]));
        assert_eq!(parse("-- --fast"), tests(false, &["--fast"]));
        assert_eq!(parse("--suites"), Some(Request::Suites { names: Vec::new() }));
        assert_eq!(parse("--suites aeat"), Some(Request::Suites { names: vec!["aeat".to_owned()] }));
        assert_eq!(parse("--suites --fast"), None);
        assert_eq!(parse("--slow"), None);
    }
}
