//! The page that says what an action will do before it is done.

use super::action;
use super::read;
use crate::addresses::document_id;
use crate::errors::{PageError, PageResult};
use crate::page::{Layout, Section};
use crate::session::Viewer;
use crate::template::html;
use askama::Template;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::Invoice;
use gateway_domain::ports::Clock;
use gateway_domain_finance::{CommandForm, Route};
use gateway_finance::{
    CommandError, DocumentLists, Execution, Finance, Outcome, SubmissionView, Submissions,
};
use gateway_presentation::Action;
use gateway_presentation::document_parts::{LineRow, identity, lines};
use gateway_presentation::faults::FaultRow;
use gateway_presentation::{
    Fields, InvalidMembers, TypedRecipient, TypedVerdict, document_forms, earlier_numbers, format,
};
use std::sync::Arc;

/// What a dry run found.
#[derive(Debug, Default)]
pub(super) struct Preview {
    pub(super) sentences: Vec<String>,
    pub(super) faults: Vec<FaultRow>,
}

/// What an action is about.
pub(super) struct Subject<'a> {
    pub(super) document: &'a Invoice,
    pub(super) submission: Option<SubmissionView>,
    /// Credit notes of the document that nobody issued, where the action writes another.
    pub(super) unissued: Vec<InvoiceId>,
    pub(super) action: Action,
}

impl<'a> Subject<'a> {
    pub(super) async fn of(
        (document, action): (&'a Invoice, Action),
        viewer: &Viewer,
        submissions: &Submissions,
        lists: &DocumentLists,
    ) -> Result<Self, PageError> {
        let acting = viewer.acting();
        let submission = submissions.find(&acting, document.id).await?;
        let mut unissued = Vec::new();
        if matches!(action, Action::Credit | Action::Reverse) {
            let balance = lists.balances(&acting, &[document.id]).await?.remove(&document.id);
            unissued = balance.map(|balance| balance.unissued_credit_notes).unwrap_or_default();
        }
        Ok(Self { document, submission, unissued, action })
    }
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
    problems: &'a [String],
    invalid: InvalidMembers,
    preview: Preview,
    /// Credit notes that hold back what this one is to credit.
    unissued: Vec<String>,
    recipient: Option<TypedRecipient>,
    /// Each with whether it is ticked.
    lines: Vec<(LineRow, bool)>,
    verdict: TypedVerdict,
    /// What the document was sent under before, the last one first, where one of them is to be chosen.
    earlier_numbers: Vec<String>,
}

/// The page that says what will happen; `refused` is why the last try was refused, and `typed` what was typed then.
pub(super) fn confirmation(
    viewer: &Viewer,
    Subject { document, submission, unissued, action }: &Subject<'_>,
    (preview, typed, refused): (Preview, Option<&Fields>, Option<&PageError>),
) -> Response {
    let (document, action) = (*document, *action);
    let status = document.state.status();
    let number = format::number(document);
    let title = action.title(status);
    let (problems, invalid) = PageError::sentences_and_members(refused);
    let is_earlier = matches!(action, Action::AcceptEarlier | Action::RejectEarlier);
    let recipient =
        typed.map_or_else(|| TypedRecipient::of(document.content.recipient.as_ref()), TypedRecipient::read);
    let attempts = submission.as_ref().map(|view| view.attempts.as_slice()).unwrap_or_default();
    let ticked = typed.map(document_forms::ticked_lines);
    let is_ticked = |at: usize| ticked.as_ref().is_none_or(|ticked| ticked.contains(&at));
    let with_tick = |(at, line)| (line, is_ticked(at));
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
        problems,
        invalid,
        preview,
        unissued: unissued.iter().map(ToString::to_string).collect(),
        recipient: (action == Action::Recipient).then_some(recipient),
        lines: if action == Action::Credit {
            lines(document).into_iter().enumerate().map(with_tick).collect()
        } else {
            Vec::new()
        },
        verdict: typed.map(TypedVerdict::read).unwrap_or_default(),
        earlier_numbers: if is_earlier { earlier_numbers(document, attempts) } else { Vec::new() },
    })
}

/// Says what an action will do; what can be tried without doing it is tried.
pub(crate) async fn show(
    viewer: Viewer,
    State(finance): State<Finance>,
    State(submissions): State<Submissions>,
    State(lists): State<DocumentLists>,
    State(clock): State<Arc<dyn Clock>>,
    Path((id, action)): Path<(String, String)>,
) -> PageResult {
    let action = action::named(&action)?;
    action::right(action).demand(&viewer.signed_in)?;
    let document = read::find(&finance, &viewer, document_id(&id)?).await?;
    let subject = Subject::of((&document, action), &viewer, &submissions, &lists).await?;
    if !action::is_offered(action, &viewer, &document, subject.submission.as_ref()) {
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
        | Action::AcceptEarlier
        | Action::RejectEarlier
        | Action::Delete => None,
    };
    let Some(form) = form else {
        return Ok(confirmation(&viewer, &subject, (Preview::default(), None, None)));
    };
    let dry_run = finance.command(&viewer.acting(), document.id, form, None, Execution::DryRun).await;
    let (preview, refused) = match dry_run {
        Ok(outcome) => (preview(action, &outcome), None),
        Err(error @ (CommandError::Store(_) | CommandError::InvoiceData(_))) => return Err(error.into()),
        Err(error) => (Preview::default(), Some(PageError::from(error))),
    };
    Ok(confirmation(&viewer, &subject, (preview, None, refused.as_ref())).into_response())
}

fn preview(action: Action, outcome: &Outcome) -> Preview {
    let Some(dry_run) = &outcome.dry_run else {
        let note = &outcome.document;
        let gross = format::money(note.totals.gross, &note.content.currency);
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
            | Action::AcceptEarlier
            | Action::RejectEarlier
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
