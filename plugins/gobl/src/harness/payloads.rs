//! What a plugin's authority is sent and writes back, for the authority's own validators.
//!
//! Golden cases are few and chosen; here each of them is varied as well: other lines of the same taxes, with other
//! quantities and prices, up to 25 of them. The same numbers are drawn every time, so a finding is found again.
//!
//! `GATEWAY_WIRE_PAYLOADS` names a folder: every payload is written to `<folder>/<plugin>/<name>.xml` (or `.json`), what is
//! written back to `<folder>/<plugin>-answers/<name>.<name of the answer>`. `GATEWAY_WIRE_VARIANTS` says how many variants are
//! made, else 40.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::Path;

use einvoice_plugin::harness::submission;
use einvoice_plugin::{Answer, Answers, Authority, Country, Submission};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use super::golden::{Case, Suite};

const FOLDER: &str = "GATEWAY_WIRE_PAYLOADS";
const VARIANTS: &str = "GATEWAY_WIRE_VARIANTS";
/// Behind a plugin's key, for what its authority writes back.
const ANSWERS: &str = "-answers";
/// Variants where nobody says how many.
const USUAL_VARIANTS: usize = 40;
/// How many of the variants drawn may be refused by the check, which knows limits that a draw does not: three of four.
const DRAWS_PER_VARIANT: usize = 4;
const LINES_MAX: usize = 25;

impl<C: Country + Authority> Suite<C> {
    /// What goes over the wire for every case that converts and for the variants, by name; also written where
    /// `GATEWAY_WIRE_PAYLOADS` says. Those without a payload are not in it.
    ///
    /// # Errors
    /// Names a document that the authority refuses, or says that too few variants are sound.
    pub fn payloads(&self) -> Result<BTreeMap<String, String>, String> {
        let payloads = self.exchanged(|case| self.payload(case))?;
        write(&C::describe().key, payloads.iter().map(|(name, body)| (with_ending(name, body), body)))?;
        Ok(payloads)
    }

    /// What goes over the wire for every case that converts is what `payloads` beside the cases holds, and nothing is left
    /// over there. `UPDATE_GOLDEN=1` rewrites it.
    ///
    /// # Errors
    /// Names the files that differ.
    pub fn golden_payloads(&self) -> Result<(), String> {
        let folder = self.folder().join("payloads");
        let mut made = BTreeMap::new();
        for (name, outcome) in self.outcomes()? {
            let payload = outcome.payload.ok_or_else(|| format!("nothing goes over the wire for {name}"))?;
            made.insert(with_ending(&name, &payload), payload);
        }
        let failed = |name: &str, error: std::io::Error| format!("{name}: {error}");
        if env::var_os("UPDATE_GOLDEN").is_some() {
            fs::create_dir_all(&folder).map_err(|error| failed("payloads", error))?;
            for (name, payload) in &made {
                fs::write(folder.join(name), payload).map_err(|error| failed(name, error))?;
            }
        }
        let differs = |(name, payload): &(&String, &String)| {
            fs::read_to_string(folder.join(name)).ok().as_ref() != Some(payload)
        };
        let mut wrong: Vec<_> = made.iter().filter(differs).map(|(name, _)| name.clone()).collect();
        for file in fs::read_dir(&folder).map_err(|error| failed("payloads", error))? {
            let file = file.map_err(|error| failed("payloads", error))?.file_name();
            wrong.extend(file.into_string().ok().filter(|name| !made.contains_key(name)));
        }
        if wrong.is_empty() {
            return Ok(());
        }
        Err(format!(
            "UPDATE_GOLDEN=1 rewrites these, if they are right, or they are left over: {}",
            wrong.join(", ")
        ))
    }

    /// What is made by `exchange` of every case and of as many variants of those that it makes something of, by name.
    fn exchanged<T>(
        &self,
        mut exchange: impl FnMut(&Case) -> Result<Option<T>, String>,
    ) -> Result<BTreeMap<String, T>, String> {
        let count = env::var(VARIANTS).ok().and_then(|count| count.parse().ok()).unwrap_or(USUAL_VARIANTS);
        let mut exchanges = BTreeMap::new();
        let mut converting = Vec::new();
        for case in self.cases()? {
            if let Some(made) = exchange(&case)? {
                exchanges.insert(case.name.clone(), made);
                converting.push(case);
            }
        }
        let mut runner = TestRunner::deterministic();
        let mut made = 0;
        for case in converting.iter().cycle().take(count * DRAWS_PER_VARIANT) {
            if made == count {
                break;
            }
            let variant = variant(case, made + 1, &mut runner)?;
            if let Some(exchange) = exchange(&variant)? {
                exchanges.insert(variant.name, exchange);
                made += 1;
            }
        }
        if !converting.is_empty() && made < count {
            return Err(format!("only {made} of {count} variants are sound"));
        }
        Ok(exchanges)
    }

