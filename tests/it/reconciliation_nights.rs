//! What begins by itself every night: one reconciliation of each workspace that sends something to a provider.

use gateway_tests::{MovableClock, Options, ScriptedProvider, World, on_both, until};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::Value;
use std::collections::BTreeMap;

/// The clock goes on from there, and never back.
#[expect(clippy::disallowed_methods, reason = "the program that is tested has the system's clock")]
fn tomorrow() -> Date {
    Timestamp::now().to_zoned(TimeZone::UTC).date().tomorrow().unwrap()
}

fn instant(day: Date, hour: i8, minute: i8) -> Timestamp {
    day.at(hour, minute, 0, 0).to_zoned(TimeZone::UTC).unwrap().timestamp()
}

/// How often the gateway has looked whether the time of a nightly run has come.
async fn looks(world: &World) -> u64 {
    let metrics = world.gateway.internal().get("/metrics").await.text;
    let rows = metrics.lines().filter(|line| {
        line.starts_with("job_run_duration_seconds_count{")
            && line.contains("kind=\"reconciliation_nightly\"")
    });
    rows.map(|row| row.rsplit(' ').next().unwrap().parse::<u64>().unwrap()).sum()
}

/// Moves the clock, and waits until the gateway has looked at it.
async fn look_at(world: &mut World, clock: &MovableClock, now: Timestamp) {
    let before = looks(world).await;
    clock.set(now);
    world.sign_in().await;
    let world = &*world;
    until("the gateway looks whether it is time", || async { (looks(world).await > before).then_some(()) })
        .await;
}

async fn runs(world: &World) -> Vec<Value> {
    let list = world.api.get("/admin/reconciliations").await.expect(200);
    list["reconciliations"].as_array().unwrap().clone()
}

/// How many runs each workspace had, all of which began by themselves and have ended.
async fn ended_runs(world: &World, count: usize) -> BTreeMap<i64, usize> {
    let runs = until(&format!("{count} runs have ended"), || async {
        let runs = runs(world).await;
        let ended = runs.iter().filter(|run| run["state"] == "ended").count();
        (ended >= count).then_some(runs)
    })
    .await;
    let mut of_workspaces = BTreeMap::new();
    for run in &runs {
        assert!(run["requested_by"] == "gateway" && run["state"] == "ended", "{run}");
        *of_workspaces.entry(run["workspace_id"].as_i64().unwrap()).or_default() += 1;
    }
    of_workspaces
}

#[tokio::test]
async fn every_workspace_is_looked_at_once_a_night_by_itself() {
    on_both(|engine| async move {
        let (provider, clock, day) = (ScriptedProvider::start().await, MovableClock::start(), tomorrow());
        clock.set(instant(day, 2, 50));
        let options = clock
            .of(Options::provider(&provider.url()))
            .variable("GATEWAY_RECONCILIATION__NIGHTLY_AT", "03:30")
            .variable("GATEWAY_RECONCILIATION__REQUESTS_PER_MIN", "60000");
        let mut world = World::with(engine, options).await;
        let other = world.another_workspace(&["--tax-id", "A58818501"]).await;
        world.configure(other, &[]).await;
        // It sends nothing to a provider, so there is nothing to compare.
        world.another_workspace(&["--tax-id", "B12345674"]).await;
        let each = |count: usize| BTreeMap::from([(world.workspace, count), (other, count)]);
        let (once, twice) = (each(1), each(2));

        look_at(&mut world, &clock, instant(day, 3, 25)).await;
        assert_eq!(runs(&world).await, Vec::<Value>::new(), "it is not time yet");
        look_at(&mut world, &clock, instant(day, 3, 31)).await;
        assert_eq!(ended_runs(&world, 2).await, once);
        // A night that nobody was there for would still begin now.
        look_at(&mut world, &clock, instant(day, 4, 5)).await;
        assert_eq!(ended_runs(&world, 2).await, once, "one a night");

        let next = day.tomorrow().unwrap();
        look_at(&mut world, &clock, instant(next, 3, 31)).await;
        assert_eq!(ended_runs(&world, 4).await, twice);
        look_at(&mut world, &clock, instant(next, 4, 5)).await;
        assert_eq!(ended_runs(&world, 4).await, twice, "one a night");
    })
    .await;
}
