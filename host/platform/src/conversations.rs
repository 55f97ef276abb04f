//! What is written about bookings.

use super::{NotFound, PlatformError};
use crate::context::Context;
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::ids::{BookingId, ConversationId, MessageId};
use gateway_domain_input::Faults;
use gateway_domain_lists::{Page, PageRequest, Stamped};
use gateway_domain_platform::changes;
use gateway_domain_platform::conversations::{Conversation, Message, PLAIN_TEXT};
use gateway_storage::{Tx, bookings, conversations, creation_clock};
use jiff::Timestamp;
use serde::Serialize;
use std::collections::HashMap;

/// What the audit trail tells of a message: not its text.
#[derive(Serialize)]
struct MessageData<'a> {
    message_id: MessageId,
    characters: usize,
    source: Option<&'a str>,
}

/// Conversations and their messages. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Conversations {
    context: Context,
}

impl Conversations {
    pub(crate) const fn new(context: Context) -> Self {
        Self { context }
    }

    /// Writes a message in a conversation; `source` says through what it comes. Answers the message. A mistake is found in
    /// the member `message`.
    pub async fn send_message(
        &self,
        acting: &Acting,
        conversation: ConversationId,
        text: &str,
        content_type: Option<&str>,
        source: &str,
    ) -> Result<Stamped<Message>, PlatformError> {
        let message = self.message(conversation, text, content_type, source);
        let mut faults = Faults::default();
        message.check_as("message", &mut faults);
        faults.or(())?;
        let mut tx = self.context.db().begin().await?;
        let placed = creation_clock::next(&mut tx, message.sent_at).await?;
        let found = conversations::by_ids(&mut tx, &acting.workspaces, &[conversation]).await?;
        let found = found.get(&conversation);
        let found = found.ok_or_else(|| NotFound::one("conversation", "conversation_id", conversation))?;
        self.write(tx, acting, message, found, placed).await
    }

    /// Writes a message about a booking, in its conversation: one is made where there is none. A mistake is found in the
    /// member `body`, `content_type` or `source`.
    pub async fn write_about_booking(
        &self,
        acting: &Acting,
        booking: BookingId,
        text: &str,
        content_type: Option<&str>,
        source: &str,
    ) -> Result<Stamped<Message>, PlatformError> {
        let mut message = self.message(ConversationId(self.context.ids().next()), text, content_type, source);
        let mut faults = Faults::default();
        message.check(&mut faults);
        faults.or(())?;
        let mut tx = self.context.db().begin().await?;
        // Held until the end: nobody else makes a conversation meanwhile.
        let placed = creation_clock::next(&mut tx, message.sent_at).await?;
        let found = bookings::by_ids(&mut tx, &acting.workspaces, &[booking]).await?.remove(&booking);
        let found = found.ok_or_else(|| NotFound::one("booking", "booking_id", booking))?;
        let there =
            conversations::of_bookings(&mut tx, &acting.workspaces, &[booking]).await?.remove(&booking);
        let conversation = if let Some(there) = there {
            message.conversation = there.id;
            there.value
        } else {
            let made = Conversation { id: message.conversation, workspace: found.workspace, booking };
            conversations::put(&mut tx, &[&made], placed).await?;
            made
        };
        self.write(tx, acting, message, &conversation, placed).await
    }

    fn message(
        &self,
        conversation: ConversationId,
        text: &str,
        content_type: Option<&str>,
        source: &str,
    ) -> Message {
        Message {
            id: MessageId(self.context.ids().next()),
            conversation,
            body: text.to_owned(),
            content_type: content_type.unwrap_or(PLAIN_TEXT).to_owned(),
            source: Some(source.to_owned()),
            sent_at: self.context.now(),
        }
    }

    async fn write(
        &self,
        mut tx: Tx,
        acting: &Acting,
        message: Message,
        conversation: &Conversation,
        placed: Timestamp,
    ) -> Result<Stamped<Message>, PlatformError> {
        conversations::put_messages(&mut tx, &[&message], placed).await?;
        conversations::touch(&mut tx, conversation.id, placed).await?;
        let characters = message.body.chars().count();
        let data = MessageData { message_id: message.id, characters, source: message.source.as_deref() };
        let subject = format!("conversation:{}", conversation.id);
        self.context.audit().record(&mut tx, &acting.actor, "message.send", subject, &data).await?;
        let events = [changes::message(&message, conversation)];
        self.context.events().append_changes(&mut tx, &acting.actor, &events).await?;
        tx.commit_at("message-sent").await?;
        Ok(Stamped { value: message, created_at: placed, updated_at: placed })
    }

    /// Conversations by their ids; those that do not exist for the caller are absent.
    pub async fn conversations_by_ids(
        &self,
        acting: &Acting,
        ids: &[ConversationId],
    ) -> Result<HashMap<ConversationId, Stamped<Conversation>>, StoreError> {
        conversations::by_ids(self.context.db(), &acting.workspaces, ids).await
    }

    /// The conversations of several bookings. A booking without one is absent.
    pub async fn conversations_of_bookings(
        &self,
        acting: &Acting,
        bookings: &[BookingId],
    ) -> Result<HashMap<BookingId, Stamped<Conversation>>, StoreError> {
        conversations::of_bookings(self.context.db(), &acting.workspaces, bookings).await
    }

    /// Messages by their ids; those that do not exist for the caller are absent.
    pub async fn messages_by_ids(
        &self,
        acting: &Acting,
        ids: &[MessageId],
    ) -> Result<HashMap<MessageId, Stamped<Message>>, StoreError> {
        conversations::messages(self.context.db(), &acting.workspaces, ids).await
    }

    /// A page of the messages of a conversation, in the order they were sent: the place of a message is (`sent_at`,
    /// `id`). There are none where the caller does not see the conversation.
    pub async fn messages_of(
        &self,
        acting: &Acting,
        conversation: ConversationId,
        page: PageRequest,
    ) -> Result<Page<Message>, StoreError> {
        let visible = self.conversations_by_ids(acting, &[conversation]).await?;
        if visible.is_empty() {
            return Ok(Page { nodes: Vec::new(), has_next: false });
        }
        let found =
            conversations::messages_of(self.context.db(), conversation, page.after, page.limit()).await?;
        Ok(page.page(found))
    }

    /// The first page of the messages of each of several conversations. A conversation without messages is absent.
    pub async fn first_messages_of_conversations(
        &self,
        acting: &Acting,
        conversations: &[ConversationId],
        first: usize,
    ) -> Result<HashMap<ConversationId, Page<Message>>, StoreError> {
        let page = PageRequest { first, after: None };
        let (visible, limit) = (&acting.workspaces, page.limit());
        let found = conversations::first_messages(self.context.db(), visible, conversations, limit).await?;
        Ok(found.into_iter().map(|(conversation, nodes)| (conversation, page.page(nodes))).collect())
    }

    /// How many messages each of several conversations has. A conversation without messages is absent.
    pub async fn messages_counts(
        &self,
        acting: &Acting,
        conversations: &[ConversationId],
    ) -> Result<HashMap<ConversationId, i64>, StoreError> {
        conversations::message_counts(self.context.db(), &acting.workspaces, conversations).await
    }
}