    /// None when the document does not convert, or nothing is shown of what goes over the wire.
    fn payload(&self, case: &Case) -> Result<Option<String>, String> {
        let Ok((document, _)) = self.converted(case)? else { return Ok(None) };
        let submission = submission(&document.to_string(), &case.context.now);
        let outcome = C::submit(&submission).map_err(|faults| format!("{}: {faults:?}", case.name))?;
        if outcome.accepted {
            Ok(outcome.payload)
        } else {
            Err(format!("{}: {:?}", case.name, outcome.faults))
        }
    }
}

impl<C: Country + Authority + Answers> Suite<C> {
    /// Has the authority write back to every case that converts and to the variants, with each of these codes in turn and
    /// once in each round as it would; written where `GATEWAY_WIRE_PAYLOADS` says. Returns how many documents were written back to.
    ///
    /// # Errors
    /// Names a document that cannot be sent, or says that too few are written back to.
    pub fn written_back(&self, codes: &[&str]) -> Result<usize, String> {
        let mut answers = codes.iter().map(|code| Some(*code)).chain([None]).cycle();
        let written_back = self.exchanged(|case| self.answers(case, answers.next().flatten()))?;
        let files = written_back.iter().flat_map(|(name, answers)| {
            answers.iter().map(move |answer| (format!("{name}.{}", answer.name), &answer.body))
        });
        write(&format!("{}{ANSWERS}", C::describe().key), files)?;
        Ok(written_back.len())
    }

    /// None when the document does not convert, or nothing is written back.
    fn answers(&self, case: &Case, forced_code: Option<&str>) -> Result<Option<Vec<Answer>>, String> {
        let Ok((document, _)) = self.converted(case)? else { return Ok(None) };
        let submission = Submission {
            forced_code: forced_code.map(str::to_owned),
            ..submission(&document.to_string(), &case.context.now)
        };
        let outcome = C::submit(&submission).map_err(|faults| format!("{}: {faults:?}", case.name))?;
        Ok(Some(C::answers(&submission, &outcome)).filter(|answers| !answers.is_empty()))
    }
}

/// The case with other lines.
fn variant(case: &Case, number: usize, runner: &mut TestRunner) -> Result<Case, String> {
    let mut document = case.document.clone();
    let models = document.get("lines").and_then(Value::as_array).cloned().unwrap_or_default();
    let line = (any::<prop::sample::Index>(), quantity(), price()).prop_map(move |(at, quantity, price)| {
        let mut line = models.get(at.index(models.len().max(1))).cloned().unwrap_or_default();
        put(&mut line, "quantity", json!(quantity));
        put(&mut line, "unit_price", json!(price));
        line
    });
    let drawn = (prop::collection::vec(line, 1..=LINES_MAX), any::<bool>());
    let (lines, prices_include_tax) = drawn.new_tree(runner).map_err(|why| why.to_string())?.current();
    put(&mut document, "lines", json!(lines));
    put(&mut document, "prices_include_tax", json!(prices_include_tax));
    let name = format!("{}-{number}", case.name);
    Ok(Case { name, document, context: case.context.clone() })
}

fn put(object: &mut Value, member: &str, value: Value) {
    if let Some(members) = object.as_object_mut() {
        members.insert(member.to_owned(), value);
    }
}

/// Nights, pieces, hours.
fn quantity() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => (1_u32..=20).prop_map(|pieces| pieces.to_string()),
        1 => (21_u32..=700).prop_map(|pieces| pieces.to_string()),
        1 => (1_u32..=4_000).prop_map(|quarters| format!("{}.{:02}", quarters / 4, quarters % 4 * 25)),
    ]
}

/// Up to a thousand of the currency, in its smallest unit, sometimes with four decimals.
fn price() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => (1_u32..100_000).prop_map(|cents| format!("{}.{:02}", cents / 100, cents % 100)),
        1 => (1_u32..1_000_000).prop_map(|parts| format!("{}.{:04}", parts / 10_000, parts % 10_000)),
    ]
}

fn with_ending(name: &str, payload: &str) -> String {
    let ending = if payload.starts_with('<') { "xml" } else { "json" };
    format!("{name}.{ending}")
}

/// Writes files into a folder of this name where the environment says where.
fn write<'a>(name: &str, files: impl Iterator<Item = (String, &'a String)>) -> Result<(), String> {
    let Some(folder) = env::var_os(FOLDER).map(|folder| Path::new(&folder).join(name)) else { return Ok(()) };
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    for (file, body) in files {
        fs::write(folder.join(&file), body).map_err(|error| format!("{file}: {error}"))?;
    }
    Ok(())
}
