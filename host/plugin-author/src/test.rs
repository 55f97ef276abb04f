//! `gateway plugin test`: golden cases through the component.

use crate::folder::Folder;
use crate::report;
use crate::suite::TestRunner;
use gateway_terminal::{Failure, Out};
use std::path::Path;

/// Converts the golden cases of the component in `file` and prints how each came out. `cases` is a folder with `cases/` and
/// `expected/`, by default `golden` beside the component; with `update`, what is made becomes what is expected.
///
/// # Errors
/// A case failed, or component and cases cannot be read.
pub async fn run(file: &Path, cases: Option<&Path>, update: bool, out: Out) -> Result<(), Failure> {
    let folder = Folder::find(file, cases)?;
    let runner = TestRunner::open(file).await?;
    let results = runner.check(&folder, update).await?;
    out.data(&report::Report::new(runner.plugin(), &results), || report::text(runner.plugin(), &results));
    let failed = results.iter().filter(|result| result.outcome.is_failure()).count();
    match failed {
        0 => Ok(()),
        1 => Err(Failure::refused("one case failed: mend the plugin, or write what is made with --update")),
        _ => Err(Failure::refused(format!(
            "{failed} cases failed: mend the plugin, or write what is made with --update"
        ))),
    }
}
