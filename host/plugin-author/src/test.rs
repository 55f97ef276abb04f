//! `gateway plugin test`: golden cases through the component.

use crate::folder::Folder;
use crate::suite::TestRunner;
use crate::{payloads, report};
use gateway_terminal::{Failure, Out};
use std::path::Path;

/// Converts the golden cases of the component in `file` and prints how each came out. `cases` is a folder with `cases/` and
/// `expected/`, by default `golden` beside the component; with `update`, what is made becomes what is expected. With `target`,
/// what goes over the wire for each case and for each sample that the plugin brings along is written there; then there may be
/// no cases.
///
/// # Errors
/// A case failed, component and cases cannot be read, or nothing goes over the wire.
pub async fn run(
    file: &Path,
    cases: Option<&Path>,
    update: bool,
    target: Option<&Path>,
    out: Out,
) -> Result<(), Failure> {
    let folder = match Folder::find(file, cases) {
        Err(_) if cases.is_none() && target.is_some() => None,
        found => Some(found?),
    };
    let runner = TestRunner::open(file).await?;
    let results = match &folder {
        Some(folder) => runner.check(folder, update).await?,
        None => Vec::new(),
    };
    let payloads = match target {
        Some(target) => Some(payloads::write(&runner, folder.as_ref(), target).await?),
        None => None,
    };
    let payloads = payloads.as_deref();
    out.data(&report::Report::new(runner.plugin(), &results, payloads), || {
        report::text(runner.plugin(), &results, payloads)
    });
    let failed = results.iter().filter(|result| result.outcome.is_failure()).count();
    match failed {
        0 => Ok(()),
        1 => Err(Failure::refused("one case failed: mend the plugin, or write what is made with --update")),
        _ => Err(Failure::refused(format!(
            "{failed} cases failed: mend the plugin, or write what is made with --update"
        ))),
    }
}
