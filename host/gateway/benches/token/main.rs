//! What a token costs: `POST /v1/oauth2/token` over keep-alive connections against bare ES256 signatures of the same
//! kind on one core, in the same process and run. `cargo xtask bench token` builds and starts it.
//!
//! A token is the HMAC of a secret and one signature, and from time to time two reads of the database, where its client was not
//! asked for a moment; client, gateway and database share the machine, and what the client costs counts against the gateway. Both run
//! in turns, so that other work on the machine disturbs them alike, and medians are compared.
//!
//! - `stage`: the gateway, its client, and the samples
//! - `against`: samples and the table
//! - `client` (of the benchmark of issuing): an HTTP client that does nothing but send and read

mod against;
#[path = "../issuing/client.rs"]
mod client;
mod stage;

use against::{head, report};
use gateway_storage::Engine;
use stage::{BenchError, Signer, Stage};
use std::time::Duration;

/// Names an empty database on the PostgreSQL server to measure on.
const POSTGRES: &str = "GATEWAY_BENCH_POSTGRES";
/// Clients at once.
const LOADS: [usize; 3] = [1, 8, 32];
/// How long each sample takes.
const SAMPLE: Duration = Duration::from_secs(1);
/// Samples of each, unless `GATEWAY_BENCH_ROUNDS` says otherwise. The first round only warms up.
const ROUNDS: usize = 7;

fn main() -> Result<(), BenchError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        println!("Tokens over HTTP against bare ES256 signatures on one core, in turns.");
        println!("Client, gateway and database share the machine.");
        measure(Engine::Sqlite, None).await?;
        let server = std::env::var(POSTGRES).map_err(|_| format!("{POSTGRES} names no PostgreSQL server"))?;
        measure(Engine::Postgres, Some(&server)).await
    })
}

async fn measure(engine: Engine, server: Option<&str>) -> Result<(), BenchError> {
    let rounds = std::env::var("GATEWAY_BENCH_ROUNDS").ok().and_then(|text| text.parse().ok());
    let rounds = rounds.unwrap_or(ROUNDS);
    let (stage, signer) = (Stage::set(server).await?, Signer::new()?);
    println!("\n{engine:?}, {rounds} rounds after one to warm up\n{}", head("signatures", "tokens"));
    for clients in LOADS {
        let mut pairs = Vec::new();
        for round in 0..=rounds {
            let signatures = signer.sample(SAMPLE)?;
            let tokens = stage.sample(clients, SAMPLE).await?;
            if round > 0 {
                pairs.push((signatures, tokens));
            }
        }
        report(clients, &pairs);
    }
    stage.strike().await;
    Ok(())
}
