//! What `gateway plugin test` prints.

use crate::difference::Difference;
use crate::suite::{CaseOutcome, CaseResult};
use gateway_domain::regime::RegimeKey;
use gateway_plugin_host::Plugin;
use serde::Serialize;
use serde_json::Value;
use std::path::PathBuf;

/// How many lines of standard error are printed: the last ones.
const STDERR_LINES_MAX: usize = 20;
/// How many differences of one case are printed.
const DIFFERENCES_MAX: usize = 12;

/// Every case of a plugin.
#[derive(Serialize)]
pub(crate) struct Report<'a> {
    plugin: PluginView<'a>,
    passed: usize,
    written: usize,
    failed: usize,
    skipped: usize,
    cases: Vec<CaseView<'a>>,
    /// Files with what goes over the wire, where somebody wants them.
    #[serde(skip_serializing_if = "Option::is_none")]
    payloads: Option<&'a [PathBuf]>,
}

/// Which plugin was tested.
#[derive(Serialize)]
struct PluginView<'a> {
    key: &'a RegimeKey,
    version: &'a str,
    sha256: &'a str,
}

/// What became of a case.
#[derive(Serialize)]
struct CaseView<'a> {
    name: &'a str,
    outcome: &'static str,
    /// The longest call, microseconds.
    duration_us: u128,
    memory_bytes: usize,
    /// Where the plugin was stopped, innermost function first.
    stopped_in: &'a [String],
    /// The end of what the plugin wrote to standard error, control characters escaped.
    stderr: Option<&'a str>,
    differences: &'a [Difference],
    /// What was made where nobody says what is expected.
    made: Option<&'a Value>,
    message: Option<&'a str>,
}

impl<'a> Report<'a> {
    pub(crate) fn new(
        plugin: &'a Plugin,
        results: &'a [CaseResult],
        payloads: Option<&'a [PathBuf]>,
    ) -> Self {
        let identity = plugin.identity();
        let (key, version, sha256) = (&identity.key, &identity.version, &identity.digest);
        Self {
            plugin: PluginView { key, version, sha256 },
            passed: count(results, "passed"),
            written: count(results, "written"),
            failed: count(results, "failed"),
            skipped: count(results, "skipped"),
            cases: results.iter().map(CaseView::from).collect(),
            payloads,
        }
    }
}

impl<'a> From<&'a CaseResult> for CaseView<'a> {
    fn from(result: &'a CaseResult) -> Self {
        let (differences, made, message): (&[Difference], _, _) = match &result.outcome {
            CaseOutcome::Passed | CaseOutcome::Written => (&[], None, None),
            CaseOutcome::Differs(found) => (found, None, None),
            CaseOutcome::Unexpected(made) => (&[], Some(made), None),
            CaseOutcome::Failed(message) | CaseOutcome::Skipped(message) => {
                (&[], None, Some(message.as_str()))
            }
        };
        Self {
            name: &result.name,
            outcome: result.outcome.as_str(),
            duration_us: result.duration_max.as_micros(),
            memory_bytes: result.memory_bytes,
            stopped_in: &result.stopped_in,
            stderr: result.stderr.as_deref(),
            differences,
            made,
            message,
        }
    }
}

/// How many cases came out so.
fn count(results: &[CaseResult], outcome: &str) -> usize {
    results.iter().filter(|result| result.outcome.as_str() == outcome).count()
}

pub(crate) fn text(plugin: &Plugin, results: &[CaseResult], payloads: Option<&[PathBuf]>) -> String {
    let width = results.iter().map(|result| result.name.chars().count()).max().unwrap_or_default();
    let mut lines: Vec<String> = results.iter().flat_map(|result| case_lines(result, width)).collect();
    let counts: Vec<String> = ["passed", "written", "failed", "skipped"]
        .iter()
        .filter(|name| **name == "passed" || count(results, name) > 0)
        .map(|name| format!("{} {name}", count(results, name)))
        .collect();
    let identity = plugin.identity();
    lines.push(format!("\n{} {}: {}", identity.key, identity.version, counts.join(", ")));
    if let Some([first, ..]) = payloads {
        let (count, folder) = (payloads.map_or(0, <[_]>::len), first.parent().unwrap_or(first));
        let what = if count == 1 { "the record of one" } else { "the records of" };
        let count = if count == 1 { String::new() } else { format!(" {count}") };
        lines.push(format!("Wrote {what}{count}, as the authority takes it, to {}", folder.display()));
    }
    lines.join("\n")
}

fn case_lines(result: &CaseResult, width: usize) -> Vec<String> {
    let memory = result.memory_bytes.div_ceil(1 << 10);
    let cost = format!("{:>8.2} ms {memory:>7} KiB", result.duration_max.as_secs_f64() * 1_000.0);
    let mut lines = vec![format!("{:<8}{:width$} {cost}", result.outcome.as_str(), result.name)];
    match &result.outcome {
        CaseOutcome::Passed | CaseOutcome::Written => {}
        CaseOutcome::Differs(found) => {
            lines
                .extend(found.iter().take(DIFFERENCES_MAX).map(|difference| format!("        {difference}")));
            if let Some(more) = found.len().checked_sub(DIFFERENCES_MAX).filter(|more| *more > 0) {
                lines.push(format!("        and {more} more"));
            }
        }
        CaseOutcome::Unexpected(made) => {
            lines.push("        nothing is expected yet; --update writes what is made:".to_owned());
            let json = format!("{made:#}");
            lines.extend(json.lines().map(|line| format!("        {line}")));
        }
        CaseOutcome::Failed(message) | CaseOutcome::Skipped(message) => {
            lines.extend(message.lines().map(|line| format!("        {line}")));
        }
    }
    lines.extend(result.stopped_in.iter().map(|function| format!("        in {function}")));
    if result.outcome.is_failure()
        && let Some(stderr) = &result.stderr
    {
        lines.push("        on standard error:".to_owned());
        let all: Vec<&str> = stderr.lines().collect();
        let last = all.iter().skip(all.len().saturating_sub(STDERR_LINES_MAX));
        lines.extend(last.map(|line| format!("        | {line}")));
    }
    lines
}
