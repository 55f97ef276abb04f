//! `gateway retention …`.

use crate::args::RetentionCommand;
use crate::{CommandContext, Program};
use gateway_config::Config;
use gateway_retention::{KindReport, RetentionReport, RetentionSettings};
use gateway_terminal::{Failure, Out};

/// Carries it out.
pub async fn run(
    command: RetentionCommand,
    config: &Config,
    program: &Program,
    out: Out,
) -> Result<(), Failure> {
    let RetentionCommand::Run { dry_run } = command;
    let retention = &config.retention;
    let settings = RetentionSettings { policy: retention.policy(), archive: retention.archive_dir.clone() };
    let command = async |context: &CommandContext| {
        if dry_run {
            context.retention.preview(&settings).await
        } else {
            context.retention.run(&settings, &context.operator).await
        }
    };
    let report = program.run(config, command).await?;
    out.data(&report, || sentences(&report));
    Ok(())
}

fn sentences(report: &RetentionReport) -> String {
    let kinds = report.kinds.iter().flat_map(|kind| {
        let files = kind.files.iter().map(|file| format!("  {}", file.display()));
        std::iter::once(sentence(report.dry_run, kind)).chain(files)
    });
    kinds.collect::<Vec<_>>().join("\n")
}

fn sentence(dry_run: bool, report: &KindReport) -> String {
    let KindReport { kind, before, entries, files, waits_for_archive } = report;
    let deed = match (waits_for_archive, dry_run, files.is_empty()) {
        (true, ..) => "Old enough, but they stay until retention.archive_dir says where to move them",
        (false, true, _) => "Old enough, and still there",
        (false, false, true) => "Deleted",
        (false, false, false) => "Moved to files",
    };
    format!("{deed}: {kind} from before {before}: {entries}.")
}
