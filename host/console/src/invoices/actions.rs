//! Carries out what was confirmed, with the signed-in client as the actor.

use super::action;
use super::confirm::{Preview, Subject, confirmation};
use super::read;
use crate::addresses::document_id;
use crate::errors::{PageError, PageResult};
use crate::session::{SentForm, Viewer, see_other};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::IntoResponse;
use gateway_access::{Repeat, Requests, request_key};
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Invoice, Status};
use gateway_domain::ports::Clock;
use gateway_domain_finance::{Command, CommandForm};
use gateway_finance::{DocumentLists, Execution, Finance, Submissions};
use gateway_presentation::Action;
use gateway_presentation::Fields;
use gateway_presentation::document_forms::{self as forms, VerdictOn};
use jiff::Timestamp;
use std::sync::Arc;

const LIST: &str = "/console/invoices";

/// Carries an action out, and shows the document, or what is wrong with what was typed. A form that was carried out before leads to
/// what came of it.
pub(super) async fn carry_out(
    State(finance): State<Finance>,
    State(submissions): State<Submissions>,
    State(lists): State<DocumentLists>,
    State(clock): State<Arc<dyn Clock>>,
    State(requests): State<Requests>,
    Path((id, action)): Path<(String, String)>,
    SentForm { viewer, fields }: SentForm,
) -> PageResult {
    let action = action::named(&action)?;
    action::right(action).demand(&viewer.signed_in)?;
    let id = document_id(&id)?;
    let acting = acting(&viewer, &fields, action, id);
    let carried_out = async {
        let document = read::find(&finance, &viewer, id).await?;
        execute(&finance, &submissions, (&acting, &fields), (&document, action), clock.now()).await
    };
    let next_page = carried_out.await;
    if next_page.is_err() && was_carried_out(&requests, &acting).await? {
        let is_gone = action == Action::Delete;
        let page = if is_gone { LIST.to_owned() } else { format!("{LIST}/{id}") };
        return Ok(see_other(&page));
    }
    match next_page {
        Ok(next_page) => Ok(see_other(&next_page)),
        Err(error) if error.is_about_the_form() => {
            let document = read::find(&finance, &viewer, id).await?;
            let subject = Subject::of((&document, action), &viewer, &submissions, &lists).await?;
            let page = confirmation(&viewer, &subject, (Preview::default(), Some(&fields), Some(&error)));
            Ok((error.status, page).into_response())
        }
        Err(error) => Err(error),
    }
}

/// On behalf of the client; a form that is sent twice counts once.
fn acting(viewer: &Viewer, fields: &Fields, action: Action, document: InvoiceId) -> Acting {
    let content = format!("console {} {document}", action.name());
    let key = fields.given("request").map(|key| request_key(viewer.signed_in.caller.client, key, &content));
    Acting { request: key, ..viewer.acting() }
}

/// Whether the same form was carried out before: what it is refused for now came of it.
async fn was_carried_out(requests: &Requests, acting: &Acting) -> Result<bool, StoreError> {
    let Some(request) = &acting.request else { return Ok(false) };
    let known = requests.repeated_by_now(request).await?;
    Ok(matches!(known, Repeat::CarriedOut | Repeat::Answered { .. }))
}

/// Does it on behalf of somebody, and answers the address of the page to look at next.
async fn execute(
    finance: &Finance,
    submissions: &Submissions,
    (acting, fields): (&Acting, &Fields),
    (document, action): (&Invoice, Action),
    now: Timestamp,
) -> Result<String, PageError> {
    let page = format!("{LIST}/{}", document.id);
    let accepted = |form| (Command::MarkAsAcceptedByTaxAuthority, form);
    let rejected = |form| (Command::MarkAsRejectedByTaxAuthority, form);
    let (command, form) = match action {
        Action::DryRun => return Ok(format!("{page}/dry-run")),
        Action::Retry => {
            submissions.retry(acting, document.id).await?;
            return Ok(page);
        }
        Action::Acknowledge => {
            submissions.acknowledge(acting, document.id).await?;
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
    let outcome =
        finance.command_as_sent(acting, document.id, (command, form), version, Execution::Commit).await?;
    Ok(if action == Action::Delete {
        LIST.to_owned()
    } else if matches!(action, Action::Credit | Action::Reverse) {
        format!("{LIST}/{}", outcome.document.id)
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
    execute(finance, submissions, (&viewer.acting(), &fields), (&document, action), now).await.map(drop)
}
