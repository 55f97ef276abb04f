//! What is written about bookings.

use super::Booking;
use crate::costs;
use crate::errors::{Refusal, require_referenced};
use crate::pages::{self, Connection, ListSelection};
use crate::scalars::{IsoDateTime, parse_id};
use crate::session::{or_null, reference, session};
use async_graphql::{Context, ID, InputObject, Object, SimpleObject};
use gateway_domain::access::Permission;
use gateway_domain::ids::ConversationId;
use gateway_domain_lists::{Page, Stamped};
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

    /// What was written, in the order it was sent. Needs the permission bookings.read.
    #[graphql(complexity = "pages::page_cost(first, child_complexity)")]
    async fn messages(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Nodes of a page: 25 unless given, and at most.")] first: Option<i32>,
        #[graphql(desc = "The endCursor of the page before; none, or an empty one, for the first.")]
        after: Option<String>,
    ) -> Option<Connection<Message>> {
        or_null(ctx, messages_of(ctx, self.0.id, first, after.as_deref()).await)
    }
}

/// A page of the messages of a conversation. First pages are read for all conversations at once.
async fn messages_of(
    ctx: &Context<'_>,
    conversation: ConversationId,
    first: Option<i32>,
    after: Option<&str>,
) -> Result<Connection<Message>, Refusal> {
    let session = session(ctx).require(Permission::BookingsRead)?;
    let list = format!("messages:{conversation}");
    let request = pages::page_request(&list, first, after)?;
    let ListSelection { page, total } = pages::list_selection(ctx);
    let total =
        if total { Some(session.message_count(conversation).await?.unwrap_or_default()) } else { None };
    let page = match (page, request.after) {
        (false, _) => None,
        (true, None) => session.message_page((conversation, request.first)).await?,
        (true, Some(_)) => {
            let page = session
                .services
                .platform
                .conversations
                .messages_of(&session.acting, conversation, request)
                .await;
            Some(page.map_err(Refusal::internal)?)
        }
    };
    let page = page.unwrap_or(Page { nodes: Vec::new(), has_next: false });
    // A message stands where it was sent, not where it was stored.
    let nodes = page.nodes.into_iter().map(|message| ((message.sent_at, message.id.0), Message(message)));
    Ok(Connection::new(list, nodes, page.has_next, total))
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
        let session = session(ctx);
        let sent = async {
            let SendMessageMutationInput { conversation_id, message } = &input;
            let id = parse_id(conversation_id)
                .ok_or_else(|| Refusal::unknown("conversationId", [conversation_id]))?;
            let (services, acting) = (&session.services, &session.acting);
            let sent = services.platform.conversations.send_message(acting, id, message, None, SOURCE).await;
            let sent = sent.map_err(|error| Refusal::change("", error))?;
            session.loaders.forget_messages();
            let conversation = require_referenced("conversation", id, session.conversation(id).await?)?;
            Ok(SendMessagePayload { conversation: Conversation(conversation), message: Message(sent) })
        };
        or_null(ctx, session.change(Permission::ConversationsWrite, sent).await)
    }
}
