//! Webhooks out: where customers want to be told of changes, who looks after each endpoint, and how it fares.
//!
//! An endpoint is leased as a whole: whoever has the lease is the only one who sends to it, so it is never asked more
//! than a little at once, however many processes there are. `due_at` says when somebody has to look; whoever makes a
//! delivery moves it, and whoever gives the lease back sets it anew while the row is locked, so none is forgotten.

pub mod deliveries;

use crate::events;
use crate::jobs::leases::lease_text;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::lists::{self, ListQuery};
use gateway_database::select::{Condition, Conditions, Part, Table};
use gateway_database::sql::{Sql, ids, params, statements};
use gateway_database::value::{Id, Ts};
use gateway_database::wakeups::Topic;
use gateway_database::{Db, Tx};
use gateway_domain::access::Workspaces;
use gateway_domain::ids::{WebhookId, WorkspaceId};
use gateway_domain_platform::webhooks::Endpoint;
use gateway_domain_platform::webhooks::{Disabled, EventFilter, GivenUp, Health};
use jiff::{SignedDuration, Timestamp};

macro_rules! columns {
    () => {
        "id, workspace_id, url, events, secret, old_secret, old_secret_until, disabled, disabled_at, failures, failing_since, \
         failed_at, succeeded_at, from_position, created_at, updated_at"
    };
}
/// Endpoints as they are listed, each with how many deliveries wait.
pub(crate) const TABLE: Table = Table {
    name: "webhook_endpoint",
    key: "id",
    columns: Sql::both(concat!(
        columns!(),
        ", (SELECT COUNT(*) FROM webhook_delivery d WHERE d.endpoint_id = webhook_endpoint.id AND d.state = 'pending') AS backlog"
    )),
    order: "workspace_id, created_at, id",
    has_workspace: false,
};
/// The same in the order in which they were registered, which their ids say (UUID version 7).
pub(crate) const BY_AGE: Table = Table { order: "id", ..TABLE };

