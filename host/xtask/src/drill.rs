//! `cargo xtask drill`: breaks everything around a gateway once, and prints what it answered meanwhile and how soon. See
//! `gateway_tests::Drill`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use gateway_test_postgres::URL_VARIABLE;
use serde::Deserialize;

use crate::postgres::Postgres;
use crate::scratch::Scratch;
use crate::workspace::{BUILD_TESTS, TEST_FEATURES};
use crate::{Outcome, nats, workspace};

/// Names the file that the tests write to.
const FILE_VARIABLE: &str = "GATEWAY_TEST_DRILL";
/// Names the program that the tests start.
const PROGRAM_VARIABLE: &str = "GATEWAY_BIN";
/// How the gateway is built that is measured: optimised, with the faults that it makes itself.
const PROFILE: &str = "release";
const TESTS: &str = "binary(it) and test(/^fault_drill::/)";
/// What a gateway is asked, as the columns of the table.
const QUESTIONS: [&str; 6] = ["healthz", "readyz", "token", "metrics", "read", "write"];

/// One line of the file.
#[derive(Debug, Deserialize)]
struct Line {
    fault: String,
    database: String,
    measured: Measured,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Measured {
    Answer { request: String, budget_us: u64, took_us: u64, status: u16 },
    Return { returned: String, took_us: u64 },
}

/// The answers to one question.
#[derive(Debug, Default)]
struct Answers {
    budget_us: u64,
    took_us: Vec<u64>,
    statuses: BTreeSet<u16>,
}

/// What was measured during one fault on one database.
#[derive(Debug, Default)]
struct Row {
    fault: String,
    database: String,
    answers: BTreeMap<String, Answers>,
    returned: Option<(String, u64)>,
}

pub(crate) fn run(arguments: &[String]) -> Result<Outcome> {
    let profile = match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => PROFILE,
        ["--profile", profile] => profile,
        ["--table", file] => return print(file),
        _ => return Ok(Outcome::Misuse),
    };
    let scratch = Scratch::find()?;
    let postgres = Postgres::start(&scratch)?;
    // Installs the server where it is missing; the tests stop and hang servers of their own.
    drop(nats::start()?);
    let program = build(profile)?;
    let file = workspace::members()?.target_directory.join("drill.jsonl");
    match fs::remove_file(&file) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(error).with_context(|| format!("could not remove {file}"));
        }
        _ => {}
    }
    let mut cargo = workspace::cargo();
    // Each alone: what is measured is the gateway, and not what others do meanwhile.
    cargo.args(["nextest", "run", "--test-threads", "1", "--no-fail-fast", "--workspace"]);
    cargo.args(TEST_FEATURES).args(["-E", TESTS]);
    cargo.env(URL_VARIABLE, postgres.url()).env(FILE_VARIABLE, &file).env(PROGRAM_VARIABLE, program);
    scratch.serve(&mut cargo)?;
    workspace::succeed(&mut cargo)?;
    print(file.as_str())
}

/// Builds the tests, and the gateway with this profile; returns where it is.
fn build(profile: &str) -> Result<PathBuf> {
    eprintln!("building the gateway with the profile {profile} (the first time takes many minutes)");
    let mut program = workspace::cargo();
    program.args(["build", "--package", "gateway", "--bin", "gateway", "--profile", profile]);
    workspace::succeed(program.args(TEST_FEATURES))?;
    workspace::succeed(workspace::cargo().args(BUILD_TESTS))?;
    let target = workspace::members()?.target_directory.into_std_path_buf();
    Ok(target.join(workspace::profile_folder(profile)).join("gateway"))
}

/// Prints the table of what was measured, and what was over its budget.
fn print(file: &str) -> Result<Outcome> {
    let text = fs::read_to_string(file).with_context(|| format!("could not read {file}"))?;
    let rows = rows(&text)?;
    ensure!(!rows.is_empty(), "nothing was measured");
    println!("{}", table(&rows));
    let late = over_budget(&rows);
    for line in &late {
        eprintln!("over its budget: {line}");
    }
    Ok(if late.is_empty() { Outcome::Done } else { Outcome::Failed })
}

