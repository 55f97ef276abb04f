//! The decisions of finance: state × command × content → a [`Plan`], or a refusal with a code (specification, Rules 1 to 6).

use super::{
    AcceptanceForm, AlertCode, AuthorityRecord, Command, CommandForm, Edit, FinanceEvent, InvoiceDataCall,
    NextStep, Plan, Proof, Record, Refusal, RejectionForm, Route, Stage, Submission, refusal,
};
use gateway_domain::ids::{InvoiceId, ProviderJobId};
use gateway_domain::invoicing::{
    Acceptance, Content, Credited, Invoice, InvoiceNumber, IssueError, Line, NotCreditable, NotEditable,
    NotRefundable, Rejection, State, Status, TaxCheck, Totals, credit_note, refundable,
};
use gateway_domain::money::Amount;
use gateway_domain::regime::RegimeDescription;
use gateway_domain::{ErrorCode, FieldError};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::sync::Arc;

/// Why a command is refused by the rules. Nothing changed, and no number was used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandRefused {
    /// The state of the document does not take the command.
    #[error("{}", .0.message())]
    State(Refusal),
    /// The document cannot be issued.
    #[error(transparent)]
    Issue(#[from] IssueError),
    /// What the command says has mistakes.
    #[error("the command has mistakes")]
    Invalid(Vec<FieldError>),
    /// A rule of the command, by its failure code.
    #[error("{}", .0.message)]
    Rule(FieldError),
    /// The document changed since the caller read it.
    #[error("the document is at version {current}: read it again and repeat the command")]
    Stale {
        /// As stored; the caller expected another one.
        current: i64,
    },
}

/// A job that the document was sent with under an earlier number.
#[derive(Debug, Clone, PartialEq)]
pub struct SentJob {
    /// The provider's job.
    pub job: ProviderJobId,
    /// What the tax authority holds of it; none while nobody knows.
    pub authority_record: Option<AuthorityRecord>,
    /// The proof of an acceptance that was learned of after the job had ended.
    pub acceptance: Option<Acceptance>,
}

/// The credit notes of a document, drafts included.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CreditNotes {
    /// All of them; at a remote invoice data service also one that was deleted there.
    pub notes: Vec<InvoiceId>,
    /// What those that can be read take of the document.
    pub credited: Vec<Credited>,
}

/// What a command is decided from, read with nothing held. What its form does not ask about is none.
#[derive(Debug, Clone)]
pub struct Facts {
    /// The document, as it was read.
    pub document: Invoice,
    /// By the gateway's clock; the time of an acceptance whose form names none.
    pub now: Timestamp,
    /// The day of the command, in the time zone of the workspace.
    pub day: Date,
    /// The tax regime of the workspace, which checks the taxes of lines; without one only their syntax is checked.
    pub regime: Option<Arc<RegimeDescription>>,
    /// The credit notes of the document.
    pub credit_notes: Option<CreditNotes>,
    /// What was returned of it so far.
    pub refunded: Option<Vec<Amount>>,
    /// What it was sent with under the number that the command names.
    pub sent: Option<Vec<SentJob>>,
    /// Read before the document: one that another request moved meanwhile is seen issuing.
    pub submission: Option<Submission>,
    /// Which way an issue goes.
    pub route: Option<Route>,
    /// Whether the document is a corrective that waits for the invoice it corrects.
    pub is_blocked: bool,
}

impl Facts {
    /// A document at `now`, and nothing else that is known of it.
    pub fn about(document: Invoice, now: Timestamp) -> Self {
        Self {
            document,
            now,
            day: now.to_zoned(TimeZone::UTC).date(),
            regime: None,
            credit_notes: None,
            refunded: None,
            sent: None,
            submission: None,
            route: None,
            is_blocked: false,
        }
    }
}

