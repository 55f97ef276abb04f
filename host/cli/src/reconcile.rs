//! `gateway reconcile`.

use crate::args::ReconcileArgs;
use crate::{CommandContext, Program};
use gateway_config::Config;
use gateway_domain::access::{Acting, Workspaces};
use gateway_domain::ids::{ReconciliationId, WorkspaceId};
use gateway_domain_reconciliation::Reconciliation;
use gateway_reconciliation::views::{self, ReconciledEntryBody, ReconciliationBody};
use gateway_terminal::{self as terminal, Column, Failure, Out, Text};
use serde::Serialize;
use std::time::Duration;

/// Runs of one list.
const RUNS: i64 = 25;
/// How often a run is looked at, and how long one may stand still before nobody seems to make it.
const LOOK_EVERY: Duration = Duration::from_millis(500);
const LOOKS_MAX: u32 = 120;

/// Runs, and what they found.
#[derive(Debug, Serialize)]
struct RunList {
    reconciliations: Vec<ReconciliationBody>,
}

/// A run, and what it found.
#[derive(Debug, Serialize)]
struct RunReport {
    #[serde(flatten)]
    run: ReconciliationBody,
    entries: Vec<ReconciledEntryBody>,
}

/// Carries it out.
pub async fn run(args: ReconcileArgs, config: &Config, program: &Program, out: Out) -> Result<(), Failure> {
    program.run(config, async |context| execute(context, args, out).await).await
}

async fn execute(context: &CommandContext, args: ReconcileArgs, out: Out) -> Result<(), Failure> {
    if let Some(id) = args.show {
        return show(context, id, args.csv, out).await;
    }
    let runs = if args.list {
        context.reconciliations.newest(&Workspaces::All, args.workspace, RUNS).await?
    } else {
        let begun = begin(context, &args).await?;
        if args.no_wait { begun } else { ended(context, begun).await? }
    };
    let mut bodies = Vec::with_capacity(runs.len());
    for run in &runs {
        bodies.push(context.reconciliations.body(run).await?);
    }
    let open: u64 = bodies.iter().map(|body| body.counts.open()).sum();
    let has_failed = bodies.iter().any(|body| body.reason.is_some());
    out.data(&RunList { reconciliations: bodies.clone() }, || table(&bodies));
    if args.list || (open == 0 && !has_failed) {
        return Ok(());
    }
    Err(Failure::refused(if has_failed {
        "not every run came to its end: see 'gateway reconcile --list'".to_owned()
    } else {
        format!(
            "{open} entries are somebody's to settle: see 'gateway reconcile --show' with the id of the run"
        )
    }))
}

/// Begins a run of the workspace, or of every one that sends something to a provider.
async fn begin(context: &CommandContext, args: &ReconcileArgs) -> Result<Vec<Reconciliation>, Failure> {
    let acting = Acting { workspaces: Workspaces::All, actor: context.operator.clone(), request: None };
    let mut workspaces: Vec<WorkspaceId> = args.workspace.into_iter().collect();
    if workspaces.is_empty() {
        workspaces.extend(context.workspaces.regimes().await?.into_keys());
    }
    if workspaces.is_empty() {
        terminal::note("note: no workspace sends anything to a provider");
    }
    let mut runs = Vec::new();
    for workspace in workspaces {
        runs.push(context.reconciliations.start(&acting, workspace, args.from, args.to).await?);
    }
    Ok(runs)
}

/// Waits until the gateway that serves has made every run.
async fn ended(context: &CommandContext, begun: Vec<Reconciliation>) -> Result<Vec<Reconciliation>, Failure> {
    let mut runs = Vec::new();
    for run in begun {
        let (mut last, mut looks) = (run, 0);
        while !last.progress.has_ended() {
            if looks >= LOOKS_MAX {
                return Err(Failure::refused(format!(
                    "the run {} stands still, and goes on by itself once a gateway serves this database: start 'gateway serve'",
                    last.id
                )));
            }
            tokio::time::sleep(LOOK_EVERY).await;
            let now = found(context, last.id).await?;
            looks = if now.version == last.version { looks.saturating_add(1) } else { 0 };
            last = now;
        }
        runs.push(last);
    }
    Ok(runs)
}

async fn found(context: &CommandContext, id: ReconciliationId) -> Result<Reconciliation, Failure> {
    let unknown =
        || Failure::refused(format!("there is no run {id}: list them with 'gateway reconcile --list'"));
    context.reconciliations.find(&Workspaces::All, id).await?.ok_or_else(unknown)
}

async fn show(context: &CommandContext, id: ReconciliationId, as_csv: bool, out: Out) -> Result<(), Failure> {
    let run = found(context, id).await?;
    let entries = context.reconciliations.all_entries(&run).await?;
    if as_csv {
        let text = views::csv(&entries)?;
        terminal::line(String::from_utf8_lossy(&text).trim_end());
        return Ok(());
    }
    let body = context.reconciliations.body(&run).await?;
    let text = Text::paragraphs([table(std::slice::from_ref(&body)), rows(&entries)]);
    out.data(&RunReport { run: body, entries }, || text);
    Ok(())
}

fn table(bodies: &[ReconciliationBody]) -> Text {
    let columns = [
        Column::id("RUN"),
        Column::value("WORKSPACE"),
        Column::value("FROM"),
        Column::value("TO"),
        Column::state("STATE"),
        Column::number("MATCHING"),
        Column::number("SETTLING"),
        Column::number("DIFFERENT"),
        Column::number("ONLY HERE"),
        Column::number("ONLY THERE"),
        Column::remark("REASON"),
    ];
    let rows = bodies.iter().map(|body| {
        let counts = &body.counts;
        vec![
            body.id.to_string(),
            body.workspace_id.to_string(),
            format!("{:.0}", body.from),
            format!("{:.0}", body.to),
            body.state.clone(),
            counts.matching.to_string(),
            counts.settling.to_string(),
            counts.different.to_string(),
            counts.only_here.to_string(),
            counts.only_there.to_string(),
            body.reason.clone().unwrap_or_default(),
        ]
    });
    terminal::listing(columns, rows)
}

fn rows(entries: &[ReconciledEntryBody]) -> Text {
    let columns = [
        Column::id("ENTRY"),
        Column::value("SOURCE"),
        Column::value("DOCUMENT"),
        Column::number("NUMBER"),
        Column::state("OUTCOME"),
        Column::text("DIFFERENCES"),
        Column::text("NEXT STEP"),
    ];
    let rows = entries.iter().map(|entry| {
        let found = entry.divergences.iter();
        let differences: Vec<_> = found
            .map(|found| format!("{}: {} here, {} there", found.member, found.here, found.there))
            .collect();
        vec![
            entry.entry_id.to_string(),
            entry.source.as_str().to_owned(),
            entry.document_id.map(|id| id.to_string()).unwrap_or_default(),
            entry.number.clone().unwrap_or_default(),
            entry.outcome.as_str().to_owned(),
            differences.join("; "),
            entry.next_step.clone().unwrap_or_default(),
        ]
    });
    terminal::listing(columns, rows)
}
