//! What HTTP costs when a document is issued: `PUT …/issuing` over keep-alive connections against the same SQL run
//! bare, on the same pool, in the same process and run. `cargo xtask bench issuing` builds and starts it.
//!
//! Client, gateway, and database share the machine: what the client costs counts against the gateway. Both ways run
//! in turns, so that other work on the machine disturbs them alike, and medians are compared.
//!
//! - `figures`: what is measured and how it is told
//! - `bare`: the statements of the operation, with arguments made beforehand
//! - `client`: an HTTP client that does nothing but send and read
//! - `login`: a client and its token
//! - `stage`: workspaces, drafts, credentials

mod bare;
mod client;
mod figures;
mod login;
mod stage;

use figures::{Sample, Way};
use gateway_storage::Engine;
use stage::{BenchError, Stage};

/// Names an empty database on the PostgreSQL server to measure on.
const POSTGRES: &str = "GATEWAY_BENCH_POSTGRES";
/// Clients at once, and how many documents they issue together in one sample.
const LOADS: [(usize, usize); 3] = [(1, 300), (8, 800), (32, 1600)];
/// Samples of each way, unless `GATEWAY_BENCH_ROUNDS` says otherwise. The first round only warms up.
const ROUNDS: usize = 7;

fn main() -> Result<(), BenchError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        println!("Issuing: {}", figures::SUBJECT);
        measure(Engine::Sqlite, None).await?;
        let server = std::env::var(POSTGRES).map_err(|_| format!("{POSTGRES} names no PostgreSQL server"))?;
        measure(Engine::Postgres, Some(&server)).await
    })
}

async fn measure(engine: Engine, server: Option<&str>) -> Result<(), BenchError> {
    let rounds = std::env::var("GATEWAY_BENCH_ROUNDS").ok().and_then(|text| text.parse().ok());
    let stage = Stage::set(server).await?;
    println!(
        "\n{engine:?}, {} rounds after one to warm up\n{}",
        rounds.unwrap_or(ROUNDS),
        figures::TABLE_HEAD
    );
    for (clients, documents) in LOADS {
        let mut samples: Vec<Sample> = Vec::new();
        for round in 0..=rounds.unwrap_or(ROUNDS) {
            for way in Way::in_turns(round) {
                let drafts = stage.drafts(documents).await?;
                let sample = stage.sample(way, clients, drafts).await?;
                if round > 0 {
                    samples.push(sample);
                }
            }
        }
        figures::report(clients, &samples);
    }
    stage.strike().await;
    Ok(())
}
