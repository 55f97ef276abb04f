//! Carries out what was confirmed, with the signed-in client as the actor.

use super::action::Action;
use super::confirm::{Preview, confirmation};
use super::forms::{self, VerdictOn};
use super::read;
use crate::addresses::document_id;
use crate::errors::{PageError, PageResult};
use crate::session::{SentForm, Viewer, see_other};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use gateway_access::request_key;
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::invoicing::{Invoice, Status};
use gateway_domain::ports::Clock;
use gateway_domain_finance::{Command, CommandForm};
use gateway_finance::{CommandError, Execution, Finance, Submissions};
use gateway_presentation::Fields;
use jiff::Timestamp;
use std::sync::Arc;

/// Carries an action out, and shows the document, or what is wrong with what was typed.
pub(super) async fn carry_out(
    State(finance): State<Finance>,
    State(submissions): State<Submissions>,
    State(clock): State<Arc<dyn Clock>>,
    Path((id, action)): Path<(String, String)>,
    SentForm { viewer, fields }: SentForm,
) -> PageResult {
    let action = Action::parse(&action)?;
    action.right().demand(&viewer.signed_in)?;
    let document = read::find(&finance, &viewer, document_id(&id)?).await?;
    let next_page =
        execute(&finance, &submissions, (&viewer, &fields), (&document, action), clock.now()).await;
    match next_page {
        Ok(next_page) => Ok(see_other(&next_page)),
        Err(error) if error.is_about_the_form() => {
            let submission = submissions.find(&viewer.acting(), document.id).await?;
            let subject = (&document, submission.as_ref(), action);
            let page = confirmation(&viewer, subject, (Preview::default(), Some(&fields), &error.sentences));
            Ok((error.status, page).into_response())
        }
        Err(error) => Err(error),
    }
}

/// On behalf of the client; a form that is sent twice counts once.
fn acting(viewer: &Viewer, fields: &Fields, action: Action, document: &Invoice) -> Acting {
    let content = format!("console {} {}", action.name(), document.id);
    let key = fields.given("request").map(|key| request_key(viewer.signed_in.caller.client, key, &content));
    Acting { request: key, ..viewer.acting() }
}

/// Does it, and answers the address of the page to look at next.
async fn execute(
    finance: &Finance,
    submissions: &Submissions,
    (viewer, fields): (&Viewer, &Fields),
    (document, action): (&Invoice, Action),
    now: Timestamp,
) -> Result<String, PageError> {
    let page = format!("/console/invoices/{}", document.id);
    let accepted = |form| (Command::MarkAsAcceptedByTaxAuthority, form);
    let rejected = |form| (Command::MarkAsRejectedByTaxAuthority, form);
    let (command, form) = match action {
        Action::DryRun => return Ok(format!("{page}/dry-run")),
        Action::Retry => {
            submissions.retry(&viewer.acting(), document.id).await?;
            return Ok(page);
        }
        Action::Acknowledge => {
            submissions.acknowledge(&viewer.acting(), document.id).await?;
            return Ok(page);
        }
        Action::Issue => (Command::Issue, Ok(CommandForm::Issue { at: None })),
        Action::Recipient => (Command::UpdateRecipient, forms::edit_recipient(fields, document)),
        Action::Credit => (Command::Credit, forms::credit(fields, document, now)),
        Action::Reverse => (Command::Reverse, Ok(CommandForm::Reverse { at: now })),
        Action::Accept => accepted(forms::accept(fields, VerdictOn::Present)),
        Action::AcceptEarlier => accepted(forms::accept(fields, VerdictOn::Earlier)),
        Action::Reject => rejected(forms::reject(fields, VerdictOn::Present)),
        Action::RejectEarlier => rejected(forms::reject(fields, VerdictOn::Earlier)),
        Action::Delete => (Command::Delete, Ok(CommandForm::Delete)),
    };
    let version = fields.given("version").and_then(|version| version.parse().ok());
    let acting = acting(viewer, fields, action, document);
    let outcome =
        finance.command_as_sent(&acting, document.id, (command, form), version, Execution::Commit).await;
    // The same form once more: the page shows what came of it.
    if matches!(outcome, Err(CommandError::Store(StoreError::Repeated))) {
        return Ok(page);
    }
    let outcome = outcome?;
    Ok(if action == Action::Delete {
        "/console/invoices".to_owned()
    } else if matches!(action, Action::Credit | Action::Reverse) {
        format!("/console/invoices/{}", outcome.document.id)
    } else {
        page
    })
}

/// Does it for one row of many; `version` is the one that was looked at.
pub(super) async fn execute_row(
    finance: &Finance,
    submissions: &Submissions,
    viewer: &Viewer,
    (id, version, action): (&str, &str, Action),
    now: Timestamp,
) -> Result<(), PageError> {
    let document = read::find(finance, viewer, document_id(id)?).await?;
    // Whoever resubmits what was rejected does not issue a draft.
    if action == Action::Issue && document.state.status() != Status::Rejected {
        let sentence = format!("the document is {}, not rejected", document.state.status());
        return Err(PageError::refused(StatusCode::CONFLICT, sentence));
    }
    let fields = Fields::from([("version", version)]);
    execute(finance, submissions, (viewer, &fields), (&document, action), now).await.map(drop)
}
