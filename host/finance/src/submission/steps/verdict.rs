//! What the provider shows of a finished job, as a verdict: only about the document that was sent, only within bounds.

use super::provider_call::ProviderCall;
use super::{AdvanceError, SubmissionSteps};
use crate::record::{Effect, Step};
use gateway_domain::StoreError;
use gateway_domain::fault::Fault;
use gateway_domain::ids::{EntryId, InvoiceId, ProviderJobId};
use gateway_domain::invoicing::Acceptance;
use gateway_domain::ports::{Converter, ConverterError, PLUGIN_BLOCKED};
use gateway_domain::regime::{EvidenceDescription, ProviderFault, ProviderReport, RegimeKey, Verdict};
use gateway_domain_finance::ports::{Entry, Job};
use gateway_domain_finance::{
    AcceptedVerdict, AlertCode, AttemptEnd, AuthorityRecord, EntryFile, Open, RejectedVerdict, Settlement,
    Stage, Submission, Waiting, bounded_text, fault_source, is_duplicate, report, trusted,
};
use gateway_storage::{Corrupt, attempts};
use serde_json::Value;

/// A verdict that was read, with what it was read from.
struct VerdictEvidence<'a> {
    regime: &'a RegimeKey,
    job: &'a Job,
    report: &'a ProviderReport,
    evidence: Option<&'a EvidenceDescription>,
    left_out: Vec<String>,
}

impl SubmissionSteps {
    /// What the provider says is about another document than the one that was sent, so nothing of it is believed.
    pub(super) fn another_document(&self, submission: Submission<Open<Waiting>>, what: &str) -> Step {
        let number = &submission.open_stage().number.0;
        let message = format!(
            "{what}, so its verdict is not one about {number}: find out at the provider and the tax authority what was filed, \
             then give the verdict by hand, or retry the submission once the provider shows the document that was sent"
        );
        self.alert(submission, AlertCode::ProviderShowsAnotherDocument, message)
    }

