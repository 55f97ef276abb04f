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
        if !self.plugin_for(regime, &scope).is_some_and(|plugin| plugin.abi.has_chain()) {
            return Ok(None);
        }
        let answer = self
            .call_for((regime, &scope), Function::Links, |plugin, store| async move {
                plugin.abi.links(store, message).await
            })
            .await?;
        Ok(Some(answer.value))
    }
}
