//! The two verdicts given by hand: by somebody who knows what the authority said.

use super::{CommandError, Outcome};
use crate::Gateway;
use gateway_domain::access::Acting;
use gateway_domain::finance::{AttemptOutcome, Command, FinanceEvent, Refusal, Stage};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Acceptance, FieldError, Invoice, Status};
use gateway_storage::submissions;
use jiff::Timestamp;

/// The authority's proof, as given by hand.
#[derive(Debug, Clone, Default)]
pub struct AcceptanceForm {
    /// Where anybody verifies the document.
    pub qr_url: Option<String>,
    /// The tax system's hash of the record.
    pub tax_system_hash: Option<String>,
    /// When the authority accepted; now, when nobody knows.
    pub accepted_at: Option<Timestamp>,
}

impl Gateway {
    /// MarkAsAcceptedByTaxAuthority: issuing to issued. The open submission closes as superseded.
    pub async fn accept_command(
        &self,
        acting: &Acting,
        id: InvoiceId,
        form: AcceptanceForm,
    ) -> Result<Outcome, CommandError> {
        let document = self.wanted(acting, id).await?;
        CommandError::check(&document, Command::MarkAsAcceptedByTaxAuthority)?;
        let acceptance = Acceptance {
            qr_url: form.qr_url,
            tax_system_hash: form.tax_system_hash,
            accepted_at: form.accepted_at.unwrap_or_else(|| self.now()),
            warnings: Vec::new(),
            sandbox: false,
        };
        let issued = self.issue_document(acting, id, Some(acceptance), None).await?;
        self.supersede(acting, issued, &[FinanceEvent::AcceptedByTaxAuthority, FinanceEvent::Issued]).await
    }

    /// MarkAsRejectedByTaxAuthority: issuing to rejected. The open submission closes as superseded.
    pub async fn reject_command(
        &self,
        acting: &Acting,
        id: InvoiceId,
        reason: Option<String>,
        code: Option<String>,
    ) -> Result<Outcome, CommandError> {
        let document = self.wanted(acting, id).await?;
        CommandError::check(&document, Command::MarkAsRejectedByTaxAuthority)?;
        let Some(reason) = reason.filter(|reason| !reason.trim().is_empty()) else {
            let error =
                FieldError::new("reason", "is required: say why the tax authority refused the document");
            return Err(CommandError::Invalid(vec![error]));
        };
        if document.state.status() == Status::Rejected {
            return Ok(Outcome { document, events: Vec::new() });
        }
        let reason = code.map_or(reason.clone(), |code| format!("{code}: {reason}"));
        let rejected = self.reject_document(acting, id, reason).await?;
        self.supersede(acting, rejected, &[FinanceEvent::RejectedByTaxAuthority]).await
    }

    async fn supersede(
        &self,
        acting: &Acting,
        document: Invoice,
        events: &[FinanceEvent],
    ) -> Result<Outcome, CommandError> {
        let before = self.finance_events(acting, document.id).await?.len();
        // A background step may move the submission at the same moment; then it is read again.
        for _ in 0..8 {
            let mut tx = self.db().begin().await?;
            let open = submissions::find(&mut tx, document.id, &acting.workspaces).await?;
            if let Some(submission) = open.filter(|submission| !submission.stage.ended()) {
                let job = submission.job;
                let mut closed = submission.at(Stage::Superseded);
                closed.settlement = None;
                closed.updated_at = self.now();
                if !submissions::update(&mut tx, &closed).await? {
                    continue;
                }
                if let Some(job) = job {
                    submissions::end_attempt(&mut tx, job, AttemptOutcome::Superseded, &[], self.now())
                        .await?;
                }
                self.unschedule(&mut tx, document.id).await?;
            }
            for event in events {
                self.append_finance(&mut tx, *event, &document, &acting.actor).await?;
            }
            tx.commit().await?;
            break;
        }
        let events = self.finance_events(acting, document.id).await?.into_iter().skip(before).collect();
        Ok(Outcome { document, events })
    }
}

impl From<crate::invoicing::StepError> for CommandError {
    fn from(error: crate::invoicing::StepError) -> Self {
        use crate::invoicing::StepError;
        match error {
            StepError::Gone => Self::Gone,
            StepError::Issue(error) => Self::Issue(error),
            StepError::Store(error) => Self::Store(error),
        }
    }
}

impl From<crate::invoicing::RejectError> for CommandError {
    fn from(error: crate::invoicing::RejectError) -> Self {
        use crate::invoicing::RejectError;
        match error {
            RejectError::Gone => Self::Gone,
            RejectError::NotRejectable(_) => Self::Refused(Refusal::NotIssuing),
            RejectError::Store(error) => Self::Store(error),
        }
    }
}
