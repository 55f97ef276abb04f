//! Recipients checked: asks the VAT register of the Union (VIES) about a recipient before its document is issued, keeps what it said as
//! evidence, and asks again in the background where it did not say.
//!
//! The register is never waited for in a transaction, and never a reason not to issue. What it answered is good for
//! [`Settings::cached_for`]; while it gives no answer at all, whoever issues is not made to wait for it again and again.
//!
//! Here: [`Recipients`]. Not here: who is checked and what an answer means (`gateway-domain-recipients`), when a document is issued
//! (`gateway-finance`, which has this behind a port), HTTP (`gateway-provider`), SQL (`gateway-storage-documents`).

#![deny(missing_docs)]

mod job;
mod metrics;

pub use metrics::CheckMetrics;

use async_trait::async_trait;
use gateway_domain::StoreError;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::Invoice;
use gateway_domain::ports::{Clock, Ids};
use gateway_domain::regime::Supplier;
use gateway_domain_recipients::ports::{RecipientChecks, VatRegister};
use gateway_domain_recipients::{
    Doubt, Evidence, RecipientCheck, Subject, VatNumber, next_check_s, requester, subject,
};
use gateway_jobs::{Job, Outcome as JobOutcome, Registry};
use gateway_storage::{Db, recipient_checks};
use jiff::{SignedDuration, Timestamp};
use job::CheckRecipientAgain;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How long nobody who issues waits for a register that gave no answer.
const SILENCE: SignedDuration = SignedDuration::from_secs(30);

/// What an operator configures of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// How long an answer is good.
    pub cached_for: SignedDuration,
    /// How long the register is left alone before it is asked again in the background; each time twice as long.
    pub retry_after: SignedDuration,
}

/// What it works with.
#[derive(Debug)]
pub struct Parts {
    /// Where evidence is kept.
    pub db: Db,
    /// Tells how old it is.
    pub clock: Arc<dyn Clock>,
    /// Fresh identifiers.
    pub ids: Arc<dyn Ids>,
    /// The register; none: nobody is checked.
    pub register: Option<Arc<dyn VatRegister>>,
    /// What an operator configures.
    pub settings: Settings,
}

/// Checks recipients. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Recipients(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    parts: Parts,
    metrics: CheckMetrics,
    /// Until when nobody who issues waits for the register.
    silent_until: Mutex<Option<Timestamp>>,
}

impl Recipients {
    /// Puts the parts together.
    pub fn new(parts: Parts) -> Self {
        Self(Arc::new(Inner { parts, metrics: CheckMetrics::default(), silent_until: Mutex::default() }))
    }

    /// Who checks recipients where documents are issued; none where nobody is checked.
    pub fn checks(&self) -> Option<Arc<dyn RecipientChecks>> {
        self.0.parts.register.is_some().then(|| Arc::new(self.clone()) as Arc<dyn RecipientChecks>)
    }

    /// Adds its job to those that the program knows.
    pub fn register(&self, registry: Registry) -> Registry {
        registry.with::<CheckRecipientAgain>(self.clone())
    }

    /// What this process counted.
    pub fn metrics(&self) -> &CheckMetrics {
        &self.0.metrics
    }

    /// What was known of the recipient of a document when it was issued, or since; the caller knows that whoever asks may see it.
    ///
    /// # Errors
    /// The database.
    pub async fn of_document(&self, document: InvoiceId) -> Result<Option<RecipientCheck>, StoreError> {
        recipient_checks::find(self.db(), document).await
    }

    /// The evidence of a number in the name of a supplier: what was answered not long ago, else what the register says now. Where it does
    /// not say, or nobody may be asked, the evidence there is, however old.
    ///
    /// # Errors
    /// The database.
    pub async fn evidence(
        &self,
        number: &VatNumber,
        supplier: Option<&Supplier>,
    ) -> Result<(Option<Evidence>, Option<Doubt>), StoreError> {
        let requester = supplier.and_then(requester);
        let kept = recipient_checks::evidence(self.db(), number, requester.as_ref()).await?;
        if kept.as_ref().is_some_and(|kept| self.is_young(kept)) {
            return Ok((kept, None));
        }
        Ok(match self.ask(number, requester.as_ref()).await? {
            Ok(evidence) => (Some(evidence), None),
            Err(doubt) => (kept, doubt),
        })
    }

    fn db(&self) -> &Db {
        &self.0.parts.db
    }

    fn now(&self) -> Timestamp {
        self.0.parts.clock.now()
    }

    fn after(&self, wait: SignedDuration) -> Timestamp {
        self.now().checked_add(wait).unwrap_or(Timestamp::MAX)
    }

    fn is_young(&self, evidence: &Evidence) -> bool {
        evidence.is_young(self.now(), self.0.parts.settings.cached_for)
    }

