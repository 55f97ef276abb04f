//! The check of what would go to the tax authority, by the plugin of its regime, before anything is written down.

use crate::Finance;
use crate::error::CommandError;
use gateway_domain::StoreError;
use gateway_domain::fault::Fault;
use gateway_domain::invoicing::Invoice;
use gateway_domain::ports::ConverterError;
use gateway_domain_finance::{NextStep, Plan, Route};
use gateway_storage::workspaces;
use jiff::Timestamp;
use std::borrow::Cow;

impl Finance {
    /// The document that a plan makes and then submits, with the caller's own time of its issue.
    pub(super) async fn submitted_next<'p>(
        &self,
        plan: &'p Plan,
    ) -> Result<Option<(&'p Invoice, Option<Timestamp>)>, StoreError> {
        let (made, Some(NextStep::Issue { at })) = (&plan.result, plan.then) else { return Ok(None) };
        let route = self.route(self.db(), made).await?;
        Ok((route == Route::TaxAuthority).then_some((made, at)))
    }

    /// What the plugin warns of.
    ///
    /// # Errors
    /// The faults that the tax authority would refuse the document for.
    pub(super) async fn checked(
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
        match self.converter(document.workspace).check(&regime, &invoice, &context).await {
            Ok(made) => Ok(made.value),
            Err(ConverterError::Faults(faults)) => Ok(faults),
            Err(ConverterError::Broken(fault)) => Ok(vec![fault]),
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
        let workspace = workspaces::find(self.db(), document.workspace).await?;
        let mut dated = document.clone();
        dated.content.issue_date = Some(self.documents().issue_day(at, workspace.as_ref()).day());
        Ok(Cow::Owned(dated))
    }
}
