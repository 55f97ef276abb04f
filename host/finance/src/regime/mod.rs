//! A document as the tax regime of its workspace has it: which way it goes, what a plugin is handed, and how
//! it identifies the recipient. Nothing is sent, and no transaction is open while a plugin runs.

mod identity;

pub use identity::IdentityError;

use crate::context::Context;
use gateway_domain::StoreError;
use gateway_domain::access::Workspaces;
use gateway_domain::invoicing::{Invoice, InvoiceNumber};
use gateway_domain::regime::{
    Preceding, RegimeContext, RegimeDescription, RegimeDocumentKind, RegimeInvoice, RegimeKey, Stamp,
};
use gateway_domain::workspace::{EInvoicing, Workspace};
use gateway_domain_finance::{Route, Stage, eligibility};
use gateway_storage::workspaces::ConfiguredWorkspace;
use gateway_storage::{Executor, submissions, workspaces};
use std::sync::Arc;

/// A document ready for its regime.
pub(crate) type ForRegime = (RegimeKey, RegimeInvoice, RegimeContext);

/// What a regime gets beside a document.
#[derive(Debug, Clone)]
pub(crate) struct RegimeFacts {
    /// The workspace of the document.
    pub(crate) workspace: Workspace,
    /// How it sends its invoices; none where it tells no tax authority of anything.
    pub(crate) configuration: Option<EInvoicing>,
    /// What the authority gave the document before.
    pub(crate) stamps: Vec<Stamp>,
}

impl RegimeFacts {
    pub(crate) fn of(found: ConfiguredWorkspace, stamps: Vec<Stamp>) -> Self {
        let configuration = found.e_invoicing.map(|sealed| sealed.configuration);
        Self { workspace: found.workspace, configuration, stamps }
    }
}

/// Documents as their tax regimes have them. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct TaxRegimes {
    context: Context,
}

impl TaxRegimes {
    pub(crate) const fn new(context: Context) -> Self {
        Self { context }
    }

    /// Which way a document goes, read within a transaction or not.
    pub(crate) async fn route(
        &self,
        on: impl Into<Executor<'_>>,
        document: &Invoice,
    ) -> Result<Route, StoreError> {
        let configured = workspaces::e_invoicing(on, document.workspace).await?;
        let configuration = configured.as_ref().map(|sealed| &sealed.configuration);
        Ok(self.route_under(configuration, document))
    }

    /// Which way a document goes in a workspace with this configuration.
    pub(crate) fn route_under(&self, configuration: Option<&EInvoicing>, document: &Invoice) -> Route {
        let taken = configuration.map(|configuration| {
            let regime = self.context.converter(document).describe(&configuration.regime);
            regime.map_or_else(Vec::new, |(description, _)| description.kinds.clone())
        });
        let kind = RegimeDocumentKind::of(&document.content);
        eligibility(kind, taken.as_deref())
    }

    /// The tax regime of the workspace, as its plugin describes it; none without e-invoicing, or without a plugin for it.
    pub(crate) async fn described(
        &self,
        document: &Invoice,
    ) -> Result<Option<Arc<RegimeDescription>>, StoreError> {
        let configured = workspaces::e_invoicing(self.context.db(), document.workspace).await?;
        let converter = self.context.converter(document);
        let described = configured.and_then(|sealed| converter.describe(&sealed.configuration.regime));
        Ok(described.map(|(description, _)| description))
    }

    /// What a regime gets beside a document; none for a workspace that is gone.
    pub(crate) async fn facts(&self, document: &Invoice) -> Result<Option<Box<RegimeFacts>>, StoreError> {
        let db = self.context.db();
        let Some(found) = workspaces::configured(db, document.workspace).await? else { return Ok(None) };
        let visible = Workspaces::Only(vec![document.workspace]);
        let earlier = submissions::find(db, document.id, &visible).await?;
        let stamps = earlier.map(|earlier| earlier.stamps).unwrap_or_default();
        Ok(Some(Box::new(RegimeFacts::of(found, stamps))))
    }

    /// The document as the workspace's regime receives it, with those that it refers to; none when the workspace has no regime,
    /// or no regime takes documents of this kind.
    pub(crate) async fn for_regime(
        &self,
        document: &Invoice,
        referenced: &[Invoice],
        number: Option<InvoiceNumber>,
        facts: Box<RegimeFacts>,
    ) -> Result<Option<ForRegime>, StoreError> {
        let RegimeFacts { workspace, configuration, stamps } = *facts;
        let Some(configuration) = configuration else { return Ok(None) };
        let now = self.context.now().to_zoned(workspace.time_zone.clone());
        let (number, preceding) = (number.map(|number| number.0), self.preceding(referenced).await?);
        let (content, totals) = (&document.content, &document.totals);
        let invoice = RegimeInvoice::of(document.id, content, totals, number, preceding, now.date());
        let Some(mut invoice) = invoice else { return Ok(None) };
        invoice.stamps = stamps;
        let configured = RegimeContext {
            now,
            settings: configuration.settings,
            supplier: workspace.supplier,
            company_id: configuration.company_id.to_string(),
        };
        Ok(Some((configuration.regime, invoice, configured)))
    }

    /// The documents that are referred to, as far as they are issued.
    async fn preceding(&self, referenced: &[Invoice]) -> Result<Vec<Preceding>, StoreError> {
        let mut preceding = Vec::new();
        for found in referenced {
            let Some(document) = Preceding::of(found) else { continue };
            let visible = Workspaces::Only(vec![found.workspace]);
            let submission = submissions::find(self.context.db(), found.id, &visible).await?;
            let accepted = submission.filter(|submission| submission.stage() == Stage::Accepted);
            preceding.push(match accepted {
                Some(submission) => Preceding { stamps: submission.stamps, ..document },
                None => document,
            });
        }
        Ok(preceding)
    }
}