    fn silent_until(&self) -> MutexGuard<'_, Option<Timestamp>> {
        self.0.silent_until.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One call, and its answer kept. No transaction is open meanwhile. Without a register, there is no doubt to tell either.
    async fn ask(
        &self,
        number: &VatNumber,
        requester: Option<&VatNumber>,
    ) -> Result<Result<Evidence, Option<Doubt>>, StoreError> {
        let Some(register) = &self.0.parts.register else { return Ok(Err(None)) };
        let answered = register.look_up(number, requester).await;
        *self.silent_until() = match &answered {
            Err(Doubt::NoAnswer) => Some(self.after(SILENCE)),
            Ok(_) | Err(_) => None,
        };
        let answer = match answered {
            Ok(answer) => answer,
            Err(doubt) => {
                tracing::warn!(
                    "VIES did not say whether {number} is a valid VAT number ({})",
                    doubt.as_str()
                );
                return Ok(Err(Some(doubt)));
            }
        };
        let evidence = Evidence {
            number: number.clone(),
            requester: requester.cloned(),
            is_valid: answer.is_valid,
            checked_at: self.now(),
            request_date: answer.request_date,
            consultation_number: answer.consultation_number,
            name: answer.name,
            address: answer.address,
        };
        let mut tx = self.db().begin().await?;
        recipient_checks::keep_evidence(&mut tx, &evidence);
        tx.commit_at("recipient-evidence-kept").await?;
        Ok(Ok(evidence))
    }

    /// What is known of a number: what was answered not long ago, else one call.
    async fn look_up(
        &self,
        number: &VatNumber,
        requester: Option<&VatNumber>,
    ) -> Result<RecipientCheck, StoreError> {
        let kept = recipient_checks::evidence(self.db(), number, requester).await?;
        if let Some(kept) = kept.filter(|kept| self.is_young(kept)) {
            return Ok(RecipientCheck::answered(&kept));
        }
        let now = self.now();
        let is_silent = self.silent_until().is_some_and(|until| now < until);
        let answered =
            if is_silent { Err(Some(Doubt::NoAnswer)) } else { self.ask(number, requester).await? };
        Ok(match answered {
            Ok(evidence) => RecipientCheck::answered(&evidence),
            Err(doubt) => {
                let doubt = doubt.unwrap_or(Doubt::NoAnswer);
                RecipientCheck::doubtful(number, requester, doubt, now)
            }
        })
    }

    /// Asks again about the recipient of a document whose check is open, and completes it.
    async fn check_again(&self, document: InvoiceId, attempt: i64) -> Result<JobOutcome, StoreError> {
        let kept = recipient_checks::find(self.db(), document).await?;
        let Some(kept) = kept.filter(|kept| kept.is_open() && self.0.parts.register.is_some()) else {
            return Ok(JobOutcome::Done);
        };
        let requester = kept.requester.as_deref().and_then(|text| VatNumber::parse(text).ok());
        let Ok(number) = VatNumber::parse(&kept.vat_number) else { return Ok(JobOutcome::Done) };
        let check = self.look_up(&number, requester.as_ref()).await?;
        self.0.metrics.count(check.outcome);
        let mut tx = self.db().begin().await?;
        recipient_checks::complete(&mut tx, document, &check);
        tx.commit_at("recipient-check-completed").await?;
        if !check.is_open() {
            return Ok(JobOutcome::Done);
        }
        let first_s = self.0.parts.settings.retry_after.as_secs();
        Ok(match next_check_s(attempt, first_s) {
            Some(wait) => JobOutcome::Again(self.after(SignedDuration::from_secs(wait))),
            None => JobOutcome::Done,
        })
    }
}

#[async_trait]
impl RecipientChecks for Recipients {
    async fn check(
        &self,
        document: &Invoice,
        supplier: &Supplier,
    ) -> Result<Option<RecipientCheck>, StoreError> {
        let check = match subject(supplier, document.content.recipient.as_ref()) {
            None => return Ok(None),
            Some(Subject::Malformed { text, why }) => RecipientCheck::malformed(&text, why, self.now()),
            Some(Subject::Number(number)) => self.look_up(&number, requester(supplier).as_ref()).await?,
        };
        self.0.metrics.count(check.outcome);
        Ok(Some(check))
    }

    async fn keep(&self, document: &Invoice, check: Option<&RecipientCheck>) -> Result<(), StoreError> {
        let id = document.id;
        let Some(check) = check else {
            if recipient_checks::find(self.db(), id).await?.is_none() {
                return Ok(());
            }
            let mut tx = self.db().begin().await?;
            recipient_checks::forget(&mut tx, id);
            return tx.commit_at("recipient-check-forgotten").await;
        };
        let mut tx = self.db().begin().await?;
        recipient_checks::keep(&mut tx, id, document.workspace, check);
        if check.is_open() {
            let at = self.after(self.0.parts.settings.retry_after);
            CheckRecipientAgain(id).enqueue(&mut tx, self.0.parts.ids.as_ref(), at);
        }
        tx.commit_at("recipient-check-kept").await
    }
}

#[cfg(test)]
mod tests;
