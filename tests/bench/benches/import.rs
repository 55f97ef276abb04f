//! How fast platform data come in: `gateway import` of a file of units, against `COPY` of the same rows into a table with the same
//! columns, indexes and constraints. `cargo xtask bench import` builds and starts it.
//!
//! The import checks each line, looks up what it refers to and what is stored, and writes an event for each unit. SQLite has no
//! `COPY`, so there is no ratio. Both sides run in turns on rows that are not there before, each with the start of its program, and
//! medians of the ratios of neighbours are printed.

use gateway_bench::{Failed, lines, peak_while, psql, quartiles_text, rounds};
use gateway_tests::{Engine, Gateway, Options};
use serde_json::json;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Instant;

/// Lines of one run, unless `GATEWAY_BENCH_LINES` says otherwise.
const LINES: usize = 100_000;
const ROUNDS: usize = 3;
const WORKSPACE: i64 = 1;
const BUILDING: &str = "00000000-0000-7000-8000-0000000000b1";
const UNIT_TYPE: &str = "00000000-0000-7000-8000-0000000000c1";
const COLUMNS: &str =
    "id, workspace_id, unit_type_id, code, status, number_of_bedrooms, features, created_at, updated_at";

/// What both sides did in one round, a second.
struct Run {
    lines: f64,
    /// Where there is a `COPY`.
    rows: Option<f64>,
    peak_mib: u64,
}

fn main() -> Result<(), Failed> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let (lines, rounds) = (lines(LINES), rounds(ROUNDS));
        println!("Import of {lines} units a run, {rounds} rounds after one to warm up");
        println!("             lines/s (quartiles)            COPY rows/s      lines to rows  peak (MiB)");
        for engine in [Engine::Sqlite, Engine::Postgres] {
            measure(engine, lines, rounds).await?;
        }
        Ok(())
    })
}

async fn measure(engine: Engine, lines: usize, rounds: usize) -> Result<(), Failed> {
    let gateway = Gateway::prepared(engine, Options::default()).await;
    let workspace = json!({"kind": "workspace", "id": WORKSPACE, "name": "Casa", "country": "ES"});
    let building = json!({"kind": "building", "id": BUILDING, "workspace_id": WORKSPACE, "name": "Mayor 3"});
    let unit_type = json!({"kind": "unit_type", "id": UNIT_TYPE, "workspace_id": WORKSPACE,
        "building_id": BUILDING, "code": "STU"});
    let first = format!("{workspace}\n{building}\n{unit_type}\n");
    gateway.cli_with(&["import", "-"], &[], &first).await.succeeded();
    if engine == Engine::Postgres {
        // With the foreign keys, which LIKE leaves out.
        psql(
            &gateway.database_url(),
            &[
                "CREATE TABLE unit_of_bench (LIKE unit INCLUDING ALL)",
                "ALTER TABLE unit_of_bench ADD FOREIGN KEY (workspace_id) REFERENCES workspace (id)",
                "ALTER TABLE unit_of_bench ADD FOREIGN KEY (unit_type_id) REFERENCES unit_type (id)",
            ],
        )?;
    }
    let mut runs = Vec::new();
    for round in 0..=rounds {
        let run = run(&gateway, round, lines).await?;
        if round > 0 {
            runs.push(run);
        }
    }
    let of =
        |value: fn(&Run) -> Option<f64>, decimals| quartiles_text(runs.iter().filter_map(value), decimals);
    println!(
        "{:<10} {:>21} {:>22} {:>18} {:>11}",
        format!("{engine:?}"),
        of(|run| Some(run.lines), 0),
        of(|run| run.rows, 0),
        of(|run| run.rows.map(|rows| run.lines / rows), 3),
        runs.iter().map(|run| run.peak_mib).max().unwrap_or_default(),
    );
    Ok(())
}

/// Both sides on so many rows that are not there.
async fn run(gateway: &Gateway, round: usize, lines: usize) -> Result<Run, Failed> {
    let count = f64::from(u32::try_from(lines)?);
    let (file, rows) = files(gateway, round, lines)?;
    let mut command = tokio::process::Command::from(gateway.command());
    command.arg("import").arg(&file).stdout(Stdio::null()).kill_on_drop(true);
    let began = Instant::now();
    let mut child = command.spawn()?;
    let process = child.id().ok_or("the import has ended")?;
    let (status, peak_mib) = peak_while(process, child.wait()).await;
    let imported = began.elapsed();
    if !status?.success() {
        return Err("the import failed; what it says stands above".into());
    }
    let rows = match gateway.engine() {
        Engine::Sqlite => None,
        Engine::Postgres => {
            let began = Instant::now();
            let copy = format!("\\copy unit_of_bench ({COLUMNS}) FROM '{}'", rows.display());
            psql(&gateway.database_url(), &[&copy])?;
            Some(count / began.elapsed().as_secs_f64())
        }
    };
    Ok(Run { lines: count / imported.as_secs_f64(), rows, peak_mib })
}

/// The same units as lines and as rows.
fn files(gateway: &Gateway, round: usize, lines: usize) -> Result<(PathBuf, PathBuf), Failed> {
    let (mut file, mut rows) = (String::new(), String::new());
    for place in 0..lines {
        let id = format!("00000000-0000-7000-{:04x}-{place:012x}", 0x8000 + round);
        let code = format!("{round}-{place}");
        let unit = json!({"kind": "unit", "id": id, "workspace_id": WORKSPACE, "unit_type_id": UNIT_TYPE,
            "code": code, "status": "ACTIVE", "number_of_bedrooms": 2, "features": ["lift"]});
        writeln!(file, "{unit}")?;
        let at = "2026-11-01T10:00:00Z";
        writeln!(rows, "{id}\t{WORKSPACE}\t{UNIT_TYPE}\t{code}\tACTIVE\t2\t[\"lift\"]\t{at}\t{at}")?;
    }
    let (of_lines, of_rows) = (gateway.folder().join("units.ndjson"), gateway.folder().join("units.rows"));
    std::fs::write(&of_lines, file)?;
    std::fs::write(&of_rows, rows)?;
    Ok((of_lines, of_rows))
}
