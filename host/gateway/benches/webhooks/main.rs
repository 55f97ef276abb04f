//! How soon webhooks arrive when some endpoints are dead: changes of one workspace with a hundred endpoints, ten of which
//! take connections and never answer. `cargo xtask bench webhooks` builds and starts it.
//!
//! Receivers, gateway and database share the machine, and what the receivers cost counts against the gateway. The
//! schedule is the usual one, so whoever does not answer costs 15 seconds at a time.
//!
//! - `receivers`: endpoints that answer at once, and endpoints that never do
//! - `stage`: the gateway, its workspace, its endpoints, and the changes

mod receivers;
mod stage;

use receivers::Receivers;
use stage::{BenchError, Stage};

/// Names an empty database on the PostgreSQL server to measure on.
const POSTGRES: &str = "GATEWAY_BENCH_POSTGRES";
/// Endpoints of the workspace.
const ENDPOINTS: usize = 100;
/// Those that never answer.
const HANGING_ENDPOINTS: usize = 10;
/// Changes; every endpoint is told each.
const CHANGES: usize = 100;

fn main() -> Result<(), BenchError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let deliveries = ENDPOINTS * CHANGES;
        println!("{deliveries} deliveries of {CHANGES} changes to {ENDPOINTS} endpoints, {HANGING_ENDPOINTS} of them dead (they hang).");
        println!("Receivers, gateway and database share the machine.");
        measure("SQLite", None).await?;
        let server = std::env::var(POSTGRES).map_err(|_| format!("{POSTGRES} names no PostgreSQL server"))?;
        measure("PostgreSQL", Some(&server)).await
    })
}

async fn measure(engine: &str, server: Option<&str>) -> Result<(), BenchError> {
    let receivers = Receivers::start(ENDPOINTS - HANGING_ENDPOINTS, CHANGES).await?;
    let stage = Stage::set(server, &receivers, HANGING_ENDPOINTS).await?;
    let changed = stage.change(CHANGES).await?;
    let arrived = receivers.all_arrived().await?;
    let (first, last) =
        (arrived.first.duration_since(changed.began), arrived.last.duration_since(changed.began));
    let healthy = (ENDPOINTS - HANGING_ENDPOINTS) * CHANGES;
    let rate = f64::from(u32::try_from(healthy)?) / last.as_secs_f64();
    println!("\n{engine}: the changes were committed after {:.2} s", changed.took.as_secs_f64());
    println!("  the first delivery arrived after {:.2} s", first.as_secs_f64());
    println!(
        "  the healthy endpoints had all {healthy} of theirs after {:.2} s: {rate:.0} a second",
        last.as_secs_f64()
    );
    println!("  twice: {}; requests to dead endpoints meanwhile: {}", arrived.twice, arrived.to_dead);
    stage.strike().await;
    Ok(())
}