/// Decides a command; with `expected_version`, only about that version of the document. `new_document` is the id of a document
/// that it makes.
///
/// # Errors
/// Why it is refused.
pub fn decide(
    facts: Facts,
    form: CommandForm,
    expected_version: Option<i64>,
    new_document: InvoiceId,
) -> Result<Plan, CommandRefused> {
    if !is_about_another_number(&facts.document, &form) {
        ensure_taken(&facts.document, form.command())?;
    }
    if expected_version.is_some_and(|expected| expected != facts.document.version) {
        return Err(CommandRefused::Stale { current: facts.document.version });
    }
    match form {
        CommandForm::Issue { at } => issue(facts, at),
        CommandForm::Credit { lines, .. } => note(facts, new_document, lines, Record::Credited, None),
        CommandForm::Reverse { at } => {
            note(facts, new_document, None, Record::Reversed, Some(NextStep::Issue { at: Some(at) }))
        }
        CommandForm::Refund { at, amount, reference } => refund(facts, at, amount, reference),
        CommandForm::Delete => {
            let Facts { document, .. } = facts;
            let call = InvoiceDataCall::Delete { expected_version: document.version };
            Ok(Plan::about(document.clone(), call, Record::Event(FinanceEvent::Deleted), document))
        }
        CommandForm::Edit(edit) => edited(facts, *edit),
        CommandForm::Accept(form) => accept(facts, form),
        CommandForm::Reject(form) => reject(facts, form),
        CommandForm::SendToTaxAuthority => Err(CommandRefused::State(Refusal::DispatchedInternally)),
    }
}

/// Whether the state of a document takes a command.
///
/// # Errors
/// Why not.
pub fn ensure_taken(document: &Invoice, command: Command) -> Result<(), CommandRefused> {
    refusal(document.state.status(), command).map_or(Ok(()), |refusal| Err(CommandRefused::State(refusal)))
}

