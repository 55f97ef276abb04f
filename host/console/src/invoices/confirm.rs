//! What can be done about a document, and the page that says what will happen before it is done.

use super::forms::TypedRecipient;
use super::parts::{FaultRow, LineRow, identity, lines};
use super::{document_id, show};
use crate::errors::PageError;
use crate::format;
use crate::page::{Layout, PageResult, Section, html};
use crate::rights::Right;
use crate::session::Viewer;
use askama::Template;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use gateway_domain::invoicing::{Invoice, Status};
use gateway_domain::ports::Clock;
use gateway_domain_finance::{Command, CommandForm, Route, refusal};
use gateway_finance::{CommandError, Execution, Finance, Outcome, SubmissionView, Submissions};
use std::sync::Arc;
use uuid::Uuid;

/// What can be done about a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    DryRun,
    Issue,
    Recipient,
    Credit,
    Reverse,
    Retry,
    Acknowledge,
    Accept,
    Reject,
    Delete,
}

impl Action {
    pub(crate) const ALL: [Self; 10] = [
        Self::DryRun,
        Self::Issue,
        Self::Recipient,
        Self::Credit,
        Self::Reverse,
        Self::Retry,
        Self::Acknowledge,
        Self::Accept,
        Self::Reject,
        Self::Delete,
    ];

    /// In addresses.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::DryRun => "dry-run",
            Self::Issue => "issue",
            Self::Recipient => "recipient",
            Self::Credit => "credit",
            Self::Reverse => "reverse",
            Self::Retry => "retry",
            Self::Acknowledge => "acknowledge",
            Self::Accept => "accept",
            Self::Reject => "reject",
            Self::Delete => "delete",
        }
    }

    pub(crate) fn parse(name: &str) -> Result<Self, PageError> {
        let known = Self::ALL.into_iter().find(|action| action.name() == name);
        known.ok_or_else(|| PageError::not_found("there is no such action"))
    }

    /// On its button.
    pub(crate) const fn title(self, status: Status) -> &'static str {
        match (self, status) {
            (Self::DryRun, _) => "Dry run",
            (Self::Issue, Status::Rejected) => "Resubmit",
            (Self::Issue, Status::Draft | Status::Issuing | Status::Issued) => "Issue",
            (Self::Recipient, _) => "Edit recipient",
            (Self::Credit, _) => "Credit",
            (Self::Reverse, _) => "Reverse",
            (Self::Retry, _) => "Retry",
            (Self::Acknowledge, _) => "Mark alert as read",
            (Self::Accept, _) => "Accepted, by hand",
            (Self::Reject, _) => "Rejected, by hand",
            (Self::Delete, _) => "Delete draft",
        }
    }

    /// What will happen.
    const fn sentence(self, status: Status) -> &'static str {
        match (self, status) {
            (Self::DryRun, _) => "Nothing changes. This is what issuing the document would do now.",
            (Self::Issue, Status::Rejected) => {
                "The document is sent again under a new number; the rejected number is never used again."
            }
            (Self::Issue, Status::Draft | Status::Issuing | Status::Issued) => {
                "The document gets its number and cannot be edited any more. Where its workspace reports to a tax authority, it \
                 is sent there and is final once that accepts."
            }
            (Self::Recipient, _) => {
                "The recipient of the document is replaced. A rejected document has to be resubmitted afterwards."
            }
            (Self::Credit, _) => {
                "A credit note over the ticked lines is drafted. It has no effect before it is issued."
            }
            (Self::Reverse, _) => {
                "A credit note over the whole document is drafted and issued at once. This cannot be taken back."
            }
            (Self::Retry, _) => {
                "The alert is forgotten and the next step of the submission is taken at once. Mend its cause first."
            }
            (Self::Acknowledge, _) => "The alert is taken back, because somebody has read it.",
            (Self::Accept, _) => {
                "The document is issued with the proof that you give here, and its submission ends. This cannot be taken back: \
                 make sure that the tax authority holds the record."
            }
            (Self::Reject, _) => {
                "The document counts as rejected, and its submission ends. Make sure that the tax authority does not hold the \
                 record."
            }
            (Self::Delete, _) => "The draft is deleted for good.",
        }
    }

    /// Whether nobody can take it back.
    pub(crate) const fn is_final(self) -> bool {
        match self {
            Self::Reverse | Self::Accept | Self::Reject | Self::Delete => true,
            Self::DryRun | Self::Issue | Self::Recipient | Self::Credit | Self::Retry | Self::Acknowledge => {
                false
            }
        }
    }

    pub(crate) const fn right(self) -> Right {
        match self {
            Self::DryRun | Self::Issue | Self::Recipient | Self::Credit | Self::Reverse | Self::Delete => {
                Right::Command
            }
            Self::Retry | Self::Acknowledge => Right::Retry,
            Self::Accept | Self::Reject => Right::Verdict,
        }
    }

    const fn command(self) -> Option<Command> {
        match self {
            Self::DryRun | Self::Issue => Some(Command::Issue),
            Self::Recipient => Some(Command::UpdateRecipient),
            Self::Credit => Some(Command::Credit),
            Self::Reverse => Some(Command::Reverse),
            Self::Accept => Some(Command::MarkAsAcceptedByTaxAuthority),
            Self::Reject => Some(Command::MarkAsRejectedByTaxAuthority),
            Self::Delete => Some(Command::Delete),
            Self::Retry | Self::Acknowledge => None,
        }
    }

    /// Whether the rules of the document's state take it, and the client may do it.
    pub(crate) fn is_offered(
        self,
        viewer: &Viewer,
        document: &Invoice,
        submission: Option<&SubmissionView>,
    ) -> bool {
        let is_possible = match (self, self.command()) {
            (_, Some(command)) => {
                refusal(document.state.status(), command).is_none()
                    && (command != Command::Issue || document.content.document_type.has_series())
            }
            (Self::Acknowledge, None) => submission.is_some_and(|view| {
                let alert = view.submission.alert.as_ref();
                view.submission.has_ended() && alert.is_some_and(|alert| alert.code.is_settled_by_reading())
            }),
            (_, None) => submission.is_some_and(|view| !view.submission.has_ended()),
        };
        is_possible && self.right().is_of(&viewer.signed_in)
    }
}

