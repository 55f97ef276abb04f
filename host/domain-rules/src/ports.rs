//! Who knows which version of a plugin will be in force, and calls it.

use crate::rule_set::RuleSet;
use async_trait::async_trait;
use gateway_domain::fault::Fault;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::ports::{ConverterError, ServedDocument};
use gateway_domain::regime::{PluginRef, RegimeContext, RegimeDocumentKind, RegimeInvoice, RegimeKey};
use jiff::Timestamp;
use std::sync::Arc;

/// A version of a plugin, as far as it decides what happens to drafts on another day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServingVersion {
    /// Key, version and digest.
    pub plugin: PluginRef,
    /// The kinds of document that it takes.
    pub kinds: Vec<RegimeDocumentKind>,
    /// What it lists of rules that change on a day.
    pub rule_sets: Arc<[RuleSet]>,
}

/// A version that is scheduled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueVersion {
    /// When it comes in force.
    pub at: Timestamp,
    /// Key, version and digest.
    pub plugin: PluginRef,
}

/// The versions of plugins in force, now and later, as far as they are scheduled by now.
#[async_trait]
pub trait ComingRules: Send + Sync + std::fmt::Debug {
    /// The version that serves a document at an instant; none where none does, or the one that is scheduled cannot be loaded.
    fn version_at(&self, document: &ServedDocument, key: &RegimeKey, at: Timestamp)
    -> Option<ServingVersion>;

    /// What is scheduled for the workspace, or for everybody, the earliest first.
    fn due_versions(&self, workspace: WorkspaceId, key: &RegimeKey) -> Vec<DueVersion>;

    /// What that version says of a document. It is only a try: a version that fails it goes on serving.
    ///
    /// # Errors
    /// Why there is no answer; [`ConverterError::UnknownRegime`] where no version serves then.
    async fn check_at(
        &self,
        document: &ServedDocument,
        (key, at): (&RegimeKey, Timestamp),
        invoice: &RegimeInvoice,
        context: &RegimeContext,
    ) -> Result<Vec<Fault>, ConverterError>;
}
