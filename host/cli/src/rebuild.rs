//! `gateway rebuild …`.

use crate::args::RebuildCommand;
use crate::config::Config;
use crate::{Failure, Out, Program};
use gateway_events::Rebuilt;
use serde_json::{Value, json};

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
    out.data(&json!({"rebuilt": rebuilt.iter().map(shown).collect::<Vec<_>>()}), || {
        rebuilt.iter().map(sentence).collect::<Vec<_>>().join("\n")
    });
    Ok(())
}

fn shown(rebuilt: &Rebuilt) -> Value {
    let Rebuilt { consumer, documents, events } = rebuilt;
    json!({"read_model": consumer, "documents": documents, "events": events})
}

fn sentence(rebuilt: &Rebuilt) -> String {
    let Rebuilt { consumer, documents, events } = rebuilt;
    format!("{consumer} was built again from {events} events of {documents} documents.")
}
