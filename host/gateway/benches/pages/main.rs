//! How long pages of the console, lists and reports take with many documents, on both databases. `cargo xtask bench pages` builds and
//! starts it.
//!
//! Documents are of one workspace, half of two years, with recipients of a thousand names. Each address is asked for over one
//! connection, one time after the other, after a request that warms up. Client, gateway and database share the machine.
//!
//! - `stage`: the gateway, its documents and who asks
//! - `client` (of the benchmark of issuing): an HTTP client that does nothing but send and read

#[path = "../issuing/client.rs"]
mod client;
mod stage;

use stage::{BenchError, Stage};
use std::time::Duration;

/// Names an empty database on the PostgreSQL server to measure on.
const POSTGRES: &str = "GATEWAY_BENCH_POSTGRES";
/// Documents, unless `GATEWAY_BENCH_DOCUMENTS` says otherwise.
const DOCUMENTS: usize = 100_000;
/// Requests of each address, unless `GATEWAY_BENCH_ROUNDS` says otherwise.
const ROUNDS: usize = 20;
/// Every page within this time.
const TARGET: Duration = Duration::from_millis(200);

const ADDRESSES: [&str; 16] = [
    "/console",
    "/console?range=30d",
    "/console/invoices",
    "/console/invoices?status=issued&sort=created",
    "/console/invoices?q=guest0777",
    "/console/invoices?q=F-2026-050000",
    "/console/invoices?issued_from=2026-03-01&issued_to=2026-03-31",
    "/console/invoices?gross_from=100&gross_to=101",
    "/console/rejected",
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

fn main() -> Result<(), BenchError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let server = std::env::var(POSTGRES).map_err(|_| format!("{POSTGRES} names no PostgreSQL server"))?;
        let documents = number("GATEWAY_BENCH_DOCUMENTS", DOCUMENTS);
        let rounds = number("GATEWAY_BENCH_ROUNDS", ROUNDS).max(1);
        println!("Pages with {documents} documents, {rounds} requests of each; milliseconds; the aim is {} at most", TARGET.as_millis());
        for (database, server) in [("SQLite", None), ("PostgreSQL", Some(server.as_str()))] {
            let stage = Stage::set(server, documents).await?;
            println!("\n{database:<64}   median     p95");
            for address in ADDRESSES {
                let (median, p95) = stage.measure(address, rounds).await?;
                let late = if p95 > TARGET { "  over" } else { "" };
                println!("{address:<64} {:>8.1} {:>7.1}{late}", milliseconds(median), milliseconds(p95));
            }
            stage.strike().await;
        }
        Ok(())
    })
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}
