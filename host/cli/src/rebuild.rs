//! `gateway rebuild …`.

use crate::CommandContext;
use crate::Program;
use crate::args::RebuildCommand;
use gateway_config::Config;
use gateway_events::RebuildResult;
use gateway_terminal::{Failure, Out};
use serde::Serialize;

/// What was built again.
#[derive(Serialize)]
struct RebuildReport {
    rebuilt: Vec<ReadModelView>,
}

#[derive(Serialize)]
struct ReadModelView {
    read_model: &'static str,
    documents: u64,
    events: u64,
}

impl From<&RebuildResult> for ReadModelView {
    fn from(rebuilt: &RebuildResult) -> Self {
        let RebuildResult { consumer, documents, events } = *rebuilt;
        Self { read_model: consumer, documents, events }
    }
}

/// Carries it out.
pub async fn run(
    command: RebuildCommand,
    config: &Config,
    program: &Program,
    out: Out,
) -> Result<(), Failure> {
    let RebuildCommand::ReadModels = command;
    let command = async |context: &CommandContext| context.consumers.rebuild_read_models().await;
    let rebuilt = program.run(config, command).await?;
    let report = RebuildReport { rebuilt: rebuilt.iter().map(ReadModelView::from).collect() };
    out.data(&report, || rebuilt.iter().map(sentence).collect::<Vec<_>>().join("\n"));
    Ok(())
}

fn sentence(rebuilt: &RebuildResult) -> String {
    let RebuildResult { consumer, documents, events } = rebuilt;
    format!("{consumer} was built again from {events} events of {documents} documents.")
}
