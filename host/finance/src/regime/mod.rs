//! A document as the tax regime of its workspace has it: what a plugin is handed, what it says of a draft, and how it
//! identifies the recipient. Nothing is sent, and no transaction is open while a plugin runs.

mod identity;
mod preflight;

pub use identity::IdentityError;

use crate::ReadError;
use crate::context::Context;
use crate::invoice_data::InvoiceData;
use gateway_domain::access::{Acting, Workspaces};
use gateway_domain::invoicing::{Invoice, InvoiceNumber, State};
use gateway_domain::regime::{Preceding, RegimeContext, RegimeDocumentKind, RegimeInvoice, RegimeKey};
use gateway_domain_finance::Stage;
use gateway_storage::{submissions, workspaces};
use std::sync::Arc;

/// A document ready for its regime.
pub(crate) type ForRegime = (RegimeKey, RegimeInvoice, RegimeContext);

/// Where the documents come from that a document refers to.
#[derive(Debug, Clone, Copy)]
enum ReferencedFrom {
    /// The invoice data service, wherever it is.
    InvoiceData,
    /// What is in this database, perhaps finance's copy.
    Database,
}

/// Documents as their tax regimes have them. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct TaxRegimes {
    context: Context,
    invoice_data: Arc<dyn InvoiceData>,
}

impl TaxRegimes {
    pub(crate) const fn new(context: Context, invoice_data: Arc<dyn InvoiceData>) -> Self {
        Self { context, invoice_data }
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

    /// [`TaxRegimes::for_regime`] without asking a remote service.
    pub(crate) async fn regime_input(
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
        let Some(workspace) = workspaces::find(self.context.db(), document.workspace).await? else {
            return Ok(None);
        };
        let Some(sealed) = workspaces::e_invoicing(self.context.db(), document.workspace).await? else {
            return Ok(None);
        };
        let now = self.context.now().to_zoned(workspace.time_zone.clone());
        let (number, preceding) = (number.map(|number| number.0), self.preceding(document, others).await?);
        let (content, totals) = (&document.content, &document.totals);
        let invoice = RegimeInvoice::of(document.id, content, totals, number, preceding, now.date());
        let Some(mut invoice) = invoice else { return Ok(None) };
        if let Some(earlier) =
            submissions::find(self.context.db(), document.id, &workspace_of(document)).await?
        {
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
                ReferencedFrom::InvoiceData => self.invoice_data.document(&acting, *id).await?,
                ReferencedFrom::Database => self.invoice_data.at_hand(&acting, *id).await?,
            };
            let Some(found) = found else { continue };
            let kind = RegimeDocumentKind::of(&found.content);
            if let (Some(kind), State::Issued { number, .. }, Some(issue_date)) =
                (kind, &found.state, found.content.issue_date)
            {
                let submission = submissions::find(self.context.db(), *id, &acting.workspaces).await?;
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
