//! `gateway submission …`.

use crate::args::SubmissionCommand;
use crate::{CommandContext, Program, outages};
use gateway_config::Config;
use gateway_domain::access::{Acting, Workspaces};
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain_finance::SubmissionBody;
use gateway_finance::{RetryError, SubmissionFilter, SubmissionView};
use gateway_terminal::{self as terminal, Column, Failure, Out, Text};
use gateway_watchdog::{ISSUING_WITHOUT_SUBMISSION, Unsubmitted, UnsubmittedBody};
use gateway_workspaces::WorkspaceError;
use jiff::Timestamp;
use serde::Serialize;

/// Some submissions, and documents that nobody submits.
#[derive(Serialize)]
struct SubmissionList<'a> {
    submissions: Vec<SubmissionBody<'a>>,
    more: bool,
    unsubmitted: Vec<UnsubmittedBody>,
}

/// How much was retried.
#[derive(Serialize)]
struct RetryView {
    workspace_id: WorkspaceId,
    retried: u64,
}

/// Carries it out.
pub async fn run(
    command: SubmissionCommand,
    config: &Config,
    program: &Program,
    out: Out,
) -> Result<(), Failure> {
    program.run(config, async |context| execute(context, command, out).await).await
}

async fn execute(context: &CommandContext, command: SubmissionCommand, out: Out) -> Result<(), Failure> {
    let operator = Acting { workspaces: Workspaces::All, actor: context.operator.clone(), request: None };
    match command {
        SubmissionCommand::List { state, alerted, limit } => {
            let filter = SubmissionFilter { stage: state, alerted };
            let list = context.submissions.list(&operator.workspaces, filter, limit).await?;
            // They have no submission, so no state of one.
            let unsubmitted = if state.is_none() {
                context.watchdog.unsubmitted(&operator.workspaces, limit).await?
            } else {
                Vec::new()
            };
            let view = SubmissionList {
                submissions: list.views.iter().map(SubmissionBody::from).collect(),
                more: list.more,
                unsubmitted: unsubmitted.iter().map(UnsubmittedBody::from).collect(),
            };
            out.data(&view, || rows(&unsubmitted, &list.views));
            if !unsubmitted.is_empty() {
                terminal::note(&format!(
                    "note: nobody submits what has the alert {ISSUING_WITHOUT_SUBMISSION}: end each with PUT /invoicing/rpc/documents/UUID/issue or …/reject"
                ));
            }
            if list.more {
                terminal::note(&format!(
                    "note: there are more than these {limit}: narrow them with --alerted or --state, or raise --limit"
                ));
            }
        }
        SubmissionCommand::Show { uuid } => {
            let view = context.submissions.find(&operator, uuid).await?.ok_or_else(|| no_submission(uuid))?;
            show(&view, out);
        }
        SubmissionCommand::Outages { limit } => outages::list(context, limit, out).await?,
        SubmissionCommand::DeclareOutage(declared) => outages::declare(context, declared, out).await?,
        SubmissionCommand::EndOutage { uuid, at } => outages::end(context, uuid, at, out).await?,
        SubmissionCommand::Retry { uuid: Some(uuid), .. } => {
            let view = context.submissions.retry(&operator, uuid).await;
            show(&view.map_err(|error| not_retried(uuid, error))?, out);
        }
        SubmissionCommand::Acknowledge { uuid } => {
            let view = context.submissions.acknowledge(&operator, uuid).await;
            show(&view.map_err(|error| not_retried(uuid, error))?, out);
        }
        SubmissionCommand::Retry { workspace: Some(workspace), .. } => {
            if context.workspaces.find(workspace).await?.is_none() {
                return Err(WorkspaceError::Unknown(workspace).into());
            }
            let retried = context.submissions.retry_workspace(&context.operator, workspace).await?;
            out.data(&RetryView { workspace_id: workspace, retried }, || {
                format!("{retried} submissions of workspace {workspace} go on")
            });
        }
        SubmissionCommand::Retry { .. } => {
            return Err(Failure::refused("name a document, or a workspace with --all".to_owned()));
        }
    }
    Ok(())
}

fn no_submission(uuid: InvoiceId) -> Failure {
    Failure::refused(format!("there is no submission of {uuid}: list them with 'gateway submission list'"))
}

