//! The steps at the provider: store the entry, start the job, look how it went.

use super::calls::Call;
use super::{AdvanceError, Also, Next, Step, refuse, still_overdue};
use crate::Gateway;
use gateway_domain::fault::Fault;
use gateway_domain::finance::{
    Alert, AlertCode, AttemptOutcome, Patience, Settlement, Stage, Submission, uploaded_differs,
};
use gateway_domain::invoicing::Acceptance;
use gateway_domain::money::Amount;
use gateway_domain::ports::{ConverterError, Entry, Job, JobProgress, PLUGIN_BLOCKED, ProviderError};
use gateway_domain::regime::{ProviderFault, ProviderReport, Verdict};
use serde_json::Value;

/// How the provider names the step that validates the structured format.
const VALIDATION: &str = "gobl";
/// What a provider may do with a job for ever.
const RUNNING: &str = "has not ended it";
const HIDDEN: &str = "does not show it (HTTP 404)";

impl Gateway {
    pub(super) async fn upload(&self, submission: Submission) -> Result<Step, AdvanceError> {
        let call = match self.call(&submission).await? {
            Ok(call) => call,
            Err(step) => return Ok(step),
        };
        let Some(body) = submission.structured.clone() else {
            return Ok(Step::to(submission, Stage::Converting));
        };
        let sent: Value = serde_json::from_str(&body).unwrap_or_default();
        let key = entry_key(&submission);
        let stored = match call.put_entry(&key, &body).await {
            // Known already: by this very upload whose answer was lost, or with other content.
            Err(ProviderError::Conflict) => match call.get_entry().await {
                Err(ProviderError::NotFound) => {
                    return self.renew_entry(submission, "says that it has the entry and does not show it");
                }
                Err(error @ ProviderError::Refused { .. }) => {
                    return Ok(self.failed_look(submission, &error));
                }
                shown => shown,
            },
            answer => answer,
        };
        match stored {
            Ok(entry) => self.uploaded(submission, &sent, &entry),
            Err(ProviderError::Refused { faults, .. }) => {
                Ok(refuse(submission, "provider", complaints(faults)))
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
    fn uploaded(&self, submission: Submission, sent: &Value, entry: &Entry) -> Result<Step, AdvanceError> {
        let payable = |document: &Value| {
            document
                .pointer("/totals/payable")
                .and_then(Value::as_str)
                .and_then(|text| text.parse::<Amount>().ok())
        };
        match uploaded_differs(sent, &entry.document) {
            None => Ok(Step::to(submission, Stage::Starting)),
            Some("totals.payable") if entry.document.pointer("/code") == sent.pointer("/code") => {
                let shown =
                    |document| payable(document).map_or("nothing".to_owned(), |amount| amount.to_string());
                let message = format!(
                    "the provider computed {} to be paid, the gateway {}: nothing was sent to the authority",
                    shown(&entry.document),
                    shown(sent)
                );
                Ok(refuse(
                    submission,
                    "provider",
                    vec![Fault::error("PROVIDER-TOTALS", "/totals/payable", message)],
                ))
            }
            Some(member) => {
                let what = format!("keeps another document under the entry, which differs in {member}");
                self.renew_entry(submission, &what)
            }
        }
    }

    /// A provider that does not replace the content of an entry gets another entry for this submission, once; `what` it
    /// does with this one.
    fn renew_entry(&self, mut submission: Submission, what: &str) -> Result<Step, AdvanceError> {
        if submission.entry_renewed {
            let message = format!(
                "the provider {what}, with a second entry too: look at the entry there, then retry the submission"
            );
            return Ok(self.alert(submission, AlertCode::EntryConflict, message));
        }
        let entry = self.fresh_entry()?;
        submission.entry = Some(entry);
        submission.entry_renewed = true;
        Ok(Step::to(submission, Stage::Uploading).also(Also::KeepEntry(entry)))
    }

    pub(super) async fn start(&self, submission: Submission) -> Result<Step, AdvanceError> {
        let call = match self.call(&submission).await? {
            Ok(call) => call,
            Err(step) => return Ok(step),
        };
        let key = format!("{}-{}", entry_key(&submission), call.job);
        let started = match call.put_job(&key).await {
            // Started by this very call whose answer was lost.
            Err(ProviderError::Conflict) => match call.get_job().await {
                // It has the job, and does not show it yet.
                Err(ProviderError::NotFound) => return Ok(self.wait(submission, HIDDEN)),
                Err(error @ ProviderError::Refused { .. }) => {
                    return Ok(self.failed_look(submission, &error));
                }
                shown => shown,
            },
            answer => answer,
        };
        match started {
            // What it took before, it took again because it did not show it.
            Ok(_) => Ok(self.wait(submission, HIDDEN)),
            Err(error) => Ok(self.failed_call(submission, &error)),
        }
    }

    /// Until the webhook comes, or until the provider is asked; `what` it does with the job it took. A job that takes
    /// too long is somebody's to look at, and is asked for all the same.
    fn wait(&self, mut submission: Submission, what: &str) -> Step {
        let patience = self.patience();
        let now = self.now();
        let since = Patience::taken_since(submission.job_taken_at, now);
        submission.job_taken_at = Some(since);
        let waited = now.duration_since(since);
        let job = submission.job.map(|job| job.to_string()).unwrap_or_default();
        let mut step = Step::to(submission, Stage::Waiting);
        step.next = Next::At(self.after(patience.next_look(waited)));
        if patience.is_overdue(waited) {
            let message = format!(
                "the provider took job {job} at {since:.0} and {what}: look at the job there; it is asked again by itself, \
                 and a verdict that is known otherwise can be given by hand"
            );
            step.submission.alert = Some(Alert { code: AlertCode::VerdictOverdue, message });
        }
        step
    }

    pub(super) async fn look(&self, mut submission: Submission) -> Result<Step, AdvanceError> {
        let call = match self.call(&submission).await? {
            Ok(call) => call,
            Err(step) => return Ok(step),
        };
        let job = match call.get_job().await {
            Ok(job) => job,
            // The provider lost the job: the same call starts it again.
            Err(ProviderError::NotFound) => {
                let alert = still_overdue(submission.alert.take());
                let mut step = Step::to(submission, Stage::Starting);
                step.submission.alert = alert;
                return Ok(step);
            }
            Err(error) => return Ok(self.failed_look(submission, &error)),
        };
        match job.progress {
            JobProgress::Running => Ok(self.wait(submission, RUNNING)),
            JobProgress::Succeeded | JobProgress::Failed => match call.get_entry().await {
                Ok(entry) => self.interpret(submission, &call, job, entry).await,
                Err(error) => Ok(self.failed_look(submission, &error)),
            },
        }
    }

    /// A call that only looks was not answered as it should be: the workspace has no part in that.
    fn failed_look(&self, submission: Submission, error: &ProviderError) -> Step {
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

    /// Only the regime knows what the authority's answer means.
    async fn interpret(
        &self,
        mut submission: Submission,
        call: &Call<'_>,
        job: Job,
        entry: Entry,
    ) -> Result<Step, AdvanceError> {
        let configuration = &call.configuration;
        let succeeded = job.progress == JobProgress::Succeeded;
        let mut faults = job.faults.clone();
        // Job and entry may carry the same complaint; it counts once.
        for fault in entry.faults {
            if !faults.contains(&fault) {
                faults.push(fault);
            }
        }
        if !succeeded && faults.is_empty() {
            let message = "the provider's workflow failed without a reason: look at the job there, then retry the submission";
            let ended = submission.job;
            let step = self.alert(submission, AlertCode::FailedWithoutReason, message);
            return Ok(match ended {
                Some(job) => step.also(Also::EndAttempt(job, AttemptOutcome::Failed, Vec::new())),
                None => step,
            });
        }
        submission.stamps.clone_from(&entry.stamps);
        let report = ProviderReport {
            succeeded,
            faults,
            stamps: entry.stamps,
            job: job.raw.clone(),
            entry: entry.raw,
        };
        match self.converter(submission.workspace).interpret(&configuration.regime, &report).await {
            Ok(made) => {
                let step = self.decided(submission, made.value, &report.faults);
                if step.submission.stage != Stage::Settling {
                    return Ok(step);
                }
                Ok(match call.message(&job, &entry.files).await {
                    Some(message) => step.also(Also::KeepMessage(call.job, message)),
                    None => step,
                })
            }
            Err(ConverterError::Busy) => Err(AdvanceError::Busy(ConverterError::Busy)),
            Err(error @ ConverterError::UnknownRegime(_)) => {
                Ok(self.alert(submission, AlertCode::RegimeNotActive, error.to_string()))
            }
            Err(ConverterError::Broken(fault)) if fault.code == PLUGIN_BLOCKED => {
                Ok(self.alert(submission, AlertCode::RegimeNotActive, fault.message))
            }
            Err(ConverterError::Broken(fault)) => {
                Ok(self.alert(submission, AlertCode::PluginBroken, fault.message))
            }
            Err(ConverterError::Faults(faults)) => {
                let reason =
                    gateway_domain::finance::rejection_reason(configuration.regime.as_str(), &faults);
                Ok(self.alert(submission, AlertCode::VerdictUndecided, reason))
            }
        }
    }

    fn decided(&self, mut submission: Submission, verdict: Verdict, told: &[ProviderFault]) -> Step {
        match verdict {
            Verdict::Accepted { qr_url, tax_system_hash, warnings } => {
                let (accepted_at, sandbox) = (self.now(), self.settings().sandbox);
                let acceptance = Acceptance { qr_url, tax_system_hash, accepted_at, warnings, sandbox };
                submission.settlement = Some(Settlement::Accept { acceptance });
                Step::to(submission, Stage::Settling)
            }
            Verdict::Rejected { code, reason, mut faults } => {
                if faults.is_empty() {
                    let code = code.clone().unwrap_or_else(|| "AUTHORITY".to_owned());
                    faults.push(Fault::error(code, "", reason.clone()));
                }
                let source = source(code.as_deref(), told);
                let reason = match code {
                    Some(code) if !reason.contains(&code) => format!("{source}: {code}: {reason}"),
                    Some(_) | None => format!("{source}: {reason}"),
                };
                submission.settlement = Some(Settlement::Reject { reason, faults });
                Step::to(submission, Stage::Settling)
            }
            Verdict::Undecided { reason } => {
                let reason = reason.trim_end_matches('.');
                let message = format!("{reason}: look at the job at the provider, then retry the submission");
                self.alert(submission, AlertCode::VerdictUndecided, message)
            }
        }
    }
}

/// Who said what a rejection gives as its reason: the step of the provider that validates the format, or the authority.
fn source(code: Option<&str>, told: &[ProviderFault]) -> &'static str {
    let of_format = |fault: &ProviderFault| fault.provider.as_deref() == Some(VALIDATION);
    let said = |fault: &&ProviderFault| fault.code.as_deref().map(str::trim) == code.map(str::trim);
    if told.iter().find(said).is_some_and(of_format) { "provider's validation" } else { "tax authority" }
}

/// The idempotency key of an upload: a resubmission has another number, so another key.
fn entry_key(submission: &Submission) -> String {
    let number = submission.number.as_ref().map_or("", |number| number.0.as_str());
    format!("{}-{number}", submission.document)
}

/// The provider's complaints as faults of the document.
fn complaints(faults: Vec<ProviderFault>) -> Vec<Fault> {
    faults
        .into_iter()
        .map(|fault| {
            let code = fault.code.unwrap_or_else(|| "PROVIDER-REFUSED".to_owned());
            let message = fault.message.unwrap_or_else(|| "the provider refused the content".to_owned());
            Fault::error(code, fault.paths.join(", "), message)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rejection_names_who_complained() {
        let fault = |provider: &str, code: &str| ProviderFault {
            provider: Some(provider.to_owned()),
            code: Some(code.to_owned()),
            message: None,
            paths: Vec::new(),
        };
        let told = [fault("gobl", "GOBL-TAX-01"), fault("verifactu", " 1110")];
        assert_eq!(source(Some("GOBL-TAX-01"), &told), "provider's validation");
        assert_eq!(source(Some("1110"), &told), "tax authority");
        assert_eq!(source(Some("4102"), &told), "tax authority");
        assert_eq!(source(None, &[]), "tax authority");
    }
}
