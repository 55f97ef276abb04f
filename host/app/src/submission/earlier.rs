//! Attempts that count no more: one that ended by hand, failed without a reason, or was refused before its document goes
//! out again. The authority may accept such a record all the same, and two accepted records of one sale cost its tax twice,
//! so nothing is sent before the provider has shown how the attempts before it ended.

use super::calls::Call;
use super::verdict::{report, wrong_address};
use super::{AdvanceError, Also, Step, WatchAttempts};
use crate::Gateway;
use gateway_domain::access::Acting;
use gateway_domain::finance::{
    Alert, AlertCode, AttemptOutcome, AuthorityRecord, EarlierAttempt, EarlierFinding, EarlierJob,
    Settlement, Stage, Submission,
};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Acceptance, Invoice, InvoiceNumber, State};
use gateway_domain::ports::{ConverterError, Entry, Job, JobProgress, ProviderError};
use gateway_domain::regime::{AddressProblem, Verdict};
use gateway_jobs::{Job as _, Outcome};
use gateway_storage::attempts::{self, Attempt};
use gateway_storage::{StoreError, Tx, submissions};
use jiff::{SignedDuration, Timestamp};

/// How long the provider is asked how an attempt ended that somebody gave a verdict for by hand.
const WATCHED_FOR: SignedDuration = SignedDuration::from_hours(24 * 90);
/// How long a job that the provider does not know may still reach it: far longer than any call takes.
const LATE_CALL: SignedDuration = SignedDuration::from_hours(1);
/// When is looked again whether there is a provider to ask.
const NOBODY_TO_ASK: SignedDuration = SignedDuration::from_mins(10);
/// When the provider is asked again that gave no answer.
const TROUBLE: SignedDuration = SignedDuration::from_mins(1);

/// Why it is not known how an attempt ended.
enum LookError {
    /// The provider gave no usable answer.
    Provider(ProviderError),
    /// The regime could not be asked.
    Regime(ConverterError),
}

impl Gateway {
    /// The step before the first upload of a new attempt: the attempts before it have ended, and the authority holds none of
    /// them.
    pub(super) async fn check_earlier(&self, mut submission: Submission) -> Result<Step, AdvanceError> {
        let call = match self.call(&submission).await? {
            Ok(call) => call,
            Err(step) => return Ok(step),
        };
        let all = attempts::of_document(self.db(), submission.document).await?;
        let earlier: Vec<_> = all.into_iter().filter(|attempt| Some(attempt.job) != submission.job).collect();
        let mut learned = Vec::new();
        for (index, attempt) in earlier.iter().enumerate() {
            let is_last = index.saturating_add(1) == earlier.len();
            match attempt.authority_record {
                Some(AuthorityRecord::Accepted) => {
                    return Ok(self.accepted_earlier(submission, attempt, attempt.acceptance.as_ref(), None));
                }
                Some(AuthorityRecord::Nothing) => continue,
                Some(AuthorityRecord::Refused) if !is_last => continue,
                Some(AuthorityRecord::Refused) | None => {}
            }
            match self.look_back(&call, &submission, attempt).await {
                Err(LookError::Provider(error)) => return Ok(self.failed_call(submission, &error)),
                Err(LookError::Regime(ConverterError::Busy)) => {
                    return Err(AdvanceError::Busy(ConverterError::Busy));
                }
                Err(LookError::Regime(error)) => {
                    return Ok(self.alert(submission, AlertCode::RegimeNotActive, error.to_string()));
                }
                Ok((EarlierFinding::Open, _)) => return Ok(self.earlier_is_open(submission, attempt)),
                Ok((EarlierFinding::Accepted(verdict), _)) => {
                    let acceptance = self.acceptance(verdict);
                    return Ok(self.accepted_earlier(submission, attempt, acceptance.as_ref(), None));
                }
                Ok((EarlierFinding::Doubtful(why), _)) => {
                    return Ok(self.accepted_earlier(submission, attempt, None, Some(&why)));
                }
                Ok((finding, job)) => learned.extend(record(attempt, &finding, job, self.now())),
            }
        }
        submission.check_earlier_attempts = false;
        let mut step = Step::to(submission, Stage::Uploading);
        step.also = learned;
        Ok(step)
    }

