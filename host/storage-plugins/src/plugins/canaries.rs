//! Versions that serve a share of the documents beside the version in force.
//!
//! A canary counts as long as the activation counts that it was started beside. Whoever changes what is in force need not know
//! of canaries, not even a release of the gateway from before there were any: the ones that it ended are read no more, and
//! [`remove_ended`] takes their rows away.

use super::{key, scope, workspace_of};
use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::sql::{params, statements};
use gateway_domain::access::Actor;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::regime::{CanaryShare, PluginRef, RegimeKey};
use jiff::Timestamp;

macro_rules! canaries {
    () => {
        "SELECT c.key, c.workspace_id, c.version, v.digest, c.percent, c.beside, c.generation, \
         v.blocked_at IS NOT NULL AS blocked \
         FROM plugin_canary c JOIN plugin_version v ON v.key = c.key AND v.version = c.version"
    };
}

/// The activation in force where a canary `c` is: that of its workspace, else the one for everybody; 0 where none is.
macro_rules! in_force_there {
    () => {
        "COALESCE((SELECT a.generation FROM plugin_activation a \
         WHERE a.key = c.key AND a.workspace_id IN (0, c.workspace_id) AND a.version IS NOT NULL \
         AND NOT EXISTS (SELECT 1 FROM plugin_activation b WHERE b.key = a.key \
         AND b.workspace_id = a.workspace_id AND b.generation > a.generation) \
         ORDER BY a.workspace_id DESC LIMIT 1), 0)"
    };
}

statements! {
    STANDING = both concat!(canaries!(), " WHERE c.beside = ", in_force_there!(), " ORDER BY c.key, c.workspace_id");
    STANDING_AT = both concat!(canaries!(), " WHERE c.key = $1 AND c.workspace_id = $2 AND c.beside = ", in_force_there!());
    ENDED = both concat!(canaries!(), " WHERE c.key = $1 AND c.beside <> ", in_force_there!(), " ORDER BY c.workspace_id");
    PUT = "INSERT INTO plugin_canary (key, workspace_id, version, percent, beside, generation, at, actor)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        ON CONFLICT (key, workspace_id) DO UPDATE SET version = excluded.version, percent = excluded.percent,
            beside = excluded.beside, generation = excluded.generation, at = excluded.at, actor = excluded.actor";
    REMOVE = "DELETE FROM plugin_canary WHERE key = $1 AND workspace_id = $2";
}

/// A version that serves a share of the documents beside the version in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Canary {
    /// Key, version and digest.
    pub plugin: PluginRef,
    /// Of whose documents; none: of every workspace without a version of its own.
    pub workspace: Option<WorkspaceId>,
    /// How many of them.
    pub share: CanaryShare,
    /// The generation of the activation that it stands beside.
    pub beside: i64,
    /// The change that started it, or gave it this share.
    pub generation: i64,
    /// Whether it misbehaved and serves nobody until it is activated again.
    pub blocked: bool,
}

#[derive(sqlx::FromRow)]
struct CanaryRow {
    key: String,
    workspace_id: i64,
    version: String,
    digest: String,
    percent: i64,
    beside: i64,
    generation: i64,
    blocked: bool,
}

impl TryFrom<CanaryRow> for Canary {
    type Error = Corrupt;

    fn try_from(row: CanaryRow) -> Result<Self, Corrupt> {
        let share = CanaryShare::try_from(row.percent);
        let share = share.map_err(|error| Corrupt::new("plugin_canary", &row.key, "percent", error.0))?;
        let CanaryRow { workspace_id, version, digest, beside, generation, blocked, .. } = row;
        let plugin = PluginRef { key: key(row.key)?, version, digest };
        Ok(Self { plugin, workspace: workspace_of(workspace_id), share, beside, generation, blocked })
    }
}

/// Every canary that counts, blocked ones included.
pub async fn standing(on: impl Into<Executor<'_>>) -> Result<Vec<Canary>, StoreError> {
    let rows: Vec<CanaryRow> = on.into().all(&STANDING, params![]).await?;
    Ok(rows.into_iter().map(Canary::try_from).collect::<Result<_, _>>()?)
}

/// The canary that counts for a key and a workspace.
pub async fn standing_at(
    on: impl Into<Executor<'_>>,
    key: &RegimeKey,
    workspace: Option<WorkspaceId>,
) -> Result<Option<Canary>, StoreError> {
    let row: Option<CanaryRow> =
        on.into().optional(&STANDING_AT, params![key.as_str(), scope(workspace)]).await?;
    Ok(row.map(Canary::try_from).transpose()?)
}

/// Starts a canary in the place of the one before for its key and workspace, under the generation that
/// [`next_generation`](super::next_generation) gave.
pub async fn put(tx: &mut Tx, canary: &Canary, actor: &Actor, now: Timestamp) -> Result<(), StoreError> {
    let Canary { plugin, workspace, share, beside, generation, blocked: _ } = canary;
    let params = params![
        plugin.key.as_str(),
        scope(*workspace),
        &plugin.version,
        i64::from(share.percent()),
        *beside,
        *generation,
        now,
        &actor.0
    ];
    tx.execute(&PUT, params).await.map(drop)
}

/// Ends the canary of a key and a workspace; `false` when there is none.
pub async fn remove(
    tx: &mut Tx,
    key: &RegimeKey,
    workspace: Option<WorkspaceId>,
) -> Result<bool, StoreError> {
    Ok(tx.execute(&REMOVE, params![key.as_str(), scope(workspace)]).await? == 1)
}

/// Takes the canaries of a key away that count no more, because another change is in force where they are, and answers them.
pub async fn remove_ended(tx: &mut Tx, key: &RegimeKey) -> Result<Vec<Canary>, StoreError> {
    let rows: Vec<CanaryRow> = tx.fetch_all(&ENDED, params![key.as_str()]).await?;
    let ended = rows.into_iter().map(Canary::try_from).collect::<Result<Vec<_>, _>>()?;
    for canary in &ended {
        remove(tx, key, canary.workspace).await?;
    }
    Ok(ended)
}
