//! `gateway rebuild …`.

use super::args::RebuildCommand;
use super::{Failure, Out};
use crate::config::Config;
use crate::wiring;
use gateway_events::Rebuilt;
use serde_json::{Value, json};

pub(super) async fn run(command: RebuildCommand, config: &Config, out: Out) -> Result<(), Failure> {
    let station = wiring::open(config).await?;
    let done = match command {
        RebuildCommand::ReadModels => station.services.consumers.rebuild_read_models().await,
    };
    station.close().await;
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
