//! What the provider shows of a job that ended: only about the document that was filed, only within bounds.

use crate::Amendments;
use crate::record::RecordError;
use crate::steps::{Peer, structured};
use gateway_domain::invoicing::Acceptance;
use gateway_domain::ports::{ConverterError, ServedDocument};
use gateway_domain::regime::{ProviderReport, Verdict};
use gateway_domain_amendment::{Amendment, SETTLED_BY_HAND};
use gateway_domain_finance::ports::{Entry, Job};
use gateway_domain_finance::{
    AcceptedVerdict, AuthorityMessage, RejectedVerdict, bounded_text, fault_source, report, shows_another,
    trusted,
};
use gateway_finance::authority_message;
use gateway_jobs::Outcome;
use jiff::SignedDuration;
use std::sync::Arc;

/// How often a verdict is looked at again that somebody has to settle.
const LOOK_AGAIN: SignedDuration = SignedDuration::from_mins(5);

/// A verdict with what it was read from.
struct Evidence<'a> {
    job: &'a Job,
    report: ProviderReport,
    left_out: Vec<String>,
    message: Option<AuthorityMessage>,
}

impl Amendments {
    /// Only the regime knows what the authority's answer means.
    pub(crate) async fn read_verdict(
        &self,
        amendment: Amendment,
        peer: &Peer,
        job: &Job,
        entry: &Entry,
    ) -> Result<Outcome, RecordError> {
        let filed = (amendment.filing.entry, amendment.filing.digest.as_deref());
        if let Some(what) = shows_another(filed, || structured(&amendment), job, entry)? {
            return self.for_somebody(amendment, &what).await;
        }
        let (report, left_out) = report(job, entry);
        let regime = &peer.configuration.regime;
        let silent = |fault| fault_source::gives_no_reason(regime, fault);
        if !report.succeeded && report.faults.iter().all(silent) {
            return self.for_somebody(amendment, "the provider's workflow failed without a reason").await;
        }
        let converter = Arc::clone(&self.0.regimes).for_document(ServedDocument {
            workspace: amendment.workspace,
            id: amendment.document,
            converted_by: Some(amendment.filing.plugin.clone()),
        });
        let verdict = match converter.interpret(regime, &report).await {
            Ok(made) => made.value,
            Err(error @ (ConverterError::Busy | ConverterError::UnknownRegime(_))) => {
                return Ok(self.later(amendment, error.to_string(), None).await?);
            }
            Err(ConverterError::Broken(fault)) => {
                return self.for_somebody(amendment, fault.message.trim_end_matches('.')).await;
            }
            Err(ConverterError::Faults(faults)) => {
                let reason = gateway_domain_finance::rejection_reason(regime.as_str(), &faults);
                return self.for_somebody(amendment, &reason).await;
            }
        };
        let evidence = converter.evidence(regime);
        let (provider, document) = ((peer.provider.as_ref(), &peer.access), amendment.document);
        let message =
            authority_message(provider, document, amendment.filing.entry, (job, &entry.files)).await;
        let read = Evidence { job, report, left_out, message };
        match verdict {
            Verdict::Accepted { qr_url, tax_system_hash, warnings } => {
                let (accepted_at, sandbox) = (self.now(), self.0.settings.sandbox);
                let acceptance = Acceptance { qr_url, tax_system_hash, accepted_at, warnings, sandbox };
                let Evidence { report, mut left_out, message, .. } = read;
                let number = Some(amendment.number.0.as_str());
                match trusted(acceptance, evidence.as_deref(), number, &mut left_out) {
                    Ok(acceptance) => {
                        let verdict = AcceptedVerdict { acceptance, left_out };
                        self.end_accepted(amendment, verdict, report.stamps, message).await?;
                        Ok(Outcome::Done)
                    }
                    Err(found) => {
                        let what =
                            format!("the address for verifying the document states the number '{found}'");
                        self.for_somebody(amendment, &what).await
                    }
                }
            }
            Verdict::Rejected { code, reason, faults } => {
                let Evidence { report, left_out, message, .. } = read;
                let (reason, faults) = fault_source::rejection(regime, code, &reason, faults, &report.faults);
                let verdict = RejectedVerdict { reason, faults, left_out };
                self.refuse(amendment, verdict, message).await
            }
            Verdict::Undecided { reason } => {
                let reason = bounded_text(reason.trim_end_matches('.'));
                if fault_source::never_sent(regime, read.job, &read.report) {
                    let reason = format!("nothing was sent to the tax authority: {reason}");
                    let verdict = RejectedVerdict { reason, faults: Vec::new(), left_out: read.left_out };
                    return self.refuse(amendment, verdict, read.message).await;
                }
                self.for_somebody(amendment, &reason).await
            }
        }
    }

    /// The accepted record is in force.
    pub(crate) async fn refuse(
        &self,
        amendment: Amendment,
        verdict: RejectedVerdict,
        message: Option<AuthorityMessage>,
    ) -> Result<Outcome, RecordError> {
        tracing::warn!(
            document.id = %amendment.document,
            "The amendment of {} was refused: {}", amendment.document, verdict.reason
        );
        self.end_refused(&amendment.refused(verdict, self.now()), message).await?;
        Ok(Outcome::Done)
    }

    async fn for_somebody(&self, amendment: Amendment, what: &str) -> Result<Outcome, RecordError> {
        let problem = format!("{what}: {SETTLED_BY_HAND}");
        Ok(self.later(amendment, problem, Some(LOOK_AGAIN)).await?)
    }
}
