//! `chaos --runs N --database sqlite|postgres [--seed S] [--replicas K] [--clients C] [--seconds T]`, started by
//! `cargo xtask chaos`.

use gateway_tests::Engine;
use gateway_tests::chaos::{self, Plan};
use std::process::ExitCode;
use std::time::{Duration, Instant};

struct Request {
    runs: u64,
    plan: Plan,
}

fn parse(words: &[String]) -> Option<Request> {
    // Another one every time, and printed.
    let seed = u64::from(std::process::id());
    let plan =
        Plan { engine: Engine::Sqlite, seed, replicas: 3, clients: 6, length: Duration::from_secs(20) };
    let mut request = Request { runs: 1, plan };
    for pair in words.chunks(2) {
        let [name, value] = pair else { return None };
        match name.as_str() {
            "--runs" => request.runs = value.parse().ok()?,
            "--database" => {
                request.plan.engine = match value.as_str() {
                    "sqlite" => Engine::Sqlite,
                    "postgres" => Engine::Postgres,
                    _ => return None,
                };
            }
            "--seed" => request.plan.seed = value.parse().ok()?,
            "--replicas" => request.plan.replicas = value.parse().ok()?,
            "--clients" => request.plan.clients = value.parse().ok()?,
            "--seconds" => request.plan.length = Duration::from_secs(value.parse().ok()?),
            _ => return None,
        }
    }
    Some(request)
}

#[tokio::main]
async fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some(Request { runs, plan }) = parse(&words) else {
        eprintln!(
            "usage: chaos [--runs N] [--database sqlite|postgres] [--seed S] [--replicas K] [--clients C] [--seconds T]"
        );
        return ExitCode::from(2);
    };
    let began = Instant::now();
    let (mut bad, mut documents, mut kills, mut faults) = (Vec::new(), 0, 0, 0);
    for run in 0..runs {
        let plan = Plan { seed: plan.seed.wrapping_add(run), ..plan };
        let report = chaos::run(plan).await;
        println!("{}", report.text());
        documents += report.documents();
        kills += report.kills();
        faults += report.faults();
        if !report.violations.is_empty() {
            bad.push(plan.seed);
        }
    }
    let seconds = began.elapsed().as_secs();
    println!(
        "{runs} runs in {seconds} s: {documents} documents, {kills} kills, {faults} faults; bad seeds: {bad:?}"
    );
    if bad.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
