//! Verdicts that are given by hand: about the number under which a document waits, or about an earlier one of its own.

use super::{
    AcceptanceForm, AlertCode, AuthorityRecord, CommandFacts, CommandRefused, InvoiceDataCall, Plan, Proof,
    Record, Refusal, RejectionForm, SentUnder, Stage, Submission,
};
use gateway_domain::invoicing::{Invoice, InvoiceNumber, Rejection, State, Status};
use gateway_domain::{ErrorCode, FieldError};
use jiff::Timestamp;

/// A verdict about another number than the one under which the document waits is decided by what was sent then.
pub(super) fn is_about_another_number(document: &Invoice, facts: &CommandFacts) -> bool {
    match facts {
        CommandFacts::Accept { form, .. } => earlier_number(form.number.as_ref(), document).is_some(),
        CommandFacts::Reject { form, .. } => is_refutation(document, form),
        CommandFacts::Issue { .. }
        | CommandFacts::Resume { .. }
        | CommandFacts::Credit { .. }
        | CommandFacts::Reverse { .. }
        | CommandFacts::Refund { .. }
        | CommandFacts::Delete
        | CommandFacts::Edit { .. }
        | CommandFacts::Settle(_)
        | CommandFacts::SendToTaxAuthority => false,
    }
}

/// The number that a verdict is about, unless that is the one under which the document waits for its verdict.
fn earlier_number<'a>(named: Option<&'a InvoiceNumber>, document: &Invoice) -> Option<&'a InvoiceNumber> {
    let waits = document.state.status() == Status::Issuing;
    named.filter(|number| !waits || document.state.number() != Some(number))
}

/// Whether a rejection says that the authority holds nothing under an earlier number. Said of its own number with a
/// reason, it is the verdict that was given before.
fn is_refutation(document: &Invoice, form: &RejectionForm) -> bool {
    let repeats = document.state.status() == Status::Rejected
        && form.reason.is_some()
        && form.number.as_ref() == document.state.number();
    !repeats && earlier_number(form.number.as_ref(), document).is_some()
}

/// Whether a submission waits for somebody to settle that the authority accepted an earlier number after all.
pub fn is_accepted_after_all(submission: &Submission) -> bool {
    submission.alert.as_ref().is_some_and(|alert| alert.code == AlertCode::AcceptedAfterAll)
}

/// The authority accepted.
pub(super) fn accept(
    document: Invoice,
    form: AcceptanceForm,
    sent: Option<SentUnder>,
    now: Timestamp,
) -> Result<Plan, CommandRefused> {
    if let Some(number) = earlier_number(form.number.as_ref(), &document).cloned() {
        return accept_earlier(document, form, number, sent, now);
    }
    let acceptance = form.acceptance(now)?;
    let result = document.clone().accept(Some(acceptance.clone()), now)?.invoice;
    let call = InvoiceDataCall::Issue { acceptance: Some(acceptance), at: None, expected_version: None };
    Ok(Plan::about(document, call, Record::Verdict, result))
}

/// The document is issued under an earlier number, with the content that was sent then. Refused while its present number
/// may be at the authority.
fn accept_earlier(
    document: Invoice,
    form: AcceptanceForm,
    number: InvoiceNumber,
    sent: Option<SentUnder>,
    now: Timestamp,
) -> Result<Plan, CommandRefused> {
    match document.state.status() {
        Status::Draft => return Err(CommandRefused::State(Refusal::NotIssuing)),
        Status::Issued => return Err(CommandRefused::State(Refusal::AlreadyIssued)),
        Status::Issuing | Status::Rejected => {}
    }
    let SentUnder { jobs, submission } = ensure_sent(sent)?;
    ensure_not_at_authority(submission.as_ref())?;
    let proven = jobs.iter().find_map(|sent| sent.acceptance.clone());
    let acceptance = match (proven, &form.qr_url, &form.tax_system_hash) {
        (Some(proven), Proof::Unsaid, Proof::Unsaid) => proven,
        (Some(_) | None, Proof::Unsaid | Proof::Absent | Proof::Given(_), _) => form.acceptance(now)?,
    };
    // Only the invoice data service has the content that was sent then; what is foreseen is the document as it is.
    let as_sent =
        Invoice { state: State::Issuing { number: number.clone(), since: now }, ..document.clone() };
    let result = document.clone().accept_earlier(as_sent, acceptance.clone(), now)?.invoice;
    let jobs = jobs.into_iter().map(|sent| sent.job).collect();
    let record = Record::EarlierAccepted { jobs, acceptance: acceptance.clone() };
    Ok(Plan::about(document, InvoiceDataCall::IssueEarlier { number, acceptance }, record, result))
}

