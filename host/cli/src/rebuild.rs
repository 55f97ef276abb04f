//! `gateway rebuild …`.

use crate::args::RebuildCommand;
use crate::config::Config;
use crate::{Failure, Out, Program};
use gateway_events::Rebuilt;
use serde::Serialize;

/// What was built again.
#[derive(Serialize)]
struct RebuiltList {
    rebuilt: Vec<RebuiltView>,
}

#[derive(Serialize)]
struct RebuiltView {
    read_model: &'static str,
    documents: u64,
    events: u64,
}

impl From<&Rebuilt> for RebuiltView {
    fn from(rebuilt: &Rebuilt) -> Self {
        let Rebuilt { consumer, documents, events } = *rebuilt;
        Self { read_model: consumer, documents, events }
    }
}

/// Carries it out.
pub async fn run(
    command: RebuildCommand,
    config: &Config,
    program: Program,
    out: Out,
) -> Result<(), Failure> {
    let context = program.open(config).await?;
    let done = match command {
        RebuildCommand::ReadModels => context.consumers.rebuild_read_models().await,
    };
    context.close().await;
    let rebuilt = done?;
    let shown = RebuiltList { rebuilt: rebuilt.iter().map(RebuiltView::from).collect() };
    out.data(&shown, || rebuilt.iter().map(sentence).collect::<Vec<_>>().join("\n"));
    Ok(())
}

fn sentence(rebuilt: &Rebuilt) -> String {
    let Rebuilt { consumer, documents, events } = rebuilt;
    format!("{consumer} was built again from {events} events of {documents} documents.")
}
