//! The first step of a command: what it is decided from is read, with nothing held.

use super::Finance;
use crate::error::CommandError;
use crate::facts::{Facts, refunded, route};
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Invoice, InvoiceNumber};
use gateway_domain_finance::{CommandForm, SentJob, ensure_taken};
use gateway_storage::{Executor, attempts, submissions, workspaces};

impl Finance {
    /// Reads what a command is decided from.
    pub(crate) async fn read(
        &self,
        acting: &Acting,
        id: InvoiceId,
        form: &CommandForm,
    ) -> Result<Facts, CommandError> {
        let is_issue = matches!(form, CommandForm::Issue { .. });
        let submission = if is_issue || form.number().is_some() {
            submissions::find(self.context.db(), id, &acting.workspaces).await?
        } else {
            None
        };
        let sent = match form.number() {
            Some(number) => Some(sent_under(self.context.db(), id, number).await?),
            None => None,
        };
        let document = self.find_visible(acting, id).await?;
        let mut facts = Facts::of(&self.context, document);
        (facts.submission, facts.sent) = (submission, sent);
        let document = &facts.document;
        if is_issue {
            facts.route = route(&self.context, self.context.db(), document).await?;
            facts.is_blocked = self.invoice_data.correctives().is_blocked(self.context.db(), id).await?;
        }
        if matches!(form, CommandForm::Edit(_)) {
            let configured = workspaces::e_invoicing(self.context.db(), document.workspace).await?;
            let converter = self.context.converter(document.workspace);
            let described = configured.and_then(|sealed| converter.describe(&sealed.configuration.regime));
            facts.regime = described.map(|(description, _)| description);
        }
        if form.counts_credit_notes() {
            ensure_taken(document, form.command())?;
            facts.credit_notes = Some(self.invoice_data.credit_notes(acting, document).await?);
        }
        if matches!(form, CommandForm::Refund { .. }) {
            facts.refunded = Some(refunded(self.context.db(), &facts.document).await?);
        }
        if form.compares_days() {
            let workspace = workspaces::find(self.context.db(), facts.document.workspace).await?;
            facts.day = self.context.documents().issue_day(form.at(), workspace.as_ref()).day();
        }
        Ok(facts)
    }

    /// The document of a command.
    ///
    /// # Errors
    /// [`CommandError::Gone`] also for one that the caller may not see.
    pub(crate) async fn find_visible(&self, acting: &Acting, id: InvoiceId) -> Result<Invoice, CommandError> {
        self.invoice_data.document(acting, id).await?.ok_or(CommandError::Gone)
    }
}

/// The jobs that a document was sent with under a number.
async fn sent_under(
    on: impl Into<Executor<'_>>,
    id: InvoiceId,
    number: &InvoiceNumber,
) -> Result<Vec<SentJob>, StoreError> {
    let all = attempts::of_document(on, id).await?.into_iter();
    let under = all.filter(|attempt| attempt.number.as_ref() == Some(number));
    let sent = under.map(|attempt| SentJob {
        job: attempt.job,
        authority_record: attempt.authority_record,
        acceptance: attempt.acceptance,
    });
    Ok(sent.collect())
}