/// The authority refused.
pub(super) fn reject(
    document: Invoice,
    form: RejectionForm,
    sent: Option<SentUnder>,
    now: Timestamp,
) -> Result<Plan, CommandRefused> {
    if is_refutation(&document, &form) {
        return refute(document, form.number.as_ref(), sent);
    }
    let RejectionForm { reason, code, .. } = form;
    let Some(reason) = reason.filter(|reason| !reason.trim().is_empty()) else {
        let error = FieldError::new(
            "reason",
            ErrorCode::Required,
            "is required: say why the tax authority refused the document",
        );
        return Err(CommandRefused::Invalid(vec![error]));
    };
    let reason = code.map_or(reason.clone(), |code| format!("{code}: {reason}"));
    let refused = document.clone().reject(reason.clone(), now);
    match refused.map_err(|_| CommandRefused::State(Refusal::NotIssuing))? {
        Rejection::Before => Ok(Plan::record_only(document, Record::Nothing)),
        Rejection::Now(rejected) => {
            Ok(Plan::about(document, InvoiceDataCall::Reject { reason }, Record::Verdict, rejected.invoice))
        }
    }
}

/// The authority holds nothing under an earlier number, so the document may go out under another. Nobody asks to forget
/// what the provider shows as accepted, or what it still works on. Said again, it is no news.
fn refute(
    document: Invoice,
    number: Option<&InvoiceNumber>,
    sent: Option<SentUnder>,
) -> Result<Plan, CommandRefused> {
    let SentUnder { jobs, submission } = ensure_sent(sent)?;
    let is_issued = document.state.status() == Status::Issued;
    if is_issued && document.state.number() == number {
        return Err(CommandRefused::State(Refusal::AlreadyIssued));
    }
    let is_said_again = jobs.iter().all(|sent| sent.authority_record == Some(AuthorityRecord::Nothing));
    let is_proven = jobs.iter().any(|sent| sent.acceptance.is_some());
    if !is_said_again && is_proven && !is_issued {
        let message = "was accepted by the tax authority, as the provider shows: settle it with \
                       mark_as_accepted_by_tax_authority";
        return Err(CommandRefused::Rule(FieldError::new("number", ErrorCode::AcceptedAfterAll, message)));
    }
    if !is_said_again && !submission.as_ref().is_some_and(is_accepted_after_all) {
        let message = "waits for nobody's word: it is settled where the alert acceptedAfterAll asks for it";
        return Err(CommandRefused::Rule(FieldError::new("number", ErrorCode::EarlierAttemptOpen, message)));
    }
    let jobs = jobs.into_iter().map(|sent| sent.job).collect();
    Ok(Plan::record_only(document, Record::EarlierRefuted { jobs }))
}

/// The document was sent under the number that a verdict names.
fn ensure_sent(sent: Option<SentUnder>) -> Result<SentUnder, CommandRefused> {
    sent.filter(|sent| !sent.jobs.is_empty()).ok_or_else(|| {
        let message = "is no number that the document was sent under: GET its submission lists the attempts";
        CommandRefused::Rule(FieldError::new("number", ErrorCode::InvoiceNumberUnknown, message))
    })
}

/// Nothing of the document is at the tax authority at this moment.
fn ensure_not_at_authority(submission: Option<&Submission>) -> Result<(), CommandRefused> {
    match submission.map(Submission::stage) {
        Some(Stage::Starting | Stage::Waiting | Stage::Settling) => {
            Err(CommandRefused::State(Refusal::LockedWhileIssuing))
        }
        Some(
            Stage::Requested
            | Stage::Converting
            | Stage::Uploading
            | Stage::Accepted
            | Stage::Rejected
            | Stage::Superseded
            | Stage::Withdrawn,
        )
        | None => Ok(()),
    }
}
