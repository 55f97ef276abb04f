//! What a gateway takes when nothing happens: processor time and memory at rest, while invoices are issued, after that, while they are
//! reconciled with the provider, and after many activations of plugins. `cargo xtask bench rest` builds and starts it.
//!
//! Invoices go the whole way, from the command to the verdict of the built-in sandbox, which lives in the same process. Memory
//! is the resident set of the process.

use futures::StreamExt as _;
use gateway_bench::{Failed, Usage, lines, peak_while, usage};
use gateway_tests::{Engine, Gateway, Options, World, another_hostile_component, hostile_component};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Invoices to issue, unless `GATEWAY_BENCH_LINES` says otherwise.
const INVOICES: usize = 10_000;
/// Commands on their way at once.
const AT_ONCE: usize = 8;
/// How long a gateway is left alone before it is measured, and how long it is measured then.
const SETTLED_AFTER: Duration = Duration::from_secs(5);
const MEASURED_FOR: Duration = Duration::from_secs(20);
/// For each invoice, how often a plugin is put into force: 1,000 for as many invoices as usual.
const INVOICES_AN_ACTIVATION: usize = 10;
/// As many requests to the provider as the stand-in answers; usual is one every half second.
const REQUESTS_PER_MIN: &str = "60000";
/// How long a thousand invoices may take.
const PART_MAX: Duration = Duration::from_mins(10);
/// How often it is looked whether a run, or a part of the invoices, has ended.
const LOOK: Duration = Duration::from_millis(200);

fn main() -> Result<(), Failed> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        println!("             of a core   memory (MiB)");
        for engine in [Engine::Sqlite, Engine::Postgres] {
            measure(engine, lines(INVOICES)).await?;
        }
        Ok(())
    })
}

async fn measure(engine: Engine, invoices: usize) -> Result<(), Failed> {
    println!("{engine:?}");
    let options = Options::sandbox()
        .variable("GATEWAY_LIMITS__REQUESTS_PER_S", "0")
        .variable("GATEWAY_RECONCILIATION__REQUESTS_PER_MIN", REQUESTS_PER_MIN);
    let mut world = World::with(engine, options).await;
    at_rest(&world, "at rest").await?;
    let before = usage(world.gateway.process_id())?;
    let began = Instant::now();
    issue(&mut world, invoices).await?;
    let (took, after) = (began.elapsed(), usage(world.gateway.process_id())?);
    print_row(&format!("{invoices} invoices"), before, after, took, after.peak_mib);
    at_rest(&world, "at rest after them").await?;
    reconcile(&mut world).await?;
    let versions = plugins(&world.gateway).await?;
    let activations = invoices / INVOICES_AN_ACTIVATION;
    activate(&world, &versions, activations).await?;
    at_rest(&world, &format!("after {activations} activations of plugins")).await
}

/// Prints what a gateway takes that was left alone for a moment.
async fn at_rest(world: &World, what: &str) -> Result<(), Failed> {
    tokio::time::sleep(SETTLED_AFTER).await;
    let before = usage(world.gateway.process_id())?;
    let began = Instant::now();
    tokio::time::sleep(MEASURED_FOR).await;
    let after = usage(world.gateway.process_id())?;
    print_row(what, before, after, began.elapsed(), after.rss_mib);
    Ok(())
}

fn print_row(what: &str, before: Usage, after: Usage, took: Duration, mib: u64) {
    let share = after.cpu.saturating_sub(before.cpu).as_secs_f64() / took.as_secs_f64();
    println!("  {:>17.2} % {mib:>14}   {what}", share * 100.0);
}

/// Issues invoices, a part at a time, until each has its verdict.
async fn issue(world: &mut World, invoices: usize) -> Result<(), Failed> {
    // A token lives for an hour, and a slow machine may need longer than that for all of them.
    let mut left = invoices;
    while left > 0 {
        let (part, began) = (left.min(1_000), Instant::now());
        world.sign_in().await;
        let document = world.document();
        let (of_world, document) = (&*world, &document);
        let issued = futures::stream::iter(0..part)
            .map(|_| async move {
                of_world.issue(document).await;
            })
            .buffer_unordered(AT_ONCE);
        issued.collect::<()>().await;
        loop {
            let page = of_world.api.get("/invoicing/rpc/documents?status=issuing&first=1").await.expect(200);
            let nodes = page.get("nodes").and_then(Value::as_array).ok_or("the list has no nodes")?;
            if nodes.is_empty() {
                break;
            }
            if began.elapsed() > PART_MAX {
                return Err(format!("some of {part} invoices are not issued after {PART_MAX:?}").into());
            }
            tokio::time::sleep(LOOK).await;
        }
        left -= part;
    }
    Ok(())
}

/// Compares every invoice with the provider's entry.
async fn reconcile(world: &mut World) -> Result<(), Failed> {
    world.sign_in().await;
    let process = world.gateway.process_id();
    let (before, began) = (usage(process)?, Instant::now());
    let of_world = &*world;
    let (run, peak) = peak_while(process, async move {
        let body = json!({"workspace_id": of_world.workspace});
        let requested = of_world.api.post("/admin/reconciliations", &body).await.expect(202);
        let path = format!("/admin/reconciliations/{}", member(&requested, "id"));
        loop {
            let report = of_world.api.get(&path).await.expect(200);
            let run = report.get("reconciliation").cloned().unwrap_or_default();
            if ["ended", "failed"].contains(&member(&run, "state").as_str()) {
                return run;
            }
            tokio::time::sleep(LOOK).await;
        }
    })
    .await;
    let (took, after) = (began.elapsed(), usage(process)?);
    let what = format!(
        "reconciliation: {} in {:.1} s by {} requests, {}",
        member(&run, "state"),
        took.as_secs_f64(),
        member(&run, "requests"),
        member(&run, "counts")
    );
    print_row(&what, before, after, took, peak);
    Ok(())
}

/// A member as it is printed: a text without its quotes, anything else as JSON.
fn member(value: &Value, name: &str) -> String {
    match value.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    }
}

/// Installs two versions of a plugin that nobody uses, and gives their names.
async fn plugins(gateway: &Gateway) -> Result<Vec<String>, Failed> {
    let mut names = Vec::new();
    for (place, component) in [hostile_component(), another_hostile_component()].iter().enumerate() {
        let file = gateway.folder().join(format!("{place}.wasm"));
        std::fs::write(&file, component)?;
        let file = file.to_str().ok_or("the folder has no name in UTF-8")?;
        let description = gateway.cli(&["plugin", "inspect", file, "--json"]).await.json();
        let text = |member: &str| description.get(member).and_then(Value::as_str).unwrap_or_default();
        names.push(format!("{}@{}", text("key"), text("version")));
        gateway.cli(&["plugin", "install", file]).await.succeeded();
    }
    Ok(names)
}

/// Puts the versions into force, in turns.
async fn activate(world: &World, versions: &[String], times: usize) -> Result<(), Failed> {
    for version in versions.iter().cycle().take(times) {
        let activated = world.api.post(&format!("/admin/plugins/{version}/activate"), &json!({})).await;
        if activated.status != 200 {
            return Err(format!("{version} was not activated: {activated:?}").into());
        }
    }
    Ok(())
}