/// The rows in the order of their first measurements.
fn rows(text: &str) -> Result<Vec<Row>> {
    let mut rows: Vec<Row> = Vec::new();
    for line in text.lines() {
        let Line { fault, database, measured } =
            serde_json::from_str(line).with_context(|| line.to_owned())?;
        let at = rows.iter().position(|row| row.fault == fault && row.database == database);
        let at = at.unwrap_or_else(|| {
            rows.push(Row { fault, database, ..Row::default() });
            rows.len() - 1
        });
        let Some(row) = rows.get_mut(at) else { continue };
        match measured {
            Measured::Answer { request, budget_us, took_us, status } => {
                let answers = row.answers.entry(request).or_default();
                answers.budget_us = budget_us;
                answers.took_us.push(took_us);
                answers.statuses.insert(status);
            }
            Measured::Return { returned, took_us } => row.returned = Some((returned, took_us)),
        }
    }
    for answers in rows.iter_mut().flat_map(|row| row.answers.values_mut()) {
        answers.took_us.sort_unstable();
    }
    Ok(rows)
}

impl Answers {
    fn median(&self) -> u64 {
        self.took_us.get(self.took_us.len() / 2).copied().unwrap_or_default()
    }

    fn longest(&self) -> u64 {
        self.took_us.last().copied().unwrap_or_default()
    }

    fn cell(&self) -> String {
        let statuses: Vec<_> = self.statuses.iter().map(u16::to_string).collect();
        format!("{}: {} / {}", statuses.join(", "), time(self.median()), time(self.longest()))
    }
}

/// Markdown, as it stands in the operator's guide.
fn table(rows: &[Row]) -> String {
    let budget = |request: &&str| {
        let budget = rows.iter().find_map(|row| Some(row.answers.get(*request)?.budget_us));
        budget.map_or_else(|| (*request).to_owned(), |budget| format!("{request}, {}", time(budget)))
    };
    let heads = ["fault".to_owned(), "database".to_owned()].into_iter();
    let heads = heads.chain(QUESTIONS.iter().map(budget)).chain(["returned".to_owned()]);
    let heads: Vec<_> = heads.collect();
    let mut lines = vec![heads.clone(), vec!["---".to_owned(); heads.len()]];
    lines.extend(rows.iter().map(|row| {
        let answers =
            QUESTIONS.map(|request| row.answers.get(request).map(Answers::cell).unwrap_or_default());
        let returned = row.returned.as_ref().map(|(how, took)| format!("{how}; {}", time(*took)));
        let mut cells = vec![row.fault.clone(), row.database.clone()];
        cells.extend(answers);
        cells.push(returned.unwrap_or_default());
        cells
    }));
    let lines: Vec<_> = lines.iter().map(|cells| format!("| {} |", cells.join(" | "))).collect();
    lines.join("\n").replace("| --- |", "|---|").replace(" --- |", "---|")
}

/// What took longer than its budget.
fn over_budget(rows: &[Row]) -> Vec<String> {
    let answers =
        rows.iter().flat_map(|row| row.answers.iter().map(move |(request, answers)| (row, request, answers)));
    let late = answers.filter(|(.., answers)| answers.longest() > answers.budget_us);
    let line = |(row, request, answers): (&Row, &String, &Answers)| {
        format!("{} on {}: {request} took {}", row.fault, row.database, time(answers.longest()))
    };
    late.map(line).collect()
}

/// A time with two digits at least.
fn time(us: u64) -> String {
    match us {
        0..10_000 => format!("{}.{} ms", us / 1_000, us % 1_000 / 100),
        10_000..1_000_000 => format!("{} ms", us / 1_000),
        _ => format!("{}.{} s", us / 1_000_000, us % 1_000_000 / 100_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_measured_becomes_a_row_and_what_is_late_is_named() {
        let answer = |took_us: u64, status: u16| {
            format!(
                r#"{{"fault":"bus hung","database":"SQLite","measured":{{"request":"readyz","budget_us":2000000,"took_us":{took_us},"status":{status}}}}}"#
            )
        };
        let back =
            r#"{"fault":"bus hung","database":"SQLite","measured":{"returned":"by itself","took_us":70000}}"#;
        let text =
            [answer(1_234, 200), answer(2_100_000, 503), answer(30_000, 200), back.to_owned()].join("\n");
        let rows = rows(&text).unwrap();
        let table = table(&rows);
        assert_eq!(
            table.lines().collect::<Vec<_>>(),
            [
                "| fault | database | healthz | readyz, 2.0 s | token | metrics | read | write | returned |",
                "|---|---|---|---|---|---|---|---|---|",
                "| bus hung | SQLite |  | 200, 503: 30 ms / 2.1 s |  |  |  |  | by itself; 70 ms |",
            ]
        );
        assert_eq!(over_budget(&rows), ["bus hung on SQLite: readyz took 2.1 s"]);
    }
}
