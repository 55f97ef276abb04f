//! The keyset query of a page and nothing around it.

use crate::stage::{BenchError, GROUPS, PAGE, Stage, WORKSPACE, made_at};
use gateway_domain::access::Workspaces;
use gateway_domain_platform::catalog::ProductGroupFilter;
use gateway_storage::product_groups;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tokio::process::Command;
use uuid::Uuid;

/// Who sends the query.
#[derive(Debug)]
pub(crate) enum Bare {
    /// `pgbench`, over connections of its own.
    Pgbench { program: OsString, script: PathBuf, server: String },
    /// The gateway's own pool, because there is no `pgbench`; rows are parsed there.
    Pool,
}

impl fmt::Display for Bare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pgbench { .. } => "sent by pgbench -M prepared",
            Self::Pool => "sent over the gateway's own pool (this server has no pgbench)",
        })
    }
}

impl Bare {
    pub(crate) fn set(stage: &Stage, server: &str, pgbench: Option<OsString>) -> Result<Self, BenchError> {
        let Some(program) = pgbench else { return Ok(Self::Pool) };
        let script = stage.folder().join("page.sql");
        std::fs::write(&script, script_of_pages())?;
        Ok(Self::Pgbench { program, script, server: server.to_owned() })
    }

    /// Queries a second, by so many clients at once, over this long.
    pub(crate) async fn sample(
        &self,
        stage: &Stage,
        clients: usize,
        long: Duration,
    ) -> Result<f64, BenchError> {
        match self {
            Self::Pgbench { program, script, server } => {
                let threads = std::thread::available_parallelism().map_or(1, usize::from).min(clients);
                let mut command = Command::new(program);
                command.args([
                    "-n",
                    "-M",
                    "prepared",
                    "-c",
                    &clients.to_string(),
                    "-j",
                    &threads.to_string(),
                ]);
                command.args(["-T", &long.as_secs().to_string(), "-f"]).arg(script).arg(server);
                let output = command.output().await?;
                let (printed, errors) =
                    (String::from_utf8(output.stdout)?, String::from_utf8_lossy(&output.stderr));
                let rate = printed.lines().find_map(|line| line.strip_prefix("tps = ")?.split(' ').next());
                let rate = rate.filter(|_| output.status.success());
                Ok(rate.ok_or_else(|| format!("pgbench: {printed}{errors}"))?.parse()?)
            }
            Self::Pool => over_the_pool(stage, clients, long).await,
        }
    }
}

/// What the gateway reads of a workspace, in its order, after the place of some page.
fn script_of_pages() -> String {
    let table = product_groups::TABLE;
    let (columns, name, order) = (table.columns.pg, table.name, table.order);
    let (pages, first, rows) = (GROUPS / PAGE, made_at(0).as_second(), PAGE + 1);
    format!(
        "\\set workspace {WORKSPACE}\n\\set at {first} + {PAGE} * random(0, {})\n\
        SELECT {columns} FROM {name} WHERE workspace_id = :workspace \
        AND ({order}) > (to_timestamp(:at), '00000000-0000-0000-0000-000000000000') ORDER BY {order} LIMIT {rows};\n",
        pages - 1
    )
}

async fn over_the_pool(stage: &Stage, clients: usize, long: Duration) -> Result<f64, BenchError> {
    let started = Instant::now();
    let running: Vec<_> = (0..clients)
        .map(|client| {
            let db = stage.db().clone();
            tokio::spawn(async move {
                let visible = Workspaces::Only(vec![WORKSPACE]);
                let (today, mut queries) = (jiff::civil::date(2026, 11, 20), 0_u32);
                for page in (client..).map(|place| place * 17 % (GROUPS / PAGE)) {
                    if started.elapsed() >= long {
                        break;
                    }
                    let place = Some((made_at(page * PAGE), Uuid::nil()));
                    let limit = i64::try_from(PAGE + 1)?;
                    product_groups::page(&db, &visible, &ProductGroupFilter::default(), today, place, limit)
                        .await?;
                    queries += 1;
                }
                Ok::<_, BenchError>(queries)
            })
        })
        .collect();
    let mut queries = 0;
    for client in running {
        queries += client.await??;
    }
    Ok(f64::from(queries) / started.elapsed().as_secs_f64())
}