    /// An attempt before this one is, or may be, in the authority's books. Under the number of this attempt it is this very
    /// document, so its acceptance counts; under another nothing is sent.
    fn accepted_earlier(
        &self,
        mut submission: Submission,
        attempt: &Attempt,
        acceptance: Option<&Acceptance>,
        doubt: Option<&str>,
    ) -> Step {
        let learned =
            acceptance.map(|proof| Also::Record(attempt.job, AuthorityRecord::Accepted, Some(proof.clone())));
        if let Some(acceptance) = acceptance.filter(|_| attempt.number == submission.number) {
            let unused = submission.job.replace(attempt.job);
            submission.settlement =
                Some(Settlement::Accept { acceptance: acceptance.clone(), left_out: Vec::new() });
            let mut step = Step::to(submission, Stage::Settling);
            step.also.extend(learned);
            step.also.extend(unused.map(|job| {
                let record = Some(AuthorityRecord::Nothing);
                Also::EndAttempt(job, AttemptOutcome::Superseded, Vec::new(), record)
            }));
            return step;
        }
        let message = accepted_after_all(submission.document, attempt.number.as_ref(), acceptance, doubt);
        let mut step = self.alert(submission, AlertCode::AcceptedAfterAll, message);
        step.also.extend(learned);
        step
    }

    /// The provider still works on an attempt before this one, which waits until that has ended.
    fn earlier_is_open(&self, submission: Submission, attempt: &Attempt) -> Step {
        let number = attempt.number.as_ref().map_or("", |number| number.0.as_str());
        let message = format!(
            "the provider still works on {number} (job {}), which the tax authority may yet accept: nothing is sent before \
             that has ended, and then it goes on by itself; a job that never ends can be cancelled at the provider",
            attempt.job
        );
        self.alert(submission, AlertCode::EarlierAttemptOpen, message)
    }

