//! The plugin host as the registry and the gateway use it.

use crate::{Assignment, ComingVersion, Runtime, Trial};
use async_trait::async_trait;
use gateway_domain::fault::Fault;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::invoicing::Recipient;
use gateway_domain::ports::{Converter, ConverterError, PluginOutput, Regimes, ServedDocument};
use gateway_domain::regime::{
    AmendDescription, EvidenceDescription, FilingFacts, FilingMark, FilingTerms, Identity, PluginRef,
    PrintingDescription, ProviderReport, RegimeAmendment, RegimeContext, RegimeDescription, RegimeInvoice,
    RegimeKey, Sample, StructuredDocument, Verdict,
};
use gateway_domain_rules::RuleSet;
use gateway_plugin_host::{
    LoadError, Plugin, PluginHost, ScheduledPlugin, Scope, ServingTable, SignatureError, TrustedKeys,
};
use std::sync::Arc;

/// A plugin host, and whose plugins it takes.
#[derive(Debug)]
pub struct PluginRuntime {
    host: Arc<PluginHost>,
    /// Who may sign plugins; nobody: unsigned ones are taken.
    trusted: TrustedKeys,
}

impl PluginRuntime {
    /// Takes plugins that one of `trusted` signed, or any when there is none.
    pub const fn new(host: Arc<PluginHost>, trusted: TrustedKeys) -> Self {
        Self { host, trusted }
    }

    /// Runs what this runtime loads, and answers the calls of services.
    pub const fn host(&self) -> &Arc<PluginHost> {
        &self.host
    }

    /// Whether plugins have to be signed.
    pub fn asks_for_signatures(&self) -> bool {
        self.trusted.ask_for_signatures()
    }

    /// Whose plugins it takes.
    pub const fn trusted(&self) -> &TrustedKeys {
        &self.trusted
    }
}

#[async_trait]
impl Runtime for PluginRuntime {
    type Plugin = Arc<Plugin>;

    fn verify_signature(&self, component: &[u8], signature: Option<&str>) -> Result<(), SignatureError> {
        self.trusted.verify(component, signature).map(drop)
    }

    async fn load(&self, origin: &str, component: Vec<u8>) -> Result<Arc<Plugin>, LoadError> {
        self.host.load_bytes(origin, component).await
    }

    fn identify(&self, plugin: &Arc<Plugin>) -> (PluginRef, Arc<RegimeDescription>) {
        (plugin.identity().clone(), Arc::clone(plugin.description()))
    }

    fn evidence(&self, plugin: &Arc<Plugin>) -> Option<Arc<EvidenceDescription>> {
        plugin.evidence().cloned()
    }

    fn rule_sets(&self, plugin: &Arc<Plugin>) -> Arc<[RuleSet]> {
        Arc::clone(plugin.rule_sets())
    }

    fn serve(&self, places: Vec<Assignment<Arc<Plugin>>>, coming: Vec<ComingVersion<Arc<Plugin>>>) {
        let mut table = ServingTable::default();
        for Assignment { workspace, share, plugin } in places {
            match share {
                Some(share) => table.set_canary(workspace, share, plugin),
                None => drop(table.set(workspace, plugin)),
            }
        }
        for ComingVersion { version, workspace, due_at, plugin } in coming {
            table.schedule(ScheduledPlugin { version, workspace, due_at, plugin });
        }
        self.host.serve(table);
    }

    async fn trial(
        &self,
        plugin: &Arc<Plugin>,
        invoice: &RegimeInvoice,
        context: &RegimeContext,
    ) -> Result<Trial, ConverterError> {
        let trial = self.host.trial(plugin, invoice, context).await?;
        Ok(Trial { faults: trial.faults, document: trial.document })
    }

    async fn samples(&self, plugin: &Arc<Plugin>) -> Result<Vec<Sample>, ConverterError> {
        self.host.samples(plugin).await
    }

