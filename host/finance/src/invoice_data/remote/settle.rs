//! The provider's verdict told to a remote invoice data service: the call first, then what follows from it, in a
//! transaction of its own. The settlement was committed before, so whoever finds it tells it again, and the document shows
//! what came of it.

use super::RemoteInvoiceData;
use super::call::make;
use super::follow::FollowUpResult;
use crate::invoice_data::InvoiceData as _;
use crate::submission::{AdvanceError, is_ours, settled, step_point};
use gateway_domain::access::{Acting, Actor};
use gateway_domain_finance::ports::{InvoiceDataError, InvoicingClient};
use gateway_domain_finance::{Open, Settlement, Settling, Stage, Submission};
use gateway_jobs::Outcome;
use gateway_storage::intents;

/// How long a command on the document that is on its way is waited for, seconds.
const BY_HAND_S: u32 = 1;

impl RemoteInvoiceData<'_> {
    pub(super) async fn settle_remotely(
        &self,
        submission: Submission<Open<Settling>>,
    ) -> Result<Option<Outcome>, AdvanceError> {
        let finance = self.finance;
        let (version, document) = (submission.version, submission.document);
        // A verdict by hand that is on its way decides, and supersedes this one or is refused.
        if intents::find(finance.db(), document).await?.is_some() {
            return Ok(Some(Outcome::Again(finance.soon(BY_HAND_S))));
        }
        let acting = Acting::gateway();
        let before = self.document(&acting, document).await?;
        let (answer, found) = match before {
            Some(found) if is_ours(&found, &submission) => {
                (call_verdict(self.client, &submission).await, self.document(&acting, document).await?)
            }
            // A verdict about one number says nothing about another, so it is not told.
            other => (Ok(()), other),
        };
        let step = settled(submission, answer, found.as_ref())?;
        let follow_up = match (step.submission.stage(), &found) {
            (Stage::Accepted | Stage::Rejected, Some(found)) => {
                Some((found, Box::pin(self.follow_up(found)).await?))
            }
            _ => None,
        };
        let (next, stage) = (step.next, step.submission.stage());
        let mut tx = finance.db().begin().await?;
        if !finance.store_in(&mut tx, step, version, &Actor::gateway()).await? {
            return Ok(None);
        }
        let followed = match follow_up {
            Some((found, follow_up)) => Box::pin(self.apply_follow_up(&mut tx, found, follow_up)).await?,
            None => FollowUpResult::Done,
        };
        match followed {
            FollowUpResult::Waits => {
                tx.rollback().await?;
                return Ok(Some(Outcome::Again(finance.soon(BY_HAND_S))));
            }
            FollowUpResult::Done => tx.commit_at(step_point(stage)).await?,
            FollowUpResult::Intent(document) => {
                tx.commit_at(step_point(stage)).await?;
                self.go_on_with(document).await;
            }
        }
        Ok(Some(next))
    }
}

/// Tells the verdict, by the call that a command makes too.
async fn call_verdict(
    service: &dyn InvoicingClient,
    submission: &Submission<Open<Settling>>,
) -> Result<(), InvoiceDataError> {
    let (document, Settling { attempt, verdict }) = (submission.document, submission.open_stage());
    let word = match verdict {
        Settlement::Accept(_) => "accept",
        Settlement::Reject(_) => "reject",
    };
    let key = format!("{word} {document} {}", attempt.number.0);
    make(service, &verdict.call(), &Actor::gateway(), (submission.workspace, document), &key).await
}
