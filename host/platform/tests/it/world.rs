//! The platform's data with a clock that stands still.

use crate::regime::StrictRegime;
use gateway_access::LegacyUses;
use gateway_access::secrets::Keyring;
use gateway_domain::access::{Acting, Actor, Workspaces};
use gateway_domain::ids::WorkspaceId;
use gateway_domain::ports::Clock;
use gateway_events::Events;
use gateway_platform::import::{Imported, Progress};
use gateway_platform::{Platform, sample};
use gateway_storage::testing::{self, RandomIds, TestClock, TestDb, samples};
use jiff::{SignedDuration, Timestamp};
use std::fmt::Display;
use std::str::FromStr;
use std::sync::Arc;

/// The platform's data in a database of its own, with one workspace, and somebody who sees it.
pub(crate) struct World {
    pub(crate) db: TestDb,
    pub(crate) platform: Platform,
    pub(crate) events: Events,
    pub(crate) legacy_uses: LegacyUses,
    pub(crate) workspace: WorkspaceId,
    pub(crate) acting: Acting,
    clock: Arc<TestClock>,
}

impl World {
    async fn on(db: TestDb) -> Self {
        let clock = Arc::new(TestClock::at(samples::at(3600)));
        let events = Events::new(db.db().clone(), clock.clone(), Arc::new(RandomIds));
        samples::stored_workspace(db.db(), 1).await;
        let ids = Arc::new(RandomIds);
        let workspaces = gateway_workspaces::Workspaces::new(gateway_workspaces::Parts {
            db: db.db().clone(),
            clock: clock.clone(),
            ids: ids.clone(),
            keyring: Arc::new(Keyring::ephemeral().unwrap()),
            regimes: Arc::new(StrictRegime),
            sandbox: false,
        });
        Self {
            platform: Platform::new(db.db().clone(), clock.clone(), ids, events.clone(), workspaces),
            legacy_uses: LegacyUses::new(db.db().clone(), clock.clone()),
            workspace: WorkspaceId(1),
            acting: seeing(&[1]),
            db,
            events,
            clock,
        }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(crate) fn pass(&self, seconds: i64) {
        self.clock.advance(SignedDuration::from_secs(seconds));
    }

    /// Everything that happened is in the feed.
    pub(crate) async fn relayed(&self) {
        while self.events.relay().await.unwrap() > 0 {}
    }
}

/// The same test on both databases.
pub(crate) async fn here() -> Vec<World> {
    let mut worlds = Vec::new();
    for db in testing::both().await {
        worlds.push(World::on(db).await);
    }
    worlds
}

/// Imports lines; says what became of them and what was told of those that were passed over or odd.
pub(crate) async fn import(world: &World, lines: &[impl Display]) -> (Imported, Vec<String>) {
    let text: String = lines.iter().fold(String::new(), |text, line| format!("{text}{line}\n"));
    let mut refused = Vec::new();
    let operator = Actor::operator();
    let imported = world.platform.importer.import(&operator, text.as_bytes(), |progress| match progress {
        Progress::Refused { line, message } => refused.push(format!("{line}: {message}")),
        Progress::Remarked { line, message } => refused.push(format!("{line} stored: {message}")),
        Progress::Done { .. } => {}
    });
    (imported.await.unwrap(), refused)
}

/// Worlds with the sample data, on both databases.
pub(crate) async fn sampled() -> Vec<World> {
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
pub(crate) fn seeing(workspaces: &[i64]) -> Acting {
    let workspaces = Workspaces::Only(workspaces.iter().copied().map(WorkspaceId).collect());
    Acting { workspaces, actor: Actor("jane".to_owned()), request: None }
}

/// A thing of the sample data: its kind's number and its own.
pub(crate) fn id<I: FromStr<Err: std::fmt::Debug>>(kind: u8, index: u64) -> I {
    format!("{kind:08x}-0000-7000-8000-{index:012x}").parse().unwrap()
}
