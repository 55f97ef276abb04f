//! Attempts that count no more: one that ended by hand, failed without a reason, or was refused before its document goes
//! out again. The authority may accept such a record all the same, and two accepted records of one sale cost its tax twice,
//! so nothing is sent before the provider has shown how the attempts before it ended.

use super::provider_call::{NoCallReason, ProviderCall};
use super::{AdvanceError, Run, SubmissionSteps};
use crate::record::{Effect, Step};
use gateway_domain::access::Acting;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Acceptance, Invoice};
use gateway_domain::ports::{Converter, ConverterError};
use gateway_domain::regime::{Stamp, Verdict};
use gateway_domain_finance::ports::{Entry, Job, JobProgress, ProviderError};
use gateway_domain_finance::{
    AcceptedVerdict, AlertCode, Attempt, AttemptEnd, AuthorityRecord, EarlierAttempt, EarlierFinding,
    EarlierJob, ExpectedVersion, Open, RETRY_WAIT_MAX, Submission, Uploading, accepted_after_all,
    contradiction, is_duplicate, report, trusted,
};
use gateway_jobs::Outcome;
use gateway_storage::{attempts, submissions};
use jiff::SignedDuration;

/// How long the provider is asked how an attempt ended that somebody gave a verdict for by hand.
pub const WATCHED_FOR: SignedDuration = SignedDuration::from_hours(24 * 90);
/// Looks before a watch may end, fewer than there are in the time it takes: a clock that steps ahead ends none.
const LOOKS_MIN: i64 = 500;
/// How long an attempt is watched closely.
const CLOSE_WATCH: SignedDuration = SignedDuration::from_hours(24);
/// When is looked again whether there is a provider to ask.
const RECHECK_WITHOUT_PROVIDER: SignedDuration = SignedDuration::from_mins(10);
/// When the provider is asked again that gave no answer.
const RECHECK_AFTER_FAILURE: SignedDuration = SignedDuration::from_mins(1);

/// Why it is not known how an attempt ended.
enum LookError {
    /// The provider gave no usable answer.
    Provider(ProviderError),
    /// The regime could not be asked.
    Regime(ConverterError),
}

/// What was seen of an ended attempt.
struct AttemptFinding {
    finding: EarlierFinding,
    /// Whether its job has ended at the provider.
    is_over: bool,
    /// Of its entry, as the provider shows them now; empty while the job runs.
    stamps: Vec<Stamp>,
    /// What was left out of the proof.
    left_out: Vec<String>,
}

impl SubmissionSteps {
    /// The step before the first upload of a new attempt: the attempts before it have ended, and the authority holds none of
    /// them.
    pub(super) async fn check_earlier(
        &self,
        submission: Submission<Open<Uploading>>,
        run: &mut Run,
    ) -> Result<Step, AdvanceError> {
        let call = match self.call(submission.document, submission.workspace, run).await? {
            Ok(call) => call,
            Err(why) => return Ok(self.no_call(submission, why)),
        };
        let all = attempts::of_document(self.context.db(), submission.document).await?;
        let own = submission.open_stage().job;
        let earlier: Vec<_> = all.into_iter().filter(|attempt| attempt.job != own).collect();
        let mut effects = Vec::new();
        let held = |attempt: &Attempt| attempt.authority_record != Some(AuthorityRecord::Nothing);
        let last = earlier.iter().rposition(held);
        for (index, attempt) in earlier.iter().enumerate() {
            let is_last = last == Some(index);
            match attempt.authority_record {
                Some(AuthorityRecord::Accepted) => {
                    return Ok(self.accepted_earlier(
                        submission,
                        attempt,
                        attempt.acceptance.as_ref(),
                        None,
                        None,
                    ));
                }
                Some(AuthorityRecord::Nothing) => continue,
                Some(AuthorityRecord::Refused) if !is_last => continue,
                Some(AuthorityRecord::Refused) | None => {}
            }
            match self.poll_earlier(&call, &submission, attempt).await {
                Err(LookError::Provider(error)) => return Ok(self.failed_poll(submission, &error)),
                Err(LookError::Regime(ConverterError::Busy)) => {
                    return Err(AdvanceError::Busy(ConverterError::Busy));
                }
                Err(LookError::Regime(error)) => {
                    return Ok(self.alert(submission, AlertCode::RegimeNotActive, error.to_string()));
                }
                Ok(outcome) => match &outcome.finding {
                    EarlierFinding::Open => return Ok(self.earlier_is_open(submission, attempt)),
                    EarlierFinding::Accepted(_) => {
                        let acceptance = self.proof(&outcome.finding);
                        return Ok(self.accepted_earlier(
                            submission,
                            attempt,
                            acceptance.as_ref(),
                            None,
                            Some(&outcome),
                        ));
                    }
                    EarlierFinding::Doubtful(why) => {
                        return Ok(self.accepted_earlier(submission, attempt, None, Some(why), None));
                    }
                    EarlierFinding::Nothing | EarlierFinding::Refused => {
                        effects.extend(record_effect(attempt, &outcome.finding));
                    }
                },
            }
        }
        let step = Step::to(submission.step(Uploading::earlier_attempts_checked));
        Ok(Step { effects, ..step })
    }

