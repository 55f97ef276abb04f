//! Everything that was known of the recipient of a document.

use crate::check::RecipientCheck;
use crate::participant::ParticipantCheck;

/// What is kept with a document of its recipient.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownRecipient {
    /// What the VAT register said of its number; none where nobody asked.
    pub number: Option<RecipientCheck>,
    /// What the delivery network said of its address; none where nobody asked.
    pub participant: Option<ParticipantCheck>,
}
