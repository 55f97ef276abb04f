//! What a page of the public GraphQL API costs: `catalog { productGroups(first: 25, after: …) }` over keep-alive
//! connections against the bare keyset query of the same page, which `pgbench -M prepared` sends to the same
//! PostgreSQL. `cargo xtask bench graphql` builds and starts it.
//!
//! The query is the gateway's own statement, with the places of the same pages. Client, gateway and database share the
//! machine, and what the client costs counts against the gateway. Both run in turns, so that other work on the machine
//! disturbs them alike, and medians are compared.
//!
//! - `bare`: the query alone
//! - `stage`: the gateway, its product groups, its clients, and their samples
//! - `client` (of the benchmark of issuing): an HTTP client that does nothing but send and read

mod bare;
#[path = "../issuing/client.rs"]
mod client;
mod stage;

use bare::Bare;
use stage::{Failed, Sample, Stage};
use std::time::Duration;

/// Names an empty database on the PostgreSQL server to measure on.
const POSTGRES: &str = "GATEWAY_BENCH_POSTGRES";
/// Names `pgbench` of the same server; without it the query goes over the gateway's own pool.
const PGBENCH: &str = "GATEWAY_BENCH_PGBENCH";
/// Clients at once.
const LOADS: [usize; 3] = [1, 8, 32];
/// How long each sample takes; `pgbench` counts in seconds.
const SAMPLE: Duration = Duration::from_secs(2);
/// Samples of each, unless `GATEWAY_BENCH_ROUNDS` says otherwise. The first round only warms up.
const ROUNDS: usize = 5;
const HEAD: &str = "clients   queries/s   pages/s   pages to queries   p50   p99 (ms)";

fn main() -> Result<(), Failed> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let server = std::env::var(POSTGRES).map_err(|_| format!("{POSTGRES} names no PostgreSQL server"))?;
        let stage = Stage::set(&server).await?;
        let bare = Bare::set(&stage, &server, std::env::var_os(PGBENCH))?;
        println!("Pages of {} of {} product groups over GraphQL", stage::PAGE, stage::GROUPS);
        println!("against the bare keyset query of the same pages, {bare}, in turns.");
        println!("Client, gateway and database share the machine.");
        measure(&stage, &bare).await?;
        stage.strike().await;
        Ok(())
    })
}

async fn measure(stage: &Stage, bare: &Bare) -> Result<(), Failed> {
    let rounds = std::env::var("GATEWAY_BENCH_ROUNDS").ok().and_then(|text| text.parse().ok());
    let rounds = rounds.unwrap_or(ROUNDS);
    println!("\n{rounds} rounds after one to warm up\n{HEAD}");
    for clients in LOADS {
        let mut pairs = Vec::new();
        for round in 0..=rounds {
            let queries = bare.sample(stage, clients, SAMPLE).await?;
            let pages = stage.sample(clients, SAMPLE).await?;
            if round > 0 {
                pairs.push((queries, pages));
            }
        }
        tell(clients, &pairs);
    }
    Ok(())
}

/// Prints one row of the table.
fn tell(clients: usize, pairs: &[(f64, Sample)]) {
    let queries = median(pairs.iter().map(|(rate, _)| *rate).collect());
    let pages = median(pairs.iter().map(|(_, sample)| sample.a_second()).collect());
    let ratio = median(pairs.iter().map(|(rate, sample)| sample.a_second() / rate).collect());
    let mut latencies: Vec<_> =
        pairs.iter().flat_map(|(_, sample)| sample.latencies.iter().copied()).collect();
    latencies.sort_unstable();
    let at = |percent: usize| {
        let place = (latencies.len() * percent / 100).min(latencies.len().saturating_sub(1));
        latencies.get(place).map_or(0.0, |latency| latency.as_secs_f64() * 1000.0)
    };
    println!(
        "{clients:>7} {queries:>11.0} {pages:>9.0} {:>16.1} % {:>5.2} {:>5.2}",
        100.0 * ratio,
        at(50),
        at(99)
    );
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