    /// An attempt before this one is, or may be, in the authority's books. Under the number of this attempt it is this very
    /// document, so its acceptance counts; under another nothing is sent.
    fn accepted_earlier(
        &self,
        mut submission: Submission<Open<Uploading>>,
        attempt: &Attempt,
        acceptance: Option<&Acceptance>,
        doubt: Option<&str>,
        finding: Option<&AttemptFinding>,
    ) -> Step {
        let effect = acceptance
            .map(|proof| Effect::Record(attempt.job, AuthorityRecord::Accepted, Some(proof.clone())));
        let Uploading { number, job: unused, .. } = submission.open_stage();
        if let Some(acceptance) = acceptance.filter(|_| attempt.number.as_ref() == Some(number)) {
            let unused = AttemptEnd::superseded(*unused, Some(AuthorityRecord::Nothing));
            let left_out = finding.map(|finding| finding.left_out.clone()).unwrap_or_default();
            if let Some(finding) = finding {
                submission.stamps.clone_from(&finding.stamps);
            }
            let verdict = AcceptedVerdict { acceptance: acceptance.clone(), left_out };
            let mut step = Step::to(submission.step(|stage| stage.accepted_before(attempt.job, verdict)));
            step.effects.extend(effect);
            return step.with(Effect::EndAttempt(unused));
        }
        let message = accepted_after_all(submission.document, attempt.number.as_ref(), acceptance, doubt);
        let mut step = self.alert(submission, AlertCode::AcceptedAfterAll, message);
        step.effects.extend(effect);
        step
    }

    /// The provider still works on an attempt before this one, which waits until that has ended.
    fn earlier_is_open(&self, submission: Submission<Open<Uploading>>, attempt: &Attempt) -> Step {
        let number = attempt.number.as_ref().map_or("", |number| number.0.as_str());
        let message = format!(
            "the provider works on {number}, or may yet begin to (job {}), and the tax authority may accept it: nothing is sent \
             before that has ended, and then it goes on by itself; a job that never ends can be cancelled at the provider",
            attempt.job
        );
        self.alert(submission, AlertCode::EarlierAttemptOpen, message)
    }