fn not_retried(uuid: InvoiceId, error: RetryError) -> Failure {
    match error {
        RetryError::Gone => no_submission(uuid),
        error => error.into(),
    }
}

fn show(view: &SubmissionView, out: Out) {
    out.data(&SubmissionBody::from(view), || details(view));
}

fn details(view: &SubmissionView) -> Text {
    let submission = &view.submission;
    let second = |at: Timestamp| format!("{at:.0}");
    let mut lines = vec![
        ("document", submission.document.to_string()),
        ("workspace", submission.workspace.to_string()),
        ("state", submission.stage().as_str().to_owned()),
        ("number", submission.number().map_or_else(|| "none".to_owned(), ToString::to_string)),
        ("next step", view.next_step_at.map_or_else(|| "none".to_owned(), second)),
        ("due in", view.due_sentence().unwrap_or_else(|| "no limit".to_owned())),
        ("retries", format!("{} of {}", submission.retries(), view.retries_max)),
    ];
    if let Some(mark) = view.filing.as_ref().and_then(|filing| filing.mark.as_ref()) {
        lines.push(("mark", mark.as_str().to_owned()));
    }
    if let Some(note) = view.filing.as_ref().and_then(|filing| filing.note.clone()) {
        lines.push(("about the limit", note));
    }
    if let Some(alert) = &submission.alert {
        lines.push(("alert", format!("{}: {}", alert.code.as_str(), alert.message)));
    }
    if let Some(error) = submission.calls().and_then(|calls| calls.last_error.as_ref()) {
        lines.push(("last error", error.message.clone()));
    }
    if let Some(entry) = submission.entry() {
        lines.push(("entry", entry.to_string()));
    }
    lines.push(("requested by", submission.actor.trim_end_matches('/').to_owned()));
    lines.push(("created", second(submission.created_at)));
    lines.push(("updated", second(submission.updated_at)));
    let rows: Vec<_> = lines.into_iter().map(|(name, value)| vec![name.to_owned(), value]).collect();
    let table = terminal::table(&rows);
    if view.attempts.is_empty() {
        return table;
    }
    let columns = [
        Column::id("JOB"),
        Column::number("NUMBER"),
        Column::value("PLUGIN"),
        Column::value("STARTED"),
        Column::value("ENDED"),
        Column::state("OUTCOME"),
        Column::text("FAULTS"),
    ];
    let attempts = view.attempts.iter().map(|attempt| {
        let plugin = attempt.plugin.as_ref();
        vec![
            attempt.job.to_string(),
            attempt.number.as_ref().map(ToString::to_string).unwrap_or_default(),
            plugin.map(|plugin| format!("{}@{}", plugin.key, plugin.version)).unwrap_or_default(),
            second(attempt.started_at),
            attempt.ended_at.map(second).unwrap_or_default(),
            attempt.outcome.map(|outcome| outcome.as_str().to_owned()).unwrap_or_default(),
            attempt.faults.iter().map(|fault| fault.code.as_str()).collect::<Vec<_>>().join(", "),
        ]
    });
    Text::paragraphs([table, terminal::listing(columns, attempts)])
}

fn rows(unsubmitted: &[Unsubmitted], views: &[SubmissionView]) -> Text {
    let columns = [
        Column::id("DOCUMENT"),
        Column::value("WORKSPACE"),
        Column::state("STATE"),
        Column::number("NUMBER"),
        Column::value("NEXT STEP"),
        Column::value("DUE IN"),
        Column::remark("ALERT"),
    ];
    let stray = unsubmitted.iter().map(|found| {
        vec![
            found.document.to_string(),
            found.workspace.to_string(),
            "none".to_owned(),
            found.number.to_string(),
            String::new(),
            String::new(),
            ISSUING_WITHOUT_SUBMISSION.to_owned(),
        ]
    });
    let rows = views.iter().map(|view| {
        let submission = &view.submission;
        vec![
            submission.document.to_string(),
            submission.workspace.to_string(),
            submission.stage().as_str().to_owned(),
            submission.number().map(ToString::to_string).unwrap_or_default(),
            view.next_step_at.map(|at| format!("{at:.0}")).unwrap_or_default(),
            view.due_in().unwrap_or_default(),
            submission.alert.as_ref().map(|alert| alert.code.as_str().to_owned()).unwrap_or_default(),
        ]
    });
    terminal::listing(columns, stray.chain(rows))
}
