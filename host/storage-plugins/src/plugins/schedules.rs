//! Versions that come in force at a time.

use super::{key, scope, workspace_of};
use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::sql::{params, statements};
use gateway_database::value::Ts;
use gateway_domain::access::Actor;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::regime::{PluginRef, RegimeKey};
use jiff::Timestamp;

macro_rules! schedules {
    () => {
        "SELECT s.key, s.workspace_id, s.due_at, s.version, v.digest, s.at, s.actor, s.problem \
         FROM plugin_schedule s JOIN plugin_version v ON v.key = s.key AND v.version = s.version"
    };
}

statements! {
    SCHEDULED = both concat!(schedules!(), " ORDER BY s.due_at, s.key, s.workspace_id");
    DUE = both concat!(schedules!(), " WHERE s.due_at <= $1 ORDER BY s.due_at, s.key, s.workspace_id");
    PUT = "INSERT INTO plugin_schedule (key, workspace_id, due_at, version, at, actor, problem)
        VALUES ($1, $2, $3, $4, $5, $6, NULL)
        ON CONFLICT (key, workspace_id, due_at) DO UPDATE SET version = excluded.version, at = excluded.at,
            actor = excluded.actor, problem = NULL";
    REMOVE = "DELETE FROM plugin_schedule WHERE key = $1 AND workspace_id = $2 AND due_at = $3 AND version = $4";
    REMOVE_VERSION = "DELETE FROM plugin_schedule WHERE key = $1 AND workspace_id = $2 AND version = $3";
    HINDER = "UPDATE plugin_schedule SET problem = $5
        WHERE key = $1 AND workspace_id = $2 AND due_at = $3 AND version = $4 AND problem IS NULL";
}

/// A version that comes in force at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// Key, version and digest.
    pub plugin: PluginRef,
    /// For whom; none: every workspace without a version of its own.
    pub workspace: Option<WorkspaceId>,
    /// When.
    pub due_at: Timestamp,
    /// When somebody ordered it.
    pub at: Timestamp,
    /// Who did.
    pub actor: Actor,
    /// What kept it from coming in force when it was due, one sentence.
    pub problem: Option<String>,
}

#[derive(sqlx::FromRow)]
struct ScheduleRow {
    key: String,
    workspace_id: i64,
    due_at: Ts,
    version: String,
    digest: String,
    at: Ts,
    actor: String,
    problem: Option<String>,
}

impl TryFrom<ScheduleRow> for Schedule {
    type Error = Corrupt;

    fn try_from(row: ScheduleRow) -> Result<Self, Corrupt> {
        let ScheduleRow { key: name, workspace_id, due_at, version, digest, at, actor, problem } = row;
        let plugin = PluginRef { key: key(name)?, version, digest };
        let workspace = workspace_of(workspace_id);
        Ok(Self { plugin, workspace, due_at: due_at.0, at: at.0, actor: Actor(actor), problem })
    }
}

/// Everything that is scheduled, the earliest first.
pub async fn scheduled(on: impl Into<Executor<'_>>) -> Result<Vec<Schedule>, StoreError> {
    schedules(on.into().all(&SCHEDULED, params![]).await?)
}

/// What is due, the earliest first, with what could not be carried out before.
pub async fn due(on: impl Into<Executor<'_>>, now: Timestamp) -> Result<Vec<Schedule>, StoreError> {
    schedules(on.into().all(&DUE, params![now]).await?)
}

fn schedules(rows: Vec<ScheduleRow>) -> Result<Vec<Schedule>, StoreError> {
    Ok(rows.into_iter().map(Schedule::try_from).collect::<Result<_, _>>()?)
}

/// Schedules a version in the place of another one that was to come in force there at the same time.
pub async fn put(tx: &mut Tx, schedule: &Schedule) -> Result<(), StoreError> {
    let Schedule { plugin, workspace, due_at, at, actor, problem: _ } = schedule;
    let params = params![plugin.key.as_str(), scope(*workspace), *due_at, &plugin.version, *at, &actor.0];
    tx.execute(&PUT, params).await.map(drop)
}

/// Takes one away; `false` when it was carried out or taken back meanwhile.
pub async fn remove(tx: &mut Tx, schedule: &Schedule) -> Result<bool, StoreError> {
    let Schedule { plugin, workspace, due_at, .. } = schedule;
    let params = params![plugin.key.as_str(), scope(*workspace), *due_at, &plugin.version];
    Ok(tx.execute(&REMOVE, params).await? == 1)
}

/// Takes away every time at which a version was to come in force there, and answers how many there were.
pub async fn remove_version(
    tx: &mut Tx,
    key: &RegimeKey,
    version: &str,
    workspace: Option<WorkspaceId>,
) -> Result<u64, StoreError> {
    tx.execute(&REMOVE_VERSION, params![key.as_str(), scope(workspace), version]).await
}

/// Keeps what kept a version from coming in force; `false` when something is kept already.
pub async fn hinder(tx: &mut Tx, schedule: &Schedule, problem: &str) -> Result<bool, StoreError> {
    let Schedule { plugin, workspace, due_at, .. } = schedule;
    let params = params![plugin.key.as_str(), scope(*workspace), *due_at, &plugin.version, problem];
    Ok(tx.execute(&HINDER, params).await? == 1)
}
