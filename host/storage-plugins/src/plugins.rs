//! Tax-regime plugins: artifacts by their content, immutable versions, and which version serves whom.
//!
//! What is in force is never overwritten: every change is a row of its own under the generation it made, so a
//! rollback knows what to return to. Whoever changes something takes [`next_generation`] first: it is the lock.

pub mod canaries;
pub mod schedules;

use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::sql::{params, statements};
use gateway_database::value::{Id, Ts};
use gateway_domain::access::Actor;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::regime::PluginComponent;
use gateway_domain::regime::{PluginRef, RegimeKey};
use jiff::Timestamp;
use uuid::Uuid;

/// `$index` names the one that SQLite reads an artifact's details from: in the table they stand behind its bytes, all pages of which
/// would be read on the way.
macro_rules! versions {
    ($index:literal) => {
        concat!("SELECT v.key, v.version, v.digest, v.description, v.blocked_at, v.blocked_reason, a.size, a.signature, \
         a.installed_at, a.installed_by, \
         EXISTS (SELECT 1 FROM plugin_activation p WHERE p.key = v.key AND p.version = v.version) AS was_active \
         FROM plugin_version v JOIN plugin_artifact a", $index, " ON a.digest = v.digest")
    };
}

/// Whether a component is installed, has a signature or needs none ($2 says that one is at hand), and its key is decided about.
macro_rules! settled {
    ($index:literal) => {
        concat!("SELECT EXISTS (SELECT 1 FROM plugin_version v JOIN plugin_artifact a", $index, " ON a.digest = v.digest \
         WHERE v.digest = $1 AND (a.signature IS NOT NULL OR NOT $2) \
         AND EXISTS (SELECT 1 FROM plugin_activation p WHERE p.key = v.key AND p.workspace_id = 0)) AS is_settled")
    };
}

macro_rules! activation_columns {
    () => {
        "generation, version, previous"
    };
}

