//! What an issue would do: the same steps as the command itself, of which the last is taken back.

use super::Finance;
use crate::error::CommandError;
use gateway_domain::access::Acting;
use gateway_domain::fault::Fault;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::Invoice;
use gateway_domain::regime::IdentityMapping;
use gateway_domain_finance::{CommandForm, Route};
use jiff::Timestamp;

/// What an issue would do. Of every other command a trial gives its [`crate::Outcome`].
#[derive(Debug, Clone)]
pub struct DryRun {
    /// Unchanged: it has got no number.
    pub document: Invoice,
    /// Which way it would go.
    pub route: Route,
    /// What the pre-flight check says; warnings included.
    pub faults: Vec<Fault>,
    /// How the tax authority would know the recipient; none for a document that it does not hear of.
    pub identity: Option<IdentityMapping>,
}

impl Finance {
    /// What an issue would do, everything the pre-flight check says, and how the recipient would be identified.
    pub async fn issue_dry_run(
        &self,
        acting: &Acting,
        id: InvoiceId,
        at: Option<Timestamp>,
        expected_version: Option<i64>,
    ) -> Result<DryRun, CommandError> {
        let (acting, form) = (Acting { trial: true, ..acting.clone() }, CommandForm::Issue { at });
        form.ensure_not_in_the_future(self.context.now())?;
        self.until_unchanged(id, &form, expected_version, || {
            self.try_issue(&acting, id, &form, expected_version)
        })
        .await
    }

    async fn try_issue(
        &self,
        acting: &Acting,
        id: InvoiceId,
        form: &CommandForm,
        expected_version: Option<i64>,
    ) -> Result<DryRun, CommandError> {
        let (facts, plan) = self.decide(acting, id, form, expected_version).await?;
        let (faults, identity) = match plan.submitted() {
            Some((document, at)) => {
                let faults = match self.regimes.preflight(document, at).await {
                    Err(CommandError::PluginBroken(fault)) => vec![fault],
                    checked => checked?,
                };
                (faults, self.regimes.trial_identity(document).await?)
            }
            None => (Vec::new(), None),
        };
        self.invoice_data.execute(acting, &facts, plan).await?;
        Ok(DryRun { document: facts.document, route: facts.route, faults, identity })
    }
}
