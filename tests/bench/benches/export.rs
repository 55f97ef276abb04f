//! How fast issued documents go out: the export over HTTP as NDJSON, against `COPY` of their rows to standard output.
//! `cargo xtask bench export` builds and starts it.
//!
//! A line is the whole document, written as GET answers it; a row is what it is made of. SQLite has no `COPY`, so there is no
//! ratio. Both sides run in turns, and medians of the ratios of neighbours are printed.

use gateway_bench::{Failed, lines, peak_while, psql, quartiles_text, rounds};
use gateway_domain::access::Workspaces;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Invoice, InvoiceNumber, State};
use gateway_storage::{Db, Sql, invoices};
use gateway_tests::{Engine, Options, World};
use std::io::BufRead as _;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use uuid::Uuid;

/// Documents of one run, unless `GATEWAY_BENCH_LINES` says otherwise.
const DOCUMENTS: usize = 100_000;
const ROUNDS: usize = 5;
/// Documents that are stored together.
const BATCH: usize = 2_000;

/// What both sides did in one round.
struct Run {
    documents_a_second: f64,
    first_byte: Duration,
    /// Where there is a `COPY`.
    rows_a_second: Option<f64>,
    peak_mib: u64,
}

fn main() -> Result<(), Failed> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let (documents, rounds) = (lines(DOCUMENTS), rounds(ROUNDS));
        println!("Export of {documents} issued documents of one line, {rounds} rounds after one to warm up");
        println!("         documents/s (quartiles)            COPY rows/s   documents to rows  first byte (ms)  peak (MiB)");
        for engine in [Engine::Sqlite, Engine::Postgres] {
            measure(engine, documents, rounds).await?;
        }
        Ok(())
    })
}

async fn measure(engine: Engine, documents: usize, rounds: usize) -> Result<(), Failed> {
    let mut world = World::unconfigured(engine, Options::default()).await;
    let uuid = world.draft(&world.document()).await;
    world.gateway.stop().await;
    fill(&world.gateway.database_url(), InvoiceId(uuid.parse()?), documents).await?;
    world.gateway.serve().await;
    world.sign_in().await;
    let mut runs = Vec::new();
    for round in 0..=rounds {
        let run = run(&world, documents).await?;
        if round > 0 {
            runs.push(run);
        }
    }
    let of =
        |value: fn(&Run) -> Option<f64>, decimals| quartiles_text(runs.iter().filter_map(value), decimals);
    println!(
        "{:<10} {:>22} {:>22} {:>19} {:>16} {:>11}",
        format!("{engine:?}"),
        of(|run| Some(run.documents_a_second), 0),
        of(|run| run.rows_a_second, 0),
        of(|run| run.rows_a_second.map(|rows| run.documents_a_second / rows), 2),
        of(|run| Some(run.first_byte.as_secs_f64() * 1_000.0), 1),
        runs.iter().map(|run| run.peak_mib).max().unwrap_or_default(),
    );
    Ok(())
}

async fn run(world: &World, documents: usize) -> Result<Run, Failed> {
    let count = f64::from(u32::try_from(documents)?);
    let began = Instant::now();
    let exported = export(world, began);
    let (exported, peak_mib) = peak_while(world.gateway.process_id(), exported).await;
    let (lines, first_byte) = exported?;
    let took = began.elapsed();
    if lines != documents {
        return Err(format!("{lines} of {documents} documents were exported").into());
    }
    let rows_a_second = match world.gateway.engine() {
        Engine::Sqlite => None,
        Engine::Postgres => {
            let began = Instant::now();
            psql(
                &world.gateway.database_url(),
                &["COPY (SELECT * FROM invoice WHERE status = 'issued') TO STDOUT"],
            )?;
            Some(count / began.elapsed().as_secs_f64())
        }
    };
    Ok(Run { documents_a_second: count / took.as_secs_f64(), first_byte, rows_a_second, peak_mib })
}

/// Reads the export, and says how many documents came and when the first byte of the answer did.
async fn export(world: &World, began: Instant) -> Result<(usize, Duration), Failed> {
    let address = world.api.base().trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).await?;
    let request = format!(
        "GET /invoicing/rpc/documents/export?workspace_id={} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {}\r\n\
         connection: close\r\n\r\n",
        world.workspace,
        world.api.token()
    );
    stream.write_all(request.as_bytes()).await?;
    let (mut lines, mut first) = (0, None);
    let (mut part, mut line) = (vec![0; 64 << 10], Vec::new());
    loop {
        let read = stream.read(&mut part).await?;
        let Some(mut part) = part.get(..read).filter(|part| !part.is_empty()) else { break };
        first.get_or_insert_with(|| began.elapsed());
        // What measures is built for development, and shares the processors: the standard library looks for the ends of lines.
        while part.read_until(b'\n', &mut line)? > 0 {
            if line.ends_with(b"\n") {
                // A line ends with its object; the heads of HTTP's chunks do not.
                lines += usize::from(line.ends_with(b"}\n"));
                line.clear();
            }
        }
    }
    Ok((lines, first.ok_or("nothing was answered")?))
}

/// Stores so many issued documents like the draft of this id.
async fn fill(url: &str, draft: InvoiceId, documents: usize) -> Result<(), Failed> {
    let db = Db::connect(url, &gateway_storage::Options::default()).await?;
    let sample = invoices::find(&db, draft, &Workspaces::All).await?.ok_or("the draft is not stored")?;
    let mut number = 0;
    while number < documents {
        let mut tx = db.begin().await?;
        for _ in 0..BATCH.min(documents - number) {
            number += 1;
            invoices::insert(&mut tx, &issued(&sample, number)?).await?;
        }
        tx.commit().await?;
    }
    // As the server does by itself some time after so many rows came.
    let mut tx = db.begin().await?;
    tx.execute(&Sql::both("ANALYZE"), Vec::new()).await?;
    tx.commit().await?;
    db.close().await;
    Ok(())
}

fn issued(sample: &Invoice, number: usize) -> Result<Invoice, Failed> {
    let mut document = sample.clone();
    document.id = InvoiceId(Uuid::from_u128((0x7000 << 64) | (0x8000 << 48) | u128::try_from(number)?));
    let at = sample.created_at;
    document.content.issue_date = Some("2026-11-20".parse()?);
    document.state = State::Issued {
        number: InvoiceNumber(format!("F-2026-{number:06}")),
        at,
        acceptance: None,
        imported: None,
    };
    Ok(document)
}
