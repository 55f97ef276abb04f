//! The steps at the provider: store the entry, start the job, look how it went.

use super::verdict::structured;
use super::{AdvanceError, Run, SubmissionSteps};
use crate::record::{Effect, Step};
use gateway_domain::fault::Fault;
use gateway_domain::money::Amount;
use gateway_domain_finance::ports::{Entry, JobProgress, ProviderError};
use gateway_domain_finance::{
    Alert, AlertCode, META, Open, OpenStage, RejectedVerdict, Starting, Submission, Uploading,
    VerdictTimeouts, Waiting, complaints, entry_digest, entry_key, keeps_another, shows_another,
    uploaded_differs,
};
use gateway_jobs::Outcome;
use gateway_storage::failpoint;
use jiff::Timestamp;
use serde_json::Value;
use std::time::Duration;
use tokio::time::Instant;

/// How long what was read of a submission may be acted on. Less than a lease, so that nobody else has gone on with it.
const READ_VALID_FOR: Duration = Duration::from_secs(5);
/// What a provider may do with a job for ever.
const NOT_ENDED: &str = "has not ended it";
const NOT_FOUND: &str = "does not show it (HTTP 404)";

impl SubmissionSteps {
    pub(super) async fn upload(
        &self,
        submission: Submission<Open<Uploading>>,
        run: &mut Run,
        read_at: Instant,
    ) -> Result<Step, AdvanceError> {
        let call = match self.call(submission.document, submission.workspace, run).await? {
            Ok(call) => call,
            Err(why) => return Ok(self.no_call(submission, why)),
        };
        let Uploading { number, document, .. } = submission.open_stage();
        let (body, entry) = (document.structured.clone(), document.entry);
        failpoint::pause("upload-read");
        not_stood_still(read_at)?;
        failpoint::pause("upload");
        let sent = structured(submission.document, &body)?;
        let key = entry_key(submission.document, number);
        let stored = match call.put_entry(entry, &key, &body).await {
            // Known already: by this very upload whose answer was lost, or with other content.
            Err(ProviderError::Conflict) => match call.get_entry(entry).await {
                Err(ProviderError::NotFound) => {
                    return self.renew_entry(submission, "says that it has the entry and does not show it");
                }
                Err(error @ ProviderError::Refused { .. }) => {
                    return Ok(self.failed_poll(submission, &error));
                }
                answer => answer,
            },
            answer => answer,
        };
        match stored {
            Ok(entry) => self.uploaded(submission, &sent, &entry),
            Err(ProviderError::Refused { faults, .. }) => {
                let verdict = RejectedVerdict::of("provider", complaints(faults));
                Ok(Step::to(submission.step(|stage| stage.refused(verdict))))
            }
            Err(error @ ProviderError::NotFound) => {
                let message = format!(
                    "{error}, although an entry was to be stored: check provider.base_url, then retry the submission"
                );
                Ok(self.alert(submission, AlertCode::ProviderProtocol, message))
            }
            Err(error) => Ok(self.failed_call(submission, &error)),
        }
    }

    /// The entry holds this document, or an earlier version of it that the provider does not replace.
    fn uploaded(
        &self,
        submission: Submission<Open<Uploading>>,
        sent: &Value,
        entry: &Entry,
    ) -> Result<Step, AdvanceError> {
        let payable = |document: &Value| {
            document
                .pointer("/totals/payable")
                .and_then(Value::as_str)
                .and_then(|text| text.parse::<Amount>().ok())
        };
        match uploaded_differs(sent, &entry.document) {
            None => {
                let entry_digest = entry_digest(&entry.document);
                let effect = Effect::SetEntryDigest(submission.open_stage().job, entry_digest.clone());
                Ok(Step::to(submission.step(|stage| stage.uploaded(entry_digest))).with(effect))
            }
            Some("totals.payable") if entry.document.pointer("/code") == sent.pointer("/code") => {
                let figure =
                    |document| payable(document).map_or("nothing".to_owned(), |amount| amount.to_string());
                let message = format!(
                    "the provider computed {} to be paid, the gateway {}: nothing was sent to the authority",
                    figure(&entry.document),
                    figure(sent)
                );
                let faults = vec![Fault::error("PROVIDER-TOTALS", "/totals/payable", message)];
                let verdict = RejectedVerdict::of("provider", faults);
                Ok(Step::to(submission.step(|stage| stage.refused(verdict))))
            }
            // This very document, of an attempt that sent nothing (its signature is the provider's): another mark is on it now.
            Some(member @ META) if entry.stamps.is_empty() => {
                self.renew_entry(submission, &keeps_another(member))
            }
            Some(member) if entry.signed || !entry.stamps.is_empty() => {
                let message = format!(
                    "the provider keeps another document under entry {}, which differs in {member} and is signed or stamped: \
                     the tax authority may hold it; look at the entry there, and give the verdict by hand",
                    entry.id
                );
                Ok(self.alert(submission, AlertCode::AcceptedAfterAll, message))
            }
            Some(member) => self.renew_entry(submission, &keeps_another(member)),
        }
    }

    /// A provider that does not replace the content of an entry gets another entry for this submission, once; `what` it
    /// does with this one.
    fn renew_entry(&self, submission: Submission<Open<Uploading>>, what: &str) -> Result<Step, AdvanceError> {
        if submission.open_stage().document.is_renewed {
            let message = format!(
                "the provider {what}, with a second entry too: look at the entry there, then retry the submission"
            );
            return Ok(self.alert(submission, AlertCode::EntryConflict, message));
        }
        let entry = self.fresh_entry()?;
        let moved = Effect::MoveAttempt(submission.open_stage().job, entry);
        let step = Step::to(submission.step(|stage| stage.renewed(entry)));
        Ok(step.with(Effect::KeepEntry(entry)).with(moved))
    }

