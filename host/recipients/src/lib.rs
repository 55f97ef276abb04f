//! Recipients checked: asks the VAT register of the Union (VIES) about a recipient before its document is issued, and the delivery
//! network whether it receives such documents; keeps what they said as evidence, and asks again in the background where they did not
//! say.
//!
//! Nobody is waited for in a transaction, and nobody is a reason not to issue. What was answered is good for
//! [`Settings::cached_for`]; while register or network give no answer at all, whoever issues is not made to wait for them again and
//! again. Both are asked at the same time.
//!
//! Here: [`Recipients`]; `participants` has what is about the network. Not here: who is checked and what an answer means
//! (`gateway-domain-recipients`), when a document is issued (`gateway-finance`, which has this behind a port), HTTP and DNS
//! (`gateway-provider`, `gateway-participant-lookup`), SQL (`gateway-storage-documents`).

#![deny(missing_docs)]

mod job;
mod metrics;
mod participants;
mod silence;

pub use metrics::CheckMetrics;
pub use participants::Network;

use async_trait::async_trait;
use futures::future::try_join;
use gateway_domain::StoreError;
use gateway_domain::fault::Fault;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::Invoice;
use gateway_domain::ports::{Clock, Ids};
use gateway_domain::regime::Supplier;
use gateway_domain_recipients::participant::{ParticipantCheck, ParticipantOutcome};
use gateway_domain_recipients::ports::{RecipientChecks, VatRegister};
use gateway_domain_recipients::{
    Doubt, Evidence, KnownRecipient, Outcome, RecipientCheck, Subject, VatNumber, next_check_s, requester,
    subject,
};
use gateway_jobs::{Job, Outcome as JobOutcome, Registry};
use gateway_storage::{Db, participant_checks, recipient_checks};
use jiff::{SignedDuration, Timestamp};
use job::{CheckRecipientAgain, LookUpParticipantAgain};
use metrics::OutcomeCounts;
use silence::Silence;
use std::sync::Arc;

/// How long nobody who issues waits for a register, or a locator, that gave no answer.
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
    /// The VAT register; none: no number is checked.
    pub register: Option<Arc<dyn VatRegister>>,
    /// The delivery network; none: nobody is looked up there.
    pub network: Option<Network>,
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
    register_silence: Silence,
    locator_silence: Silence,
}

impl Recipients {
    /// Puts the parts together.
    pub fn new(parts: Parts) -> Self {
        Self(Arc::new(Inner {
            parts,
            metrics: CheckMetrics::default(),
            register_silence: Silence::default(),
            locator_silence: Silence::default(),
        }))
    }

    /// Who checks recipients where documents are issued; none where nobody is checked.
    pub fn checks(&self) -> Option<Arc<dyn RecipientChecks>> {
        let is_checked = self.0.parts.register.is_some() || self.0.parts.network.is_some();
        is_checked.then(|| Arc::new(self.clone()) as Arc<dyn RecipientChecks>)
    }

    /// Adds its jobs to those that the program knows.
    pub fn register(&self, registry: Registry) -> Registry {
        registry.with::<CheckRecipientAgain>(self.clone()).with::<LookUpParticipantAgain>(self.clone())
    }

    /// What this process counted.
    pub fn metrics(&self) -> &CheckMetrics {
        &self.0.metrics
    }

    /// What was known of the recipient of a document when it was issued, or since; the caller knows that whoever asks may see it.
    ///
    /// # Errors
    /// The database.
    pub async fn of_document(&self, document: InvoiceId) -> Result<KnownRecipient, StoreError> {
        Ok(KnownRecipient {
            number: recipient_checks::find(self.db(), document).await?,
            participant: participant_checks::find(self.db(), document).await?,
        })
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

    fn ids(&self) -> &dyn Ids {
        self.0.parts.ids.as_ref()
    }

    fn settings(&self) -> Settings {
        self.0.parts.settings
    }

    fn network(&self) -> Option<&Network> {
        self.0.parts.network.as_ref()
    }

    fn participant_metrics(&self) -> &OutcomeCounts<ParticipantOutcome> {
        &self.0.metrics.participants
    }

    fn register_metrics(&self) -> &OutcomeCounts<Outcome> {
        &self.0.metrics.numbers
    }

    fn locator_silence(&self) -> &Silence {
        &self.0.locator_silence
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

    /// One call, and its answer kept. No transaction is open meanwhile. Without a register, there is no doubt to tell either.
    async fn ask(
        &self,
        number: &VatNumber,
        requester: Option<&VatNumber>,
    ) -> Result<Result<Evidence, Option<Doubt>>, StoreError> {
        let Some(register) = &self.0.parts.register else { return Ok(Err(None)) };
        let answered = register.look_up(number, requester).await;
        match &answered {
            Err(Doubt::NoAnswer) => self.0.register_silence.begin(self.after(SILENCE)),
            Ok(_) | Err(_) => self.0.register_silence.end(),
        }
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
        let answered = if self.0.register_silence.is_over(now) {
            self.ask(number, requester).await?
        } else {
            Err(Some(Doubt::NoAnswer))
        };
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
        self.register_metrics().count(check.outcome);
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

impl Recipients {
    /// What is known of the tax number of a recipient; none where nobody is to be checked.
    async fn check_number(
        &self,
        document: &Invoice,
        supplier: &Supplier,
    ) -> Result<Option<RecipientCheck>, StoreError> {
        if self.0.parts.register.is_none() {
            return Ok(None);
        }
        let check = match subject(supplier, document.content.recipient.as_ref()) {
            None => return Ok(None),
            Some(Subject::Malformed { text, why }) => RecipientCheck::malformed(&text, why, self.now()),
            Some(Subject::Number(number)) => self.look_up(&number, requester(supplier).as_ref()).await?,
        };
        self.register_metrics().count(check.outcome);
        Ok(Some(check))
    }

    /// Keeps a check with the document that is about to be issued, or that there is none; one that is open is taken up again in the
    /// background.
    async fn keep_number(
        &self,
        document: &Invoice,
        check: Option<&RecipientCheck>,
    ) -> Result<(), StoreError> {
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
            let at = self.after(self.settings().retry_after);
            CheckRecipientAgain(id).enqueue(&mut tx, self.ids(), at);
        }
        tx.commit_at("recipient-check-kept").await
    }
}

#[async_trait]
impl RecipientChecks for Recipients {
    async fn before_issue(
        &self,
        document: &Invoice,
        supplier: &Supplier,
        is_kept: bool,
    ) -> Result<Vec<Fault>, StoreError> {
        let (number, participant) =
            try_join(self.check_number(document, supplier), self.check_participant(document)).await?;
        if is_kept {
            self.keep_number(document, number.as_ref()).await?;
            self.keep_participant(document, participant.as_ref()).await?;
        }
        let of_number = number.as_ref().and_then(RecipientCheck::warning);
        Ok(of_number.into_iter().chain(participant.as_ref().and_then(ParticipantCheck::warning)).collect())
    }
}

#[cfg(test)]
mod tests;
