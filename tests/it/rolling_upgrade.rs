//! The release before and this one side by side: replicas are replaced one by one, and a step back loses nothing.

use gateway_tests::{Engine, Gateway, Options, World};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Names the binary of the release before; `cargo xtask test --suites "rolling upgrade"` builds it.
const PREVIOUS_BINARY: &str = "GATEWAY_PREVIOUS_BINARY";

/// None where nobody built it.
fn before() -> Option<Options> {
    let Some(binary) = std::env::var_os(PREVIOUS_BINARY) else {
        eprintln!("did not run: {PREVIOUS_BINARY} does not name the binary of the release before");
        return None;
    };
    Some(Options { binary: Some(PathBuf::from(binary)), ..Options::sandbox() })
}

/// Issues one invoice through the gateway that the world speaks with now; its number is one that nobody had.
async fn issue(world: &World, numbers: &mut BTreeSet<String>) -> String {
    let uuid = world.issue(&world.document()).await;
    let issued = world.until(&uuid, "issued").await;
    let number = issued["display_invoice_number"].as_str().unwrap().to_owned();
    assert!(numbers.insert(number), "{numbers:?} {issued}");
    uuid
}

/// No number is missing.
fn assert_gapless(numbers: &BTreeSet<String>) {
    let positions: BTreeSet<usize> =
        numbers.iter().map(|number| number.rsplit('-').next().unwrap().parse().unwrap()).collect();
    assert_eq!(positions, (1..=numbers.len()).collect(), "{numbers:?}");
}

/// The world speaks with this gateway from now on.
async fn turn_to(world: &mut World, gateway: &mut Gateway) {
    std::mem::swap(&mut world.gateway, gateway);
    world.sign_in().await;
}

async fn replica_findings(gateway: &Gateway) -> Vec<String> {
    let found = gateway.cli(&["doctor", "--json"]).await;
    let found: Value = serde_json::from_str(&found.stdout).unwrap();
    let findings = found.as_array().unwrap().iter();
    findings
        .filter(|finding| finding["check"] == "replicas")
        .map(|finding| finding["message"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn replicas_of_two_releases_serve_one_database_side_by_side() {
    let Some(old) = before() else { return };
    let mut world = World::with(Engine::Postgres, old).await;
    let mut numbers = BTreeSet::new();
    issue(&world, &mut numbers).await;
    // On their way, and nobody waits for them: whichever release takes the job goes on with it.
    let mut underway = Vec::new();
    for _ in 0..3 {
        underway.push(world.issue(&world.document().named("SANDBOX-SLOW-1")).await);
    }

    let mut other = world.gateway.replica();
    other.reconfigure(Options { binary: None, ..other.options().clone() });
    other.serve().await;
    assert_eq!(replica_findings(&other).await.len(), 2, "{}", other.log());
    for _ in 0..4 {
        issue(&world, &mut numbers).await;
        turn_to(&mut world, &mut other).await;
    }
    for uuid in underway {
        let issued = world.until(&uuid, "issued").await;
        numbers.insert(issued["display_invoice_number"].as_str().unwrap().to_owned());
    }
    // It ends with the last one's answer in hand, and the new release alone goes on.
    assert!(world.gateway.options().binary.is_some(), "the world speaks with the release before");
    let last = world.issue(&world.document()).await;
    assert!(world.gateway.stop().await.is_some_and(|status| status.success()));
    turn_to(&mut world, &mut other).await;
    let issued = world.until(&last, "issued").await;
    numbers.insert(issued["display_invoice_number"].as_str().unwrap().to_owned());
    issue(&world, &mut numbers).await;

    // A step back: what the new release wrote is read, and gone on with.
    assert!(other.try_serve().await, "{}", other.log());
    turn_to(&mut world, &mut other).await;
    let read = world.read(&last).await;
    assert_eq!(read["status"], "issued");
    issue(&world, &mut numbers).await;
    assert_gapless(&numbers);
}

#[tokio::test]
async fn one_process_is_upgraded_and_stepped_back_on_its_file() {
    let Some(old) = before() else { return };
    let mut world = World::with(Engine::Sqlite, old.clone()).await;
    let mut numbers = BTreeSet::new();
    for options in [Options { binary: None, ..old.clone() }, old] {
        issue(&world, &mut numbers).await;
        let underway = world.issue(&world.document().named("SANDBOX-SLOW-1")).await;
        assert!(world.gateway.stop().await.is_some_and(|status| status.success()));
        world.gateway.reconfigure(options);
        world.gateway.serve().await;
        world.sign_in().await;
        let issued = world.until(&underway, "issued").await;
        numbers.insert(issued["display_invoice_number"].as_str().unwrap().to_owned());
    }
    issue(&world, &mut numbers).await;
    assert_gapless(&numbers);
}
