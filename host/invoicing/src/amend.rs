//! What an authority accepted of an issued document under its number.

use crate::{Documents, StepError};
use gateway_domain::access::Acting;
use gateway_domain::invoicing::{Acceptance, Content, Invoice, Totals};
use gateway_storage::Tx;

impl Documents {
    /// Gives an issued document what an amendment of it says, with the proof of that, as part of a transaction that holds the
    /// document.
    pub async fn amend_in(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        document: Invoice,
        (content, totals): (Content, Totals),
        acceptance: Acceptance,
    ) -> Result<Invoice, StepError> {
        let expected_version = document.version;
        let amended = document.amend(content, totals, acceptance, self.now())?;
        Ok(self.put_transition(tx, amended, expected_version, &acting.actor).await?)
    }
}
