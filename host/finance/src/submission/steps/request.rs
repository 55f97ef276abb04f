//! The first step of a submission: the invoice data service moves the document to issuing and reserves its number.

use super::{AdvanceError, Run, SubmissionSteps};
use crate::ReadError;
use crate::error::CommandError;
use crate::invoice_data::Execution;
use crate::record::{Step, numbered};
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Actor};
use gateway_domain::fault::Fault;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Invoice, InvoiceNumber, Status};
use gateway_domain_finance::ports::InvoiceDataError;
use gateway_domain_finance::{CommandFacts, ExpectedVersion, Facts, Open, Requested, Submission, decide};
use gateway_jobs::Outcome;
use gateway_storage::issue_times;
use jiff::{SignedDuration, Timestamp};

/// How soon a document that was edited meanwhile is read again.
const STALE: SignedDuration = SignedDuration::from_secs(1);

impl SubmissionSteps {
    /// The step, taken by the background for a wish whose command died, or that nobody waits for.
    pub(super) async fn request(
        &self,
        submission: Submission<Open<Requested>>,
        run: &mut Run,
    ) -> Result<Outcome, AdvanceError> {
        let (id, expected) = (submission.document, ExpectedVersion::from(&submission));
        let by = Acting { actor: Actor(submission.actor.clone()), ..Acting::gateway() };
        let at = self.asked_at(id).await?;
        let document = match self.finance.invoice_data.document(&by, id).await? {
            Some(document) if document.state.status() == Status::Issuing => {
                // The answer of an earlier call was lost.
                return self.end_step(numbered(submission, document), expected, &by.actor, run).await;
            }
            Some(document) => document,
            None => return self.withdraw(submission, run).await,
        };
        // Whoever recorded the wish checked the document; it may have been edited since. What the gateway submits of its own
        // accord nobody checked, and nobody waits for an answer: its faults become a rejection, which is told.
        if by.actor != Actor::gateway() {
            let faults = self.faults_of(&document, at).await?;
            if !faults.is_empty() {
                tracing::warn!(
                    document.id = %id,
                    "{id} is not submitted: it was edited, and the tax authority would refuse it now ({})",
                    faults.join(", ")
                );
                return self.withdraw(submission, run).await;
            }
        }
        let command = CommandFacts::Resume { at, submission: Box::new(submission.clone()) };
        let facts = Facts { document, now: self.context.now(), command };
        let plan = match decide(facts.clone(), None, id) {
            Ok(plan) => plan,
            Err(refused) => return self.refused(submission, &refused.into(), run).await,
        };
        match self.finance.invoice_data.execute(&by, &facts, plan, Execution::Commit).await {
            Ok(_) => Ok(Outcome::Continue),
            Err(CommandError::InvoiceData(error)) => Err(AdvanceError::InvoiceData(error)),
            Err(CommandError::Store(error)) => Err(AdvanceError::Store(error)),
            // What goes out is what was checked. Not at once: a remote service may say so of whatever it is asked.
            Err(CommandError::Stale { .. } | CommandError::InProgress) => {
                Ok(Outcome::Again(self.context.after(STALE)))
            }
            Err(
                error @ (CommandError::Gone
                | CommandError::Refused(_)
                | CommandError::Issue(_)
                | CommandError::Preflight(_)
                | CommandError::PluginBroken(_)
                | CommandError::Invalid(_)
                | CommandError::Rule(_)
                | CommandError::Amendment(_)
                | CommandError::Ids(_)
                | CommandError::Converter(_)),
            ) => self.refused(submission, &error, run).await,
        }
    }

    /// The document does not take the issue any more, and nobody waits for that answer.
    async fn refused(
        &self,
        submission: Submission<Open<Requested>>,
        error: &CommandError,
        run: &mut Run,
    ) -> Result<Outcome, AdvanceError> {
        tracing::warn!(document.id = %submission.document, "{} is not submitted: {error}", submission.document);
        self.withdraw(submission, run).await
    }

    /// The document cannot be issued any more.
    async fn withdraw(
        &self,
        submission: Submission<Open<Requested>>,
        run: &mut Run,
    ) -> Result<Outcome, AdvanceError> {
        let (expected, actor) = (ExpectedVersion::from(&submission), Actor(submission.actor.clone()));
        self.end_step(Step::to(submission.end(Requested::withdrawn)), expected, &actor, run).await
    }

    /// The caller's own time of the command that died, which decides the issue date. A clock that stepped back since is
    /// no reason to wait.
    async fn asked_at(&self, document: InvoiceId) -> Result<Option<Timestamp>, StoreError> {
        let at = issue_times::find(self.context.db(), document).await?;
        Ok(at.map(|at| at.min(self.context.now())))
    }

    /// The codes of the faults that the regime finds in the document itself. A plugin that fails, or is away, says
    /// nothing about it.
    async fn faults_of(
        &self,
        document: &Invoice,
        at: Option<Timestamp>,
    ) -> Result<Vec<String>, AdvanceError> {
        match self.finance.preflight(document, at, None).await {
            Ok(faults) => Ok(faults.into_iter().filter(Fault::stops).map(|fault| fault.code).collect()),
            Err(CommandError::PluginBroken(_) | CommandError::Converter(_)) => Ok(Vec::new()),
            Err(CommandError::Store(error)) => Err(AdvanceError::Store(error)),
            Err(CommandError::InvoiceData(error)) => Err(AdvanceError::InvoiceData(error)),
            Err(error) => Err(AdvanceError::Settle(Box::new(error))),
        }
    }

    /// The document of a submission behind the first step, if it is still issuing under the submission's `number`. A
    /// document that is gone is no document that went another way: issuing documents are not deleted, so the invoice
    /// data service is another one than before.
    pub(super) async fn current(
        &self,
        document: InvoiceId,
        number: &InvoiceNumber,
    ) -> Result<Option<Invoice>, ReadError> {
        let found = self.finance.invoice_data.document(&Acting::gateway(), document).await?;
        let found = found.ok_or(InvoiceDataError::Gone)?;
        let ours = found.state.status() == Status::Issuing && found.state.number() == Some(number);
        Ok(ours.then_some(found))
    }
}
