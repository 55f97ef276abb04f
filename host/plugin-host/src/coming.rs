//! The versions in force now and later, as far as they are scheduled: what they will say of drafts.

use crate::guest::CallTrace;
use crate::host::PluginHost;
use crate::load::Plugin;
use crate::options::Function;
use async_trait::async_trait;
use gateway_domain::fault::Fault;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::ports::{ConverterError, ServedDocument};
use gateway_domain::regime::{PluginRef, RegimeContext, RegimeInvoice, RegimeKey};
use gateway_domain_rules::ports::{ComingRules, DueVersion, ServingVersion};
use jiff::Timestamp;
use std::sync::Arc;

/// The code of the fault of a version that is scheduled and cannot be loaded here.
const NOT_LOADED: &str = "PLUGIN-NOT-LOADED";

impl PluginHost {
    /// What a plugin says of a document that it need not serve. Nobody counts the call: a try never blocks a plugin that serves.
    async fn try_check(
        &self,
        plugin: &Plugin,
        invoice: &RegimeInvoice,
        context: &RegimeContext,
    ) -> Result<Vec<Fault>, ConverterError> {
        let _permits = self.permits_for(plugin).await?;
        let trace = CallTrace::default();
        let check = plugin.abi.check(self.trial_store(trace.clone()), invoice, context);
        let answer = self.within_deadline(check).await;
        answer.map_err(|failure| failure.explain(&plugin.name(), Function::Check, &self.limits, &trace))
    }
}

#[async_trait]
impl ComingRules for PluginHost {
    fn version_at(
        &self,
        document: &ServedDocument,
        key: &RegimeKey,
        at: Timestamp,
    ) -> Option<ServingVersion> {
        let plugin = self.serving().at(key, document, at).ok().flatten()?;
        Some(ServingVersion {
            plugin: plugin.identity().clone(),
            kinds: plugin.description().kinds.clone(),
            rule_sets: Arc::clone(plugin.rule_sets()),
        })
    }

    fn due_versions(&self, workspace: WorkspaceId, key: &RegimeKey) -> Vec<DueVersion> {
        let serving = self.serving();
        let scheduled = serving.scheduled(key, workspace).into_iter();
        scheduled.map(|one| DueVersion { at: one.due_at, plugin: one.version.clone() }).collect()
    }

    async fn check_at(
        &self,
        document: &ServedDocument,
        (key, at): (&RegimeKey, Timestamp),
        invoice: &RegimeInvoice,
        context: &RegimeContext,
    ) -> Result<Vec<Fault>, ConverterError> {
        match self.serving().at(key, document, at) {
            Ok(Some(plugin)) => self.try_check(&plugin, invoice, context).await,
            Ok(None) => Err(ConverterError::UnknownRegime(key.clone())),
            Err(PluginRef { key, version, digest: _ }) => Err(ConverterError::Broken(Fault::error(
                NOT_LOADED,
                "",
                format!(
                    "{key}@{version}, which is scheduled, is not loaded yet, or cannot be: try again in a moment, or see the gateway's log"
                ),
            ))),
        }
    }
}
