//! The finance service: commands on documents, what is shown of them, and the operator's retry.

mod bookings;
mod copy;
mod corrective;
mod credit;
mod earlier;
mod edit;
mod issue;
mod show;
mod stats;
mod verdict;

pub use edit::Edit;
pub use issue::{DryRun, Outcome};
pub use show::{RetryError, Structured, SubmissionFilter, SubmissionList, SubmissionView};
pub(crate) use stats::Counters;
pub use stats::FinanceStats;
pub use verdict::{AcceptanceForm, Proof, RejectionForm};

use crate::Gateway;
use gateway_domain::access::{Acting, Actor};
use gateway_domain::fault::Fault;
use gateway_domain::finance::{Command, FinanceEvent, Refusal, refusal};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{FieldError, Invoice};
use gateway_domain::ports::{ConverterError, InvoiceDataError};
use gateway_events::Source;
use gateway_invoicing::Related;
use gateway_storage::{StoreError, Tx};

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

impl CommandError {
    pub(crate) fn check(invoice: &Invoice, command: Command) -> Result<(), Self> {
        refusal(invoice.state.status(), command).map_or(Ok(()), |refusal| Err(Self::Refused(refusal)))
    }
}

impl Gateway {
    /// The document, if its state takes the command: what a dry run of it tells.
    pub async fn command_dry_run(
        &self,
        acting: &Acting,
        id: InvoiceId,
        command: Command,
    ) -> Result<Invoice, CommandError> {
        let document = self.wanted(acting, id).await?;
        CommandError::check(&document, command)?;
        Ok(document)
    }

    async fn wanted(&self, acting: &Acting, id: InvoiceId) -> Result<Invoice, CommandError> {
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
