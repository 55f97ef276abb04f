//! A verdict, by hand or the provider's: how its submission ends, and what finance tells of it.

use super::{Effect, Recorder, Step};
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Actor, Workspaces};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Invoice, Status};
use gateway_domain_finance::{
    AttemptOutcome, Ending, ExpectedVersion, FinanceEvent, Open, OpenStage, Settling, Submission,
    is_accepted_after_all,
};
use gateway_events::Source;
use gateway_read_models::DocumentAge;
use gateway_storage::{Tx, events, submissions};

/// A provider's verdict that is stored with what settles it.
#[derive(Debug, Clone)]
pub(crate) struct UnstoredVerdict {
    pub(crate) settling: Submission<Open<Settling>>,
    /// The submission as it is stored.
    pub(crate) expected: ExpectedVersion,
    pub(crate) effects: Vec<Effect>,
}

impl Recorder {
    /// A verdict by hand, unless the submission came to one by itself: then that one is told already. `before` is the document
    /// as it waited for the verdict.
    pub(super) async fn record_verdict(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        before: &Invoice,
        now: &Invoice,
    ) -> Result<(), StoreError> {
        let submission = submissions::lock(tx, now.id, &Workspaces::All).await?;
        if submission.as_ref().is_some_and(|submission| submission.shows_verdict_of(now)) {
            return Ok(());
        }
        let open = submission.and_then(Submission::into_open);
        if let Some(open) = &open {
            self.append_issuing(tx, open, before).await?;
        }
        let mut events = Vec::new();
        for event in FinanceEvent::of_verdict(now.state.status()) {
            if !self.is_recorded(tx, *event, now).await? {
                events.push(*event);
            }
        }
        let Some(open) = open else {
            for event in events {
                self.append(tx, event, now, &acting.actor).await?;
            }
            return Ok(());
        };
        let expected = ExpectedVersion::from(&open);
        let step = ended(open.superseded_by_hand(), &events, now);
        self.store_in(tx, step, expected, &acting.actor).await?;
        self.unschedule(tx, now.id).await
    }

    /// Whether finance told this of this very state of the document: two verdicts at once are one.
    pub(crate) async fn is_recorded(
        &self,
        tx: &mut Tx,
        event: FinanceEvent,
        document: &Invoice,
    ) -> Result<bool, StoreError> {
        let recorded =
            events::of_subject(&mut *tx, &Workspaces::All, Source::Finance.as_str(), document.id).await?;
        let now = (document.created_at, document.version);
        for recorded in recorded.iter().filter(|recorded| recorded.kind == event.as_str()) {
            if events::data::<DocumentAge>(recorded)?.age() == now {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The provider's verdict, which the document shows now, or which came too late for it.
    pub(super) async fn record_settled(&self, tx: &mut Tx, now: &Invoice) -> Result<(), StoreError> {
        let moved = || StoreError::Moved { table: "submission" };
        let UnstoredVerdict { settling, expected, effects } = if let Some(unstored) = tx.remembered().next() {
            UnstoredVerdict::clone(unstored)
        } else {
            let found = submissions::lock(tx, now.id, &Workspaces::All).await?;
            let settling = found.and_then(Submission::into_settling).ok_or_else(moved)?;
            UnstoredVerdict { expected: (&settling).into(), settling, effects: Vec::new() }
        };
        let mut step = settled(settling, now).ok_or_else(moved)?;
        step.effects.splice(0..0, effects);
        self.store_in(tx, step, expected, &Actor::gateway()).await.map(drop)
    }

    /// Whoever moved the document to issuing may have died before that was told.
    async fn append_issuing(
        &self,
        tx: &mut Tx,
        submission: &Submission<Open>,
        before: &Invoice,
    ) -> Result<(), StoreError> {
        match submission.open_stage() {
            OpenStage::Requested(_) => {}
            OpenStage::Converting(_)
            | OpenStage::Uploading(_)
            | OpenStage::Starting(_)
            | OpenStage::Waiting(_)
            | OpenStage::Unsent(_)
            | OpenStage::Settling(_) => return Ok(()),
        }
        if before.state.status() != Status::Issuing
            || self.is_recorded(tx, FinanceEvent::Issuing, before).await?
        {
            return Ok(());
        }
        let by = Actor(submission.actor.clone());
        self.append(tx, FinanceEvent::Issuing, before, &by).await
    }

    /// Takes the alert back that an earlier number is in the authority's books, and lets the submission go on.
    pub(super) async fn settle_alert(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        document: InvoiceId,
    ) -> Result<(), StoreError> {
        let found = submissions::lock(tx, document, &acting.workspaces).await?;
        let Some(found) = found.filter(is_accepted_after_all) else { return Ok(()) };
        let (is_open, expected) = (!found.has_ended(), ExpectedVersion::from(&found));
        let settled = Submission { alert: None, updated_at: self.context.now(), ..found };
        if !self.update(tx, &expected, &settled).await? {
            return Err(StoreError::Moved { table: "submission" });
        }
        if is_open {
            self.schedule(tx, document, self.context.now());
        }
        Ok(())
    }
}

/// How a submission ends whose verdict was told, by what the document shows then: a verdict about one number says nothing about
/// another. None while the document still waits for it.
pub(crate) fn settled(submission: Submission<Open<Settling>>, document: &Invoice) -> Option<Step> {
    let Settling { attempt, verdict } = submission.open_stage();
    let (status, is_ours) = (document.state.status(), document.state.number() == Some(&attempt.number));
    if is_ours && status == verdict.status() {
        return Some(ended(submission.settled(), FinanceEvent::of_verdict(status), document));
    }
    if is_ours && status == Status::Issuing {
        return None;
    }
    Some(ended(submission.superseded(), &[], document))
}

/// The last step of a submission, whoever gave the verdict: its attempt ends, `events` tell what the document shows, and what
/// the authority does with an attempt that counts no more is watched all the same.
pub(crate) fn ended(ending: Ending, events: &[FinanceEvent], document: &Invoice) -> Step {
    let Ending { submission, attempt } = ending;
    let mut step = Step::to(submission);
    for event in events {
        step = step.with(Effect::Event(*event, Box::new(document.clone())));
    }
    match attempt {
        Some(end) if end.outcome == AttemptOutcome::Superseded => {
            step.with(Effect::WatchAttempts).with(Effect::EndAttempt(end))
        }
        Some(end) => step.with(Effect::EndAttempt(end)),
        None => step,
    }
}
