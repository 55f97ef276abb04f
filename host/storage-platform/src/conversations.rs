//! What is written about bookings.

use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::lists::{self, ListQuery, OLDEST_FIRST, by_id, stamped};
use gateway_database::select::{Condition, Conditions, Part, Table};
use gateway_database::sql::{Sql, params, row, statements};
use gateway_database::stored::stored;
use gateway_database::value::{Id, Ts};
use gateway_domain::access::Workspaces;
use gateway_domain::ids::{BookingId, ConversationId, MessageId, WorkspaceId};
use gateway_domain_lists::Stamped;
use gateway_domain_platform::conversations::{Conversation, Message};
use jiff::Timestamp;
use std::collections::HashMap;
use uuid::Uuid;

stored! {
    struct Row of conversation, columns!, put_rows! {
        id: Id;
        workspace_id: i64;
        booking_id: Id,
    }
}

stored! {
    struct MessageRow of message, message_columns!, put_message_rows! {
        id: Id;
        ;
        conversation_id: Id,
        body: String,
        content_type: String,
        source: Option<String>,
        sent_at: Ts,
    }
}

/// Conversations as they are read.
pub const TABLE: Table = Table {
    name: "conversation",
    key: "id",
    columns: Sql::both(columns!()),
    order: OLDEST_FIRST,
    has_workspace: true,
};
/// Messages as they are read.
pub const MESSAGES: Table = Table {
    name: "message",
    key: "id",
    columns: Sql::both(message_columns!()),
    order: "sent_at, id",
    has_workspace: false,
};
/// The column of the conversation that a message was written in.
pub const CONVERSATION: &str = "conversation_id";
/// Messages belong to the workspace of their conversation.
pub const OF_MESSAGES: &str =
    "EXISTS (SELECT 1 FROM conversation c WHERE c.id = message.conversation_id AND c.workspace_id";

statements! {
    PUT = each [(put_rows! engine)];
    TOUCH = "UPDATE conversation SET updated_at = $2 WHERE id = $1";
    PUT_MESSAGES = each [(put_message_rows! engine)];
}

impl TryFrom<Row> for Stamped<Conversation> {
    type Error = Corrupt;

    fn try_from(row: Row) -> Result<Self, Corrupt> {
        let conversation = Conversation {
            id: ConversationId(row.id.0),
            workspace: WorkspaceId(row.workspace_id),
            booking: BookingId(row.booking_id.0),
        };
        Ok(stamped(conversation, row.created_at, row.updated_at))
    }
}

impl TryFrom<MessageRow> for Stamped<Message> {
    type Error = Corrupt;

    fn try_from(row: MessageRow) -> Result<Self, Corrupt> {
        let message = Message {
            id: MessageId(row.id.0),
            conversation: ConversationId(row.conversation_id.0),
            body: row.body,
            content_type: row.content_type,
            source: row.source,
            sent_at: row.sent_at.0,
        };
        Ok(stamped(message, row.created_at, row.updated_at))
    }
}

/// Conversations by their ids; those that do not exist or are not visible are absent.
pub async fn by_ids(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    ids: &[ConversationId],
) -> Result<HashMap<ConversationId, Stamped<Conversation>>, StoreError> {
    let found = lists::by_ids::<Row, _>(on.into(), TABLE, visible, ids).await?;
    Ok(by_id(found, |conversation: &Conversation| conversation.id))
}

/// The conversations of several bookings. A booking without one is absent.
pub async fn of_bookings(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    bookings: &[BookingId],
) -> Result<HashMap<BookingId, Stamped<Conversation>>, StoreError> {
    let query = ListQuery::new(visible).of_any("booking_id", bookings);
    let found = lists::part::<Row, _>(on.into(), TABLE, query, Part::All).await?;
    Ok(by_id(found, |conversation: &Conversation| conversation.booking))
}

