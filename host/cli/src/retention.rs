//! `gateway retention …`.

use crate::args::RetentionCommand;
use crate::{CommandContext, Program};
use gateway_access::{RetentionReport, RetentionSettings};
use gateway_config::Config;
use gateway_domain_events::RetentionDays;
use gateway_terminal::{Failure, Out};

/// Carries it out.
pub async fn run(
    command: RetentionCommand,
    config: &Config,
    program: &Program,
    out: Out,
) -> Result<(), Failure> {
    let RetentionCommand::Run { dry_run } = command;
    let settings = RetentionSettings {
        audit: RetentionDays(config.retention.audit_days),
        archive: config.retention.archive_dir.clone(),
    };
    let command = async |context: &CommandContext| {
        if dry_run {
            context.retention.preview(&settings).await
        } else {
            context.retention.run(&settings, &context.operator).await
        }
    };
    let report = program.run(config, command).await?;
    out.data(&report, || sentence(&report));
    Ok(())
}

fn sentence(report: &RetentionReport) -> String {
    let RetentionReport { dry_run, audit_before, audit, files } = report;
    let deed = match (dry_run, files.is_empty()) {
        (true, _) => "Old enough, and still there",
        (false, true) => "Deleted",
        (false, false) => "Moved to files",
    };
    let head = format!("{deed}: audit entries from before {audit_before}: {audit}.");
    let files = files.iter().map(|file| file.display().to_string());
    std::iter::once(head).chain(files).collect::<Vec<_>>().join("\n")
}
