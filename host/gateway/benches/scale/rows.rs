//! Copies of what the gateway stored about one document, in the database itself: a million of them take minutes, not hours.
//!
//! Whatever table has rows about the document gets as many of each copy. A copy differs in its ids, number and times alone.

use crate::stage::BenchError;
use gateway_domain::ids::InvoiceId;
use gateway_storage::tables::{Column, ColumnKind, Schema, Table};
use gateway_storage::{Db, Engine, Sql, sums};
use std::fmt::Write as _;
use std::time::Duration;

/// Copies that one statement makes.
const BATCH: usize = 20_000;
/// Events of copies come behind those that the gateway wrote itself before: no document has so many.
const POSITION_BASE: usize = 1_000_000;
const POSITIONS_A_COPY: usize = 1_000;
/// More copies than anybody makes.
const COPIES_MAX: usize = 10_000_000;
/// How often to look whether what follows from changes is done.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// What a table names the document by.
const REFERENCES: [&str; 4] = ["document_id", "invoice_id", "subject", "id"];

/// A document whose rows are copied.
#[derive(Debug, Clone)]
pub(crate) struct Original {
    pub(crate) id: InvoiceId,
    /// Begins the ids of its copies: eight hexadecimal digits.
    pub(crate) prefix: &'static str,
    /// Every how many copies of all documents there is one of it.
    pub(crate) every: usize,
}

/// Where the events of a copy begin in the feed.
pub(crate) const fn position(copy: usize) -> usize {
    POSITION_BASE + copy * POSITIONS_A_COPY
}

/// Makes copies `from..to` of the documents.
pub(crate) async fn copy(
    db: &Db,
    schema: &Schema,
    originals: &[Original],
    (from, to): (usize, usize),
) -> Result<(), BenchError> {
    let not_relayed = Sql::both("SELECT COUNT(*) FROM event WHERE position IS NULL");
    while db.fetch_one::<(i64,)>(&not_relayed, Vec::new()).await? != (0,) {
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    // Nobody reads the events of copies as news, and what happens from now on comes behind them.
    let read = position(COPIES_MAX);
    for table in ["feed", "consumer"] {
        run(db, format!("UPDATE {table} SET position = {read} WHERE position < {read}")).await?;
    }
    for original in originals {
        for table in &schema.tables {
            let Some(reference) = reference(table) else { continue };
            let mut first = from;
            while first < to {
                let last = (first + BATCH).min(to);
                let statement = statement(db.engine(), table, reference, original, (first, last));
                run(db, statement).await?;
                first = last;
            }
        }
    }
    // What was written down about sums is added up behind the requests.
    while sums::any_change(db).await? {
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    // As the server does by itself some time after so many rows came.
    run(db, "ANALYZE".to_owned()).await
}

/// The column by which a table says whose its rows are; none of a table that has none of documents.
fn reference(table: &Table) -> Option<&'static str> {
    if table.name == "invoice" {
        return Some("id");
    }
    let named = |name: &&&str| table.columns.iter().any(|column| column.name == **name);
    REFERENCES[..3].iter().find(named).copied().filter(|_| !table.name.starts_with("sandbox"))
}

fn statement(
    engine: Engine,
    table: &Table,
    reference: &str,
    original: &Original,
    (from, to): (usize, usize),
) -> String {
    // PostgreSQL numbers events by itself, and so does SQLite.
    let columns: Vec<&Column> = table.columns.iter().filter(|column| column.name != "ord").collect();
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    let values: Vec<String> =
        columns.iter().map(|column| value(engine, table, reference, original, column)).collect();
    let (id, every) = (original.id, original.every);
    let numbers = match engine {
        Engine::Postgres => format!("generate_series({from}::bigint, {}::bigint) AS copies (n)", to - 1),
        Engine::Sqlite => format!(
            "(WITH RECURSIVE copies (n) AS (SELECT {from} UNION ALL SELECT n + 1 FROM copies WHERE n < {}) SELECT n FROM copies)",
            to - 1
        ),
    };
    let mut text = format!("INSERT INTO {} ({}) SELECT ", table.name, names.join(", "));
    let _ = write!(text, "{} FROM {} AS t, {numbers} ", values.join(", "), table.name);
    let _ = write!(text, "WHERE t.{reference} = '{id}' AND n % {every} = 0");
    text
}

/// What a column of a copy holds.
fn value(engine: Engine, table: &Table, reference: &str, original: &Original, column: &Column) -> String {
    let (name, prefix) = (column.name.as_str(), original.prefix);
    let own = format!("t.{name}");
    let id = |kind: &str| match engine {
        Engine::Postgres => format!("('{prefix}-{kind}-7000-8000-' || lpad(to_hex(n), 12, '0'))"),
        Engine::Sqlite => format!("printf('{prefix}-{kind}-7000-8000-%012x', n)"),
    };
    let cast = |text: String| match engine {
        Engine::Postgres if column.kind == ColumnKind::Id => format!("{text}::uuid"),
        Engine::Postgres | Engine::Sqlite => text,
    };
    if name == reference {
        return cast(id("0000"));
    }
    match (table.name.as_str(), name) {
        // Few events were written so far: each is told apart by its place among all of them.
        ("event", "id") => cast(match engine {
            Engine::Postgres => {
                format!(
                    "('{prefix}-1000-7000-8' || lpad(to_hex(t.position), 3, '0') || '-' || lpad(to_hex(n), 12, '0'))"
                )
            }
            Engine::Sqlite => format!("printf('{prefix}-1000-7000-8%03x-%012x', t.position, n)"),
        }),
        ("event", "position") => format!("{POSITION_BASE} + n * {POSITIONS_A_COPY} + {own}"),
        (_, "entry_id") => optional(&own, &cast(id("2000"))),
        (_, "job_id") => optional(&own, &cast(id("3000"))),
        (_, "number") => optional(
            &own,
            &match engine {
                Engine::Postgres => format!("'{prefix}-' || lpad(n::text, 8, '0')"),
                Engine::Sqlite => format!("printf('{prefix}-%08d', n)"),
            },
        ),
        // Far from where the series goes on.
        ("invoice_number", "no") => format!("1000000000 + n * 10 + {own}"),
        ("job", "run_at") => own,
        (_, "created_at" | "updated_at" | "time" | "issued_at" | "given_at") => match engine {
            Engine::Postgres => format!("{own} - INTERVAL '400 days' + n * INTERVAL '10 seconds'"),
            Engine::Sqlite => format!(
                "strftime('%Y-%m-%dT%H:%M:%S', {own}, '-400 days', '+' || (n * 10) || ' seconds') || substr({own}, 20)"
            ),
        },
        (_, "data" | "structured") => {
            format!("replace({own}, '{}', {})", original.id, id("0000"))
        }
        _ => own,
    }
}

fn optional(own: &str, value: &str) -> String {
    format!("CASE WHEN {own} IS NULL THEN NULL ELSE {value} END")
}

async fn run(db: &Db, statement: String) -> Result<(), BenchError> {
    let mut tx = db.begin().await?;
    // There are few statements, and they differ.
    let statement: &'static str = statement.leak();
    let done = tx.execute(&Sql::both(statement), Vec::new()).await;
    done.map_err(|error| format!("{error:?}: {statement}"))?;
    Ok(tx.commit().await?)
}
