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
//! - `against` (of the benchmark of tokens): samples and the table
//! - `client`, `login` (of the benchmark of issuing): an HTTP client that does nothing but send and read, and its token

#[path = "../token/against.rs"]
mod against;
mod bare;
#[path = "../issuing/client.rs"]
mod client;
#[path = "../issuing/login.rs"]
mod login;
mod stage;

use against::{head, report};
use bare::Bare;
use stage::{BenchError, Stage};
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

fn main() -> Result<(), BenchError> {
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

async fn measure(stage: &Stage, bare: &Bare) -> Result<(), BenchError> {
    let rounds = std::env::var("GATEWAY_BENCH_ROUNDS").ok().and_then(|text| text.parse().ok());
    let rounds = rounds.unwrap_or(ROUNDS);
    println!("\n{rounds} rounds after one to warm up\n{}", head("queries", "pages"));
    for clients in LOADS {
        let mut pairs = Vec::new();
        for round in 0..=rounds {
            let queries = bare.sample(stage, clients, SAMPLE).await?;
            let pages = stage.sample(clients, SAMPLE).await?;
            if round > 0 {
                pairs.push((queries, pages));
            }
        }
        report(clients, &pairs);
    }
    Ok(())
}
