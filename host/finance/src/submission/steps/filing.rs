//! The legal clock of a filing: until when it has to be made, and what it carries by now.

use super::{AdvanceError, Run, SubmissionSteps};
use crate::regime::{ForRegime, RegimeFacts};
use gateway_deadlines::{ClockError, FilingSubject};
use gateway_domain::invoicing::{Invoice, InvoiceNumber};
use gateway_domain::ports::{Converter, ConverterError};
use gateway_domain::regime::{RegimeContext, RegimeInvoice, RegimeKey};
use gateway_domain_deadline::FilingDeadline;
use gateway_domain_finance::{Open, Starting, Submission};

/// A document as it goes to its plugin.
pub(super) struct ReadyToFile<'a> {
    pub(super) document: &'a Invoice,
    pub(super) regime: (&'a RegimeKey, &'a RegimeInvoice, &'a RegimeContext),
}

impl SubmissionSteps {
    /// The document as the regime of its workspace receives it; none without e-invoicing.
    pub(super) async fn for_regime<S>(
        &self,
        submission: &Submission<S>,
        document: &Invoice,
        number: InvoiceNumber,
        run: &mut Run,
    ) -> Result<Option<ForRegime>, AdvanceError> {
        let referenced = self.finance.invoice_data.referenced(document).await?;
        let Some(found) = run.workspace(&self.context, submission.workspace).await? else { return Ok(None) };
        let facts = Box::new(RegimeFacts {
            workspace: found.workspace.clone(),
            configuration: found.e_invoicing.as_ref().map(|(configuration, _)| configuration.clone()),
            stamps: submission.stamps.clone(),
        });
        Ok(self.finance.regimes.for_regime(document, &referenced, Some(number), facts).await?)
    }

    /// What the plugin says of a filing made now; none when it keeps no legal clock.
    pub(super) async fn filing<S>(
        &self,
        submission: &Submission<S>,
        number: InvoiceNumber,
        converter: &dyn Converter,
        ready: &ReadyToFile<'_>,
    ) -> Result<Option<FilingDeadline>, AdvanceError> {
        let subject = FilingSubject::of(ready.document, number, submission.created_at);
        let filing = self.context.deadlines().filing(converter, ready.regime, subject).await;
        filing.map_err(|error| match error {
            ClockError::Store(error) => error.into(),
            ClockError::Busy => AdvanceError::Busy(ConverterError::Busy),
        })
    }

    /// Where an outage ended since the plugin was asked, it is asked again before the document is filed, for another limit may hold;
    /// none where nothing ended. The mark stays as it was when the document was converted: the provider may have that document already.
    pub(super) async fn limit_by_now(
        &self,
        submission: &Submission<Open<Starting>>,
        run: &mut Run,
    ) -> Result<Option<FilingDeadline>, AdvanceError> {
        let outdated = self.context.deadlines().outdated(submission.document).await?;
        let Some(kept) = outdated else { return Ok(None) };
        let number = submission.open_stage().number.clone();
        let Some(document) = self.current(submission.document, &number).await? else { return Ok(None) };
        let ready = self.for_regime(submission, &document, number.clone(), run).await?;
        let Some((regime, invoice, context)) = ready else { return Ok(None) };
        let converter = self.context.interpreter(submission, Some(&submission.open_stage().plugin));
        let ready = ReadyToFile { document: &document, regime: (&regime, &invoice, &context) };
        let filing = self.filing(submission, number, converter.as_ref(), &ready).await?;
        Ok(filing.map(|filing| FilingDeadline { mark: kept.mark, ..filing }))
    }
}
