//! The finance service: commands on documents, what is shown of them, and the operator's retry.

mod bookings;
mod copy;
mod follow_up;
mod issue;
mod outcome;
mod record;
mod show;
mod situation;
mod stats;

pub(crate) use follow_up::Beside;
pub use gateway_domain::finance::{AcceptanceForm, CommandForm, Edit, Proof, RejectionForm};
pub use issue::DryRun;
pub use outcome::Outcome;
pub use show::{RetryError, Structured, SubmissionFilter, SubmissionList, SubmissionView};
pub(crate) use stats::Counters;
pub use stats::FinanceStats;

use crate::invoice_data::BeginError;
use crate::{Gateway, ReadError};
use gateway_domain::access::{Acting, Actor};
use gateway_domain::fault::Fault;
use gateway_domain::finance::{
    Command, CommandRefused, FinanceEvent, Plan, Refusal, Route, Then, ensure_taken,
};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{FieldError, Invoice};
use gateway_domain::ports::{ConverterError, InvoiceDataError};
use gateway_events::Source;
use gateway_invoicing::{DeleteError, RejectError, Related, StepError};
use gateway_storage::{StoreError, Tx};
use jiff::{SignedDuration, Timestamp};

/// How long the background leaves what a request is about to do to that request.
const GRACE: SignedDuration = SignedDuration::from_secs(5);

/// Why a command was not carried out. Nothing changed, and no number was used.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// There is no such document.
    #[error("there is no such document")]
    Gone,
    /// The state of the document does not take the command.
    #[error("{}", .0.message())]
    Refused(Refusal),
    /// The document cannot be issued: wrong state, wrong kind, or empty.
    #[error(transparent)]
    Issue(#[from] gateway_domain::invoicing::IssueError),
    /// The pre-flight check found faults the tax authority would refuse.
    #[error("{}", preflight_failed(.0))]
    Preflight(Vec<Fault>),
    /// The command's body has mistakes.
    #[error("the command has mistakes")]
    Invalid(Vec<FieldError>),
    /// A rule of the command, by its failure code.
    #[error("{}", .1.message)]
    Rule(&'static str, FieldError),
    /// The document changed since the caller read it.
    #[error("the document is at version {current}: read it again and repeat the command")]
    Stale {
        /// Its version.
        current: i64,
    },
    /// Another command on the document is on its way, and took longer than this one waited for its turn.
    #[error("another command on this document is on its way: repeat this one in a moment")]
    OnItsWay,
    /// The regime gave no answer for a reason that is not the document's.
    #[error(transparent)]
    Converter(ConverterError),
    /// The invoice data service elsewhere gave no usable answer. What was asked may be carried out all the same.
    #[error(transparent)]
    InvoiceData(InvoiceDataError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Whether the document is to be mended, or the plugin.
fn preflight_failed(faults: &[Fault]) -> &'static str {
    if faults.iter().filter(|fault| fault.stops()).all(|fault| fault.code.starts_with("PLUGIN-")) {
        "the plugin of the tax regime failed on the document: activate a version that does not, and issue it again"
    } else {
        "the tax authority would refuse the document: mend the faults and issue it again"
    }
}

impl From<CommandRefused> for CommandError {
    fn from(refused: CommandRefused) -> Self {
        match refused {
            CommandRefused::State(refusal) => Self::Refused(refusal),
            CommandRefused::Issue(error) => Self::Issue(error),
            CommandRefused::Invalid(errors) => Self::Invalid(errors),
            CommandRefused::Rule(code, error) => Self::Rule(code, error),
            CommandRefused::Stale { current } => Self::Stale { current },
        }
    }
}

impl From<ReadError> for CommandError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Store(error) => Self::Store(error),
            ReadError::InvoiceData(error) => Self::InvoiceData(error),
        }
    }
}

impl From<StepError> for CommandError {
    fn from(error: StepError) -> Self {
        match error {
            StepError::Gone => Self::Gone,
            StepError::Issue(error) => Self::Issue(error),
            StepError::Stale { current } => Self::Stale { current },
            StepError::Store(error) => Self::Store(error),
        }
    }
}

