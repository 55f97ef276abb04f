//! What a token costs: `POST /v1/oauth2/token` over keep-alive connections against bare ES256 signatures of the same
//! kind on one core, in the same process and run. `cargo xtask bench token` builds and starts it.
//!
//! A token is the HMAC of a secret and one signature, and from time to time two reads of the database, where its client was not
//! asked for a moment; client, gateway and database share the machine, and what the client costs counts against the gateway. Both run
//! in turns, so that other work on the machine disturbs them alike, and medians are compared.
//!
//! With `--peers` oidc-provider issues the same kind of token in the same rounds, in as many processes as there are cores,
//! with everything in memory.
//!
//! - `stage`: the gateway and its client, and bare signatures
//! - `server`: tokens over HTTP, and their samples
//! - `peers`, and `node` beside this benchmark: servers of others
//! - `report` beside this benchmark: the rounds, the table and the figures as JSON
//! - `client` (of the benchmark of issuing): an HTTP client that does nothing but send and read

#[path = "../issuing/client.rs"]
mod client;
#[path = "../node/mod.rs"]
mod node;
mod peers;
#[path = "../report/mod.rs"]
mod report;
mod server;
mod stage;

use gateway_storage::Engine;
use peers::Peer;
use report::{Report, Sample, Side, Sides};
use server::TokenServer;
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
        let mut report = Report::new("token", ROUNDS);
        let peers = peers::start().await?;
        measure(Engine::Sqlite, None, &peers, &mut report).await?;
        let server = std::env::var(POSTGRES).map_err(|_| format!("{POSTGRES} names no PostgreSQL server"))?;
        measure(Engine::Postgres, Some(&server), &peers, &mut report).await?;
        report.write()
    })
}

/// What makes tokens, or signs.
enum TokenSource<'a> {
    Server(&'static str, &'a TokenServer),
    Signer(&'a Signer),
}

impl Side for TokenSource<'_> {
    fn name(&self) -> &str {
        match self {
            Self::Server(name, _) => name,
            Self::Signer(_) => "bare signature",
        }
    }

    async fn sample(&self, clients: usize) -> Result<Sample, BenchError> {
        match self {
            Self::Server(_, server) => server.sample(clients, SAMPLE).await,
            Self::Signer(signer) => Ok(Sample::of_rate(signer.sample(SAMPLE)?)),
        }
    }
}

async fn measure(
    engine: Engine,
    server: Option<&str>,
    peers: &[Peer],
    report: &mut Report,
) -> Result<(), BenchError> {
    let (stage, signer) = (Stage::set(server).await?, Signer::new()?);
    let sides = Sides {
        gateway: TokenSource::Server("gateway", stage.server()),
        bare: TokenSource::Signer(&signer),
        peers: peers.iter().map(|peer| TokenSource::Server(peer.name, &peer.server)).collect(),
    };
    report.measure(&format!("{engine:?}"), &sides, &LOADS).await?;
    stage.strike().await;
    Ok(())
}