/// A verdict about another number than the one under which the document waits is decided by what was sent then.
fn is_about_another_number(document: &Invoice, form: &CommandForm) -> bool {
    match form {
        CommandForm::Accept(form) => earlier_number(form.number.as_ref(), document).is_some(),
        CommandForm::Reject(form) => is_refutation(document, form),
        CommandForm::Issue { .. }
        | CommandForm::Credit { .. }
        | CommandForm::Reverse { .. }
        | CommandForm::Refund { .. }
        | CommandForm::Delete
        | CommandForm::Edit(_)
        | CommandForm::SendToTaxAuthority => false,
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

/// A draft of another document's workspace, not stored yet.
pub fn follow_up_draft(
    follow_up: &Invoice,
    id: InvoiceId,
    content: Content,
    totals: Totals,
    now: Timestamp,
) -> Invoice {
    Invoice {
        id,
        workspace: follow_up.workspace,
        content,
        totals,
        state: State::Draft,
        send_to_tax_authority: false,
        version: 1,
        created_at: now,
        updated_at: now,
    }
}

/// The issue, to the tax authority or straight to final.
fn issue(facts: Facts, at: Option<Timestamp>) -> Result<Plan, CommandRefused> {
    let Facts { document, submission, route, is_blocked, .. } = facts;
    let route = route.unwrap_or(Route::Standard);
    ensure_route_takes(&document, route)?;
    ensure_not_accepted_after_all(&document, submission.as_ref())?;
    if is_blocked {
        return Err(IssueError::Blocked.into());
    }
    // Another request is moving the document at this moment, or died and its job goes on for it; or a remote invoice data service
    // was told the verdict, and finance records it in a moment.
    let is_moving =
        submission.is_some_and(|submission| matches!(submission.stage(), Stage::Requested | Stage::Settling));
    match route {
        Route::TaxAuthority if is_moving => Err(CommandRefused::State(Refusal::LockedWhileIssuing)),
        Route::Standard | Route::TaxAuthority => {
            let version = document.version;
            Ok(Plan::issue(document, route, at, Some(version)))
        }
    }
}

impl Plan {
    /// The issue of a document on its route, at the caller's own time `at`; with `expected_version`, only at that version.
    pub fn issue(
        document: Invoice,
        route: Route,
        at: Option<Timestamp>,
        expected_version: Option<i64>,
    ) -> Self {
        let (call, record) = match route {
            Route::Standard => (
                InvoiceDataCall::Issue { acceptance: None, at, expected_version },
                Record::Event(FinanceEvent::Issued),
            ),
            Route::TaxAuthority => {
                (InvoiceDataCall::BeginIssuing { at, expected_version }, Record::Submitted)
            }
        };
        Self::about(document.clone(), call, record, document)
    }
}

/// The issue to the tax authority that a command left when its process died: what its document allows now.
///
/// # Errors
/// Why it is refused.
pub fn resume_issue(document: Invoice, at: Option<Timestamp>) -> Result<Plan, CommandRefused> {
    ensure_taken(&document, Command::Issue)?;
    document.ensure_billable()?;
    let version = document.version;
    Ok(Plan::issue(document, Route::TaxAuthority, at, Some(version)))
}

/// Refuses what its way does not take, whatever else is refused: a rejected document has its number and goes to the tax
/// authority again or nowhere.
fn ensure_route_takes(document: &Invoice, route: Route) -> Result<(), CommandRefused> {
    if document.state.status() == Status::Rejected && route == Route::Standard {
        let message = "goes to the tax authority again, and its workspace has no e-invoicing for it: set it with 'gateway workspace e-invoicing set'";
        let error = FieldError::new("status", ErrorCode::EInvoicingNotConfigured, message);
        return Err(CommandRefused::Rule(error));
    }
    Ok(document.ensure_billable()?)
}

/// A rejected document that the authority holds, or may hold, under an earlier number does not go out again.
fn ensure_not_accepted_after_all(
    document: &Invoice,
    submission: Option<&Submission>,
) -> Result<(), CommandRefused> {
    let alert =
        submission.filter(|found| is_accepted_after_all(found)).and_then(|found| found.alert.as_ref());
    match alert {
        Some(alert) if document.state.status() == Status::Rejected => {
            let error = FieldError::new("status", ErrorCode::AcceptedAfterAll, alert.message.clone());
            Err(CommandRefused::Rule(error))
        }
        Some(_) | None => Ok(()),
    }
}

fn note(
    facts: Facts,
    new_document: InvoiceId,
    lines: Option<Vec<Line>>,
    record: Record,
    then: Option<NextStep>,
) -> Result<Plan, CommandRefused> {
    let Facts { document, credit_notes, day, now, .. } = facts;
    let credited = credit_notes.unwrap_or_default().credited;
    let (content, totals) = credit_note(&document, &credited, lines, day)?;
    let note = follow_up_draft(&document, new_document, content, totals, now);
    Ok(Plan::follow_up(document, note, record, then))
}

fn refund(
    facts: Facts,
    at: Timestamp,
    amount: Amount,
    reference: Option<String>,
) -> Result<Plan, CommandRefused> {
    let Facts { document, refunded, day, .. } = facts;
    let zero = Amount::zero(document.totals.payable.scale());
    let refunded = refunded
        .unwrap_or_default()
        .into_iter()
        .try_fold(zero, Amount::plus_exact)
        .map_err(NotRefundable::from)?;
    let amount = refundable(&document, refunded, amount, day)?;
    Ok(Plan::record_only(document, Record::Refunded { amount, reference, at }))
}

fn edited(facts: Facts, edit: Edit) -> Result<Plan, CommandRefused> {
    let Facts { document, regime, now, .. } = facts;
    let taxes = regime.as_deref().map_or(TaxCheck::Syntax, TaxCheck::Regime);
    let event = match &edit {
        Edit::Recipient(_) => FinanceEvent::RecipientUpdated,
        Edit::Add(..) => FinanceEvent::TransactionAdded,
        Edit::Update(..) => FinanceEvent::TransactionUpdated,
        Edit::Remove(_) => FinanceEvent::TransactionRemoved,
    };
    let content = edit.of(document.content.clone(), taxes)?;
    let totals =
        Totals::of(&content).map_err(|error| CommandRefused::Invalid(vec![FieldError::from(error)]))?;
    let result = document.clone().edit(content.clone(), totals, now)?.invoice;
    let call = InvoiceDataCall::Save { content: Box::new(content), expected_version: Some(document.version) };
    Ok(Plan::about(document, call, Record::Event(event), result))
}

fn accept(facts: Facts, form: AcceptanceForm) -> Result<Plan, CommandRefused> {
    if let Some(number) = earlier_number(form.number.as_ref(), &facts.document).cloned() {
        return accept_earlier(facts, form, number);
    }
    let Facts { document, now, .. } = facts;
    let acceptance = form.acceptance(now)?;
    let result = document.clone().accept(Some(acceptance.clone()), now)?.invoice;
    let call = InvoiceDataCall::Issue { acceptance: Some(acceptance), at: None, expected_version: None };
    Ok(Plan::about(document, call, Record::Verdict, result))
}

/// The document is issued under an earlier number, with the content that was sent then. Refused while its present number
/// may be at the authority.
fn accept_earlier(facts: Facts, form: AcceptanceForm, number: InvoiceNumber) -> Result<Plan, CommandRefused> {
    let Facts { document, now, sent, submission, .. } = facts;
    let sent = sent.unwrap_or_default();
    match document.state.status() {
        Status::Draft => return Err(CommandRefused::State(Refusal::NotIssuing)),
        Status::Issued => return Err(CommandRefused::State(Refusal::AlreadyIssued)),
        Status::Issuing | Status::Rejected => {}
    }
    ensure_sent(&sent)?;
    ensure_not_at_authority(submission.as_ref())?;
    let proven = sent.iter().find_map(|sent| sent.acceptance.clone());
    let acceptance = match (proven, &form.qr_url, &form.tax_system_hash) {
        (Some(proven), Proof::Unsaid, Proof::Unsaid) => proven,
        _ => form.acceptance(now)?,
    };
    // Only the invoice data service has the content that was sent then; what is foreseen is the document as it is.
    let as_sent =
        Invoice { state: State::Issuing { number: number.clone(), since: now }, ..document.clone() };
    let result = document.clone().accept_earlier(as_sent, acceptance.clone(), now)?.invoice;
    let jobs = sent.into_iter().map(|sent| sent.job).collect();
    let record = Record::EarlierAccepted { jobs, acceptance: acceptance.clone() };
    Ok(Plan::about(document, InvoiceDataCall::IssueEarlier { number, acceptance }, record, result))
}

fn reject(facts: Facts, form: RejectionForm) -> Result<Plan, CommandRefused> {
    if is_refutation(&facts.document, &form) {
        return refute(facts, form.number.as_ref());
    }
    let Facts { document, now, .. } = facts;
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
fn refute(facts: Facts, number: Option<&InvoiceNumber>) -> Result<Plan, CommandRefused> {
    let Facts { document, sent, submission, .. } = facts;
    let sent = sent.unwrap_or_default();
    ensure_sent(&sent)?;
    let is_issued = document.state.status() == Status::Issued;
    if is_issued && document.state.number() == number {
        return Err(CommandRefused::State(Refusal::AlreadyIssued));
    }
    let is_said_again = sent.iter().all(|sent| sent.authority_record == Some(AuthorityRecord::Nothing));
    let is_proven = sent.iter().any(|sent| sent.acceptance.is_some());
    if !is_said_again && is_proven && !is_issued {
        let message = "was accepted by the tax authority, as the provider shows: settle it with \
                       mark_as_accepted_by_tax_authority";
        return Err(CommandRefused::Rule(FieldError::new("number", ErrorCode::AcceptedAfterAll, message)));
    }
    if !is_said_again && !submission.as_ref().is_some_and(is_accepted_after_all) {
        let message = "waits for nobody's word: it is settled where the alert acceptedAfterAll asks for it";
        return Err(CommandRefused::Rule(FieldError::new("number", ErrorCode::EarlierAttemptOpen, message)));
    }
    let jobs = sent.into_iter().map(|sent| sent.job).collect();
    Ok(Plan::record_only(document, Record::EarlierRefuted { jobs }))
}

/// The document was sent under the number that a verdict names.
fn ensure_sent(sent: &[SentJob]) -> Result<(), CommandRefused> {
    if sent.is_empty() {
        let message = "is no number that the document was sent under: GET its submission lists the attempts";
        return Err(CommandRefused::Rule(FieldError::new(
            "number",
            ErrorCode::InvoiceNumberUnknown,
            message,
        )));
    }
    Ok(())
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

/// Whether a submission waits for somebody to settle that the authority accepted an earlier number after all.
pub fn is_accepted_after_all(submission: &Submission) -> bool {
    submission.alert.as_ref().is_some_and(|alert| alert.code == AlertCode::AcceptedAfterAll)
}

impl From<NotEditable> for CommandRefused {
    fn from(error: NotEditable) -> Self {
        Self::Rule(FieldError::new("base", ErrorCode::DocumentLocked, error.to_string()))
    }
}

impl From<NotCreditable> for CommandRefused {
    fn from(error: NotCreditable) -> Self {
        let field = match error {
            NotCreditable::BeforeIssue(_) => "at".to_owned(),
            NotCreditable::WrongDocument { .. }
            | NotCreditable::OtherCurrency { .. }
            | NotCreditable::CreditedAlready { .. } => "base".to_owned(),
            NotCreditable::UnknownTax { line } => format!("lines[{line}].tax"),
            NotCreditable::Exceeds { .. } | NotCreditable::NoLines | NotCreditable::Totals(_) => {
                "lines".to_owned()
            }
        };
        Self::Rule(FieldError::new(field, ErrorCode::CreditRefused, error.to_string()))
    }
}

impl From<NotRefundable> for CommandRefused {
    fn from(error: NotRefundable) -> Self {
        let field = match error {
            NotRefundable::BeforeIssue(_) => "at",
            NotRefundable::NotPositive
            | NotRefundable::TooFine
            | NotRefundable::Exceeds { .. }
            | NotRefundable::TooLarge(_) => "amount",
        };
        Self::Rule(FieldError::new(field, ErrorCode::RefundRefused, error.to_string()))
    }
}
