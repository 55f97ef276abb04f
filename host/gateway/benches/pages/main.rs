//! How long pages of the console, lists and reports take with many documents, on both databases. `cargo xtask bench pages` builds and
//! starts it.
//!
//! Documents are of one workspace, half of two years, with recipients of a thousand names. Each address is asked for over one
//! connection, one time after the other, after a request that warms up. Client, gateway and database share the machine.
//!
//! With `--plans` the plans of the slowest statements of each database are printed too, and with `--check` it fails when a
//! page takes longer than its aim.
//!
//! - `plans`: the statements that pages send, and how the database reads them
//! - `session`: a session of the console
//! - `stage`: the gateway, its documents and who asks
//! - `client`, `login` (of the benchmark of issuing): an HTTP client that does nothing but send and read, and its token

#[path = "../issuing/client.rs"]
mod client;
#[path = "../issuing/login.rs"]
mod login;
mod plans;
mod session;
mod stage;

use plans::StatementLog;
use stage::{BenchError, Stage};
use std::process::ExitCode;
use std::time::Duration;

/// Names an empty database on the PostgreSQL server to measure on.
const POSTGRES: &str = "GATEWAY_BENCH_POSTGRES";
/// Documents, unless `GATEWAY_BENCH_DOCUMENTS` says otherwise.
const DOCUMENTS: usize = 100_000;
/// Requests of each address, unless `GATEWAY_BENCH_ROUNDS` says otherwise.
const ROUNDS: usize = 20;
/// Every page within this time.
const TARGET: Duration = Duration::from_millis(200);
/// Statements of each database whose plans are printed.
const PLANS: usize = 5;

const ADDRESSES: [&str; 19] = [
    "/console",
    "/console?range=30d",
    "/console/invoices",
    "/console/invoices?status=issued&sort=created",
    "/console/invoices?q=guest0777",
    "/console/invoices?q=F-2026-050000",
    "/console/invoices?q=F-2026-0500",
    "/console/invoices?q=F-2026-",
    "/console/invoices?issued_from=2026-03-01&issued_to=2026-03-31",
    "/console/invoices?gross_from=100&gross_to=101",
    "/console/rejected",
    "/console/reports?workspace_id=1&group=rate",
    "/console/jobs",
    "/console/health",
    "/invoicing/rpc/documents?sort=-created",
    "/invoicing/rpc/documents?recipient=guest0777",
    "/invoicing/rpc/reports/totals?workspace_id=1&group=month",
    "/invoicing/rpc/reports/totals?workspace_id=1&group=status",
    "/invoicing/rpc/reports/totals?workspace_id=1&group=rate",
];

fn number(name: &str, otherwise: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

fn main() -> Result<ExitCode, BenchError> {
    let has = |name: &str| std::env::args().any(|argument| argument == name);
    let (prints_plans, checks) = (has("--plans"), has("--check"));
    // Before a gateway starts, which would log otherwise.
    let statements = if prints_plans { Some(StatementLog::start()?) } else { None };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let over = runtime.block_on(measure_all(statements.as_ref()))?;
    if checks && over > 0 {
        eprintln!("{over} pages take longer than their aim of {} ms", TARGET.as_millis());
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// Measures every page on both databases and prints what it finds; how many pages are over their aim.
async fn measure_all(statements: Option<&StatementLog>) -> Result<usize, BenchError> {
    let server = std::env::var(POSTGRES).map_err(|_| format!("{POSTGRES} names no PostgreSQL server"))?;
    let documents = number("GATEWAY_BENCH_DOCUMENTS", DOCUMENTS);
    let rounds = number("GATEWAY_BENCH_ROUNDS", ROUNDS).max(1);
    println!(
        "Pages with {documents} documents, {rounds} requests of each; milliseconds; the aim is {} at most",
        TARGET.as_millis()
    );
    let mut over = 0;
    for (database, server) in [("SQLite", None), ("PostgreSQL", Some(server.as_str()))] {
        let stage = Stage::set(server, documents).await?;
        println!("\n{database:<64}   median     p95");
        for address in ADDRESSES {
            let (median, p95) = stage.measure(address, rounds).await?;
            let late = if p95 > TARGET { "  over" } else { "" };
            over += usize::from(p95 > TARGET);
            println!("{address:<64} {:>8.1} {:>7.1}{late}", milliseconds(median), milliseconds(p95));
        }
        if let Some(statements) = statements {
            print_plans(&stage, statements).await?;
        }
        stage.strike().await;
    }
    Ok(over)
}

/// Asks for every page once more, and prints the plans of the slowest statements.
async fn print_plans(stage: &Stage, statements: &StatementLog) -> Result<(), BenchError> {
    statements.record(true);
    for address in ADDRESSES {
        stage.measure(address, 1).await?;
    }
    statements.record(false);
    for (statement, elapsed) in statements.take_slowest(PLANS) {
        println!("\n{:.1} ms: {statement}", milliseconds(elapsed));
        match plans::plan(stage.db(), &statement).await {
            Ok(lines) => {
                for line in lines {
                    println!("    {line}");
                }
            }
            Err(error) => println!("    no plan: {error}"),
        }
    }
    Ok(())
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}
