//! The two verdicts given by hand: by somebody who knows what the authority said.

use super::{CommandError, Outcome};
use crate::Gateway;
use crate::consumers::DocumentAge;
use gateway_domain::access::{Acting, Actor, Workspaces};
use gateway_domain::finance::{AttemptOutcome, AuthorityRecord, Command, FinanceEvent, Refusal, Stage};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Acceptance, FieldError, Invoice, InvoiceNumber, Status};
use gateway_events::Source;
use gateway_invoicing::{FollowUps as _, Issue};
use gateway_storage::{StoreError, Tx, attempts, events, submissions};
use jiff::Timestamp;

/// The authority's proof, as given by hand.
#[derive(Debug, Clone)]
pub struct AcceptanceForm {
    /// Where anybody verifies the document.
    pub qr_url: Proof,
    /// The tax system's hash of the record.
    pub tax_system_hash: Proof,
    /// When the authority accepted; now, when nobody knows.
    pub accepted_at: Option<Timestamp>,
    /// The earlier number of the document that the authority accepted; its present one when there is none.
    pub number: Option<InvoiceNumber>,
}

/// The authority's refusal, as given by hand.
#[derive(Debug, Clone, Default)]
pub struct RejectionForm {
    /// What it objects to.
    pub reason: Option<String>,
    /// Its code.
    pub code: Option<String>,
    /// The earlier number of the document that the authority does not hold; its present one when there is none.
    pub number: Option<InvoiceNumber>,
}

impl RejectionForm {
    /// A refusal for this reason.
    pub fn because(reason: &str) -> Self {
        Self { reason: Some(reason.to_owned()), ..Self::default() }
    }
}

/// A part of the proof. What was only forgotten must not end an invoice for good, so that there is none has to be said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proof {
    /// Nothing was said of it.
    Unsaid,
    /// The tax system gives none.
    Absent,
    /// What it gave.
    Given(String),
}

impl Proof {
    fn known(self) -> Result<Option<String>, &'static str> {
        match self {
            Self::Unsaid => {
                Err("is required: use what the tax authority gave, or null if its system gives none")
            }
            Self::Absent => Ok(None),
            Self::Given(text) => Ok(Some(text)),
        }
    }
}

impl AcceptanceForm {
    /// Of a tax system that gives no proof.
    pub const WITHOUT_PROOF: Self =
        Self { qr_url: Proof::Absent, tax_system_hash: Proof::Absent, accepted_at: None, number: None };

    /// The acceptance at `now`, or what is missing of it.
    pub(super) fn acceptance(self, now: Timestamp) -> Result<Acceptance, CommandError> {
        match (self.qr_url.known(), self.tax_system_hash.known()) {
            (Ok(qr_url), Ok(tax_system_hash)) => Ok(Acceptance {
                qr_url,
                tax_system_hash,
                accepted_at: self.accepted_at.unwrap_or(now),
                warnings: Vec::new(),
                sandbox: false,
            }),
            (qr_url, hash) => {
                let missing = [("qr_url", qr_url.err()), ("tax_system_hash", hash.err())];
                let named = missing.into_iter().filter_map(|(field, why)| Some(FieldError::new(field, why?)));
                Err(CommandError::Invalid(named.collect()))
            }
        }
    }
}

impl Gateway {
    /// MarkAsAcceptedByTaxAuthority: issuing to issued. The open submission closes as superseded.
    pub async fn accept_command(
        &self,
        acting: &Acting,
        id: InvoiceId,
        form: AcceptanceForm,
    ) -> Result<Outcome, CommandError> {
        self.in_turn(id, || self.accept_in_turn(acting, id, form.clone())).await
    }

    async fn accept_in_turn(
        &self,
        acting: &Acting,
        id: InvoiceId,
        form: AcceptanceForm,
    ) -> Result<Outcome, CommandError> {
        let document = self.wanted(acting, id).await?;
        if let Some(number) = earlier_number(form.number.as_ref(), &document) {
            return Box::pin(self.accept_earlier_command(acting, document, number, form)).await;
        }
        CommandError::check(&document, Command::MarkAsAcceptedByTaxAuthority)?;
        let acceptance = form.acceptance(self.now())?;
        if let Some(service) = self.elsewhere() {
            return self.accept_elsewhere(service, acting, document, acceptance).await;
        }
        let mut tx = self.db().begin().await?;
        let issued = self
            .documents()
            .issue_in(&mut tx, acting, id, Issue { acceptance: Some(acceptance), ..Issue::default() })
            .await?;
        let before = self.told_so_far(&mut tx, id).await?;
        let events = [FinanceEvent::AcceptedByTaxAuthority, FinanceEvent::Issued];
        self.supersede(&mut tx, acting, &document, &issued, &events).await?;
        self.after_issue(&mut tx, &issued).await?;
        let outcome = self.outcome_in(&mut tx, acting, issued, id, before).await?;
        self.end(tx, acting).await?;
        Ok(outcome)
    }

    /// MarkAsRejectedByTaxAuthority: issuing to rejected. The open submission closes as superseded.
    pub async fn reject_command(
        &self,
        acting: &Acting,
        id: InvoiceId,
        form: RejectionForm,
    ) -> Result<Outcome, CommandError> {
        self.in_turn(id, || self.reject_in_turn(acting, id, form.clone())).await
    }