impl From<BeginError> for CommandError {
    fn from(error: BeginError) -> Self {
        match error {
            BeginError::Gone => Self::Gone,
            BeginError::Issue(error) => Self::Issue(error),
            BeginError::Stale { current } => Self::Stale { current },
            BeginError::Read(error) => error.into(),
        }
    }
}

impl From<RejectError> for CommandError {
    fn from(error: RejectError) -> Self {
        match error {
            RejectError::Gone => Self::Gone,
            RejectError::NotRejectable(_) => Self::Refused(Refusal::NotIssuing),
            RejectError::Store(error) => Self::Store(error),
        }
    }
}

impl From<DeleteError> for CommandError {
    fn from(error: DeleteError) -> Self {
        match error {
            DeleteError::Gone => Self::Gone,
            DeleteError::NotDeletable(_) => Self::Refused(Refusal::NotADraft),
            DeleteError::Stale { current } => Self::Stale { current },
            DeleteError::Store(cause) => Self::Store(cause),
        }
    }
}

impl Gateway {
    /// Carries a command out: read, decide, check, execute, record, answer. A trial ([`Acting::trial`]) answers what would
    /// happen and takes everything back. With `seen`, only about that version of the document.
    pub async fn command(
        &self,
        acting: &Acting,
        id: InvoiceId,
        form: CommandForm,
        seen: Option<i64>,
    ) -> Result<Outcome, CommandError> {
        form.ensure_not_in_the_future(self.now())?;
        match form {
            CommandForm::Issue { at } => self.issue(acting, id, at, seen).await,
            CommandForm::Credit { .. }
            | CommandForm::Reverse { .. }
            | CommandForm::Refund { .. }
            | CommandForm::Delete
            | CommandForm::Edit(_)
            | CommandForm::Accept(_)
            | CommandForm::Reject(_) => self.invoice_data().carry_out(acting, id, form, seen, None).await,
        }
    }

    /// What the tax authority would refuse of the document that a plan makes and issues.
    pub(crate) async fn check_plan(&self, plan: &Plan) -> Result<(), CommandError> {
        let (note, Some(Then::Issue { at })) = (&plan.result, plan.then) else { return Ok(()) };
        if self.route(note).await? == Route::TaxAuthority {
            self.invoice_data().ensure_issuable(note, Route::TaxAuthority, at).await?;
            self.check(note, at).await?;
        }
        Ok(())
    }

    /// The document, if its state takes the command.
    pub async fn command_dry_run(
        &self,
        acting: &Acting,
        id: InvoiceId,
        command: Command,
    ) -> Result<Invoice, CommandError> {
        let document = self.wanted(acting, id).await?;
        ensure_taken(&document, command)?;
        Ok(document)
    }

    /// When the background takes over what a request is about to do.
    pub(crate) fn grace(&self) -> Timestamp {
        let now = self.now();
        now.checked_add(GRACE).unwrap_or(now)
    }

    /// So many seconds from now.
    pub(crate) fn soon(&self, seconds: u32) -> Timestamp {
        let now = self.now();
        now.checked_add(SignedDuration::from_secs(i64::from(seconds))).unwrap_or(now)
    }

    pub(crate) async fn wanted(&self, acting: &Acting, id: InvoiceId) -> Result<Invoice, CommandError> {
        self.invoice(acting, id).await?.ok_or(CommandError::Gone)
    }

    /// Records what finance did with a document.
    pub(crate) async fn append_finance(
        &self,
        tx: &mut Tx,
        event: FinanceEvent,
        invoice: &Invoice,
        actor: &Actor,
    ) -> Result<(), StoreError> {
        self.append_finance_with(tx, event, invoice, actor, Related::default()).await
    }

    /// [`Gateway::append_finance`], with what the event tells besides the document.
    pub(crate) async fn append_finance_with(
        &self,
        tx: &mut Tx,
        event: FinanceEvent,
        invoice: &Invoice,
        actor: &Actor,
        related: Related,
    ) -> Result<(), StoreError> {
        related.append(self.events(), tx, (Source::Finance, event.as_str()), invoice, actor).await
    }
}