    pub(super) async fn start(
        &self,
        submission: Submission<Open<Starting>>,
        run: &mut Run,
        read_at: Instant,
    ) -> Result<Step, AdvanceError> {
        let filing = self.limit_by_now(&submission, run).await?;
        let step = self.start_job(submission, run, read_at).await?;
        Ok(match filing {
            Some(filing) => step.with(Effect::KeepFiling(Box::new(filing))),
            None => step,
        })
    }

    async fn start_job(
        &self,
        submission: Submission<Open<Starting>>,
        run: &mut Run,
        read_at: Instant,
    ) -> Result<Step, AdvanceError> {
        let call = match self.call(submission.document, submission.workspace, run).await? {
            Ok(call) => call,
            Err(why) => return Ok(self.no_call(submission, why)),
        };
        let Starting { number, document, job, .. } = submission.open_stage();
        let (entry, job) = (document.entry, *job);
        let key = format!("{}-{job}", entry_key(submission.document, number));
        failpoint::pause("start-read");
        not_stood_still(read_at)?;
        failpoint::pause("start");
        let started = match call.put_job(job, entry, &key).await {
            // Started by this very call whose answer was lost.
            Err(ProviderError::Conflict) => match call.get_job(job).await {
                // It has the job, and does not show it yet.
                Err(ProviderError::NotFound) => return Ok(self.started(submission)),
                Err(error @ ProviderError::Refused { .. }) => {
                    return Ok(self.failed_poll(submission, &error));
                }
                answer => answer,
            },
            answer => answer,
        };
        match started {
            Ok(_) => Ok(self.started(submission)),
            Err(error) => Ok(self.failed_call(submission, &error)),
        }
    }

    /// The provider has the job. What it took before, it took again because it did not show it.
    fn started(&self, submission: Submission<Open<Starting>>) -> Step {
        let now = self.context.now();
        let since = VerdictTimeouts::running_since(submission.open_stage().taken_at, now);
        self.wait(submission.step(|stage| stage.started(since)), now, NOT_FOUND)
    }

    /// Until the webhook comes, or until the provider is asked; `what` it does with the job it took. A job that takes
    /// too long is somebody's to look at, and is asked for all the same.
    fn wait(&self, submission: Submission<Open<Waiting>>, now: Timestamp, what: &str) -> Step {
        let timeouts = self.context.verdict_timeouts();
        let Waiting { job, taken_at: since, .. } = *submission.open_stage();
        let waited = now.duration_since(since);
        let mut step = Step::to(submission);
        step.next = Outcome::Again(self.context.after(timeouts.next_poll(waited)));
        if timeouts.is_overdue(waited) {
            let message = format!(
                "the provider took job {job} at {since:.0} and {what}: look at the job there; it is asked again by itself, \
                 and a verdict that is known otherwise can be given by hand"
            );
            step.submission.alert = Some(Alert { code: AlertCode::VerdictOverdue, message });
        }
        step
    }

    pub(super) async fn poll(
        &self,
        submission: Submission<Open<Waiting>>,
        run: &mut Run,
    ) -> Result<Step, AdvanceError> {
        let call = match self.call(submission.document, submission.workspace, run).await? {
            Ok(call) => call,
            Err(why) => return Ok(self.no_call(submission, why)),
        };
        let Waiting { document, job, .. } = submission.open_stage();
        let entry_id = document.entry;
        let job = match call.get_job(*job).await {
            Ok(job) => job,
            // The provider lost the job: the same call starts it again.
            Err(ProviderError::NotFound) => {
                let alert = submission.overdue_alert();
                return Ok(Step::to(Submission { alert, ..submission.step(Waiting::lost) }));
            }
            Err(error) => return Ok(self.failed_poll(submission, &error)),
        };
        match job.progress {
            JobProgress::Running => {
                let now = self.context.now();
                let since = VerdictTimeouts::running_since(Some(submission.open_stage().taken_at), now);
                Ok(self.wait(submission.step(|stage| stage.running_since(since)), now, NOT_ENDED))
            }
            JobProgress::Succeeded | JobProgress::Failed => match call.get_entry(entry_id).await {
                Ok(entry) => {
                    let (filed, ours) = (submission.document, &submission.open_stage().document);
                    let sent = || structured(filed, &ours.structured);
                    match shows_another((entry_id, ours.digest.as_deref()), sent, &job, &entry)? {
                        None => self.interpret(submission, &call, job, entry).await,
                        Some(what) => Ok(self.another_document(submission, &what)),
                    }
                }
                Err(error) => Ok(self.failed_poll(submission, &error)),
            },
        }
    }

    /// A call that only looks was not answered as it should be: the workspace has no part in that.
    pub(super) fn failed_poll<S: Into<OpenStage>>(
        &self,
        submission: Submission<Open<S>>,
        error: &ProviderError,
    ) -> Step {
        let what = match error {
            ProviderError::NotFound => "does not show what it said it has (HTTP 404)".to_owned(),
            ProviderError::Refused { status, .. } => format!("refuses to show what it has (HTTP {status})"),
            ProviderError::Unavailable { .. }
            | ProviderError::Unauthorised { .. }
            | ProviderError::Conflict
            | ProviderError::Protocol { .. } => return self.failed_call(submission, error),
        };
        let message = format!("the provider {what}: look at the provider, then retry the submission");
        self.alert(submission, AlertCode::ProviderProtocol, message)
    }
}

/// Whether the process stood still so long that another one may have gone on with the submission since it was read.
fn not_stood_still(read_at: Instant) -> Result<(), AdvanceError> {
    if read_at.elapsed() > READ_VALID_FOR { Err(AdvanceError::StoodStill) } else { Ok(()) }
}