    /// How an ended attempt stands at the provider.
    async fn poll_earlier<P: Sync>(
        &self,
        call: &ProviderCall<'_>,
        submission: &Submission<P>,
        attempt: &Attempt,
    ) -> Result<AttemptFinding, LookError> {
        let job = match call.get_job(attempt.job).await {
            Ok(job) => Some(job),
            Err(ProviderError::NotFound) => None,
            Err(error) => return Err(LookError::Provider(error)),
        };
        if job.as_ref().is_some_and(|job| job.progress == JobProgress::Running) {
            let (stamps, left_out) = (Vec::new(), Vec::new());
            return Ok(AttemptFinding { finding: EarlierFinding::Open, is_over: false, stamps, left_out });
        }
        let entry = match attempt.entry {
            None => None,
            Some(entry) => match call.get_entry(entry).await {
                Ok(entry) => Some(entry),
                Err(ProviderError::NotFound) => None,
                Err(error) => return Err(LookError::Provider(error)),
            },
        };
        let state = match job.as_ref().map(|job| job.progress) {
            None => EarlierJob::Unknown,
            Some(JobProgress::Running) => EarlierJob::Running,
            Some(JobProgress::Succeeded) => EarlierJob::Succeeded,
            Some(JobProgress::Failed) => EarlierJob::Failed,
        };
        let converter = self.context.interpreter(submission, attempt.plugin.as_ref());
        let (mut verdict, mut stamps) = (None, Vec::new());
        if let (Some(job), Some(entry)) = (&job, &entry) {
            (verdict, stamps) = self.read_back(call, converter.as_ref(), job, entry).await?;
        }
        let evidence = converter.evidence(&call.configuration.regime);
        let duplicate = !self.context.settings().sandbox
            && verdict.as_ref().is_some_and(|verdict| is_duplicate(verdict, evidence.as_deref()));
        let mut another =
            job.as_ref().zip(entry.as_ref()).and_then(|(job, entry)| attempt.another(job, entry));
        let mut left_out = Vec::new();
        if let Some(Verdict::Accepted { qr_url, tax_system_hash, warnings }) =
            verdict.take_if(|verdict| matches!(verdict, Verdict::Accepted { .. }))
        {
            let number = attempt.number.as_ref().map(|number| number.0.as_str());
            let (accepted_at, sandbox) = (self.context.now(), false);
            let acceptance = Acceptance { qr_url, tax_system_hash, accepted_at, warnings, sandbox };
            match trusted(acceptance, evidence.as_deref(), number, &mut left_out) {
                Ok(Acceptance { qr_url, tax_system_hash, warnings, .. }) => {
                    verdict = Some(Verdict::Accepted { qr_url, tax_system_hash, warnings });
                }
                Err(found) => {
                    another.get_or_insert(format!("its verification address states the number '{found}'"));
                }
            }
        }
        let marked = entry.as_ref().is_some_and(|entry| attempt.is_marked(&submission.stamps, entry));
        let may_start = attempt.may_start(self.context.now());
        let is_over = matches!(state, EarlierJob::Succeeded | EarlierJob::Failed);
        let finding = EarlierAttempt { job: state, verdict, marked, another, duplicate, may_start }.finding();
        Ok(AttemptFinding { finding, is_over, stamps, left_out })
    }

    /// What the regime reads in job and entry of an ended attempt, none when there is nothing to read; and the stamps.
    async fn read_back(
        &self,
        call: &ProviderCall<'_>,
        converter: &dyn Converter,
        job: &Job,
        entry: &Entry,
    ) -> Result<(Option<Verdict>, Vec<Stamp>), LookError> {
        let (report, _) = report(job, entry);
        if !report.succeeded && report.faults.is_empty() {
            return Ok((None, report.stamps));
        }
        let regime = &call.configuration.regime;
        match converter.interpret(regime, &report).await {
            Ok(made) => Ok((Some(made.value), report.stamps)),
            Err(ConverterError::Faults(_) | ConverterError::Broken(_)) => Ok((None, report.stamps)),
            Err(error @ (ConverterError::Busy | ConverterError::UnknownRegime(_))) => {
                Err(LookError::Regime(error))
            }
        }
    }

    /// The proof of an acceptance; none for any other finding.
    fn proof(&self, finding: &EarlierFinding) -> Option<Acceptance> {
        let (accepted_at, sandbox) = (self.context.now(), self.context.settings().sandbox);
        match finding {
            EarlierFinding::Accepted(Verdict::Accepted { qr_url, tax_system_hash, warnings }) => {
                let (qr_url, tax_system_hash, warnings) =
                    (qr_url.clone(), tax_system_hash.clone(), warnings.clone());
                Some(Acceptance { qr_url, tax_system_hash, accepted_at, warnings, sandbox })
            }
            EarlierFinding::Accepted(_)
            | EarlierFinding::Doubtful(_)
            | EarlierFinding::Refused
            | EarlierFinding::Open
            | EarlierFinding::Nothing => None,
        }
    }