statements! {
    GENERATION = "SELECT generation FROM plugin_registry WHERE id = 1";
    NEXT_GENERATION = "UPDATE plugin_registry SET generation = generation + 1 WHERE id = 1 RETURNING generation";
    PUT_ARTIFACT = "INSERT INTO plugin_artifact (digest, bytes, size, signature, installed_at, installed_by)
        VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (digest) DO NOTHING";
    SIGN = "UPDATE plugin_artifact SET signature = $2 WHERE digest = $1 AND signature IS NULL";
    PUT_VERSION = "INSERT INTO plugin_version (key, version, digest, description) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
    COMPONENT = "SELECT bytes, signature FROM plugin_artifact WHERE digest = $1";
    SETTLED = pg settled!(""), sqlite settled!(" INDEXED BY plugin_artifact_details");
    VERSIONS = pg concat!(versions!(""), " ORDER BY v.key, a.installed_at DESC, v.version"),
        sqlite concat!(versions!(" INDEXED BY plugin_artifact_details"), " ORDER BY v.key, a.installed_at DESC, v.version");
    VERSIONS_OF = pg concat!(versions!(""), " WHERE v.key = $1 ORDER BY a.installed_at DESC, v.version"),
        sqlite concat!(
            versions!(" INDEXED BY plugin_artifact_details"), " WHERE v.key = $1 ORDER BY a.installed_at DESC, v.version"
        );
    IN_FORCE = "SELECT a.key, a.workspace_id, a.generation, a.version, v.digest,
            v.blocked_at IS NOT NULL AS blocked
        FROM plugin_activation a JOIN plugin_version v ON v.key = a.key AND v.version = a.version
        WHERE NOT EXISTS (SELECT 1 FROM plugin_activation b WHERE b.key = a.key
            AND b.workspace_id = a.workspace_id AND b.generation > a.generation)
        ORDER BY a.key, a.workspace_id";
    ROLLBACK_TARGETS = "SELECT DISTINCT v.key, v.version, v.digest
        FROM plugin_activation n
        JOIN plugin_activation a ON a.key = n.key AND a.workspace_id = n.workspace_id AND a.generation = n.previous
        JOIN plugin_version v ON v.key = a.key AND v.version = a.version
        WHERE v.blocked_at IS NULL AND NOT EXISTS (SELECT 1 FROM plugin_activation b WHERE b.key = n.key
            AND b.workspace_id = n.workspace_id AND b.generation > n.generation)
        ORDER BY v.key, v.version";
    NEWEST = both concat!("SELECT ", activation_columns!(), " FROM plugin_activation WHERE key = $1 AND workspace_id = $2
        ORDER BY generation DESC LIMIT 1");
    AT = both concat!("SELECT ", activation_columns!(), " FROM plugin_activation
        WHERE key = $1 AND workspace_id = $2 AND generation = $3");
    RECORD = both concat!("INSERT INTO plugin_activation (key, workspace_id, ", activation_columns!(), ", at, actor)
        VALUES ($1, $2, $3, $4, $5, $6, $7)");
    WORKSPACES = "SELECT workspace_id FROM e_invoicing WHERE regime = $1 ORDER BY updated_at DESC, workspace_id LIMIT $2";
    BLOCK = "UPDATE plugin_version SET blocked_at = $3, blocked_reason = $4 WHERE key = $1 AND version = $2 AND blocked_at IS NULL";
    BLOCKED = "SELECT COUNT(*) FROM plugin_version WHERE blocked_at IS NOT NULL";
    UNBLOCK = "UPDATE plugin_version SET blocked_at = NULL, blocked_reason = NULL WHERE key = $1 AND version = $2";
    PUT_REPLICA = "INSERT INTO plugin_replica (id, address, generation, problem, seen_at, version) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (id) DO UPDATE SET generation = excluded.generation, problem = excluded.problem, seen_at = excluded.seen_at";
    FORGET = "DELETE FROM plugin_replica WHERE id = $1 OR seen_at < $2";
    REPLICAS = "SELECT id, address, generation, problem, seen_at, version FROM plugin_replica WHERE seen_at >= $1 ORDER BY address, id";
}

/// In the column of workspaces: every workspace without a row of its own.
const ALL_WORKSPACES: i64 = 0;

/// An installed version of a plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// Key, version and digest.
    pub plugin: PluginRef,
    /// What it says of itself, JSON.
    pub description: String,
    /// Bytes of the component.
    pub size: i64,
    /// Its detached signature, text.
    pub signature: Option<String>,
    /// When its component was installed first.
    pub installed_at: Timestamp,
    /// Who installed its component first.
    pub installed_by: Actor,
    /// Since when it is blocked, and why.
    pub blocked: Option<(Timestamp, String)>,
    /// Whether it is in force anywhere, or was.
    pub was_active: bool,
}

/// A version that is in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InForce {
    /// Key, version and digest.
    pub plugin: PluginRef,
    /// For whom; none: every workspace without a version of its own.
    pub workspace: Option<WorkspaceId>,
    /// The change that put it in force.
    pub generation: i64,
    /// Whether it misbehaved and serves nobody until it is activated again.
    pub blocked: bool,
}

/// A change of what is in force for a key and a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Activation {
    /// From [`next_generation`], which counts the changes of all keys and workspaces.
    pub generation: i64,
    /// The version that came in force; none: the key went out of force.
    pub version: Option<String>,
    /// The change a rollback returns to.
    pub previous: Option<i64>,
}

/// A process that follows the registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replica {
    /// Fresh at every start.
    pub id: Uuid,
    /// Where its operators' surface is.
    pub address: String,
    /// The newest change that it follows; behind the registry's while it catches up.
    pub generation: i64,
    /// What keeps it from serving everything, one sentence.
    pub problem: Option<String>,
    /// When it last said so.
    pub seen_at: Timestamp,
    /// The version of the gateway that it runs; none of a process from before it was noted.
    pub version: Option<String>,
}

#[derive(sqlx::FromRow)]
struct VersionRow {
    key: String,
    version: String,
    digest: String,
    description: String,
    blocked_at: Option<Ts>,
    blocked_reason: Option<String>,
    size: i64,
    signature: Option<String>,
    installed_at: Ts,
    installed_by: String,
    was_active: bool,
}

#[derive(sqlx::FromRow)]
struct InForceRow {
    key: String,
    workspace_id: i64,
    generation: i64,
    version: String,
    digest: String,
    blocked: bool,
}

#[derive(sqlx::FromRow)]
struct ActivationRow {
    generation: i64,
    version: Option<String>,
    previous: Option<i64>,
}

#[derive(sqlx::FromRow)]
struct ReplicaRow {
    id: Id,
    address: String,
    generation: i64,
    problem: Option<String>,
    seen_at: Ts,
    version: Option<String>,
}

fn key(text: String) -> Result<RegimeKey, Corrupt> {
    RegimeKey::try_from(text).map_err(|error| Corrupt::new("plugin_version", &error.0, "key", &error.0))
}

