//! The second step: the tax regime turns the document into the structured format.

use super::filing::ReadyToFile;
use super::{AdvanceError, Run, SubmissionSteps};
use crate::record::{Effect, Step};
use gateway_domain::fault::Fault;
use gateway_domain::ids::{EntryId, ProviderJobId};
use gateway_domain::ports::{Converter, ConverterError, PLUGIN_BLOCKED, PluginOutput};
use gateway_domain::regime::{PluginRef, RegimeKey, StructuredDocument};
use gateway_domain_finance::{AlertCode, Converting, Open, RejectedVerdict, Submission, sound};

impl SubmissionSteps {
    pub(super) async fn convert(
        &self,
        submission: Submission<Open<Converting>>,
        run: &mut Run,
    ) -> Result<Step, AdvanceError> {
        let number = submission.open_stage().number.clone();
        let Some(document) = self.current(submission.document, &number).await? else {
            return Ok(Step::to(submission.end(Converting::superseded)));
        };
        let ready = self.for_regime(&submission, &document, number, run).await?;
        let Some((regime, invoice, context)) = ready else {
            let message = "the workspace has no e-invoicing configuration: set it with 'gateway workspace e-invoicing set'";
            return Ok(self.alert(submission, AlertCode::WorkspaceNotConfigured, message));
        };
        let converter = self.context.converter(&document);
        match converter.convert(&regime, &invoice, &context).await {
            Ok(made) => match sound(&document.totals, &made.value) {
                Ok(()) => {
                    let ready = ReadyToFile { document: &document, regime: (&regime, &invoice, &context) };
                    self.filed(submission, converter.as_ref(), ready, made).await
                }
                Err(fault) => self.unconvertible(submission, Some(made.plugin), &regime, vec![fault]),
            },
            Err(ConverterError::Faults(faults)) => {
                let plugin = converter.describe(&regime).map(|(_, plugin)| plugin);
                self.unconvertible(submission, plugin, &regime, faults)
            }
            Err(ConverterError::Broken(fault)) if fault.code == PLUGIN_BLOCKED => {
                Ok(self.alert(submission, AlertCode::RegimeNotActive, fault.message))
            }
            Err(ConverterError::Broken(fault)) => {
                let plugin = converter.describe(&regime).map(|(_, plugin)| plugin);
                self.unconvertible(submission, plugin, &regime, vec![fault])
            }
            Err(error @ ConverterError::UnknownRegime(_)) => {
                Ok(self.alert(submission, AlertCode::RegimeNotActive, error.to_string()))
            }
            Err(error @ ConverterError::Busy) => Err(AdvanceError::Busy(error)),
        }
    }

    /// The structured document with what its filing carries now, and until when it has to be filed.
    async fn filed(
        &self,
        submission: Submission<Open<Converting>>,
        converter: &dyn Converter,
        ready: ReadyToFile<'_>,
        made: PluginOutput<StructuredDocument>,
    ) -> Result<Step, AdvanceError> {
        let number = submission.open_stage().number.clone();
        let filing = self.filing(&submission, number, converter, &ready).await?;
        let marked = match filing.as_ref().and_then(|filing| filing.mark.as_ref()) {
            Some(mark) => {
                converter.marked(ready.regime.0, &made.value, mark).await.map(|marked| marked.value)
            }
            None => Ok(made.value),
        };
        match marked {
            Ok(structured) => {
                let step = self.converted(submission, structured, made.plugin)?;
                Ok(match filing {
                    Some(filing) => step.with(Effect::KeepFiling(Box::new(filing))),
                    None => step,
                })
            }
            Err(ConverterError::Busy) => Err(AdvanceError::Busy(ConverterError::Busy)),
            Err(ConverterError::Faults(faults)) => {
                self.unconvertible(submission, Some(made.plugin), ready.regime.0, faults)
            }
            Err(ConverterError::Broken(fault)) => {
                self.unconvertible(submission, Some(made.plugin), ready.regime.0, vec![fault])
            }
            Err(error @ ConverterError::UnknownRegime(_)) => {
                Ok(self.alert(submission, AlertCode::RegimeNotActive, error.to_string()))
            }
        }
    }

    /// The structured document is kept with the ids of its entry and job, before the provider hears of them.
    fn converted(
        &self,
        submission: Submission<Open<Converting>>,
        structured: StructuredDocument,
        plugin: PluginRef,
    ) -> Result<Step, AdvanceError> {
        let mut effects = Vec::new();
        let entry = if let Some(entry) = submission.open_stage().entry() {
            entry
        } else {
            let entry = self.fresh_entry()?;
            effects.push(Effect::KeepEntry(entry));
            entry
        };
        let job = self.fresh_job()?;
        effects.push(Effect::StartAttempt(job));
        let uploading = submission.step(|stage| stage.converted(entry, structured.body, plugin, job));
        Ok(Step { effects, ..Step::to(uploading) })
    }

    /// An attempt that ended before the provider heard of it.
    fn unconvertible(
        &self,
        submission: Submission<Open<Converting>>,
        plugin: Option<PluginRef>,
        regime: &RegimeKey,
        faults: Vec<Fault>,
    ) -> Result<Step, AdvanceError> {
        let job = self.fresh_job()?;
        let verdict = RejectedVerdict::of(regime.as_str(), faults);
        let settling = submission.step(|stage| stage.unconvertible(plugin, job, verdict));
        Ok(Step::to(settling).with(Effect::StartAttempt(job)))
    }

    pub(super) fn fresh_entry(&self) -> Result<EntryId, AdvanceError> {
        EntryId::try_from(self.context.ids().next()).map_err(AdvanceError::Ids)
    }

    fn fresh_job(&self) -> Result<ProviderJobId, AdvanceError> {
        ProviderJobId::try_from(self.context.ids().next()).map_err(AdvanceError::Ids)
    }
}