    fn blocked(&self) -> Vec<(PluginRef, String)> {
        self.host.blocked().into_iter().map(|blocked| (blocked.plugin, blocked.reason)).collect()
    }

    fn unblock(&self, plugin: &Arc<Plugin>) {
        plugin.unblock();
    }
}

impl Regimes for PluginRuntime {
    fn within(self: Arc<Self>, workspace: WorkspaceId) -> Arc<dyn Converter> {
        Arc::new(ScopedPlugins { host: Arc::clone(&self.host), scope: Scope::Workspace(workspace) })
    }

    fn for_document(self: Arc<Self>, document: ServedDocument) -> Arc<dyn Converter> {
        Arc::new(ScopedPlugins { host: Arc::clone(&self.host), scope: Scope::Document(document) })
    }
}

/// The plugins that serve one workspace, or one document.
#[derive(Debug)]
struct ScopedPlugins {
    host: Arc<PluginHost>,
    scope: Scope,
}

#[async_trait]
impl Converter for ScopedPlugins {
    fn regimes(&self) -> Vec<(Arc<RegimeDescription>, PluginRef)> {
        self.host.regimes_for(&self.scope)
    }

    fn describe(&self, key: &RegimeKey) -> Option<(Arc<RegimeDescription>, PluginRef)> {
        let plugin = self.host.plugin_for(key, &self.scope)?;
        Some((Arc::clone(plugin.description()), plugin.identity().clone()))
    }

    fn evidence(&self, key: &RegimeKey) -> Option<Arc<EvidenceDescription>> {
        self.host.evidence_for(key, &self.scope)
    }

    fn printing(&self, key: &RegimeKey) -> Option<Arc<PrintingDescription>> {
        self.host.printing_for(key, &self.scope)
    }

    fn amendable(&self, key: &RegimeKey) -> Option<Arc<AmendDescription>> {
        self.host.amendable_for(key, &self.scope)
    }

    async fn convert_amendment(
        &self,
        key: &RegimeKey,
        amendment: &RegimeAmendment,
        context: &RegimeContext,
    ) -> Result<PluginOutput<StructuredDocument>, ConverterError> {
        self.host.convert_amendment_for(key, &self.scope, amendment, context).await
    }

    async fn filing_terms(
        &self,
        key: &RegimeKey,
        invoice: &RegimeInvoice,
        context: &RegimeContext,
        facts: &FilingFacts,
    ) -> Result<Option<FilingTerms>, ConverterError> {
        self.host.filing_terms_for(key, &self.scope, (invoice, context), facts).await
    }

    async fn marked(
        &self,
        key: &RegimeKey,
        document: &StructuredDocument,
        mark: &FilingMark,
    ) -> Result<PluginOutput<StructuredDocument>, ConverterError> {
        self.host.marked_for(key, &self.scope, document, mark).await
    }

    async fn check(
        &self,
        key: &RegimeKey,
        invoice: &RegimeInvoice,
        context: &RegimeContext,
    ) -> Result<PluginOutput<Vec<Fault>>, ConverterError> {
        self.host.check_for(key, &self.scope, invoice, context).await
    }

    async fn convert(
        &self,
        key: &RegimeKey,
        invoice: &RegimeInvoice,
        context: &RegimeContext,
    ) -> Result<PluginOutput<StructuredDocument>, ConverterError> {
        self.host.convert_for(key, &self.scope, invoice, context).await
    }

    async fn map_identity(
        &self,
        key: &RegimeKey,
        recipient: &Recipient,
    ) -> Result<PluginOutput<Identity>, ConverterError> {
        self.host.map_identity_for(key, &self.scope, recipient).await
    }

    async fn interpret(
        &self,
        key: &RegimeKey,
        report: &ProviderReport,
    ) -> Result<PluginOutput<Verdict>, ConverterError> {
        self.host.interpret_for(key, &self.scope, report).await
    }
}
