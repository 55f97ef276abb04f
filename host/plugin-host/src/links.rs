//! What was sent to authorities, read by the plugins for its places in their chains.

use crate::host::PluginHost;
use crate::options::Function;
use crate::serving::Scope;
use async_trait::async_trait;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::ports::ConverterError;
use gateway_domain::regime::RegimeKey;
use gateway_domain_evidence::RecordLink;
use gateway_domain_evidence::ports::{RecordLinks, UnreadableMessage};

#[async_trait]
impl RecordLinks for PluginHost {
    async fn links(
        &self,
        regime: &RegimeKey,
        workspace: WorkspaceId,
        message: &str,
    ) -> Result<Option<Result<Vec<RecordLink>, UnreadableMessage>>, ConverterError> {
        let scope = Scope::from(Some(workspace));
        let Some(plugin) = self.plugin_for(regime, &scope).filter(|plugin| plugin.abi.has_chain()) else {
            return Ok(None);
        };
        // A message that a plugin cannot stand never blocks one that issues documents.
        let read = self.call_uncounted(&plugin, Function::Links, |plugin, store| async move {
            plugin.abi.links(store, message).await
        });
        read.await.map(Some)
    }
}
