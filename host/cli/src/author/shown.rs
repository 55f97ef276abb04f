//! What `gateway plugin test` prints.

use super::suite::{Checked, Verdict};
use gateway_plugin_host::Plugin;
use serde_json::{Value, json};

/// How many differences of one case are printed.
const DIFFERENCES_SHOWN: usize = 12;

pub(super) fn json(plugin: &Plugin, checked: &[Checked]) -> Value {
    let count = |name: &str| checked.iter().filter(|checked| checked.verdict.as_str() == name).count();
    let identity = plugin.identity();
    json!({
        "plugin": {"key": identity.key, "version": identity.version, "sha256": identity.digest},
        "passed": count("passed"), "written": count("written"), "failed": count("failed"), "skipped": count("skipped"),
        "cases": checked.iter().map(case).collect::<Vec<_>>(),
    })
}

fn case(checked: &Checked) -> Value {
    let (differences, made, message) = match &checked.verdict {
        Verdict::Passed | Verdict::Written => (Vec::new(), None, None),
        Verdict::Differs(found) => {
            (found.iter().map(super::difference::Difference::to_json).collect(), None, None)
        }
        Verdict::Unexpected(made) => (Vec::new(), Some(made), None),
        Verdict::Failed(message) | Verdict::Skipped(message) => (Vec::new(), None, Some(message)),
    };
    json!({
        "name": checked.name,
        "outcome": checked.verdict.as_str(),
        "duration_us": checked.longest.as_micros(),
        "memory_bytes": checked.memory_bytes,
        "stopped_in": checked.stopped_in,
        "differences": differences,
        "made": made,
        "message": message,
    })
}

pub(super) fn text(plugin: &Plugin, checked: &[Checked]) -> String {
    let width = checked.iter().map(|checked| checked.name.chars().count()).max().unwrap_or_default();
    let mut lines: Vec<String> = checked.iter().flat_map(|checked| told(checked, width)).collect();
    let count = |name: &str| checked.iter().filter(|checked| checked.verdict.as_str() == name).count();
    let counts: Vec<String> = ["passed", "written", "failed", "skipped"]
        .iter()
        .filter(|name| **name == "passed" || count(name) > 0)
        .map(|name| format!("{} {name}", count(name)))
        .collect();
    let identity = plugin.identity();
    lines.push(format!("\n{} {}: {}", identity.key, identity.version, counts.join(", ")));
    lines.join("\n")
}

fn told(checked: &Checked, width: usize) -> Vec<String> {
    let memory = checked.memory_bytes.div_ceil(1 << 10);
    let cost = format!("{:>8.2} ms {memory:>7} KiB", checked.longest.as_secs_f64() * 1_000.0);
    let mut lines = vec![format!("{:<8}{:width$} {cost}", checked.verdict.as_str(), checked.name)];
    match &checked.verdict {
        Verdict::Passed | Verdict::Written => {}
        Verdict::Differs(found) => {
            lines.extend(
                found.iter().take(DIFFERENCES_SHOWN).map(|difference| format!("        {difference}")),
            );
            if let Some(more) = found.len().checked_sub(DIFFERENCES_SHOWN).filter(|more| *more > 0) {
                lines.push(format!("        and {more} more"));
            }
        }
        Verdict::Unexpected(made) => {
            lines.push("        nothing is expected yet; --update writes what is made:".to_owned());
            let shown = serde_json::to_string_pretty(made).unwrap_or_default();
            lines.extend(shown.lines().map(|line| format!("        {line}")));
        }
        Verdict::Failed(message) | Verdict::Skipped(message) => {
            lines.extend(message.lines().map(|line| format!("        {line}")));
        }
    }
    lines.extend(checked.stopped_in.iter().map(|function| format!("        in {function}")));
    lines
}