/// What a dry run found.
#[derive(Debug, Default)]
pub(super) struct Preview {
    pub(super) sentences: Vec<String>,
    pub(super) faults: Vec<FaultRow>,
}

#[derive(Template)]
#[template(path = "confirm.html")]
struct ConfirmPage<'a> {
    layout: Layout,
    id: String,
    heading: String,
    action: &'static str,
    title: &'static str,
    sentence: &'static str,
    is_final: bool,
    is_only_shown: bool,
    version: i64,
    /// Makes a form that is sent twice count once.
    request: String,
    problems: &'a [String],
    preview: Preview,
    recipient: Option<TypedRecipient>,
    lines: Vec<LineRow>,
}

/// The page that says what will happen; `problems` are those of the last try.
pub(super) fn confirmation(
    viewer: &Viewer,
    document: &Invoice,
    action: Action,
    (preview, typed, problems): (Preview, Option<TypedRecipient>, &[String]),
) -> Response {
    let status = document.state.status();
    let number = document.state.number().map_or_else(|| "draft".to_owned(), |number| number.0.clone());
    let title = action.title(status);
    let recipient = typed.unwrap_or_else(|| TypedRecipient::of(document.content.recipient.as_ref()));
    html(&ConfirmPage {
        layout: Layout::new(viewer, Section::Invoices, format!("{title}: {number}")),
        id: document.id.to_string(),
        heading: number,
        action: action.name(),
        title,
        sentence: action.sentence(status),
        is_final: action.is_final(),
        is_only_shown: action == Action::DryRun,
        version: document.version,
        request: Uuid::new_v4().to_string(),
        problems,
        preview,
        recipient: (action == Action::Recipient).then_some(recipient),
        lines: if action == Action::Credit { lines(document, &[]) } else { Vec::new() },
    })
}

/// Says what an action will do; what can be tried without doing it is tried.
pub(crate) async fn show(
    viewer: Viewer,
    State(finance): State<Finance>,
    State(submissions): State<Submissions>,
    State(clock): State<Arc<dyn Clock>>,
    Path((id, action)): Path<(String, String)>,
) -> PageResult {
    let action = Action::parse(&action)?;
    action.right().demand(&viewer.signed_in)?;
    let document = show::find(&finance, &viewer, document_id(&id)?).await?;
    let submission = submissions.find(&viewer.acting(), document.id).await?;
    if !action.is_offered(&viewer, &document, submission.as_ref()) {
        let sentence = format!("a document that is {} does not take this", document.state.status());
        return Err(PageError::refused(axum::http::StatusCode::CONFLICT, sentence));
    }
    let now = clock.now();
    let form = match action {
        Action::DryRun | Action::Issue => Some(CommandForm::Issue { at: None }),
        Action::Credit => Some(CommandForm::Credit { at: now, lines: None }),
        Action::Reverse => Some(CommandForm::Reverse { at: now }),
        Action::Recipient
        | Action::Retry
        | Action::Acknowledge
        | Action::Accept
        | Action::Reject
        | Action::Delete => None,
    };
    let Some(form) = form else {
        return Ok(confirmation(&viewer, &document, action, (Preview::default(), None, &[])));
    };
    let tried = finance.command(&viewer.acting(), document.id, form, None, Execution::DryRun).await;
    let (preview, problems) = match tried {
        Ok(outcome) => (preview(action, &outcome), Vec::new()),
        Err(error @ (CommandError::Store(_) | CommandError::InvoiceData(_))) => return Err(error.into()),
        Err(error) => (Preview::default(), PageError::from(error).sentences),
    };
    Ok(confirmation(&viewer, &document, action, (preview, None, &problems)).into_response())
}

fn preview(action: Action, outcome: &Outcome) -> Preview {
    let Some(dry_run) = &outcome.dry_run else {
        let made = &outcome.document;
        let gross = format::money(made.totals.gross, &made.content.currency);
        let sentences = match action {
            Action::Credit => vec![format!("All lines together: a draft credit note over {gross}.")],
            Action::Reverse => vec![format!("A credit note over {gross} is issued at once.")],
            Action::DryRun
            | Action::Issue
            | Action::Recipient
            | Action::Retry
            | Action::Acknowledge
            | Action::Accept
            | Action::Reject
            | Action::Delete => Vec::new(),
        };
        return Preview { sentences, faults: outcome.warnings.iter().map(FaultRow::from).collect() };
    };
    let route = match dry_run.route {
        Route::Standard => "It does not go to a tax authority: it is final at once.",
        Route::TaxAuthority => "It goes to the tax authority of its workspace.",
    };
    let mut sentences = vec![route.to_owned()];
    if let Some(mapped) = dry_run.identity.as_ref().and_then(|mapping| mapping.mapped_to.as_ref()) {
        sentences.push(format!("The authority knows the recipient by {}.", identity(mapped)));
    }
    if !dry_run.faults.iter().any(gateway_domain::fault::Fault::stops) {
        sentences.push("Nothing was found that would be refused.".to_owned());
    }
    Preview { sentences, faults: dry_run.faults.iter().map(FaultRow::from).collect() }
}