    /// Only the regime knows what the authority's answer means.
    pub(super) async fn interpret(
        &self,
        mut submission: Submission<Open<Waiting>>,
        call: &ProviderCall<'_>,
        job: Job,
        entry: Entry,
    ) -> Result<Step, AdvanceError> {
        let Waiting { document, plugin, job: own_job, .. } = submission.open_stage();
        let (own_entry, own_job) = (document.entry, *own_job);
        let converter = self.context.interpreter(&submission, Some(plugin));
        let configuration = &call.configuration;
        let (report, left_out) = report(&job, &entry);
        let silent = |fault: &ProviderFault| fault_source::gives_no_reason(&configuration.regime, fault);
        if !report.succeeded && report.faults.iter().all(silent) {
            let message = "the provider's workflow failed without a reason: look at the job there, then retry the submission";
            let step = self.alert(submission, AlertCode::FailedWithoutReason, message);
            return Ok(step.with(Effect::EndAttempt(AttemptEnd::failed(own_job, None))));
        }
        submission.stamps.clone_from(&report.stamps);
        match converter.interpret(&configuration.regime, &report).await {
            Ok(made) => {
                let evidence = converter.evidence(&configuration.regime);
                let read = VerdictEvidence {
                    regime: &configuration.regime,
                    job: &job,
                    report: &report,
                    evidence: evidence.as_deref(),
                    left_out,
                };
                // The stand-in refuses with whatever code a tester asks for, and holds no record then.
                let stands_in = self.context.settings().sandbox;
                let step = if !stands_in && is_duplicate(&made.value, read.evidence) {
                    self.duplicate(submission, converter.as_ref(), read).await?
                } else {
                    self.decided(submission, made.value, read)
                };
                if step.submission.stage() != Stage::Settling {
                    return Ok(step);
                }
                Ok(match kept_message(call, (own_entry, own_job), &job, &entry.files).await {
                    Some(effect) => step.with(effect),
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
                let reason = gateway_domain_finance::rejection_reason(configuration.regime.as_str(), &faults);
                Ok(self.alert(submission, AlertCode::VerdictUndecided, reason))
            }
        }
    }

    /// What follows from a verdict.
    fn decided(
        &self,
        submission: Submission<Open<Waiting>>,
        verdict: Verdict,
        read: VerdictEvidence<'_>,
    ) -> Step {
        match verdict {
            Verdict::Accepted { qr_url, tax_system_hash, warnings } => {
                let (accepted_at, sandbox) = (self.context.now(), self.context.settings().sandbox);
                let acceptance = Acceptance { qr_url, tax_system_hash, accepted_at, warnings, sandbox };
                self.accepted_with(submission, acceptance, read)
            }
            Verdict::Rejected { code, reason, faults } => {
                rejected_with(submission, code, &reason, faults, read)
            }
            Verdict::Undecided { reason } => {
                let reason = bounded_text(reason.trim_end_matches('.'));
                let message = format!("{reason}: look at the job at the provider, then retry the submission");
                if !fault_source::never_sent(read.regime, read.job, read.report) {
                    return self.alert(submission, AlertCode::VerdictUndecided, message);
                }
                // This job stays as it is for ever: the operator's retry converts again and starts another one.
                let end = AttemptEnd::failed(submission.open_stage().job, Some(AuthorityRecord::Nothing));
                let unsent = submission.map(Waiting::never_sent);
                self.alert(unsent, AlertCode::VerdictUndecided, message).with(Effect::EndAttempt(end))
            }
        }
    }

    /// The proof as far as it can be trusted: an address that is none of the authority's is left out, one that states
    /// another number says that the verdict is about another document.
    fn accepted_with(
        &self,
        submission: Submission<Open<Waiting>>,
        acceptance: Acceptance,
        read: VerdictEvidence<'_>,
    ) -> Step {
        let VerdictEvidence { evidence, mut left_out, .. } = read;
        let number = submission.open_stage().number.0.as_str();
        let acceptance = match trusted(acceptance, evidence, Some(number), &mut left_out) {
            Ok(acceptance) => acceptance,
            Err(found) => {
                let what = format!("the address for verifying the document states the number '{found}'");
                return self.another_document(submission, &what);
            }
        };
        let verdict = Settlement::Accept(AcceptedVerdict { acceptance, left_out });
        Step::to(submission.step(|stage| stage.with_verdict(verdict)))
    }

    /// The authority says that it holds a record under this number. It is this document's where an earlier attempt sent the
    /// same document, as the provider showed it after both uploads, under the same number and entry; otherwise nobody knows
    /// what it holds, and another number would make two records of one sale.
    async fn duplicate(
        &self,
        submission: Submission<Open<Waiting>>,
        converter: &dyn Converter,
        read: VerdictEvidence<'_>,
    ) -> Result<Step, AdvanceError> {
        let all = attempts::of_document(self.context.db(), submission.document).await?;
        let Waiting { number, document, job, .. } = submission.open_stage();
        let sent_before = document.digest.is_some()
            && all.iter().any(|attempt| {
                attempt.job != *job
                    && attempt.number.as_ref() == Some(number)
                    && attempt.entry == Some(document.entry)
                    && attempt.entry_digest == document.digest
            });
        if sent_before {
            // What this job's steps say is the duplicate's refusal; the record's proof is in the entry.
            let proven = ProviderReport {
                succeeded: true,
                faults: Vec::new(),
                job: String::new(),
                ..read.report.clone()
            };
            if let Ok(made) = converter.interpret(read.regime, &proven).await
                && matches!(made.value, Verdict::Accepted { .. })
            {
                return Ok(self.decided(submission, made.value, read));
            }
        }
        let number = &submission.open_stage().number.0;
        let message = format!(
            "the tax authority says that it holds a record under {number} already, and nobody knows whether it is this document: \
             compare them there, then give the verdict by hand (accepted where number, date and total are the same)"
        );
        Ok(self.alert(submission, AlertCode::DuplicateRecord, message))
    }
}

/// What the job sent to the authority, to be kept with the attempt.
async fn kept_message(
    call: &ProviderCall<'_>,
    (entry, attempt): (EntryId, ProviderJobId),
    job: &Job,
    files: &[EntryFile],
) -> Option<Effect> {
    let message = call.message(entry, job, files).await?;
    Some(Effect::KeepMessage(attempt, message))
}

fn rejected_with(
    submission: Submission<Open<Waiting>>,
    code: Option<String>,
    reason: &str,
    faults: Vec<Fault>,
    read: VerdictEvidence<'_>,
) -> Step {
    let (reason, faults) = fault_source::rejection(read.regime, code, reason, faults, &read.report.faults);
    let verdict = Settlement::Reject(RejectedVerdict { reason, faults, left_out: read.left_out });
    Step::to(submission.step(|stage| stage.with_verdict(verdict)))
}

/// A structured document as it was sent.
pub(super) fn structured(document: InvoiceId, sent: &str) -> Result<Value, StoreError> {
    serde_json::from_str(sent)
        .map_err(|error| Corrupt::new("submission", document, "structured", error).into())
}