    /// Asks the provider how the ended attempts of a document ended there, and says so where that is not what the document
    /// shows. `looks` is how often that was done, this time included.
    pub(crate) async fn check_ended_attempts(
        &self,
        document: InvoiceId,
        looks: i64,
    ) -> Result<Outcome, AdvanceError> {
        let acting = Acting::gateway();
        let Some(submission) = submissions::find(self.context.db(), document, &acting.workspaces).await?
        else {
            return Ok(Outcome::Done);
        };
        let over = submission.has_ended();
        let watched = attempts::of_document(self.context.db(), document).await?.into_iter();
        let watched = watched.filter(|attempt| attempt.is_watched(over));
        let Some(attempt) = watched.min_by_key(|attempt| attempt.ended_at) else {
            return Ok(Outcome::Done);
        };
        // Waits are counted from the clock that chose them: when it steps meanwhile, the watchdog finds the next look too late.
        let now = self.context.now();
        let again = |wait| Outcome::Again(now.checked_add(wait).unwrap_or(now));
        let waited = now.duration_since(attempt.ended_at.unwrap_or(attempt.started_at));
        if waited > WATCHED_FOR && looks >= LOOKS_MIN {
            return Ok(Outcome::Done);
        }
        let wait = if waited > CLOSE_WATCH {
            RETRY_WAIT_MAX
        } else {
            self.context.verdict_timeouts().next_poll(waited)
        };
        let call = match self.call(document, submission.workspace, &mut Run::default()).await? {
            Ok(call) => call,
            Err(NoCallReason::NotConfigured(..)) => return Ok(again(RECHECK_WITHOUT_PROVIDER)),
            Err(NoCallReason::Held(until)) => return Ok(self.after_hold(until)),
        };
        let Ok(outcome) = self.poll_earlier(&call, &submission, &attempt).await else {
            return Ok(again(RECHECK_AFTER_FAILURE));
        };
        let Some(current) = self.finance.invoice_data.document(&acting, document).await? else {
            return Ok(Outcome::Done);
        };
        let proof = self.proof(&outcome.finding);
        let alert = contradiction(&attempt, &outcome.finding, &current, proof.as_ref());
        if alert.is_some() && submission.stage().is_at_authority() {
            // An alert now would leave the present number's own verdict unread.
            tracing::error!(
                document.id = %document,
                "An earlier number of {document} may be in the tax authority's books: it is said once the present one has its \
                 verdict"
            );
            return Ok(again(wait));
        }
        let effect = self.finding_effect(&attempt, &outcome, &current);
        if alert.is_none() && effect.is_none() {
            return Ok(again(wait));
        }
        let is_doubtful = effect.is_none();
        let expected = ExpectedVersion::from(&submission);
        let alert = alert.or_else(|| submission.alert.clone());
        let submission = Submission { alert, ..submission };
        let step = Step { submission, next: Outcome::Continue, effects: effect.into_iter().collect() };
        let is_stored = self.recorder.store(step, expected, &acting.actor, None).await?.is_some();
        // A doubt is somebody's to settle, and that ends it; whatever else is to be known is asked meanwhile.
        Ok(if is_doubtful && is_stored { again(RETRY_WAIT_MAX) } else { Outcome::Continue })
    }

    /// What is known of an attempt after a look.
    fn finding_effect(
        &self,
        attempt: &Attempt,
        outcome: &AttemptFinding,
        document: &Invoice,
    ) -> Option<Effect> {
        match &outcome.finding {
            EarlierFinding::Accepted(_) => {
                Some(Effect::Record(attempt.job, AuthorityRecord::Accepted, self.proof(&outcome.finding)))
            }
            // It was accepted by hand, and the provider has no more to say of it.
            EarlierFinding::Doubtful(_) if outcome.is_over && attempt.is_issued_as(document) => {
                Some(Effect::Record(attempt.job, AuthorityRecord::Accepted, None))
            }
            finding => record_effect(attempt, finding),
        }
    }
}

/// What is kept of an attempt that the authority does not hold.
fn record_effect(attempt: &Attempt, finding: &EarlierFinding) -> Option<Effect> {
    let record = attempt.new_authority_record(finding)?;
    Some(Effect::Record(attempt.job, record, None))
}
