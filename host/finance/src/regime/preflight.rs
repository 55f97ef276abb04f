//! The check of what would go to the tax authority, by the plugin of its regime, before anything is written down.

use super::TaxRegimes;
use crate::error::CommandError;
use gateway_domain::StoreError;
use gateway_domain::fault::Fault;
use gateway_domain::invoicing::Invoice;
use gateway_domain::ports::ConverterError;
use gateway_storage::workspaces;
use jiff::Timestamp;
use std::borrow::Cow;

impl TaxRegimes {
    /// What the plugin warns of.
    ///
    /// # Errors
    /// The faults that the tax authority would refuse the document for.
    pub(crate) async fn checked(
        &self,
        document: &Invoice,
        at: Option<Timestamp>,
    ) -> Result<Vec<Fault>, CommandError> {
        let faults = self.preflight(document, at).await?;
        if faults.iter().any(Fault::stops) { Err(CommandError::Preflight(faults)) } else { Ok(faults) }
    }

    /// The plugin's opinion of a document that has no number yet and would be issued at `at`.
    pub(crate) async fn preflight(
        &self,
        document: &Invoice,
        at: Option<Timestamp>,
    ) -> Result<Vec<Fault>, CommandError> {
        let document = self.dated(document, at).await?;
        let Some((regime, invoice, context)) = self.for_regime(&document, None).await? else {
            return Ok(Vec::new());
        };
        match self.context.converter(document.workspace).check(&regime, &invoice, &context).await {
            Ok(made) => Ok(made.value),
            Err(ConverterError::Faults(faults)) => Ok(faults),
            Err(ConverterError::Broken(fault)) => Err(CommandError::PluginBroken(fault)),
            Err(error @ (ConverterError::UnknownRegime(_) | ConverterError::Busy)) => {
                Err(CommandError::Converter(error))
            }
        }
    }

    /// The document under the issue date that it would get at `at`.
    async fn dated<'a>(
        &self,
        document: &'a Invoice,
        at: Option<Timestamp>,
    ) -> Result<Cow<'a, Invoice>, StoreError> {
        if document.content.issue_date.is_some() {
            return Ok(Cow::Borrowed(document));
        }
        let workspace = workspaces::find(self.context.db(), document.workspace).await?;
        let mut dated = document.clone();
        dated.content.issue_date = Some(self.context.documents().issue_day(at, workspace.as_ref()).day());
        Ok(Cow::Owned(dated))
    }
}