statements! {
    HOLD_WORKSPACE = each ["SELECT id FROM workspace WHERE id = $1", (lock " FOR NO KEY UPDATE")];
    COUNT = "SELECT COUNT(*) FROM webhook_endpoint WHERE workspace_id = $1";
    INSERT = "INSERT INTO webhook_endpoint (id, workspace_id, url, events, secret, from_position, created_at, updated_at)
        SELECT $1, $2, $3, $4, $5, position, $6, $6 FROM feed WHERE name = 'events'";
    FIND = both concat!("SELECT ", columns!(), " FROM webhook_endpoint WHERE id = $1");
    PAGE = both concat!("SELECT ", columns!(), " FROM webhook_endpoint
        WHERE workspace_id = $1 ORDER BY created_at, id LIMIT $2 OFFSET $3");
    OF_WORKSPACES = each ["SELECT ", (columns!), " FROM webhook_endpoint WHERE ", (among "workspace_id", "$1"), " ORDER BY id",
        (lock " FOR NO KEY UPDATE")];
    LOCK = each ["SELECT id FROM webhook_endpoint WHERE ", (among "id", "$1"), " ORDER BY id", (lock " FOR NO KEY UPDATE")];
    GIVEN_UP = "SELECT id, workspace_id, url, disabled, disabled_at FROM webhook_endpoint
        WHERE disabled IN ('failing', 'gone') ORDER BY disabled_at, id LIMIT $1";
    SET_EVENTS = "UPDATE webhook_endpoint SET events = $2, updated_at = $3 WHERE id = $1";
    SET_SECRET = "UPDATE webhook_endpoint SET old_secret = secret, old_secret_until = $3, secret = $2, updated_at = $4
        WHERE id = $1";
    DISABLE = "UPDATE webhook_endpoint SET disabled = $2, disabled_at = $3, updated_at = $3
        WHERE id = $1 AND disabled IS NULL";
    ENABLE = "UPDATE webhook_endpoint SET disabled = NULL, disabled_at = NULL, failures = 0, failing_since = NULL,
            failed_at = NULL, updated_at = $2,
            due_at = (SELECT MIN(d.due_at) FROM webhook_delivery d WHERE d.endpoint_id = $1 AND d.state = 'pending')
        WHERE id = $1 AND disabled IS NOT NULL";
    DELETE = "DELETE FROM webhook_endpoint WHERE id = $1";
    WAKE = each ["UPDATE webhook_endpoint SET due_at = $2
        WHERE ", (among "id", "$1"), " AND (due_at IS NULL OR (due_at > $2 AND (failures = 0 OR $3)))"];
    ANY_DUE = each ["SELECT id FROM webhook_endpoint WHERE due_at <= $1 AND disabled IS NULL
            AND (lease_until IS NULL OR lease_until <= ", (now), "
                OR lease_until > ", (now + "'+15 minutes'"), ") LIMIT 1"];
    NEXT_DUE = each ["SELECT MIN(due_at) FROM webhook_endpoint WHERE due_at IS NOT NULL AND disabled IS NULL
            AND (lease_until IS NULL OR lease_until <= ", (now), "
                OR lease_until > ", (now + "'+15 minutes'"), ")"];
    CLAIM = pg concat!("WITH due AS MATERIALIZED (
            SELECT id AS endpoint_id FROM webhook_endpoint WHERE due_at <= $1 AND disabled IS NULL
                AND (lease_until IS NULL OR lease_until <= clock_timestamp()
                OR lease_until > clock_timestamp() + interval '15 minutes')
            ORDER BY due_at, id LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED)
        UPDATE webhook_endpoint SET lease_owner = $3, lease_until = clock_timestamp() + $4::text::interval
        FROM due WHERE id = due.endpoint_id
        RETURNING ", columns!()),
        sqlite concat!("UPDATE webhook_endpoint SET lease_owner = $3, lease_until = strftime('%Y-%m-%dT%H:%M:%f000Z', 'now', $4)
        WHERE id IN (SELECT id FROM webhook_endpoint WHERE due_at <= $1 AND disabled IS NULL
                AND (lease_until IS NULL OR lease_until <= strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')
                OR lease_until > strftime('%Y-%m-%dT%H:%M:%f000Z', 'now', '+15 minutes'))
            ORDER BY due_at, id LIMIT $2)
        RETURNING ", columns!());
    ANY_BEYOND = "SELECT e.id FROM webhook_endpoint e WHERE e.due_at > $1 OR EXISTS (SELECT 1 FROM webhook_delivery d
        WHERE d.endpoint_id = e.id AND d.state = 'pending' AND d.due_at > $1) LIMIT 1";
    RECALL = "UPDATE webhook_endpoint SET due_at = $2 WHERE due_at > $1 OR EXISTS (SELECT 1 FROM webhook_delivery d
        WHERE d.endpoint_id = webhook_endpoint.id AND d.state = 'pending' AND d.due_at > $1)";
    EXTEND = each ["UPDATE webhook_endpoint SET lease_until = ", (now + "$3"), "
        WHERE ", (among "id", "$1"), " AND lease_owner = $2"];
    FREE_ALL = "UPDATE webhook_endpoint SET lease_owner = NULL, lease_until = NULL
        WHERE lease_owner IS NOT NULL AND (lease_owner = $1 OR $1 IS NULL)";
    // Nobody else's lease is ended, and how an endpoint fares is told by whoever sends to it.
    GIVE_BACK = pg "UPDATE webhook_endpoint SET lease_owner = NULL, lease_until = NULL, failures = $3, failing_since = $4,
            failed_at = $5, succeeded_at = COALESCE($6::timestamptz, succeeded_at),
            due_at = GREATEST((SELECT MIN(d.due_at) FROM webhook_delivery d WHERE d.endpoint_id = $1 AND d.state = 'pending'),
                CASE WHEN EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.endpoint_id = $1 AND d.state = 'pending')
                    THEN $7::timestamptz END)
        WHERE id = $1 AND lease_owner = $2",
        sqlite "UPDATE webhook_endpoint SET lease_owner = NULL, lease_until = NULL, failures = $3, failing_since = $4,
            failed_at = $5, succeeded_at = COALESCE($6, succeeded_at),
            due_at = (SELECT CASE WHEN $7 IS NOT NULL AND $7 > MIN(d.due_at) THEN $7 ELSE MIN(d.due_at) END
                FROM webhook_delivery d WHERE d.endpoint_id = $1 AND d.state = 'pending')
        WHERE id = $1 AND lease_owner = $2";
}

#[derive(sqlx::FromRow)]
struct Row {
    id: Id,
    workspace_id: i64,
    url: String,
    events: String,
    secret: Vec<u8>,
    old_secret: Option<Vec<u8>>,
    old_secret_until: Option<Ts>,
    disabled: Option<String>,
    disabled_at: Option<Ts>,
    failures: i64,
    failing_since: Option<Ts>,
    failed_at: Option<Ts>,
    succeeded_at: Option<Ts>,
    from_position: i64,
    created_at: Ts,
    updated_at: Ts,
}

#[derive(sqlx::FromRow)]
struct WithBacklog {
    #[sqlx(flatten)]
    row: Row,
    backlog: i64,
}

impl TryFrom<Row> for Endpoint {
    type Error = Corrupt;

    fn try_from(row: Row) -> Result<Self, Corrupt> {
        let corrupt = |column, found: &str| Corrupt::new("webhook_endpoint", row.id.0, column, found);
        let names: Vec<String> =
            serde_json::from_str(&row.events).map_err(|_| corrupt("events", &row.events))?;
        let events = EventFilter::parse(names.iter().map(String::as_str))
            .map_err(|_| corrupt("events", &row.events))?;
        let disabled = match (row.disabled, row.disabled_at) {
            (Some(why), Some(at)) => Some((why.parse().map_err(|_| corrupt("disabled", &why))?, at.0)),
            _ => None,
        };
        Ok(Self {
            id: WebhookId(row.id.0),
            workspace: WorkspaceId(row.workspace_id),
            url: row.url,
            events,
            secret: row.secret,
            old_secret: row.old_secret.zip(row.old_secret_until.map(|until| until.0)),
            disabled,
            health: Health {
                failures: u32::try_from(row.failures).unwrap_or(u32::MAX),
                failing_since: row.failing_since.map(|at| at.0),
                failed_at: row.failed_at.map(|at| at.0),
            },
            succeeded_at: row.succeeded_at.map(|at| at.0),
            from_position: row.from_position,
            created_at: row.created_at.0,
            updated_at: row.updated_at.0,
        })
    }
}

fn parsed(rows: Vec<Row>) -> Result<Vec<Endpoint>, StoreError> {
    Ok(rows.into_iter().map(Endpoint::try_from).collect::<Result<_, _>>()?)
}

/// An endpoint to be registered.
#[derive(Debug)]
pub struct NewEndpoint<'a> {
    /// Made by the caller: the secret is sealed for it.
    pub id: WebhookId,
    /// Its changes are told.
    pub workspace: WorkspaceId,
    /// What is told is posted there.
    pub url: &'a str,
    /// What it is told.
    pub events: &'a EventFilter,
    /// The envelope of its secret.
    pub secret: &'a [u8],
}

/// Registers an endpoint, which is told what happens from now on; `false` when the workspace has `max` already. The
/// workspace exists.
pub async fn insert(
    tx: &mut Tx,
    new: &NewEndpoint<'_>,
    max: i64,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let _: Option<(i64,)> = tx.fetch_optional(&HOLD_WORKSPACE, params![new.workspace]).await?;
    let (count,): (i64,) = tx.fetch_one(&COUNT, params![new.workspace]).await?;
    if count >= max {
        return Ok(false);
    }
    // What happened before it, and has no position yet, would else be told to it.
    events::relay_all(tx).await?;
    let events = StoreError::json(&new.events.names())?;
    tx.execute(&INSERT, params![new.id, new.workspace, new.url, events, new.secret, now]).await?;
    Ok(true)
}

/// An endpoint, if the reader may see its workspace.
pub async fn find(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    id: WebhookId,
) -> Result<Option<Endpoint>, StoreError> {
    let row: Option<Row> = on.into().optional(&FIND, params![id]).await?;
    let found = row.map(Endpoint::try_from).transpose()?;
    Ok(found.filter(|endpoint| visible.contain(endpoint.workspace)))
}

/// The endpoints of a workspace, the oldest first.
pub async fn page(
    on: impl Into<Executor<'_>>,
    workspace: WorkspaceId,
    limit: i64,
    skip: i64,
) -> Result<Vec<Endpoint>, StoreError> {
    parsed(on.into().all(&PAGE, params![workspace, limit, skip]).await?)
}

/// How many endpoints a workspace has.
pub async fn count(on: impl Into<Executor<'_>>, workspace: WorkspaceId) -> Result<i64, StoreError> {
    let (count,): (i64,) = on.into().one(&COUNT, params![workspace]).await?;
    Ok(count)
}

/// The endpoints of all workspaces that the reader may see, each with how many deliveries wait.
pub async fn all(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    limit: i64,
    skip: i64,
) -> Result<Vec<(Endpoint, i64)>, StoreError> {
    let Some(select) = query(visible).select(TABLE) else { return Ok(Vec::new()) };
    let part = Part::Window { offset: skip, size: limit };
    let rows: Vec<WithBacklog> = on.into().rows(&select, part).await?;
    let parsed = rows.into_iter().map(|row| Ok((Endpoint::try_from(row.row)?, row.backlog)));
    Ok(parsed.collect::<Result<_, Corrupt>>()?)
}

/// The endpoints of all workspaces that the reader may see that were registered after another one, the oldest first.
pub async fn after(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    after: Option<WebhookId>,
    limit: i64,
) -> Result<Vec<Endpoint>, StoreError> {
    let behind = after.map(|id| Condition::new("id > ?", params![id]));
    let query = query(visible).and_where(behind);
    lists::part::<Row, _>(on.into(), BY_AGE, query, Part::First(limit)).await
}

/// Endpoints by their ids; those that do not exist or are not visible are absent.
pub async fn by_ids(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    ids: &[WebhookId],
) -> Result<Vec<Endpoint>, StoreError> {
    lists::by_ids::<Row, _>(on.into(), TABLE, visible, ids).await
}

/// How many endpoints there are.
pub async fn count_all(on: impl Into<Executor<'_>>, visible: &Workspaces) -> Result<i64, StoreError> {
    lists::count(on.into(), TABLE, query(visible)).await
}

/// The endpoints that nobody switched off and that are told nothing any more, the first one first.
pub async fn given_up(on: impl Into<Executor<'_>>, limit: i64) -> Result<Vec<GivenUp>, StoreError> {
    let rows: Vec<(Id, i64, String, String, Ts)> = on.into().all(&GIVEN_UP, params![limit]).await?;
    let parsed = rows.into_iter().map(|(id, workspace, url, why, since)| {
        let corrupt = || Corrupt::new("webhook_endpoint", id.0, "disabled", &why);
        let why = why.parse().map_err(|_| corrupt())?;
        let (id, workspace) = (WebhookId(id.0), WorkspaceId(workspace));
        Ok(GivenUp { id, workspace, url, why, since: since.0 })
    });
    Ok(parsed.collect::<Result<_, Corrupt>>()?)
}

pub(crate) fn query(visible: &Workspaces) -> ListQuery<'_> {
    ListQuery { visible, workspace: None, ids: None, conditions: Conditions::default() }
}

/// Every endpoint of some workspaces, held until the transaction ends.
pub async fn of_workspaces(tx: &mut Tx, workspaces: &[WorkspaceId]) -> Result<Vec<Endpoint>, StoreError> {
    let list = workspaces.iter().map(|workspace| workspace.0).collect();
    parsed(tx.fetch_all(&OF_WORKSPACES, vec![gateway_database::sql::Param::Ints(Some(list))]).await?)
}

/// Holds endpoints until the transaction ends; whoever holds several takes them all at once.
pub async fn lock(tx: &mut Tx, endpoints: &[WebhookId]) -> Result<(), StoreError> {
    let _: Vec<(Id,)> = tx.fetch_all(&LOCK, vec![ids(endpoints)]).await?;
    Ok(())
}

/// Changes what an endpoint is told.
pub async fn set_events(
    tx: &mut Tx,
    id: WebhookId,
    events: &EventFilter,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(&SET_EVENTS, params![id, StoreError::json(&events.names())?, now]).await?;
    Ok(())
}

/// Gives an endpoint another secret; the present one signs too until `old_until`, and the one before no more.
pub async fn set_secret(
    tx: &mut Tx,
    id: WebhookId,
    secret: &[u8],
    old_until: Timestamp,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(&SET_SECRET, params![id, secret, old_until, now]).await?;
    Ok(())
}

/// Sends nothing more; `false` when nothing was sent before.
pub async fn disable(tx: &mut Tx, id: WebhookId, why: Disabled, now: Timestamp) -> Result<bool, StoreError> {
    Ok(tx.execute(&DISABLE, params![id, why.as_str(), now]).await? == 1)
}

/// Sends again, what waits first; `false` when it was not disabled. The caller holds the endpoint.
pub async fn enable(tx: &mut Tx, id: WebhookId, now: Timestamp) -> Result<bool, StoreError> {
    let enabled = tx.execute(&ENABLE, params![id, now]).await? == 1;
    if enabled {
        tx.wake_after_commit(Topic::Webhooks);
    }
    Ok(enabled)
}

/// Removes an endpoint with its deliveries; `false` when there is none.
pub async fn delete(tx: &mut Tx, id: WebhookId) -> Result<bool, StoreError> {
    Ok(tx.execute(&DELETE, params![id]).await? == 1)
}

/// There is something to send to endpoints, after it was written. One that fails is left alone as long as it was to be,
/// unless somebody `insists`.
pub async fn wake(
    tx: &mut Tx,
    endpoints: &[WebhookId],
    now: Timestamp,
    insists: bool,
) -> Result<(), StoreError> {
    let mut arguments = vec![ids(endpoints)];
    arguments.extend(params![now, insists]);
    tx.execute(&WAKE, arguments).await?;
    tx.wake_after_commit(Topic::Webhooks);
    Ok(())
}

/// Takes up to `limit` endpoints that somebody has to look after at `now`, for as long as `lease` by the database's
/// clock. Two claimers never get the same one. Costs a read when there are none.
pub async fn claim(
    db: &Db,
    owner: &str,
    now: Timestamp,
    lease: SignedDuration,
    limit: i64,
) -> Result<Vec<Endpoint>, StoreError> {
    if !Executor::from(db).exists(&ANY_DUE, params![now]).await? {
        return Ok(Vec::new());
    }
    let mut tx = db.begin().await?;
    let rows: Vec<Row> = tx.fetch_all(&CLAIM, params![now, limit, owner, lease_text(lease)]).await?;
    tx.commit_at("endpoints-claimed").await?;
    parsed(rows)
}

/// When the next endpoint is due that nobody has, already or later; none: nothing is to be sent.
pub async fn next_due(on: impl Into<Executor<'_>>) -> Result<Option<Timestamp>, StoreError> {
    let (at,): (Option<Ts>,) = on.into().one(&NEXT_DUE, params![]).await?;
    Ok(at.map(|at| at.0))
}

/// Whether an endpoint, or something for it, is due later than `horizon`.
pub async fn any_beyond(on: impl Into<Executor<'_>>, horizon: Timestamp) -> Result<bool, StoreError> {
    on.into().exists(&ANY_BEYOND, params![horizon]).await
}

/// Makes endpoints due now that are due later than `horizon`, or have something that is, and says how many there were.
pub async fn recall(tx: &mut Tx, horizon: Timestamp, now: Timestamp) -> Result<u64, StoreError> {
    let recalled = tx.execute(&RECALL, params![horizon, now]).await?;
    tx.wake_after_commit(Topic::Webhooks);
    Ok(recalled)
}

/// Keeps endpoints that `owner` has for as long as `lease` from now on.
pub async fn extend(
    tx: &mut Tx,
    endpoints: &[WebhookId],
    owner: &str,
    lease: SignedDuration,
) -> Result<u64, StoreError> {
    let mut arguments = vec![ids(endpoints)];
    arguments.extend(params![owner, lease_text(lease)]);
    tx.execute(&EXTEND, arguments).await
}

/// Gives every endpoint of `owner` back, or those of everybody: only for whoever holds the instance lock of a SQLite
/// file.
pub async fn free_all(tx: &mut Tx, owner: Option<&str>) -> Result<u64, StoreError> {
    tx.execute(&FREE_ALL, params![owner.map(str::to_owned)]).await
}

/// Gives an endpoint back with how it fares now, to be looked after when its next delivery is due, but not before
/// `not_before`. `false` when somebody else has it by now. The caller holds it.
pub async fn give_back(
    tx: &mut Tx,
    id: WebhookId,
    owner: &str,
    health: Health,
    succeeded_at: Option<Timestamp>,
    not_before: Option<Timestamp>,
) -> Result<bool, StoreError> {
    let arguments = params![
        id,
        owner,
        i64::from(health.failures),
        health.failing_since,
        health.failed_at,
        succeeded_at,
        not_before,
    ];
    Ok(tx.execute(&GIVE_BACK, arguments).await? == 1)
}

#[cfg(test)]
mod tests;
