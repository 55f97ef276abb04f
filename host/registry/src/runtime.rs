//! What the registry needs of a plugin host.

use async_trait::async_trait;
use gateway_domain::fault::Fault;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::ports::ConverterError;
use gateway_domain::regime::{
    CanaryShare, EvidenceDescription, PluginRef, RegimeContext, RegimeDescription, RegimeInvoice, Sample,
    StructuredDocument,
};
use gateway_domain_rules::RuleSet;
use gateway_plugin_host::{LoadError, SignatureError};
use jiff::Timestamp;
use std::fmt::Debug;
use std::sync::Arc;

/// A plugin and whom it serves.
#[derive(Debug, Clone)]
pub struct Assignment<P> {
    /// For whom; none: every workspace without a plugin of its own for the same regime.
    pub workspace: Option<WorkspaceId>,
    /// Of how many of the documents there, as a canary beside the plugin in force; none: it is the one in force.
    pub share: Option<CanaryShare>,
    /// As [`Runtime::load`] made it.
    pub plugin: P,
}

/// A plugin that comes in force at a time.
#[derive(Debug, Clone)]
pub struct ComingVersion<P> {
    /// Key, version and digest.
    pub version: PluginRef,
    /// For whom; none: every workspace without a plugin of its own for the same regime.
    pub workspace: Option<WorkspaceId>,
    /// When.
    pub due_at: Timestamp,
    /// As [`Runtime::load`] made it; none where that failed.
    pub plugin: Option<P>,
}

/// What a plugin made of a document, tried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trial {
    /// What its check says; warnings included.
    pub faults: Vec<Fault>,
    /// The structured document, or why there is none.
    pub document: Result<StructuredDocument, Vec<Fault>>,
}

/// Loads plugins and serves them.
#[async_trait]
pub trait Runtime: Debug + Send + Sync + 'static {
    /// A loaded plugin. Cheap to clone.
    type Plugin: Debug + Clone + Send + Sync + 'static;

    /// Whether a component may be used here, by its signature.
    fn verify_signature(&self, component: &[u8], signature: Option<&str>) -> Result<(), SignatureError>;

    /// Compiles a component aside from any call, probes it and asks what it is. `origin` is where it came
    /// from, as shown to people. It serves nobody yet.
    async fn load(&self, origin: &str, component: Vec<u8>) -> Result<Self::Plugin, LoadError>;

    /// What a loaded plugin is.
    fn identify(&self, plugin: &Self::Plugin) -> (PluginRef, Arc<RegimeDescription>);

    /// What the gateway checks by itself of its authority's proofs; none when it does not say.
    fn evidence(&self, plugin: &Self::Plugin) -> Option<Arc<EvidenceDescription>>;

    /// Which rules change on a day; none at all when it does not say.
    fn rule_sets(&self, plugin: &Self::Plugin) -> Arc<[RuleSet]>;

    /// Replaces everything that is served in one step. Calls in flight finish on the plugin they started with. What is `coming`
    /// serves nobody yet: drafts are tried on it.
    fn serve(&self, places: Vec<Assignment<Self::Plugin>>, coming: Vec<ComingVersion<Self::Plugin>>);

    /// Runs a plugin that need not serve anybody.
    async fn trial(
        &self,
        plugin: &Self::Plugin,
        invoice: &RegimeInvoice,
        context: &RegimeContext,
    ) -> Result<Trial, ConverterError>;

    /// The golden cases that a plugin brings along; none when it brings none.
    async fn samples(&self, plugin: &Self::Plugin) -> Result<Vec<Sample>, ConverterError>;

    /// Plugins that serve and misbehaved so often that they are called no more, each with a sentence.
    fn blocked(&self) -> Vec<(PluginRef, String)>;

    /// Calls a plugin again.
    fn unblock(&self, plugin: &Self::Plugin);
}