    /// How an ended attempt stands at the provider.
    async fn look_back(
        &self,
        call: &Call<'_>,
        submission: &Submission,
        attempt: &Attempt,
    ) -> Result<(EarlierFinding, EarlierJob), LookError> {
        let job = match call.get_job(attempt.job).await {
            Ok(job) => Some(job),
            Err(ProviderError::NotFound) => None,
            Err(error) => return Err(LookError::Provider(error)),
        };
        if job.as_ref().is_some_and(|job| job.progress == JobProgress::Running) {
            return Ok((EarlierFinding::Open, EarlierJob::Running));
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
        let verdict = match (&job, &entry) {
            (Some(job), Some(entry)) => self.read_back(call, submission, job, entry).await?,
            (Some(_) | None, _) => None,
        };
        let another = job.as_ref().zip(entry.as_ref()).and_then(|(job, entry)| another(attempt, job, entry));
        let another = another.or_else(|| self.proof_of_another(call, submission, attempt, verdict.as_ref()));
        let marked = entry.as_ref().is_some_and(|entry| is_marked(submission, attempt, entry));
        Ok((EarlierAttempt { job: state, verdict, marked, another }.finding(), state))
    }

    /// Whether the proof of an acceptance states another number than the attempt's, one phrase.
    fn proof_of_another(
        &self,
        call: &Call<'_>,
        submission: &Submission,
        attempt: &Attempt,
        verdict: Option<&Verdict>,
    ) -> Option<String> {
        let Some(Verdict::Accepted { qr_url: Some(address), .. }) = verdict else { return None };
        let evidence = self.converter(submission.workspace).evidence(&call.configuration.regime);
        let number = attempt.number.as_ref().map(|number| number.0.as_str());
        match wrong_address(address, evidence.as_deref(), number) {
            Some(problem @ AddressProblem::AnotherNumber { .. }) => Some(problem.to_string()),
            Some(_) | None => None,
        }
    }

    /// What the regime reads in job and entry of an ended attempt; none when there is nothing to read.
    async fn read_back(
        &self,
        call: &Call<'_>,
        submission: &Submission,
        job: &Job,
        entry: &Entry,
    ) -> Result<Option<Verdict>, LookError> {
        let (report, _) = report(job, entry);
        if !report.succeeded && report.faults.is_empty() {
            return Ok(None);
        }
        let regime = &call.configuration.regime;
        match self.converter(submission.workspace).interpret(regime, &report).await {
            Ok(made) => Ok(Some(made.value)),
            Err(ConverterError::Faults(_) | ConverterError::Broken(_)) => Ok(None),
            Err(error @ (ConverterError::Busy | ConverterError::UnknownRegime(_))) => {
                Err(LookError::Regime(error))
            }
        }
    }

    /// The proof of an acceptance; none for any other verdict.
    fn acceptance(&self, verdict: Verdict) -> Option<Acceptance> {
        match verdict {
            Verdict::Accepted { qr_url, tax_system_hash, warnings } => Some(Acceptance {
                qr_url,
                tax_system_hash,
                accepted_at: self.now(),
                warnings,
                sandbox: self.settings().sandbox,
            }),
            Verdict::Rejected { .. } | Verdict::Undecided { .. } => None,
        }
    }

    /// Makes sure that the provider is asked how the attempts of a document end that count no more.
    pub(crate) async fn watch_attempts(&self, tx: &mut Tx, document: InvoiceId) -> Result<(), StoreError> {
        let wait = SignedDuration::try_from(self.settings().poll_after).unwrap_or(TROUBLE);
        WatchAttempts(document).enqueue(tx, self.ids(), self.after(wait)).await
    }

    /// Asks the provider how the ended attempts of a document ended there, and says so where that is not what the document
    /// shows.
    pub(crate) async fn check_ended_attempts(&self, document: InvoiceId) -> Result<Outcome, AdvanceError> {
        let acting = Acting::gateway();
        let Some(submission) = submissions::find(self.db(), document, &acting.workspaces).await? else {
            return Ok(Outcome::Done);
        };
        let open = attempts::of_document(self.db(), document).await?.into_iter().filter(is_watched);
        let Some(attempt) =
            open.filter(|attempt| !self.is_forgotten(attempt)).min_by_key(|attempt| attempt.ended_at)
        else {
            return Ok(Outcome::Done);
        };
        let call = match self.call(&submission).await? {
            Ok(call) => call,
            Err(step) if step.submission.alert.is_some() => {
                return Ok(Outcome::Again(self.after(NOBODY_TO_ASK)));
            }
            Err(held) => return Ok(held.next),
        };
        let Ok((finding, job)) = self.look_back(&call, &submission, &attempt).await else {
            return Ok(Outcome::Again(self.after(TROUBLE)));
        };
        let Some(shown) = self.invoice(&acting, document).await? else { return Ok(Outcome::Done) };
        let is_issued =
            matches!(&shown.state, State::Issued { number, .. } if Some(number) == attempt.number.as_ref());
        let alert = self.contradiction(&attempt, &finding, &shown, is_issued);
        let learned = match &finding {
            EarlierFinding::Accepted(verdict) => {
                Some(Also::Record(attempt.job, AuthorityRecord::Accepted, self.acceptance(verdict.clone())))
            }
            other => record(&attempt, other, job, self.now()),
        };
        if alert.is_none() && learned.is_none() {
            let ended_at = attempt.ended_at.unwrap_or(attempt.started_at);
            return Ok(Outcome::Again(
                self.after(self.patience().next_look(self.now().duration_since(ended_at))),
            ));
        }
        let is_doubtful = learned.is_none();
        let version = submission.version;
        let alert = alert.or_else(|| submission.alert.clone());
        let submission = Submission { alert, ..submission };
        let step = Step { submission, next: Outcome::Continue, also: learned.into_iter().collect() };
        let mut tx = self.db().begin().await?;
        if self.store_in(&mut tx, step, version, &acting.actor).await? {
            tx.commit_at("watched").await?;
            return Ok(if is_doubtful { Outcome::Done } else { Outcome::Continue });
        }
        Ok(Outcome::Continue)
    }

    fn is_forgotten(&self, attempt: &Attempt) -> bool {
        let ended_at = attempt.ended_at.unwrap_or(attempt.started_at);
        self.now().duration_since(ended_at) > WATCHED_FOR
    }

    /// What somebody has to know of an attempt that did not end at the authority as the document shows.
    fn contradiction(
        &self,
        attempt: &Attempt,
        finding: &EarlierFinding,
        document: &Invoice,
        is_issued: bool,
    ) -> Option<Alert> {
        let number = attempt.number.as_ref();
        let after_all = |proof: Option<&Acceptance>, doubt| {
            let message = accepted_after_all(document.id, number, proof, doubt);
            Some(Alert { code: AlertCode::AcceptedAfterAll, message })
        };
        match finding {
            EarlierFinding::Accepted(verdict) if !is_issued => {
                after_all(self.acceptance(verdict.clone()).as_ref(), None)
            }
            EarlierFinding::Doubtful(why) if !is_issued => after_all(None, Some(why.as_str())),
            EarlierFinding::Refused if is_issued => Some(Alert {
                code: AlertCode::RejectedAfterAll,
                message: format!(
                    "the tax authority refused {}, which was accepted by hand: find out what it holds, correct the sale with \
                     a credit note where it holds nothing, then acknowledge the alert with 'gateway submission acknowledge'",
                    number.map_or("the document", |number| number.0.as_str())
                ),
            }),
            EarlierFinding::Accepted(_)
            | EarlierFinding::Doubtful(_)
            | EarlierFinding::Refused
            | EarlierFinding::Open
            | EarlierFinding::Nothing => None,
        }
    }
}

/// Whether the provider is asked how an attempt ended: it is over here, and nobody knows what the authority holds.
fn is_watched(attempt: &Attempt) -> bool {
    let by_hand = attempt.outcome.as_deref() == Some(AttemptOutcome::Superseded.as_str());
    by_hand && attempt.authority_record.is_none()
}

/// What is kept of an attempt that the authority does not hold. A job that the provider does not know may still reach it
/// for a while.
fn record(attempt: &Attempt, finding: &EarlierFinding, job: EarlierJob, now: Timestamp) -> Option<Also> {
    if attempt.authority_record.is_some() {
        return None;
    }
    let ended_at = attempt.ended_at.unwrap_or(attempt.started_at);
    let may_come = job == EarlierJob::Unknown && now.duration_since(ended_at) < LATE_CALL;
    match finding {
        EarlierFinding::Nothing if may_come => None,
        EarlierFinding::Nothing => Some(Also::Record(attempt.job, AuthorityRecord::Nothing, None)),
        EarlierFinding::Refused => Some(Also::Record(attempt.job, AuthorityRecord::Refused, None)),
        EarlierFinding::Open | EarlierFinding::Accepted(_) | EarlierFinding::Doubtful(_) => None,
    }
}

/// What shows that job and entry are not about the attempt, one phrase.
fn another(attempt: &Attempt, job: &Job, entry: &Entry) -> Option<String> {
    if let Some(other) = job.entry.filter(|other| *other != entry.id) {
        return Some(format!("the provider's job {} is about entry {other}", job.id));
    }
    let code = entry.document.pointer("/code").and_then(serde_json::Value::as_str);
    let ours = attempt.number.as_ref().map(|number| number.0.as_str());
    (code != ours).then(|| format!("the provider's entry {} holds {}", entry.id, code.unwrap_or("no number")))
}

/// Whether an entry is signed or stamped. What was there already when the authority refused the record proves nothing.
fn is_marked(submission: &Submission, attempt: &Attempt, entry: &Entry) -> bool {
    match attempt.authority_record {
        Some(AuthorityRecord::Refused) => entry.stamps.iter().any(|stamp| !submission.stamps.contains(stamp)),
        Some(AuthorityRecord::Nothing | AuthorityRecord::Accepted) | None => {
            entry.signed || !entry.stamps.is_empty()
        }
    }
}

/// What is known of a record that the authority holds, or may hold, and the command that settles it.
fn accepted_after_all(
    document: InvoiceId,
    number: Option<&InvoiceNumber>,
    proof: Option<&Acceptance>,
    doubt: Option<&str>,
) -> String {
    let number = number.map_or("", |number| number.0.as_str());
    let settle = format!("{{\"number\": \"{number}\"}}");
    match (proof, doubt) {
        (Some(proof), _) => {
            let given = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
            format!(
                "the tax authority accepted {document} as {number} (verification address {}, hash {}), which counts as \
                 rejected here: settle it with the command mark_as_accepted_by_tax_authority and {settle}, nothing is sent \
                 before",
                given(&proof.qr_url),
                given(&proof.tax_system_hash)
            )
        }
        (None, doubt) => format!(
            "the tax authority may hold {document} as {number} ({}): ask it, then settle it with the command \
             mark_as_accepted_by_tax_authority or mark_as_rejected_by_tax_authority and {settle}, nothing is sent before",
            doubt.unwrap_or("nobody says how it answered")
        ),
    }
}
