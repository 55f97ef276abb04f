//! What is written about bookings.

use super::Booking;
use crate::costs;
use crate::errors::{Refusal, require_referenced};
use crate::resolve::or_null;
use crate::scalars::{IsoDateTime, parse_id};
use crate::session::{reference, session};
use async_graphql::{Context, ID, InputObject, Object, SimpleObject};
use gateway_domain::access::Permission;
use gateway_domain_platform::Stamped;
use gateway_domain_platform::conversations;

/// Through what a message came, when it was sent here.
const SOURCE: &str = "api";

/// What is written about a booking.
#[derive(Debug, Clone)]
pub(crate) struct Conversation(pub(crate) Stamped<conversations::Conversation>);

/// What is written about a booking.
#[Object]
impl Conversation {
    /// Its id.
    async fn id(&self) -> ID {
        self.0.id.to_string().into()
    }

    /// The booking. What tells more than its id needs the permission bookings.read.
    #[graphql(complexity = "costs::reference(child_complexity)")]
    async fn booking(&self, ctx: &Context<'_>) -> Option<Booking> {
        let booking = async {
            let session = reference(ctx, Permission::BookingsRead, &["id"])?;
            require_referenced("booking", self.0.booking, session.booking(self.0.booking).await?).map(Booking)
        };
        or_null(ctx, booking.await)
    }
}

/// One message.
#[derive(Debug, Clone)]
pub(crate) struct Message(pub(crate) Stamped<conversations::Message>);

/// One message of a conversation. Who sent it sees it in the answer; reading it later needs the permission bookings.read.
#[Object]
impl Message {
    /// Its id.
    async fn id(&self) -> ID {
        self.0.id.to_string().into()
    }

    /// What was written.
    async fn body(&self) -> &str {
        &self.0.body
    }

    /// What kind of text, such as text/plain.
    async fn content_type(&self) -> &str {
        &self.0.content_type
    }

    /// Through what it came.
    async fn source(&self) -> Option<&str> {
        self.0.source.as_deref()
    }

    /// When.
    async fn sent_at(&self) -> IsoDateTime {
        self.0.sent_at.into()
    }
}

/// What to write where.
#[derive(Debug, Clone, InputObject)]
pub(crate) struct SendMessageMutationInput {
    /// Where; a booking names its conversation.
    conversation_id: ID,
    /// What: plain text, at most 10000 characters.
    message: String,
}

/// Where it was written.
#[derive(Debug, Clone, SimpleObject)]
pub(crate) struct SendMessagePayload {
    /// The conversation.
    conversation: Conversation,
    /// The message.
    message: Message,
}

/// Messages.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ConversationsMutation;

/// Messages. Sending needs the permission conversations.write.
#[Object]
impl ConversationsMutation {
    /// Writes a message into a conversation.
    async fn send_message(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "What, and where.")] input: SendMessageMutationInput,
    ) -> Option<SendMessagePayload> {
        let sent = async {
            let guard = session(ctx).change(Permission::ConversationsWrite).await?;
            let SendMessageMutationInput { conversation_id, message } = &input;
            let id = parse_id(conversation_id)
                .ok_or_else(|| Refusal::unknown("conversationId", [conversation_id]))?;
            let (services, acting) = (&guard.session.services, &guard.session.acting);
            let sent = services.platform.send_message(acting, id, message, None, SOURCE).await;
            let sent = sent.map_err(|error| Refusal::change("", error))?;
            let conversation = require_referenced("conversation", id, guard.session.conversation(id).await?)?;
            Ok(SendMessagePayload { conversation: Conversation(conversation), message: Message(sent) })
        };
        or_null(ctx, sent.await)
    }
}
