//! What an invoice costs from the command to the verdict: issue commands over HTTP, the built-in sandbox in the same process, until
//! every document is issued. `cargo xtask bench flow` builds and starts it.
//!
//! Client, gateway, sandbox and database share the machine. Statements and transactions are those that the gateway counts itself
//! (`/metrics`), without the sandbox's; they do not depend on the machine.
//!
//! - `stage`: a gateway with workspaces that send, drafts, and one run
//! - `client`, `login` (of the benchmark of issuing): an HTTP client that does nothing but send and read, and its token

#[path = "../issuing/client.rs"]
mod client;
#[path = "../issuing/login.rs"]
mod login;
mod stage;

use gateway::InProcess;
use gateway_storage::Engine;
use stage::{BenchError, Run, Stage};
use std::process::ExitCode;
use std::time::Duration;

/// Names an empty database on the PostgreSQL server to measure on.
const POSTGRES: &str = "GATEWAY_BENCH_POSTGRES";
/// Lines of a document, and how many documents are issued in one run, unless `GATEWAY_BENCH_DOCUMENTS` says how many at most.
const LOADS: [(usize, usize); 2] = [(3, 1_000), (200, 200)];
/// Runs of each, unless `GATEWAY_BENCH_ROUNDS` says otherwise. The first one only warms up.
const ROUNDS: usize = 5;
const TABLE_HEAD: &str = "lines  documents/s (quartiles)    command p50  p99 (ms)  reads  statements  transactions a document   RSS (MiB)";

fn main() -> ExitCode {
    InProcess::compile_as_child().unwrap_or_else(|| match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    })
}

fn run() -> Result<(), BenchError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        println!(
            "Flow: issue command over HTTP until issued, with the built-in sandbox; {} clients.",
            stage::CLIENTS
        );
        measure(Engine::Sqlite, None).await?;
        let server = std::env::var(POSTGRES).map_err(|_| format!("{POSTGRES} names no PostgreSQL server"))?;
        measure(Engine::Postgres, Some(&server)).await
    })
}

async fn measure(engine: Engine, server: Option<&str>) -> Result<(), BenchError> {
    let number = |name: &str, otherwise: usize| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
    };
    let (rounds, most) =
        (number("GATEWAY_BENCH_ROUNDS", ROUNDS), number("GATEWAY_BENCH_DOCUMENTS", usize::MAX));
    let stage = Stage::set(server).await?;
    println!("\n{engine:?}, {rounds} rounds after one to warm up\n{TABLE_HEAD}");
    for (lines, documents) in LOADS {
        let mut runs = Vec::new();
        for round in 0..=rounds {
            let drafts = stage.drafts(documents.min(most), lines).await?;
            let run = stage.run(drafts).await?;
            if round > 0 {
                runs.push(run);
            }
        }
        report(lines, &runs);
    }
    stage.strike().await;
    Ok(())
}

fn report(lines: usize, runs: &[Run]) {
    let mut rates: Vec<f64> = runs.iter().map(Run::a_second).collect();
    rates.sort_by(f64::total_cmp);
    let quartile =
        |part: usize| rates.get(rates.len().saturating_sub(1) * part / 4).copied().unwrap_or_default();
    let mut commands: Vec<Duration> = runs.iter().flat_map(|run| run.commands.iter().copied()).collect();
    commands.sort_unstable();
    let command = |percent: usize| {
        let place = commands.len().saturating_sub(1) * percent / 100;
        commands.get(place).map_or(0.0, |took| took.as_secs_f64() * 1_000.0)
    };
    let mean_of = |of: fn(&Run) -> f64| {
        let count = u32::try_from(runs.len().max(1)).map_or(f64::NAN, f64::from);
        runs.iter().map(of).sum::<f64>() / count
    };
    println!(
        "{lines:>5}  {:>7.0} ({:.0}–{:.0})  {:>16.1}  {:>7.1}  {:>7.1}  {:>10.1}  {:>12.1}  {:>24}",
        quartile(2),
        quartile(1),
        quartile(3),
        command(50),
        command(99),
        mean_of(|run| run.counted.reads / run.documents),
        mean_of(|run| (run.counted.reads + run.counted.statements) / run.documents),
        mean_of(|run| run.counted.commits / run.documents),
        runs.last().map_or(0, |run| run.rss_mib),
    );
}
