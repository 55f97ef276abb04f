//! What is written about bookings.

use gateway_domain::ErrorCode;
use gateway_domain::ids::{BookingId, ConversationId, MessageId, WorkspaceId};
use gateway_domain_input::Faults;
use gateway_domain_lists::Keyed;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Longest message, characters.
pub const BODY_CHARS_MAX: usize = 10_000;
/// The content type of a message that does not say its own.
pub const PLAIN_TEXT: &str = "text/plain";

/// What is written about a booking. A booking has at most one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversation {
    /// Made by the gateway with the first message about the booking, or as the import gave it.
    pub id: ConversationId,
    /// Whose.
    #[serde(rename = "workspace_id")]
    pub workspace: WorkspaceId,
    /// About what.
    #[serde(rename = "booking_id")]
    pub booking: BookingId,
}

fn plain_text() -> String {
    PLAIN_TEXT.to_owned()
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// UUID version 7 made by the gateway, or as the import gave it.
    pub id: MessageId,
    /// Where it was written.
    #[serde(rename = "conversation_id")]
    pub conversation: ConversationId,
    /// What.
    pub body: String,
    /// What kind of text; text/plain unless given.
    #[serde(default = "plain_text")]
    pub content_type: String,
    /// Through what it came.
    #[serde(default)]
    pub source: Option<String>,
    /// When.
    pub sent_at: Timestamp,
}

impl Keyed for Conversation {
    fn key(&self) -> Uuid {
        self.id.0
    }
}

impl Keyed for Message {
    fn key(&self) -> Uuid {
        self.id.0
    }
}

impl Message {
    /// Everything that is wrong with it.
    pub fn check(&self, faults: &mut Faults) {
        self.check_as("body", faults);
    }

    /// The same for a surface that calls the text `body`.
    pub fn check_as(&self, body: &str, faults: &mut Faults) {
        if self.body.trim().is_empty() {
            faults.refuse(body, ErrorCode::Required, "is empty");
        } else if self.body.chars().count() > BODY_CHARS_MAX {
            faults.refuse(body, ErrorCode::TooLong, format!("use at most {BODY_CHARS_MAX} characters"));
        } else if self.body.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
            faults.refuse(
                body,
                ErrorCode::InvalidCharacters,
                "use no control characters but line breaks and tabs",
            );
        }
        faults.text("content_type", &self.content_type);
        faults.optional_text("source", self.source.as_deref());
    }
}
