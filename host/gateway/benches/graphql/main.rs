//! What a page of the public GraphQL API costs: `catalog { productGroups(first: 25, after: …) }` over keep-alive
//! connections against the bare keyset query of the same page, which `pgbench -M prepared` sends to the same
//! PostgreSQL. `cargo xtask bench graphql` builds and starts it.
//!
//! The query is the gateway's own statement, with the places of the same pages. Client, gateway and database share the
//! machine, and what the client costs counts against the gateway. Both run in turns, so that other work on the machine
//! disturbs them alike, and medians are compared.
//!
//! With `--peers` other servers of GraphQL do the same in the same rounds: mercurius on fastify with its JIT, and
//! PostGraphile, each in as many processes as there are cores, on the same database and for the same token.
//!
//! - `bare`: the query alone
//! - `stage`: the gateway, its product groups, its clients
//! - `pages`: pages over HTTP, and their samples
//! - `peers`, and `node` beside this benchmark: servers of others
//! - `report` beside this benchmark: the rounds, the table and the figures as JSON
//! - `client`, `login` (of the benchmark of issuing): an HTTP client that does nothing but send and read, and its token

mod bare;
#[path = "../issuing/client.rs"]
mod client;
#[path = "../issuing/login.rs"]
mod login;
#[path = "../node/mod.rs"]
mod node;
mod pages;
mod peers;
#[path = "../report/mod.rs"]
mod report;
mod stage;

use bare::Bare;
use pages::Pages;
use report::{Report, Sample, Side, Sides};
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
        measure(&stage, &bare, &server).await?;
        stage.strike().await;
        Ok(())
    })
}

/// Who is asked for pages.
enum PageSource<'a> {
    Server(&'static str, &'a Pages),
    Query(&'a Bare, &'a Stage),
}

impl Side for PageSource<'_> {
    fn name(&self) -> &str {
        match self {
            Self::Server(name, _) => name,
            Self::Query(..) => "bare query",
        }
    }

    async fn sample(&self, clients: usize) -> Result<Sample, BenchError> {
        match self {
            Self::Server(_, pages) => pages.sample(clients, SAMPLE).await,
            Self::Query(bare, stage) => Ok(Sample::of_rate(bare.sample(stage, clients, SAMPLE).await?)),
        }
    }
}

async fn measure(stage: &Stage, bare: &Bare, server: &str) -> Result<(), BenchError> {
    let peers = peers::start(stage, server).await?;
    let sides = Sides {
        gateway: PageSource::Server("gateway", stage.pages()),
        bare: PageSource::Query(bare, stage),
        peers: peers.iter().map(|peer| PageSource::Server(peer.name, &peer.pages)).collect(),
    };
    let mut report = Report::new("graphql", ROUNDS);
    report.measure("Postgres", &sides, &LOADS).await?;
    report.write()
}
