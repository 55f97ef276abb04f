//! `cargo xtask test`: what must hold before a change is done, in one command.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use gateway_test_nats::URL_VARIABLE as NATS_VARIABLE;
use gateway_test_postgres::URL_VARIABLE;

use crate::postgres::Postgres;
use crate::scratch::Scratch;
use crate::{Outcome, nats, plugins, seen, suites, tidy, workspace};

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

/// What the gateway under test can do beside the released one: end at named points of the code.
pub(crate) const TEST_FEATURES: [&str; 2] = ["--features", "gateway-server/fail-points"];

/// In one go, so that no dependency is compiled twice with other features.
pub(crate) const BUILD_TESTS: [&str; 6] =
    ["build", "--workspace", "--bins", "--tests", "--features", "gateway-server/fail-points"];

/// Fastest first. A broken rule of form does not stop the tests: one run names everything that is wrong.
fn tests(fast: bool, filter: &[String]) -> Outcome {
    let mut stages = Stages::default();
    let Some(scratch) = stages.run("scratch", Scratch::find) else { return stages.report() };
    let Some(postgres) = stages.run("postgres", || Postgres::start(&scratch)) else { return stages.report() };
    let Some(nats) = stages.run("nats", nats::start) else { return stages.report() };
    if !fast {
        stages.run("fmt", || cargo(&["fmt", "--all", "--check"]));
        stages.run("tidy", tidy::check);
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
    let notes = if whole { stages.run("notes", seen::prepare) } else { None };
    let on_servers = |arguments: &[&str]| {
        let mut cargo = workspace::cargo();
        cargo.args(arguments).args(TEST_FEATURES).args(filter);
        cargo.env(URL_VARIABLE, postgres.url()).env(NATS_VARIABLE, nats.url());
        cargo.env_remove(seen::VARIABLE);
        if let Some(notes) = &notes {
            cargo.env(seen::VARIABLE, notes);
        }
        scratch.serve(&mut cargo)?;
        workspace::succeed(&mut cargo)
    };
    if has_nextest() {
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
        stages.run("openapi", || seen::check(notes));
    }
    stages.report()
}

fn cargo(arguments: &[&str]) -> Result<()> {
    workspace::succeed(workspace::cargo().args(arguments))
}

/// More tests at once than cores, because many wait: for a webhook, for a time-out, for a process that starts.
fn tests_at_once() -> usize {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    cores + cores.div_ceil(2)
}

fn has_nextest() -> bool {
    workspace::cargo().args(["nextest", "--version"]).output().is_ok_and(|output| output.status.success())
}

/// What ran, how long it took and whether it succeeded.
#[derive(Default)]
pub(crate) struct Stages(Vec<(&'static str, Duration, bool)>);

impl Stages {
    /// Runs one stage and says so. `None`: it failed, and its error has been printed.
    pub(crate) fn run<T>(&mut self, name: &'static str, stage: impl FnOnce() -> Result<T>) -> Option<T> {
        eprintln!("\n=== {name}");
        let start = Instant::now();
        let result = stage();
        let elapsed = start.elapsed();
        if let Err(error) = &result {
            eprintln!("error: {error:#}");
        }
        let verdict = if result.is_ok() { "ok" } else { "FAILED" };
        eprintln!("=== {name}: {verdict} in {:.1} s", elapsed.as_secs_f64());
        self.0.push((name, elapsed, result.is_ok()));
        result.ok()
    }

    pub(crate) fn report(&self) -> Outcome {
        eprintln!("\n=== summary");
        for (name, elapsed, succeeded) in &self.0 {
            let verdict = if *succeeded { "ok" } else { "FAILED" };
            eprintln!("{name:<10} {:>7.1} s  {verdict}", elapsed.as_secs_f64());
        }
        let total: Duration = self.0.iter().map(|(_, elapsed, _)| *elapsed).sum();
        eprintln!("{:<10} {:>7.1} s", "total", total.as_secs_f64());
        if self.0.iter().all(|(_, _, succeeded)| *succeeded) { Outcome::Done } else { Outcome::Failed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Option<Request> {
        Request::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
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

    #[test]
    fn one_failed_stage_fails_the_run_and_the_next_still_runs() {
        let mut stages = Stages::default();
        assert_eq!(stages.run::<()>("first", || Err(anyhow::anyhow!("broken"))), None);
        assert_eq!(stages.run("second", || Ok(7)), Some(7));
        assert_eq!(stages.report(), Outcome::Failed);
    }

    #[test]
    fn only_good_stages_make_a_good_run() {
        let mut stages = Stages::default();
        stages.run("only", || Ok(()));
        assert_eq!(stages.report(), Outcome::Done);
    }
}
