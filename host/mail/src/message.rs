//! A message, before a transport has it.

use gateway_domain::ids::EventId;
use gateway_domain_events::notices::MailAddress;
use jiff::Timestamp;

/// Plain text for several recipients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailMessage {
    /// Who writes.
    pub from: MailAddress,
    /// Everybody who is written to; at least one.
    pub to: Vec<MailAddress>,
    /// What happened, on one line.
    pub subject: String,
    /// Plain text.
    pub body: String,
    /// When it is written.
    pub at: Timestamp,
    /// The `Message-ID` (RFC 5322), in angle brackets: the same for the same notices.
    pub id: String,
}

/// The `Message-ID` of what tells these notices, the newest last.
pub(crate) fn message_id(notices: &[EventId], from: &MailAddress) -> String {
    let newest = notices.last().map(ToString::to_string).unwrap_or_default();
    let domain = from.as_str().rsplit('@').next().unwrap_or_default();
    format!("<{newest}.{}@{domain}>", notices.len())
}
