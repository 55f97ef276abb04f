//! The provider's verdict told to a remote invoice data service: the call first, then what follows from it, in a
//! transaction of its own. The submission keeps the verdict, so whoever finds it there tells it again, and the document shows
//! what came of it.

use super::RemoteInvoiceData;
use super::call::make;
use super::follow::{FollowUpResult, RemoteFollowUp};
use crate::error::CommandError;
use crate::invoice_data::InvoiceData as _;
use gateway_domain::access::{Acting, Actor};
use gateway_domain::invoicing::{Invoice, Status};
use gateway_domain_finance::ports::InvoiceDataError;
use gateway_domain_finance::{InvoiceDataCall, Plan, Record, Stage};
use gateway_storage::intents;

impl RemoteInvoiceData {
    /// Carries out what a verdict comes to for its document.
    pub(super) async fn settled(&self, plan: Plan) -> Result<(), CommandError> {
        let (by, id) = (Acting::gateway(), plan.document.id);
        // A verdict by hand that is on its way decides, and supersedes this one or is refused.
        if intents::find(self.context.db(), id).await?.is_some() {
            return Err(CommandError::InProgress);
        }
        let (now, stage) = match &plan.call {
            Some(call) => self.call_verdict(&plan, call).await?,
            None => (plan.document.clone(), Stage::Superseded),
        };
        let follow_up = if matches!(stage, Stage::Accepted | Stage::Rejected) {
            Box::pin(self.follow_up_facts(&now)).await?
        } else {
            RemoteFollowUp::default()
        };
        let mut tx = self.context.db().begin().await?;
        Box::pin(self.recorder.record(&mut tx, &by, &plan.document, &Record::Settled, &now)).await?;
        let followed = Box::pin(self.follow(&mut tx, &now, &follow_up)).await?;
        if followed == FollowUpResult::Waits {
            tx.rollback().await?;
            return Err(CommandError::InProgress);
        }
        tx.commit_at(stage.commit_point()).await?;
        if let Some(document) = followed.intent() {
            self.continue_document(document).await;
        }
        Ok(())
    }

    /// Makes the call of the verdict, the one that a command makes too; gives the document as it is then, and how the submission ends.
    async fn call_verdict(
        &self,
        plan: &Plan,
        call: &InvoiceDataCall,
    ) -> Result<(Invoice, Stage), CommandError> {
        let document = &plan.document;
        let (word, verdict_status, stage) = match call {
            InvoiceDataCall::Reject { .. } => ("reject", Status::Rejected, Stage::Rejected),
            InvoiceDataCall::Save { .. }
            | InvoiceDataCall::Delete { .. }
            | InvoiceDataCall::BeginIssuing { .. }
            | InvoiceDataCall::Issue { .. }
            | InvoiceDataCall::IssueEarlier { .. } => ("accept", Status::Issued, Stage::Accepted),
        };
        let number = document.state.number();
        let key = format!("{word} {} {}", document.id, number.map_or("", |number| number.0.as_str()));
        let target = (document.workspace, document.id);
        let answer = make(self.client.as_ref(), call, &Actor::gateway(), target, &key).await;
        // An issuing document cannot be deleted: this is another service, or another database of it.
        let found = self.document(&Acting::gateway(), document.id).await?;
        let found = found.ok_or(CommandError::InvoiceData(InvoiceDataError::Gone))?;
        if found.state.number() != number {
            return Ok((found, Stage::Superseded));
        }
        match (found.state.status(), answer) {
            (status, _) if status == verdict_status => Ok((found, stage)),
            (Status::Issuing, Err(error)) => Err(CommandError::InvoiceData(error)),
            (Status::Issuing, Ok(())) => {
                let detail = "it took the verdict, and the document does not show it".to_owned();
                Err(CommandError::InvoiceData(InvoiceDataError::Protocol { detail }))
            }
            (Status::Draft | Status::Issued | Status::Rejected, _) => Ok((found, Stage::Superseded)),
        }
    }
}
