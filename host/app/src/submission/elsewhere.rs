//! The verdict told to an invoice data service elsewhere: the call first, then what follows from it, in a transaction of
//! its own. The settlement was committed before, so whoever finds it tells it again, and the document shows what came of
//! it.

use super::settle::{accepted, rejected, superseded};
use super::{AdvanceError, Step};
use crate::Gateway;
use crate::invoice_data::Followed;
use gateway_domain::access::{Acting, Actor};
use gateway_domain::finance::{AlertCode, Settlement, Stage, Submission, backoff_s};
use gateway_domain::invoicing::{Invoice, Status};
use gateway_domain::ports::{InvoiceDataError, InvoicingClient};
use gateway_jobs::Outcome;
use gateway_storage::intents;
use jiff::SignedDuration;

/// Longest wait between two calls of the invoice data service: it is one of ours, and down for moments.
const WAIT_MAX_S: u32 = 30;
/// How long a command on the document that is on its way is waited for.
const BY_HAND: SignedDuration = SignedDuration::from_secs(1);

impl Gateway {
    pub(super) async fn settle_elsewhere(
        &self,
        service: &dyn InvoicingClient,
        submission: Submission,
    ) -> Result<Option<Outcome>, AdvanceError> {
        let (version, document) = (submission.version, submission.document);
        // A verdict by hand that is on its way decides, and supersedes this one or is refused.
        if intents::find(self.db(), document).await?.is_some() {
            return Ok(Some(Outcome::Again(self.after(BY_HAND))));
        }
        let acting = Acting::gateway();
        let before = self.invoice(&acting, document).await?;
        let (answer, found) = match before {
            Some(ours) if !moved_on(&ours, &submission) => {
                (tell(service, &submission).await, self.invoice(&acting, document).await?)
            }
            // A verdict about one number says nothing about another, so it is not told.
            other => (Ok(()), other),
        };
        let step = settled(submission, answer, found.as_ref())?;
        let follow_up = match (step.submission.stage, &found) {
            (Stage::Accepted | Stage::Rejected, Some(found)) => Some((found, self.follow_up(found).await?)),
            _ => None,
        };
        let next = step.next;
        let mut tx = self.db().begin().await?;
        if !self.store_in(&mut tx, step, version, &Actor::gateway()).await? {
            return Ok(None);
        }
        let followed = match follow_up {
            Some((found, follow_up)) => self.apply_follow_up(&mut tx, found, follow_up).await?,
            None => Followed::Done,
        };
        if followed == Followed::Waits {
            tx.rollback().await?;
            return Ok(Some(Outcome::Again(self.after(BY_HAND))));
        }
        tx.commit().await?;
        if let Followed::Intent(document) = followed {
            self.follow_up_of(document).await;
        }
        Ok(Some(next))
    }

    /// The invoice data service did not do its part of a step: again later, and somebody has to look when that lasts.
    pub(super) fn unreached(&self, mut submission: Submission, error: &InvoiceDataError) -> Step {
        let code = match error {
            InvoiceDataError::Unavailable { .. } if submission.retries < self.settings().retries_max => {
                let wait = backoff_s(submission.retries).min(WAIT_MAX_S);
                tracing::warn!(
                    document.id = %submission.document,
                    "The submission of {} is repeated in {wait} s: {error}", submission.document
                );
                submission.retries = submission.retries.saturating_add(1);
                submission.alert = None;
                let next = Outcome::Again(self.after(SignedDuration::from_secs(i64::from(wait))));
                return Step { submission, next, also: Vec::new() };
            }
            InvoiceDataError::Unavailable { .. } => AlertCode::InvoicingUnavailable,
            InvoiceDataError::Unauthorised { .. } => AlertCode::InvoicingUnauthorised,
            InvoiceDataError::Gone
            | InvoiceDataError::Stale
            | InvoiceDataError::Refused(_)
            | InvoiceDataError::Protocol { .. } => AlertCode::InvoicingProtocol,
        };
        let message = format!("{error}; look at the invoice data service at finance.invoicing_url");
        self.alert(submission, code, message)
    }
}

/// Tells the verdict. The key keeps it one verdict, however often it is told.
async fn tell(service: &dyn InvoicingClient, submission: &Submission) -> Result<(), InvoiceDataError> {
    let (by, document) = (Actor::gateway(), submission.document);
    let number = submission.number.as_ref().map_or("", |number| number.0.as_str());
    match &submission.settlement {
        Some(Settlement::Accept { acceptance, .. }) => {
            let key = format!("accept {document} {number}");
            service.issue(&by, document, Some(acceptance), None, None, &key).await
        }
        Some(Settlement::Reject { reason, .. }) => {
            service.reject(&by, document, reason, &format!("reject {document} {number}")).await
        }
        None => Ok(()),
    }
}

/// Whether the document is not under this submission's number any more.
fn moved_on(found: &Invoice, submission: &Submission) -> bool {
    found.state.number() != submission.number.as_ref()
}

/// What the document shows after the verdict was told.
fn settled(
    submission: Submission,
    answer: Result<(), InvoiceDataError>,
    found: Option<&Invoice>,
) -> Result<Step, AdvanceError> {
    let ours = found.filter(|found| !moved_on(found, &submission));
    let status = ours.map(|found| found.state.status());
    match (submission.settlement.clone(), ours, status) {
        (None, ..) => Ok(Step::to(submission, Stage::Waiting)),
        (Some(Settlement::Accept { .. }), Some(found), Some(Status::Issued)) => {
            Ok(accepted(submission, found.clone()))
        }
        (Some(Settlement::Reject { faults, .. }), Some(found), Some(Status::Rejected)) => {
            Ok(rejected(submission, found.clone(), faults))
        }
        (Some(_), Some(_), Some(Status::Issuing)) => Err(AdvanceError::InvoiceData(match answer {
            Err(error) => error,
            Ok(()) => InvoiceDataError::Protocol {
                detail: "it took the verdict, and the document does not show it".to_owned(),
            },
        })),
        // An issuing document cannot be deleted: this is another service, or another database of it.
        (Some(_), ..) if found.is_none() => Err(AdvanceError::InvoiceData(InvoiceDataError::Gone)),
        (Some(_), ..) => Ok(superseded(submission)),
    }
}
