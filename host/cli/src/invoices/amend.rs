//! `gateway invoice amend …`, and what became of amendments.

use super::{fault, find, no_document, resolve};
use crate::CommandContext;
use crate::args::{AmendArgs, DocumentName};
use crate::workspaces::read_json;
use gateway_amendment::{Amended, AmendmentView};
use gateway_domain::access::Acting;
use gateway_domain::fault::Fault;
use gateway_domain::ids::InvoiceId;
use gateway_domain_amendment::{
    AmendmentBody, AmendmentProgress, AmendmentRefused, AmendmentState, DemandedAmendment,
};
use gateway_finance::{CommandError, Execution};
use gateway_terminal::{self as terminal, Column, Failure, Out, Text};
use serde::Serialize;
use serde_json::Value;

/// What amending did, or would do.
#[derive(Serialize)]
struct AmendView<'a> {
    /// Whether nothing was done.
    dry_run: bool,
    changes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    amendment: Option<AmendmentBody<'a>>,
}

/// The amendments of a document.
#[derive(Serialize)]
struct AmendmentList<'a> {
    amendments: Vec<AmendmentBody<'a>>,
    /// Remarks of the tax authority that want an amendment, as the document stands now.
    demanded: &'a [DemandedAmendment],
}

pub(super) async fn amend(
    context: &CommandContext,
    operator: &Acting,
    AmendArgs { document, changes, dry_run }: AmendArgs,
    out: Out,
) -> Result<(), Failure> {
    let uuid = resolve(context, operator, document).await?;
    let Value::Object(members) = read_json(&changes)? else {
        return Err(Failure::misuse(format!(
            "{} holds no object: write the members that change, such as {{\"notes\": \"…\"}}",
            changes.display()
        )));
    };
    let version = find(context, operator, uuid).await?.version;
    let execution = if dry_run { Execution::DryRun } else { Execution::Commit };
    let done = context.amendments.amend(operator, uuid, &Ok(members), Some(version), execution).await;
    match done.map_err(|error| refused(uuid, error))? {
        Amended::Trial(changes) => {
            let view = AmendView { dry_run: true, changes: &changes, amendment: None };
            out.data(&view, || format!("It would be amended at {}; nothing was done.", changes.join(", ")));
        }
        Amended::Begun(view) => {
            let AmendmentView { amendment, messages } = view.as_ref();
            let body = Some(AmendmentBody::new(amendment, messages));
            out.data(&AmendView { dry_run: false, changes: &amendment.changes, amendment: body }, || {
                format!(
                    "An amendment of {} is on its way: follow it with 'gateway invoice amendments {uuid}'",
                    amendment.number.0
                )
            });
        }
    }
    Ok(())
}

pub(super) async fn withdraw(
    context: &CommandContext,
    operator: &Acting,
    document: DocumentName,
    out: Out,
) -> Result<(), Failure> {
    let uuid = resolve(context, operator, document).await?;
    let view = context.amendments.withdraw(operator, uuid).await.map_err(|error| refused(uuid, error))?;
    let AmendmentView { amendment, messages } = &view;
    let list = AmendmentList { amendments: vec![AmendmentBody::new(amendment, messages)], demanded: &[] };
    out.data(&list, || {
        format!("The amendment of {} was given up: the record before counts.", amendment.number.0)
    });
    Ok(())
}

pub(super) async fn list(
    context: &CommandContext,
    operator: &Acting,
    document: DocumentName,
    out: Out,
) -> Result<(), Failure> {
    let uuid = resolve(context, operator, document).await?;
    let views = context.amendments.of_document(operator, uuid).await.map_err(|error| refused(uuid, error))?;
    let bodies = views.iter().map(|view| AmendmentBody::new(&view.amendment, &view.messages)).collect();
    // The plugin says what its remarks want; without it the amendments are shown all the same.
    if let Err(error) = context.plugins.catch_up().await {
        tracing::warn!("Which remarks want an amendment is not known: {error}");
    }
    let demanded = context.amendments.demanded(operator, uuid).await.map_err(|error| refused(uuid, error))?;
    out.data(&AmendmentList { amendments: bodies, demanded: &demanded }, || {
        Text::paragraphs(demanded.iter().map(|demand| demand.to_string().into()).chain([rows(&views)]))
    });
    Ok(())
}

fn rows(views: &[AmendmentView]) -> Text {
    let columns = [
        Column::number("NO."),
        Column::state("STATE"),
        Column::value("TIME"),
        Column::text("CHANGES"),
        Column::text("WHY"),
    ];
    let rows = views.iter().map(|AmendmentView { amendment, .. }| {
        let state: AmendmentState = amendment.progress.state();
        vec![
            amendment.ordinal.to_string(),
            state.as_str().to_owned(),
            format!("{:.0}", amendment.created_at),
            amendment.changes.join(", "),
            why(&amendment.progress).to_owned(),
        ]
    });
    terminal::listing(columns, rows)
}

/// Why it is not what was wanted, or does not go on.
fn why(progress: &AmendmentProgress) -> &str {
    match progress {
        AmendmentProgress::Open(open) => open.problem.as_deref().unwrap_or_default(),
        AmendmentProgress::Accepted { .. } => "",
        AmendmentProgress::Refused { reason, .. } | AmendmentProgress::Withdrawn { reason, .. } => reason,
    }
}

fn refused(uuid: InvoiceId, error: CommandError) -> Failure {
    match error {
        CommandError::Gone => no_document(uuid),
        CommandError::Amendment(AmendmentRefused::Faults(faults)) => {
            let found: Vec<String> = faults.iter().map(|found: &Fault| fault(found)).collect();
            Failure::refused(format!("the tax authority would refuse the amendment: {}", found.join("; ")))
        }
        CommandError::Invalid(mistakes) => {
            let found: Vec<String> =
                mistakes.iter().map(|found| format!("{}: {}", found.field, found.message)).collect();
            Failure::refused(format!("the changes have mistakes: {}", found.join("; ")))
        }
        CommandError::Amendment(refusal) => {
            let found: Vec<String> = refusal
                .errors()
                .into_iter()
                .filter(|found| found.field != "base")
                .map(|found| format!("{} {}", found.field, found.message))
                .collect();
            if found.is_empty() {
                Failure::refused(refusal.to_string())
            } else {
                Failure::refused(format!("the document is not amended like this: {}", found.join("; ")))
            }
        }
        error => error.into(),
    }
}
