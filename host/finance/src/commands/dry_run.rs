//! What a command would do, asked without carrying it out.

use crate::Finance;
use crate::error::CommandError;
use gateway_domain::access::Acting;
use gateway_domain::fault::Fault;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::Invoice;
use gateway_domain::regime::IdentityMapping;
use gateway_domain_finance::{CommandForm, Route};
use jiff::Timestamp;

/// What an issue would do.
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
        CommandForm::Issue { at }.ensure_not_in_the_future(self.now())?;
        let document = self.unchanged(acting, id, expected_version).await?;
        let route = self.route(self.db(), &document).await?;
        self.ensure_issuable(&document, route, at).await?;
        let (faults, identity) = match route {
            Route::Standard => (Vec::new(), None),
            Route::TaxAuthority => {
                (self.preflight(&document, at).await?, self.trial_identity(&document).await?)
            }
        };
        Ok(DryRun { document, route, faults, identity })
    }
}
