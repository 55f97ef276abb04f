//! What the finance service needs of whoever checks recipients, and what that needs of the register and the network.

use crate::doubt::Doubt;
use crate::number::VatNumber;
use crate::participant::{DocumentType, LookupDoubt, Participant, Reception};
use async_trait::async_trait;
use gateway_domain::StoreError;
use gateway_domain::fault::Fault;
use gateway_domain::invoicing::Invoice;
use gateway_domain::regime::Supplier;
use jiff::Timestamp;

/// What the register answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegisterAnswer {
    /// Whether the number is valid for supplies between member states.
    pub is_valid: bool,
    /// When it answered, as it writes it.
    pub request_date: String,
    /// Proves the consultation; none where nobody's name was given.
    pub consultation_number: Option<String>,
    /// Whose number it is, where the member state tells.
    pub name: Option<String>,
    /// Where that is.
    pub address: Option<String>,
}

/// The VAT register of the Union.
#[async_trait]
pub trait VatRegister: Send + Sync + std::fmt::Debug {
    /// Asks about a number, in somebody's name. One call, which ends within the time that is configured.
    ///
    /// # Errors
    /// Why it does not say.
    async fn look_up(
        &self,
        number: &VatNumber,
        requester: Option<&VatNumber>,
    ) -> Result<RegisterAnswer, Doubt>;
}

/// Whoever knows what the participants of the delivery network receive.
#[async_trait]
pub trait ParticipantDirectory: Send + Sync + std::fmt::Debug {
    /// Asks what is known of a participant and a type of documents; `now` tells whether what is published is in force. It ends within the
    /// time that is configured.
    ///
    /// # Errors
    /// Why nobody knows.
    async fn look_up(
        &self,
        participant: &Participant,
        document_type: DocumentType,
        now: Timestamp,
    ) -> Result<Reception, LookupDoubt>;

    /// Whether one publisher answers for everybody: while it gives no answer, nobody can be looked up.
    fn has_one_publisher(&self) -> bool;
}

/// Checks recipients before their documents are issued.
#[async_trait]
pub trait RecipientChecks: Send + Sync + std::fmt::Debug {
    /// What is to be told of the recipient of a document that is about to be issued: what was answered not long ago, else asked now, outside
    /// of every transaction. `is_kept`, it stays with the document from before the issue on, so that no document goes out whose doubt is
    /// lost, and what is open is taken up again in the background; a dry run keeps nothing.
    ///
    /// # Errors
    /// The database. Whoever is asked never is a reason to fail.
    async fn before_issue(
        &self,
        document: &Invoice,
        supplier: &Supplier,
        is_kept: bool,
    ) -> Result<Vec<Fault>, StoreError>;
}
