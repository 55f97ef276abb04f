//! What reads the records of a tax system.

use crate::RecordLink;
use async_trait::async_trait;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::ports::ConverterError;
use gateway_domain::regime::RegimeKey;
use std::fmt::Debug;

/// A message that the plugin of its tax system cannot read as one of its own, and why: one sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableMessage(pub String);

/// Reads messages to tax authorities for their places in the chain: the plugins that offer `chain` (release 1.10 of the contract).
#[async_trait]
pub trait RecordLinks: Debug + Send + Sync {
    /// The records in a message; none at all where the system does not chain its records, or its plugin does not say.
    ///
    /// # Errors
    /// The plugin cannot be called, or fails.
    async fn links(
        &self,
        regime: &RegimeKey,
        workspace: WorkspaceId,
        message: &str,
    ) -> Result<Option<Result<Vec<RecordLink>, UnreadableMessage>>, ConverterError>;
}
