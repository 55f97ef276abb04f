//! How the recipient of a document is identified to the tax authority: the plugin of the regime says, nothing is sent.

use super::TaxRegimes;
use crate::error::{CommandError, ReadError};
use gateway_domain::StoreError;
use gateway_domain::fault::Fault;
use gateway_domain::invoicing::Invoice;
use gateway_domain::ports::ConverterError;
use gateway_domain::regime::{Identity, IdentityMapping, IdentityRule, PluginRef};
use gateway_storage::workspaces;

/// Why nobody can say how a recipient is identified.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// There is no such document.
    #[error("there is no such document")]
    Gone,
    /// The workspace of the document tells no tax authority of anything.
    #[error(
        "the document's workspace has no e-invoicing, so no tax authority hears of the recipient: set it with 'gateway workspace e-invoicing set'"
    )]
    NotConfigured,
    /// The plugin misbehaved, or is called no more: what is known all the same, with that as the only fault.
    #[error("the plugin of the tax regime failed on the recipient: activate a version that does not")]
    Plugin(Box<IdentityMapping>),
    /// No plugin serves the regime, or too many calls are running.
    #[error(transparent)]
    Converter(ConverterError),
    /// The document could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl From<StoreError> for IdentityError {
    fn from(error: StoreError) -> Self {
        Self::Read(error.into())
    }
}

impl TaxRegimes {
    /// What a dry run shows of it: a plugin that fails on the recipient is an answer too. None when the workspace has no
    /// e-invoicing.
    pub(crate) async fn trial_identity(
        &self,
        document: &Invoice,
    ) -> Result<Option<IdentityMapping>, CommandError> {
        match self.identity_of(document).await {
            Ok(mapping) => Ok(Some(mapping)),
            Err(IdentityError::Plugin(mapping)) => Ok(Some(*mapping)),
            Err(IdentityError::NotConfigured) => Ok(None),
            Err(IdentityError::Gone) => Err(CommandError::Gone),
            Err(IdentityError::Converter(error)) => Err(CommandError::Converter(error)),
            Err(IdentityError::Read(error)) => Err(error.into()),
        }
    }

    /// No transaction is open while the plugin runs.
    pub(crate) async fn identity_of(&self, document: &Invoice) -> Result<IdentityMapping, IdentityError> {
        let configured = workspaces::e_invoicing(self.context.db(), document.workspace).await?;
        let regime = configured.ok_or(IdentityError::NotConfigured)?.configuration.regime;
        let converter = self.context.converter(document);
        let Some((_, plugin)) = converter.describe(&regime) else {
            return Err(IdentityError::Converter(ConverterError::UnknownRegime(regime)));
        };
        let Some(recipient) = &document.content.recipient else {
            return Ok(IdentityMapping { plugin, rule: None, mapped_to: None, faults: Vec::new() });
        };
        let mapping = |plugin: PluginRef, mapped_to: Option<Identity>, faults: Vec<Fault>| {
            let rule = Some(IdentityRule::of(recipient));
            IdentityMapping { plugin, rule, mapped_to, faults }
        };
        match converter.map_identity(&regime, recipient).await {
            Ok(made) => Ok(mapping(made.plugin, Some(made.value), Vec::new())),
            Err(ConverterError::Faults(faults)) => Ok(mapping(plugin, None, faults)),
            Err(ConverterError::Broken(fault)) => {
                Err(IdentityError::Plugin(Box::new(mapping(plugin, None, vec![fault]))))
            }
            Err(error @ (ConverterError::UnknownRegime(_) | ConverterError::Busy)) => {
                Err(IdentityError::Converter(error))
            }
        }
    }
}
