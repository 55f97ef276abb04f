//! The platform's data: imported, shown, changed.

mod bookings;
mod catalog;
mod changes;
mod import;
mod pricing;
mod rest;
mod verification;

use crate::world::{World, here};
use gateway_domain::access::{Acting, Actor, Workspaces};
use gateway_domain::ids::WorkspaceId;
use gateway_platform::import::{Imported, Progress};
use gateway_platform::sample;
use std::fmt::Display;
use std::str::FromStr;

/// Imports lines; says what became of them and what was told of those that were passed over or odd.
pub(crate) async fn import(world: &World, lines: &[impl Display]) -> (Imported, Vec<String>) {
    let text: String = lines.iter().fold(String::new(), |text, line| format!("{text}{line}\n"));
    let mut refused = Vec::new();
    let operator = Actor::operator();
    let imported = world.gateway.platform().import(&operator, text.as_bytes(), |progress| match progress {
        Progress::Refused { line, message } => refused.push(format!("{line}: {message}")),
        Progress::Remarked { line, message } => refused.push(format!("{line} stored: {message}")),
        Progress::Done { .. } => {}
    });
    (imported.await.unwrap(), refused)
}

/// Worlds with the sample data, on both databases.
async fn sampled() -> Vec<World> {
    let worlds = here().await;
    for world in &worlds {
        let lines = sample::few_lines().collect::<Result<Vec<String>, _>>().unwrap();
        let (imported, _) = import(world, &lines).await;
        // Workspace 1 is there already, and of another taxpayer: that is told.
        assert_eq!((imported.refused(), imported.remarked), (0, 1));
    }
    worlds
}

/// Somebody who sees these workspaces.
fn seeing(workspaces: &[i64]) -> Acting {
    let workspaces = Workspaces::Only(workspaces.iter().copied().map(WorkspaceId).collect());
    Acting { workspaces, actor: Actor("jane".to_owned()), request: None }
}

/// A thing of the sample data: its kind's number and its own.
fn id<I: FromStr<Err: std::fmt::Debug>>(kind: u8, index: u64) -> I {
    format!("{kind:08x}-0000-7000-8000-{index:012x}").parse().unwrap()
}
