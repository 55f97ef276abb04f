//! `gateway submission …`.

use super::args::SubmissionCommand;
use super::{Failure, Out, out};
use crate::config::Config;
use crate::wiring::{self, Station};
use gateway_app::finance::{RetryError, SubmissionFilter, SubmissionView};
use gateway_app::workspaces::WorkspaceError;
use gateway_domain::access::{Acting, Actor, Workspaces};
use gateway_domain::ids::InvoiceId;
use serde_json::{Value, json};

pub(super) async fn run(command: SubmissionCommand, config: &Config, out: Out) -> Result<(), Failure> {
    let station = wiring::open(config).await?;
    let done = carry_out(&station, command, out).await;
    station.close().await;
    done
}

async fn carry_out(station: &Station, command: SubmissionCommand, out: Out) -> Result<(), Failure> {
    let operator =
        Acting { workspaces: Workspaces::All, actor: Actor::operator(), trial: false, request: None };
    match command {
        SubmissionCommand::List { state, alerted, limit } => {
            let filter = SubmissionFilter { stage: state, alerted };
            let list = station.gateway.submissions(&operator.workspaces, filter, limit).await?;
            let json: Vec<Value> = list.views.iter().map(SubmissionView::to_json).collect();
            out.data(&json!({ "submissions": json, "more": list.more }), || rows(&list.views));
            if list.more {
                out::note(&format!(
                    "note: there are more than these {limit}: narrow them with --alerted or --state, or raise --limit"
                ));
            }
        }
        SubmissionCommand::Show { uuid } => {
            let view = station.gateway.submission(&operator, uuid).await?.ok_or_else(|| none(uuid))?;
            show(&view, out);
        }
        SubmissionCommand::Retry { uuid: Some(uuid), .. } => {
            let view =
                station.gateway.retry_submission(&operator, uuid).await.map_err(|error| match error {
                    RetryError::Gone => none(uuid),
                    error => error.into(),
                })?;
            show(&view, out);
        }
        SubmissionCommand::Retry { workspace: Some(workspace), .. } => {
            if !station.gateway.workspaces().await?.iter().any(|found| found.id == workspace) {
                return Err(WorkspaceError::Unknown(workspace).into());
            }
            let retried = station.gateway.retry_workspace(workspace).await?;
            out.data(&json!({"workspace_id": workspace, "retried": retried}), || {
                format!("{retried} submissions of workspace {workspace} go on")
            });
        }
        SubmissionCommand::Retry { .. } => {
            return Err(Failure::refused("name a document, or a workspace with --all".to_owned()));
        }
    }
    Ok(())
}

fn none(uuid: InvoiceId) -> Failure {
    Failure::refused(format!("there is no submission of {uuid}: list them with 'gateway submission list'"))
}

fn show(view: &SubmissionView, out: Out) {
    let json = view.to_json();
    out.data(&json, || serde_json::to_string_pretty(&json).unwrap_or_default());
}

fn rows(views: &[SubmissionView]) -> String {
    let heading = ["DOCUMENT", "WORKSPACE", "STATE", "NUMBER", "NEXT STEP", "ALERT"];
    let rows = views.iter().map(|view| {
        let submission = &view.submission;
        vec![
            submission.document.to_string(),
            submission.workspace.to_string(),
            submission.stage.as_str().to_owned(),
            submission.number.as_ref().map(ToString::to_string).unwrap_or_default(),
            view.next_step_at.map(|at| format!("{at:.0}")).unwrap_or_default(),
            submission.alert.as_ref().map(|alert| alert.code.as_str().to_owned()).unwrap_or_default(),
        ]
    });
    let heading = std::iter::once(heading.map(str::to_owned).to_vec());
    out::table(&heading.chain(rows).collect::<Vec<_>>())
}