fn scope(workspace: Option<WorkspaceId>) -> i64 {
    workspace.map_or(ALL_WORKSPACES, |workspace| workspace.0)
}

fn workspace_of(scope: i64) -> Option<WorkspaceId> {
    (scope != ALL_WORKSPACES).then_some(WorkspaceId(scope))
}

impl TryFrom<VersionRow> for Version {
    type Error = Corrupt;

    fn try_from(row: VersionRow) -> Result<Self, Corrupt> {
        let blocked = row.blocked_at.map(|at| at.0).zip(row.blocked_reason);
        Ok(Self {
            plugin: PluginRef { key: key(row.key)?, version: row.version, digest: row.digest },
            description: row.description,
            size: row.size,
            signature: row.signature,
            installed_at: row.installed_at.0,
            installed_by: Actor(row.installed_by),
            blocked,
            was_active: row.was_active,
        })
    }
}

impl TryFrom<InForceRow> for InForce {
    type Error = Corrupt;

    fn try_from(row: InForceRow) -> Result<Self, Corrupt> {
        Ok(Self {
            plugin: PluginRef { key: key(row.key)?, version: row.version, digest: row.digest },
            workspace: workspace_of(row.workspace_id),
            generation: row.generation,
            blocked: row.blocked,
        })
    }
}

impl From<ActivationRow> for Activation {
    fn from(ActivationRow { generation, version, previous }: ActivationRow) -> Self {
        Self { generation, version, previous }
    }
}

impl From<ReplicaRow> for Replica {
    fn from(row: ReplicaRow) -> Self {
        let ReplicaRow { id, address, generation, problem, seen_at, version } = row;
        Self { id: id.0, address, generation, problem, seen_at: seen_at.0, version }
    }
}

/// How often the registry changed.
pub async fn generation(on: impl Into<Executor<'_>>) -> Result<i64, StoreError> {
    let (generation,): (i64,) = on.into().one(&GENERATION, params![]).await?;
    Ok(generation)
}

/// Begins a change and numbers it. Every other change waits until this transaction ends.
pub async fn next_generation(tx: &mut Tx) -> Result<i64, StoreError> {
    let (generation,): (i64,) = tx.fetch_one(&NEXT_GENERATION, params![]).await?;
    Ok(generation)
}

/// Keeps a version with its component. What is there already stays, but for a signature that was missing; `false`
/// when the version is there already, perhaps with another digest, or the digest under another version.
pub async fn install(
    tx: &mut Tx,
    plugin: &PluginRef,
    component: &PluginComponent,
    description: &str,
    actor: &Actor,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let size = i64::try_from(component.bytes.len()).unwrap_or(i64::MAX);
    let signature = component.signature.clone();
    let artifact = params![&plugin.digest, component.bytes.clone(), size, signature.clone(), now, &actor.0];
    tx.execute(&PUT_ARTIFACT, artifact).await?;
    if signature.is_some() {
        tx.execute(&SIGN, params![&plugin.digest, signature]).await?;
    }
    let version = params![plugin.key.as_str(), &plugin.version, &plugin.digest, description];
    Ok(tx.execute(&PUT_VERSION, version).await? == 1)
}

/// The component with this digest.
pub async fn component(
    on: impl Into<Executor<'_>>,
    digest: &str,
) -> Result<Option<PluginComponent>, StoreError> {
    let row: Option<(Vec<u8>, Option<String>)> = on.into().optional(&COMPONENT, params![digest]).await?;
    Ok(row.map(|(bytes, signature)| PluginComponent { bytes, signature }))
}

/// Whether to install a component would change nothing: its version is there, with a signature if it `is_signed`, and somebody
/// decided what serves everybody of its key.
pub async fn is_settled(
    on: impl Into<Executor<'_>>,
    digest: &str,
    is_signed: bool,
) -> Result<bool, StoreError> {
    let (is_settled,): (bool,) = on.into().one(&SETTLED, params![digest, is_signed]).await?;
    Ok(is_settled)
}

/// Every installed version, or those of one key; the newest of each key first.
pub async fn versions(
    on: impl Into<Executor<'_>>,
    of: Option<&RegimeKey>,
) -> Result<Vec<Version>, StoreError> {
    let rows: Vec<VersionRow> = match of {
        None => on.into().all(&VERSIONS, params![]).await?,
        Some(key) => on.into().all(&VERSIONS_OF, params![key.as_str()]).await?,
    };
    Ok(rows.into_iter().map(Version::try_from).collect::<Result<_, _>>()?)
}

