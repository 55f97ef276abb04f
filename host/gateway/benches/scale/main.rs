//! Whether anything gets slower when there are more documents: lists, filters, counts, reports, metrics, pages of the console, issuing
//! and the whole flow, with a thousand, a hundred thousand and a million documents, on both databases. `cargo xtask bench scale` builds
//! and starts it.
//!
//! Each request is sent over one connection, one after the other, after one that warms up. A figure is the median; a ratio is
//! that to the figure with the fewest documents.
//!
//! - `rows`: copies of what is stored about a document
//! - `stage`: the gateway, the documents that are copied, and who asks
//! - `session` (of the benchmark of pages): a session of the console
//! - `client`, `login` (of the benchmark of issuing): an HTTP client that does nothing but send and read, and its token

#[path = "../issuing/client.rs"]
mod client;
#[path = "../issuing/login.rs"]
mod login;
mod rows;
#[path = "../pages/session.rs"]
mod session;
mod stage;

use gateway::InProcess;
use stage::{BenchError, Stage, TimedRequest};
use std::process::ExitCode;
use std::time::Duration;

/// Names an empty database on the PostgreSQL server to measure on.
const POSTGRES: &str = "GATEWAY_BENCH_POSTGRES";
/// How many documents there are, unless `GATEWAY_BENCH_DOCUMENTS` says how many there are at most.
const DOCUMENTS: [usize; 3] = [1_000, 100_000, 1_000_000];
/// Requests of each kind, unless `GATEWAY_BENCH_ROUNDS` says otherwise.
const ROUNDS: usize = 20;
/// How much longer anything may take than with the fewest documents, before the table marks it.
const RATIO_MAX: f64 = 1.2;

fn number(name: &str, otherwise: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

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
        let server = std::env::var(POSTGRES).map_err(|_| format!("{POSTGRES} names no PostgreSQL server"))?;
        for (database, server) in [("SQLite", None), ("PostgreSQL", Some(server.as_str()))] {
            measure(database, server).await?;
        }
        Ok(())
    })
}

async fn measure(database: &str, server: Option<&str>) -> Result<(), BenchError> {
    let most = number("GATEWAY_BENCH_DOCUMENTS", usize::MAX);
    let rounds = number("GATEWAY_BENCH_ROUNDS", ROUNDS).max(1);
    let mut sizes = DOCUMENTS.map(|documents| documents.min(most)).to_vec();
    sizes.dedup();
    let mut stage = Stage::set(server).await?;
    let mut table: Vec<(String, Vec<Duration>)> = Vec::new();
    for documents in &sizes {
        stage.fill(*documents).await?;
        for (row, (name, took)) in figures(&stage, rounds).await?.into_iter().enumerate() {
            match table.get_mut(row) {
                Some((_, all)) => all.push(took),
                None => table.push((name, vec![took])),
            }
        }
    }
    stage.strike().await;
    print!("\n{database:<64}");
    for documents in &sizes {
        print!(" {documents:>16}");
    }
    println!("   milliseconds (ratio), {rounds} requests of each");
    for (name, took) in &table {
        println!("{name:<64}{}", row(took));
    }
    Ok(())
}

async fn figures(stage: &Stage, rounds: usize) -> Result<Vec<(String, Duration)>, BenchError> {
    let mut figures = Vec::new();
    for request in requests(stage) {
        figures.push((request.name.clone(), stage.measure(&request, rounds).await?));
    }
    figures.push(("PUT …/issuing".to_owned(), stage.measure_issuing(rounds).await?));
    figures.push(("command issue, until issued".to_owned(), stage.measure_flow(rounds).await?));
    Ok(figures)
}

/// A line of the table: each time, and what it is of the first.
fn row(took: &[Duration]) -> String {
    let first = took.first().copied().unwrap_or_default().as_secs_f64();
    let cell = |(place, took): (usize, &Duration)| {
        let (milliseconds, ratio) = (took.as_secs_f64() * 1_000.0, took.as_secs_f64() / first);
        match place {
            0 => format!(" {milliseconds:>16.2}"),
            _ => format!(" {milliseconds:>8.2} ({ratio:>4.1}){}", if ratio > RATIO_MAX { "!" } else { " " }),
        }
    };
    took.iter().enumerate().map(cell).collect()
}

/// What is asked for.
fn requests(stage: &Stage) -> Vec<TimedRequest> {
    let (id, number) = (stage.middle(), stage.middle_number());
    let workspace = stage.workspace();
    let mut all: Vec<TimedRequest> = [
        "/invoicing/rpc/documents",
        "/invoicing/rpc/documents?sort=-created",
        "/invoicing/rpc/documents?status=issued",
        "/invoicing/rpc/documents?status=draft",
        "/invoicing/rpc/documents?status=rejected&sort=-created",
        "/invoicing/rpc/documents?document_type=invoice",
        "/invoicing/rpc/documents?recipient=jane",
        "/invoicing/rpc/documents?recipient=rare",
        "/invoicing/rpc/documents?gross_from=100&gross_to=101",
        "/invoicing/rpc/events?limit=100",
        "/admin/submissions",
        "/admin/submissions?alerted=true",
        "/metrics",
        "/console",
        "/console/invoices",
        "/console/invoices?status=rejected",
        "/console/invoices?q=jane",
        "/console/rejected",
        "/console/jobs",
        "/console/health",
        "/console/audit",
    ]
    .map(TimedRequest::get)
    .into();
    for (name, path) in [
        ("document", format!("/invoicing/rpc/documents/{id}")),
        ("finance's document", format!("/finance/rpc/documents/{id}")),
        ("finance's events of a document", format!("/finance/rpc/documents/{id}/events")),
        ("submission of a document", format!("/finance/rpc/documents/{id}/submission")),
        ("documents of a workspace", format!("/invoicing/rpc/documents?workspace_id={workspace}")),
        ("issued of a workspace", format!("/invoicing/rpc/documents?workspace_id={workspace}&status=issued")),
        (
            "events behind the middle",
            format!("/invoicing/rpc/events?limit=100&after={}", stage.middle_event()),
        ),
        ("console: search by number", format!("/console/invoices?q={number}")),
        ("console: document", format!("/console/invoices/{id}")),
        ("report by month", format!("/invoicing/rpc/reports/totals?workspace_id={workspace}&group=month")),
        ("report by status", format!("/invoicing/rpc/reports/totals?workspace_id={workspace}&group=status")),
        ("report by rate", format!("/invoicing/rpc/reports/totals?workspace_id={workspace}&group=rate")),
        ("console: report", format!("/console/reports?workspace_id={workspace}&group=month")),
    ] {
        all.push(TimedRequest::get(path).named(name));
    }
    for (name, query) in [
        (
            "GraphQL documents",
            "{ invoicing { documents(first: 25) { nodes { id displayInvoiceNumber status } } } }",
        ),
        (
            "GraphQL documents, newest",
            "{ invoicing { documents(first: 25, sort: NEWEST_FIRST) { nodes { id displayInvoiceNumber status } } } }",
        ),
        ("GraphQL count of documents", "{ invoicing { documents(first: 1) { totalCount nodes { id } } } }"),
    ] {
        all.push(TimedRequest::graphql(name, query));
    }
    all
}
