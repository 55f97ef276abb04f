//! The alert rules, read and tried by Prometheus itself.

use std::fs;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use super::serving::folder;
use super::{Environment, SuiteOutcome};
use crate::package::{self, Package};
use crate::workspace;

const PROMTOOL: Package = Package {
    title: "promtool",
    names: ["prometheus", "golang-github-prometheus", "prometheus", "prometheus"],
    by_hand: "install Prometheus by hand, which brings `promtool`",
};

/// A condition that is never true.
const NEVER: &str = "expr: \"vector(0) == 1\"";

/// Every rule is understood, fires on what it is about, and not on a gateway that is well; and a rule that fires no more is
/// found out.
pub(super) fn rules(_: &Environment) -> Result<SuiteOutcome> {
    if !package::in_path("promtool") {
        package::install(&PROMTOOL)?;
    }
    let folder = folder("prometheus")?;
    let (rules, tests) = (folder.join("alerts.yml"), folder.join("alerts_test.yml"));
    let text = read("host/gateway/ops/alerts.yml")?;
    fs::write(&tests, read("tests/clients/prometheus/alerts_test.yml")?)
        .context("could not write the tests")?;
    fs::write(&rules, &text).context("could not write the rules")?;
    let promtool = |arguments: [&str; 2]| {
        let mut promtool = Command::new("promtool");
        promtool.current_dir(&folder).args(arguments);
        promtool
    };
    workspace::succeed(promtool(["check", "rules"]).arg(&rules))?;
    workspace::succeed(promtool(["test", "rules"]).arg(&tests))?;

    let first = text.lines().find(|line| line.contains("expr: ")).context("there is no rule")?;
    fs::write(&rules, text.replacen(first.trim(), NEVER, 1)).context("could not write the rules")?;
    let broken = promtool(["test", "rules"]).arg(&tests).output().context("could not run promtool")?;
    ensure!(!broken.status.success(), "a rule that never fires went unnoticed");
    Ok(SuiteOutcome::Checked)
}

fn read(file: &str) -> Result<String> {
    fs::read_to_string(workspace::root().join(file)).with_context(|| format!("could not read {file}"))
}
