//! The second step: the tax regime turns the document into the structured format.

use super::{AdvanceError, Effect, Step, refusal};
use crate::{Finance, ReadError};
use gateway_domain::access::{Acting, Workspaces};
use gateway_domain::fault::Fault;
use gateway_domain::ids::{EntryId, ProviderJobId};
use gateway_domain::invoicing::{Invoice, InvoiceNumber, State};
use gateway_domain::ports::{ConverterError, PLUGIN_BLOCKED};
use gateway_domain::regime::{
    PluginRef, Preceding, RegimeContext, RegimeDocumentKind, RegimeInvoice, RegimeKey, StructuredDocument,
};
use gateway_domain_finance::{AlertCode, Converting, Open, Stage, Submission, sound};
use gateway_storage::{submissions, workspaces};

/// A document ready for its regime.
type ForRegime = (RegimeKey, RegimeInvoice, RegimeContext);

/// Where the documents come from that a document refers to.
#[derive(Debug, Clone, Copy)]
enum ReferencedFrom {
    /// The invoice data service, wherever it is.
    InvoiceData,
    /// What is in this database, perhaps finance's copy.
    Database,
}

impl Finance {
    pub(super) async fn convert(
        &self,
        submission: Submission<Open<Converting>>,
    ) -> Result<Step, AdvanceError> {
        let number = submission.open_stage().number.clone();
        let Some(document) = self.current(submission.document, &number).await? else {
            return Ok(Step::to(submission.end(Converting::superseded)));
        };
        let Some((regime, invoice, context)) = self.for_regime(&document, Some(number)).await? else {
            let message = "the workspace has no e-invoicing configuration: set it with 'gateway workspace e-invoicing set'";
            return Ok(self.alert(submission, AlertCode::WorkspaceNotConfigured, message));
        };
        let converter = self.converter(document.workspace);
        match converter.convert(&regime, &invoice, &context).await {
            Ok(made) => match sound(&document.totals, &made.value) {
                Ok(()) => self.converted(submission, made.value, made.plugin),
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
        let verdict = refusal(regime.as_str(), faults);
        let settling = submission.step(|stage| stage.unconvertible(plugin, job, verdict));
        Ok(Step::to(settling).with(Effect::StartAttempt(job)))
    }

    pub(super) fn fresh_entry(&self) -> Result<EntryId, AdvanceError> {
        EntryId::try_from(self.ids().next()).map_err(AdvanceError::Ids)
    }

    fn fresh_job(&self) -> Result<ProviderJobId, AdvanceError> {
        ProviderJobId::try_from(self.ids().next()).map_err(AdvanceError::Ids)
    }

    /// The document as the workspace's regime receives it; none when the workspace has no regime, or no regime
    /// takes documents of this kind.
    pub(crate) async fn for_regime(
        &self,
        document: &Invoice,
        number: Option<InvoiceNumber>,
    ) -> Result<Option<ForRegime>, ReadError> {
        self.for_regime_with(document, number, ReferencedFrom::InvoiceData).await
    }

    /// [`Finance::for_regime`] without asking a remote service.
    pub async fn regime_input(
        &self,
        document: &Invoice,
        number: InvoiceNumber,
    ) -> Result<Option<ForRegime>, ReadError> {
        self.for_regime_with(document, Some(number), ReferencedFrom::Database).await
    }

    async fn for_regime_with(
        &self,
        document: &Invoice,
        number: Option<InvoiceNumber>,
        others: ReferencedFrom,
    ) -> Result<Option<ForRegime>, ReadError> {
        let Some(workspace) = workspaces::find(self.db(), document.workspace).await? else { return Ok(None) };
        let Some(sealed) = workspaces::e_invoicing(self.db(), document.workspace).await? else {
            return Ok(None);
        };
        let now = self.now().to_zoned(workspace.time_zone.clone());
        let (number, preceding) = (number.map(|number| number.0), self.preceding(document, others).await?);
        let (content, totals) = (&document.content, &document.totals);
        let invoice = RegimeInvoice::of(document.id, content, totals, number, preceding, now.date());
        let Some(mut invoice) = invoice else { return Ok(None) };
        if let Some(earlier) = submissions::find(self.db(), document.id, &workspace_of(document)).await? {
            invoice.stamps = earlier.stamps;
        }
        let surroundings = RegimeContext {
            now,
            settings: sealed.configuration.settings,
            supplier: workspace.supplier,
            company_id: sealed.configuration.company_id.to_string(),
        };
        Ok(Some((sealed.configuration.regime, invoice, surroundings)))
    }

    /// The documents this one refers to, as far as they are issued and of the same workspace.
    async fn preceding(
        &self,
        document: &Invoice,
        others: ReferencedFrom,
    ) -> Result<Vec<Preceding>, ReadError> {
        let acting = Acting { workspaces: workspace_of(document), ..Acting::gateway() };
        let mut preceding = Vec::new();
        for id in &document.content.referenced_document_ids {
            let found = match others {
                ReferencedFrom::InvoiceData => self.invoice(&acting, *id).await?,
                ReferencedFrom::Database => self.invoice_data().at_hand(&acting, *id).await?,
            };
            let Some(found) = found else { continue };
            let kind = RegimeDocumentKind::of(&found.content);
            if let (Some(kind), State::Issued { number, .. }, Some(issue_date)) =
                (kind, &found.state, found.content.issue_date)
            {
                let submission = submissions::find(self.db(), *id, &acting.workspaces).await?;
                let accepted = submission.filter(|submission| submission.stage() == Stage::Accepted);
                preceding.push(Preceding {
                    id: *id,
                    kind,
                    number: number.0.clone(),
                    issue_date,
                    totals: Some(found.totals.clone()),
                    reason: None,
                    stamps: accepted.map(|submission| submission.stamps).unwrap_or_default(),
                    ext: found.content.ext.clone(),
                });
            }
        }
        Ok(preceding)
    }
}

/// Only the document's own workspace.
fn workspace_of(document: &Invoice) -> Workspaces {
    Workspaces::Only(vec![document.workspace])
}
