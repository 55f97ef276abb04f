//! Webhooks out: what is told, to which endpoint, and what became of each try.

use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::select::{Condition, Conditions, Part, Scope, Select, Table};
use gateway_database::sql::{Param, Sql, ids, params, statements};
use gateway_database::value::{Id, Ts};
use gateway_database::{Db, Tx};
use gateway_domain::ids::{DeliveryId, EventId, WebhookId, WorkspaceId};
use gateway_domain_lists::PageKey;
use gateway_domain_platform::webhooks::{Delivery, DeliveryAttempt};
use gateway_domain_platform::webhooks::{DeliveryState, EventType};
use jiff::Timestamp;
use serde::Serialize;
use std::collections::HashMap;
use uuid::Uuid;

/// Deliveries as they are listed. What a delivery shows is not read of those that are passed over.
pub(crate) const TABLE: Table = Table {
    name: "webhook_delivery",
    key: "id",
    columns: Sql::both("id"),
    order: "created_at DESC, id DESC",
    has_workspace: false,
};

/// What an attempt has besides its delivery.
macro_rules! attempt_columns {
    () => {
        "at, duration_ms, status, error, detail"
    };
}

statements! {
    PUT_MESSAGES = each ["INSERT INTO webhook_message (id, workspace_id, type, position, time, body, created_at)
        SELECT id, workspace_id, kind, position, time, body, $2 FROM ",
        (rows "$1" as message: id UUID, workspace_id BIGINT, kind TEXT, position BIGINT, time TIMESTAMPTZ, body TEXT), "
        WHERE true ON CONFLICT DO NOTHING"];
    PUT_DELIVERIES = each ["INSERT INTO webhook_delivery (id, endpoint_id, message_id, state, due_at, created_at)
        SELECT id, endpoint, message, 'pending', $2, $2 FROM ", (rows "$1" as delivery: id UUID, endpoint UUID, message UUID), "
        WHERE true ON CONFLICT DO NOTHING"];
    DUE = "SELECT d.id, d.message_id, d.attempts, m.type, m.body, e.traceparent
        FROM webhook_delivery d JOIN webhook_message m ON m.id = d.message_id LEFT JOIN event e ON e.id = m.id
        WHERE d.endpoint_id = $1 AND d.state = 'pending' AND d.due_at <= $2
        ORDER BY d.due_at, m.position, d.id LIMIT $3";
    SETTLE = each ["UPDATE webhook_delivery SET state = result.state, attempts = result.attempts,
            due_at = COALESCE(result.due_at, webhook_delivery.due_at), done_at = result.done_at
        FROM ",
        (rows "$1" as result: id UUID, state TEXT, attempts BIGINT, due_at TIMESTAMPTZ, done_at TIMESTAMPTZ), "
        WHERE webhook_delivery.id = result.id AND (webhook_delivery.state = 'pending' OR result.state = 'delivered')
        RETURNING webhook_delivery.id"];
    PUT_ATTEMPTS = each ["INSERT INTO webhook_attempt (delivery_id, ", (attempt_columns!), ")
        SELECT id, ", (attempt_columns!), " FROM ",
        (rows "$1" as attempt: id UUID, at TIMESTAMPTZ, duration_ms BIGINT, status BIGINT, error TEXT, detail TEXT)];
    LOGGED = each ["SELECT d.id, d.endpoint_id, d.message_id, d.state, d.attempts, d.due_at, d.done_at, d.created_at, m.type,
            m.position, m.time FROM webhook_delivery d JOIN webhook_message m ON m.id = d.message_id
        WHERE ", (among "d.id", "$1"), " ORDER BY d.created_at DESC, d.id DESC"];
    OF_ENDPOINT = "SELECT id FROM webhook_delivery WHERE endpoint_id = $1 AND id = $2";
    ATTEMPTS = each ["SELECT delivery_id, ", (attempt_columns!), " FROM webhook_attempt
        WHERE ", (among "delivery_id", "$1"), " ORDER BY ord"];
    REPLAY = "UPDATE webhook_delivery SET state = 'pending', attempts = 0, due_at = $3, done_at = NULL
        WHERE endpoint_id = $1 AND id = $2";
    IN_RANGE = each ["SELECT m.id, d.id AS delivery FROM webhook_message m
            LEFT JOIN webhook_delivery d ON d.message_id = m.id AND d.endpoint_id = $1
        WHERE m.workspace_id = $2 AND m.time >= $3 AND m.time <= $4 AND m.position IS NOT NULL
            AND m.type IN ", (words "$5"), "
            AND NOT EXISTS (SELECT 1 FROM event e WHERE e.id = m.id AND e.subject = $1)
        ORDER BY m.time, m.position LIMIT $6"];
    REPLAY_ALL = each ["UPDATE webhook_delivery SET state = 'pending', attempts = 0, due_at = $2, done_at = NULL
        WHERE ", (among "id", "$1")];
    RECALL = "UPDATE webhook_delivery SET due_at = $2 WHERE state = 'pending' AND due_at > $1";
    PRUNE = "DELETE FROM webhook_message
        WHERE id IN (SELECT id FROM webhook_message WHERE created_at < $1 ORDER BY created_at LIMIT $2)";
    ANY_OLD = "SELECT id FROM webhook_message WHERE created_at < $1 LIMIT 1";
    BACKLOG = "SELECT COUNT(*) AS backlog, MIN(d.due_at) AS oldest FROM webhook_delivery d
        JOIN webhook_endpoint e ON e.id = d.endpoint_id WHERE d.state = 'pending' AND e.disabled IS NULL";
}

/// An event as customers are told it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The event's id: every endpoint is told it, at every try.
    pub id: EventId,
    /// Whose endpoints are told it.
    pub workspace: WorkspaceId,
    /// Endpoints choose by it what they are told.
    pub event: EventType,
    /// Its place in the feed; none for a test.
    pub position: Option<i64>,
    /// When it happened.
    pub time: Timestamp,
    /// JSON, sent and signed byte for byte.
    pub body: String,
}

/// A message for an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct NewDelivery {
    /// Made by the caller; used only where the endpoint has no delivery of this message.
    pub id: DeliveryId,
    /// The endpoint it is sent to.
    pub endpoint: WebhookId,
    /// The message, which is kept already.
    pub message: EventId,
}

#[derive(Serialize)]
struct MessageOut<'a> {
    id: Uuid,
    workspace_id: i64,
    kind: &'a str,
    position: Option<i64>,
    time: String,
    body: &'a str,
}

/// Keeps messages; those that are there stay as they are.
pub async fn put_messages(tx: &mut Tx, messages: &[Message], now: Timestamp) -> Result<(), StoreError> {
    let out = |message: &Message| -> Result<String, StoreError> {
        StoreError::json(&MessageOut {
            id: message.id.0,
            workspace_id: message.workspace.0,
            kind: message.event.as_str(),
            position: message.position,
            time: Ts(message.time).text(),
            body: &message.body,
        })
    };
    let rows = messages.iter().map(out).collect::<Result<Vec<_>, _>>()?;
    if !rows.is_empty() {
        tx.execute(&PUT_MESSAGES, params![format!("[{}]", rows.join(",")), now]).await?;
    }
    Ok(())
}

/// Makes deliveries, due now; those that are there stay as they are. Wake the endpoints in the same transaction.
pub async fn put(tx: &mut Tx, new: &[NewDelivery], now: Timestamp) -> Result<(), StoreError> {
    if !new.is_empty() {
        tx.execute(&PUT_DELIVERIES, params![StoreError::json(&new)?, now]).await?;
    }
    Ok(())
}

/// A delivery to be tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Due {
    /// Comes back in [`DeliveryResult`].
    pub id: DeliveryId,
    /// `webhook-id`.
    pub message: EventId,
    /// How often it was tried, since it was made or replayed.
    pub attempts: u32,
    /// What it tells.
    pub event: EventType,
    /// JSON, sent and signed byte for byte.
    pub body: String,
    /// The trace of what it tells; none where none is kept.
    pub traceparent: Option<String>,
}

#[derive(sqlx::FromRow)]
struct DueRow {
    id: Id,
    message_id: Id,
    attempts: i64,
    r#type: String,
    body: String,
    traceparent: Option<String>,
}

fn event(id: Id, text: &str) -> Result<EventType, Corrupt> {
    text.parse().map_err(|_| Corrupt::new("webhook_message", id.0, "type", text))
}

/// What is to be sent to an endpoint at `now`, the longest waiting first and else in the order of the feed.
pub async fn due(
    on: impl Into<Executor<'_>>,
    endpoint: WebhookId,
    now: Timestamp,
    limit: i64,
) -> Result<Vec<Due>, StoreError> {
    let rows: Vec<DueRow> = on.into().all(&DUE, params![endpoint, now, limit]).await?;
    let parsed = rows.into_iter().map(|row| {
        Ok(Due {
            id: DeliveryId(row.id.0),
            message: EventId(row.message_id.0),
            attempts: u32::try_from(row.attempts).unwrap_or(u32::MAX),
            event: event(row.message_id, &row.r#type)?,
            body: row.body,
            traceparent: row.traceparent,
        })
    });
    Ok(parsed.collect::<Result<_, Corrupt>>()?)
}

/// What became of a delivery that was tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryResult {
    /// From [`Due`].
    pub id: DeliveryId,
    /// How often it was tried now.
    pub attempts: u32,
    /// How far it is.
    pub state: DeliveryState,
    /// When it is tried again.
    pub due_at: Option<Timestamp>,
    /// Added to the log of the delivery.
    pub attempt: DeliveryAttempt,
}

#[derive(Serialize)]
struct DeliveryResultRow<'a> {
    id: Uuid,
    state: &'a str,
    attempts: u32,
    due_at: Option<String>,
    done_at: Option<String>,
}

#[derive(Serialize)]
struct AttemptOut<'a> {
    id: Uuid,
    at: String,
    duration_ms: i64,
    status: Option<u16>,
    error: Option<&'a str>,
    detail: String,
}

/// Writes down what became of deliveries. Those that were removed meanwhile are passed over, and those that somebody who
/// took the endpoint over brought to an end, unless this one arrived. The caller holds the endpoints.
pub async fn settle(tx: &mut Tx, results: &[&DeliveryResult], now: Timestamp) -> Result<(), StoreError> {
    if results.is_empty() {
        return Ok(());
    }
    let states: Vec<_> = results
        .iter()
        .map(|result| DeliveryResultRow {
            id: result.id.0,
            state: result.state.as_str(),
            attempts: result.attempts,
            due_at: result.due_at.map(|at| Ts(at).text()),
            done_at: (result.state != DeliveryState::Pending).then(|| Ts(now).text()),
        })
        .collect();
    let there: Vec<(Id,)> = tx.fetch_all(&SETTLE, params![StoreError::json(&states)?]).await?;
    let attempts: Vec<_> = results
        .iter()
        .filter(|result| there.iter().any(|(id,)| id.0 == result.id.0))
        .map(|result| AttemptOut {
            id: result.id.0,
            at: Ts(result.attempt.at).text(),
            duration_ms: result.attempt.duration_ms,
            status: result.attempt.status,
            error: result.attempt.error.as_deref(),
            detail: result.attempt.detail.replace('\0', "\u{FFFD}"),
        })
        .collect();
    tx.execute(&PUT_ATTEMPTS, params![StoreError::json(&attempts)?]).await?;
    Ok(())
}

#[derive(sqlx::FromRow)]
struct LogRow {
    id: Id,
    endpoint_id: Id,
    message_id: Id,
    state: String,
    due_at: Ts,
    done_at: Option<Ts>,
    created_at: Ts,
    r#type: String,
    position: Option<i64>,
    time: Ts,
}

#[derive(sqlx::FromRow)]
struct AttemptRow {
    delivery_id: Id,
    at: Ts,
    duration_ms: i64,
    status: Option<i64>,
    error: Option<String>,
    detail: String,
}

/// The deliveries with their tries, the newest first.
async fn logged(mut on: Executor<'_>, ids: Vec<(Id,)>) -> Result<Vec<Delivery>, StoreError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ids = Param::Ids(Some(ids.into_iter().map(|(id,)| id).collect()));
    let rows: Vec<LogRow> = on.reborrow().all(&LOGGED, vec![ids.clone()]).await?;
    let tries: Vec<AttemptRow> = on.all(&ATTEMPTS, vec![ids]).await?;
    let mut attempts: HashMap<Uuid, Vec<DeliveryAttempt>> = HashMap::new();
    for row in tries {
        attempts.entry(row.delivery_id.0).or_default().push(DeliveryAttempt {
            at: row.at.0,
            duration_ms: row.duration_ms,
            status: row.status.and_then(|status| u16::try_from(status).ok()),
            error: row.error,
            detail: row.detail,
        });
    }
    let parsed = rows.into_iter().map(|row| {
        let state: DeliveryState =
            row.state.parse().map_err(|_| Corrupt::new("webhook_delivery", row.id.0, "state", &row.state))?;
        Ok(Delivery {
            id: DeliveryId(row.id.0),
            endpoint: WebhookId(row.endpoint_id.0),
            message: EventId(row.message_id.0),
            event: event(row.message_id, &row.r#type)?,
            position: row.position,
            time: row.time.0,
            due_at: (state == DeliveryState::Pending).then_some(row.due_at.0),
            state,
            done_at: row.done_at.map(|at| at.0),
            created_at: row.created_at.0,
            attempts: attempts.remove(&row.id.0).unwrap_or_default(),
        })
    });
    Ok(parsed.collect::<Result<_, Corrupt>>()?)
}

/// The deliveries of an endpoint, in a state or in any.
pub(crate) fn select(endpoint: WebhookId, state: Option<DeliveryState>) -> Select {
    let conditions = Conditions::default()
        .and("endpoint_id = ?", Some(endpoint))
        .word("state", state.map(DeliveryState::as_str));
    Select { table: TABLE, scope: Scope::All, conditions }
}

/// Deliveries of an endpoint with their tries, the newest first.
pub async fn log(
    on: impl Into<Executor<'_>>,
    endpoint: WebhookId,
    state: Option<DeliveryState>,
    limit: i64,
    skip: i64,
) -> Result<Vec<Delivery>, StoreError> {
    let mut on = on.into();
    let part = Part::Window { offset: skip, size: limit };
    let ids: Vec<(Id,)> = on.reborrow().rows(&select(endpoint, state), part).await?;
    logged(on, ids).await
}

/// The same behind a place of the log.
pub async fn log_behind(
    on: impl Into<Executor<'_>>,
    endpoint: WebhookId,
    state: Option<DeliveryState>,
    place: Option<PageKey>,
    limit: i64,
) -> Result<Vec<Delivery>, StoreError> {
    let mut on = on.into();
    let mut select = select(endpoint, state);
    let older = place.map(|(at, id)| Condition::new("(created_at, id) < (?, ?)", params![at, id]));
    select.conditions = select.conditions.and_where(older);
    let ids: Vec<(Id,)> = on.reborrow().rows(&select, Part::First(limit)).await?;
    logged(on, ids).await
}

/// One delivery of an endpoint with its tries.
pub async fn find(
    on: impl Into<Executor<'_>>,
    endpoint: WebhookId,
    id: DeliveryId,
) -> Result<Option<Delivery>, StoreError> {
    let mut on = on.into();
    let found: Option<(Id,)> = on.reborrow().optional(&OF_ENDPOINT, params![endpoint, id]).await?;
    Ok(logged(on, found.into_iter().collect()).await?.pop())
}

/// How many deliveries of an endpoint there are.
pub async fn count(
    on: impl Into<Executor<'_>>,
    endpoint: WebhookId,
    state: Option<DeliveryState>,
) -> Result<i64, StoreError> {
    on.into().count(&select(endpoint, state)).await
}

/// Sends a delivery again, from the first try on; `false` when the endpoint has none of this id. Wake the endpoint.
pub async fn replay(
    tx: &mut Tx,
    endpoint: WebhookId,
    id: DeliveryId,
    now: Timestamp,
) -> Result<bool, StoreError> {
    Ok(tx.execute(&REPLAY, params![endpoint, id, now]).await? == 1)
}

/// What happened in a workspace from `from` to `to`, both included, and of what is among `events`: the ids of up to `limit`
/// messages, with the delivery to the endpoint if there is one. What is about the endpoint itself is left out.
pub async fn in_range(
    on: impl Into<Executor<'_>>,
    (endpoint, workspace): (WebhookId, WorkspaceId),
    (from, to): (Timestamp, Timestamp),
    events: &[&str],
    limit: i64,
) -> Result<Vec<(EventId, Option<DeliveryId>)>, StoreError> {
    let arguments = params![endpoint, workspace, from, to, StoreError::json(&events)?, limit];
    let rows: Vec<(Id, Option<Id>)> = on.into().all(&IN_RANGE, arguments).await?;
    Ok(rows.into_iter().map(|(id, delivery)| (EventId(id.0), delivery.map(|id| DeliveryId(id.0)))).collect())
}

/// Sends deliveries again, from the first try on. Wake the endpoints.
pub async fn replay_all(tx: &mut Tx, deliveries: &[DeliveryId], now: Timestamp) -> Result<(), StoreError> {
    let mut arguments = vec![ids(deliveries)];
    arguments.push(Param::from(now));
    tx.execute(&REPLAY_ALL, arguments).await?;
    Ok(())
}

/// Makes deliveries that are due later than `horizon` due now, and says how many there were. Recall the endpoints before
/// that, in the same transaction.
pub async fn recall(tx: &mut Tx, horizon: Timestamp, now: Timestamp) -> Result<u64, StoreError> {
    tx.execute(&RECALL, params![horizon, now]).await
}

/// Forgets up to `limit` messages from before an instant, with their deliveries and tries; says how many. Costs a read
/// when there are none.
pub async fn prune(db: &Db, before: Timestamp, limit: i64) -> Result<u64, StoreError> {
    if !Executor::from(db).exists(&ANY_OLD, params![before]).await? {
        return Ok(0);
    }
    let mut tx = db.begin().await?;
    let gone = tx.execute(&PRUNE, params![before, limit]).await?;
    tx.commit_at("messages-pruned").await?;
    Ok(gone)
}

/// How many deliveries wait for endpoints that are not disabled, and since when the longest waiting is due, or when the
/// first will be.
pub async fn backlog(on: impl Into<Executor<'_>>) -> Result<(i64, Option<Timestamp>), StoreError> {
    let (count, oldest): (i64, Option<Ts>) = on.into().one(&BACKLOG, params![]).await?;
    Ok((count, oldest.map(|at| at.0)))
}