/// Messages by their ids; those that do not exist or are not visible are absent.
pub async fn messages(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    ids: &[MessageId],
) -> Result<HashMap<MessageId, Stamped<Message>>, StoreError> {
    let query = ListQuery::through(visible, OF_MESSAGES).with_ids(ids);
    let found = lists::part::<MessageRow, _>(on.into(), MESSAGES, query, Part::All).await?;
    Ok(by_id(found, |message: &Message| message.id))
}

pub fn of_conversation(conversation: ConversationId, after: Option<(Timestamp, Uuid)>) -> ListQuery<'static> {
    let behind = after.map(|(at, id)| Condition::new("(sent_at, id) > (?, ?)", params![at, id]));
    let conditions = Conditions::default().finding("conversation_id = ?", Some(conversation));
    ListQuery { conditions: conditions.and_where(behind), ..ListQuery::anything() }
}

/// The messages of a conversation after a place (when it was sent, and its id), in the order they were sent. The
/// conversation is known to be visible.
pub async fn messages_of(
    on: impl Into<Executor<'_>>,
    conversation: ConversationId,
    after: Option<(Timestamp, Uuid)>,
    limit: i64,
) -> Result<Vec<Stamped<Message>>, StoreError> {
    let query = of_conversation(conversation, after);
    lists::part::<MessageRow, _>(on.into(), MESSAGES, query, Part::First(limit)).await
}

/// Messages of several conversations.
pub fn of_conversations(visible: &Workspaces, conversations: &[ConversationId]) -> ListQuery<'static> {
    ListQuery::through(visible, OF_MESSAGES).of_any(CONVERSATION, conversations)
}

/// The first `limit` messages of each of several conversations, in the order they were sent. A conversation without
/// messages is absent.
pub async fn first_messages(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    conversations: &[ConversationId],
    limit: i64,
) -> Result<HashMap<ConversationId, Vec<Stamped<Message>>>, StoreError> {
    let part = Part::FirstOfEach { column: CONVERSATION, limit };
    let query = of_conversations(visible, conversations);
    let found = lists::part::<MessageRow, _>(on.into(), MESSAGES, query, part).await?;
    Ok(lists::grouped(found, |message: &Message| message.conversation))
}

/// How many messages each of several conversations has. A conversation without messages is absent.
pub async fn message_counts(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    conversations: &[ConversationId],
) -> Result<HashMap<ConversationId, i64>, StoreError> {
    let query = of_conversations(visible, conversations);
    let Some(select) = query.select(MESSAGES) else { return Ok(HashMap::new()) };
    let rows: Vec<(Id, i64)> = on.into().rows(&select, Part::CountOfEach { column: CONVERSATION }).await?;
    Ok(rows.into_iter().map(|(conversation, count)| (ConversationId(conversation.0), count)).collect())
}

/// Stores conversations, each once: new ones, or the new content of those that are there. A unique violation means that a
/// booking has another one.
pub async fn put(tx: &mut Tx, conversations: &[&Conversation], now: Timestamp) -> Result<(), StoreError> {
    let rows = conversations.iter().map(|conversation| {
        let Conversation { id, workspace, booking } = **conversation;
        Ok(row![id, workspace, booking])
    });
    tx.execute(&PUT, params![Row::put(rows)?, now]).await?;
    Ok(())
}

/// Something was written in it.
pub async fn touch(tx: &mut Tx, conversation: ConversationId, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(&TOUCH, params![conversation, now]).await?;
    Ok(())
}

/// Stores messages, each once: new ones, or the new content of those that are there.
pub async fn put_messages(tx: &mut Tx, messages: &[&Message], now: Timestamp) -> Result<(), StoreError> {
    let rows = messages.iter().map(|message| {
        let Message { id, conversation, body, content_type, source, sent_at } = message;
        Ok(row![*id, *conversation, body, content_type, source.clone(), *sent_at])
    });
    tx.execute(&PUT_MESSAGES, params![MessageRow::put(rows)?, now]).await?;
    Ok(())
}