    async fn reject_in_turn(
        &self,
        acting: &Acting,
        id: InvoiceId,
        form: RejectionForm,
    ) -> Result<Outcome, CommandError> {
        let document = self.wanted(acting, id).await?;
        let RejectionForm { reason, code, number } = form;
        // Said of its own number with a reason, it is the verdict that was given before.
        let repeats = document.state.status() == Status::Rejected
            && reason.is_some()
            && number.as_ref() == document.state.number();
        if let Some(number) = earlier_number(number.as_ref(), &document).filter(|_| !repeats) {
            return self.refute_earlier_command(acting, document, number).await;
        }
        CommandError::check(&document, Command::MarkAsRejectedByTaxAuthority)?;
        let Some(reason) = reason.filter(|reason| !reason.trim().is_empty()) else {
            let error =
                FieldError::new("reason", "is required: say why the tax authority refused the document");
            return Err(CommandError::Invalid(vec![error]));
        };
        if document.state.status() == Status::Rejected {
            let mut tx = self.db().begin().await?;
            self.once(&mut tx, acting).await?;
            self.end(tx, acting).await?;
            return Ok(Outcome { document, events: Vec::new(), warnings: Vec::new() });
        }
        let reason = code.map_or(reason.clone(), |code| format!("{code}: {reason}"));
        if let Some(service) = self.elsewhere() {
            return self.reject_elsewhere(service, acting, document, reason).await;
        }
        let mut tx = self.db().begin().await?;
        let rejected = self.documents().reject_in(&mut tx, acting, id, reason).await?;
        let before = self.told_so_far(&mut tx, id).await?;
        let events = [FinanceEvent::RejectedByTaxAuthority];
        self.supersede(&mut tx, acting, &document, &rejected, &events).await?;
        self.after_rejection(&mut tx, &rejected).await?;
        let outcome = self.outcome_in(&mut tx, acting, rejected, id, before).await?;
        self.end(tx, acting).await?;
        Ok(outcome)
    }

    /// Closes the open submission of a document that was moved by hand, and tells what happened. `before` is the
    /// document as it waited for the verdict: whoever moved it there may have died before that was told.
    pub(crate) async fn supersede(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        before: &Invoice,
        document: &Invoice,
        events: &[FinanceEvent],
    ) -> Result<(), StoreError> {
        let open = submissions::lock(tx, document.id, &acting.workspaces).await?;
        if let Some(submission) = open.filter(|submission| !submission.stage.ended()) {
            if submission.stage == Stage::Requested
                && before.state.status() == Status::Issuing
                && !self.told_already(tx, FinanceEvent::Issuing, before).await?
            {
                let by = Actor(submission.actor.clone());
                self.append_finance(tx, FinanceEvent::Issuing, before, &by).await?;
            }
            let job = submission.job;
            // Before the job is started, nothing of it can reach the authority, however late a call arrives.
            let record = submission.stage.precedes_start().then_some(AuthorityRecord::Nothing);
            let mut closed = submission.at(Stage::Superseded);
            closed.settlement = None;
            closed.check_earlier_attempts = false;
            closed.updated_at = self.now();
            submissions::update(tx, &closed).await?;
            if let Some(job) = job {
                attempts::end(tx, job, AttemptOutcome::Superseded, &[], record, self.now()).await?;
                self.watch_attempts(tx, document.id).await?;
            }
            self.unschedule(tx, document.id).await?;
        }
        for event in events {
            if !self.told_already(tx, *event, document).await? {
                self.append_finance(tx, *event, document, &acting.actor).await?;
            }
        }
        Ok(())
    }

    /// Whether finance told this of this very state of the document: two verdicts at once are one.
    pub(crate) async fn told_already(
        &self,
        tx: &mut Tx,
        event: FinanceEvent,
        document: &Invoice,
    ) -> Result<bool, StoreError> {
        let told =
            events::of_subject(&mut *tx, &Workspaces::All, Source::Finance.as_str(), document.id).await?;
        let now = (document.created_at, document.version);
        Ok(told.iter().any(|told| {
            let age = serde_json::from_str::<DocumentAge>(&told.data).map(|told| told.age());
            told.kind == event.as_str() && age.is_ok_and(|age| age == now)
        }))
    }
}

/// The number that a verdict is about, unless that is the one under which the document waits for its verdict.
fn earlier_number(named: Option<&InvoiceNumber>, document: &Invoice) -> Option<InvoiceNumber> {
    let waits = document.state.status() == Status::Issuing;
    named.filter(|number| !waits || document.state.number() != Some(number)).cloned()
}

impl From<gateway_invoicing::StepError> for CommandError {
    fn from(error: gateway_invoicing::StepError) -> Self {
        use gateway_invoicing::StepError;
        match error {
            StepError::Gone => Self::Gone,
            StepError::Issue(error) => Self::Issue(error),
            StepError::Stale { current } => Self::Stale { current },
            StepError::Store(error) => Self::Store(error),
        }
    }
}

impl From<gateway_invoicing::RejectError> for CommandError {
    fn from(error: gateway_invoicing::RejectError) -> Self {
        use gateway_invoicing::RejectError;
        match error {
            RejectError::Gone => Self::Gone,
            RejectError::NotRejectable(_) => Self::Refused(Refusal::NotIssuing),
            RejectError::Store(error) => Self::Store(error),
        }
    }
}