/// How many versions are blocked.
pub async fn blocked(on: impl Into<Executor<'_>>) -> Result<i64, StoreError> {
    let (count,): (i64,) = on.into().one(&BLOCKED, params![]).await?;
    Ok(count)
}

/// Every version that is in force, blocked ones included.
pub async fn in_force(on: impl Into<Executor<'_>>) -> Result<Vec<InForce>, StoreError> {
    let rows: Vec<InForceRow> = on.into().all(&IN_FORCE, params![]).await?;
    Ok(rows.into_iter().map(InForce::try_from).collect::<Result<_, _>>()?)
}

/// Every version that a rollback would return to, for everybody or for a workspace.
pub async fn rollback_targets(on: impl Into<Executor<'_>>) -> Result<Vec<PluginRef>, StoreError> {
    let rows: Vec<(String, String, String)> = on.into().all(&ROLLBACK_TARGETS, params![]).await?;
    let target = |(name, version, digest)| Ok(PluginRef { key: key(name)?, version, digest });
    Ok(rows.into_iter().map(target).collect::<Result<_, Corrupt>>()?)
}

/// The change that counts for a key and a workspace.
pub async fn newest(
    on: impl Into<Executor<'_>>,
    key: &RegimeKey,
    workspace: Option<WorkspaceId>,
) -> Result<Option<Activation>, StoreError> {
    let row: Option<ActivationRow> =
        on.into().optional(&NEWEST, params![key.as_str(), scope(workspace)]).await?;
    Ok(row.map(Activation::from))
}

/// An earlier change of a key and a workspace.
pub async fn activation(
    on: impl Into<Executor<'_>>,
    key: &RegimeKey,
    workspace: Option<WorkspaceId>,
    generation: i64,
) -> Result<Option<Activation>, StoreError> {
    let row: Option<ActivationRow> =
        on.into().optional(&AT, params![key.as_str(), scope(workspace), generation]).await?;
    Ok(row.map(Activation::from))
}

/// Writes a change of what is in force, under the generation that [`next_generation`] gave.
pub async fn record(
    tx: &mut Tx,
    key: &RegimeKey,
    workspace: Option<WorkspaceId>,
    change: &Activation,
    actor: &Actor,
    now: Timestamp,
) -> Result<(), StoreError> {
    let Activation { generation, version, previous } = change;
    let params =
        params![key.as_str(), scope(workspace), *generation, version.clone(), *previous, now, &actor.0];
    tx.execute(&RECORD, params).await?;
    Ok(())
}

/// Workspaces that send their invoices through a regime, the one configured last first.
pub async fn workspaces(
    on: impl Into<Executor<'_>>,
    key: &RegimeKey,
    limit: i64,
) -> Result<Vec<WorkspaceId>, StoreError> {
    let rows: Vec<(i64,)> = on.into().all(&WORKSPACES, params![key.as_str(), limit]).await?;
    Ok(rows.into_iter().map(|(id,)| WorkspaceId(id)).collect())
}

/// Blocks a version; `false` when it is blocked already.
pub async fn block(
    tx: &mut Tx,
    key: &RegimeKey,
    version: &str,
    reason: &str,
    now: Timestamp,
) -> Result<bool, StoreError> {
    Ok(tx.execute(&BLOCK, params![key.as_str(), version, now, reason]).await? == 1)
}

/// Takes the block from a version.
pub async fn unblock(tx: &mut Tx, key: &RegimeKey, version: &str) -> Result<(), StoreError> {
    tx.execute(&UNBLOCK, params![key.as_str(), version]).await.map(drop)
}

/// Writes how far a process has followed.
pub async fn put_replica(tx: &mut Tx, replica: &Replica) -> Result<(), StoreError> {
    let Replica { id, address, generation, problem, seen_at, version } = replica;
    let said = params![*id, address, *generation, problem.clone(), *seen_at, version.clone()];
    tx.execute(&PUT_REPLICA, said).await.map(drop)
}

/// Forgets a process that ends, and those not seen since `before`.
pub async fn forget(tx: &mut Tx, replica: Uuid, before: Timestamp) -> Result<(), StoreError> {
    tx.execute(&FORGET, params![replica, before]).await.map(drop)
}

/// The processes seen since `after`.
pub async fn replicas(on: impl Into<Executor<'_>>, after: Timestamp) -> Result<Vec<Replica>, StoreError> {
    let rows: Vec<ReplicaRow> = on.into().all(&REPLICAS, params![after]).await?;
    Ok(rows.into_iter().map(Replica::from).collect())
}

#[cfg(test)]
mod tests;
