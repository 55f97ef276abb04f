//! Renderers: versions that never change, by their content, and which one is in force for everybody.
//!
//! What is in force is never overwritten, as with plugins: every change is a row of its own under the generation that
//! [`next_generation`](crate::plugins::next_generation) gave, so a rollback knows what to return to.

use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::StoreError;
use gateway_database::sql::{params, statements};
use gateway_database::value::Ts;
use gateway_domain::access::Actor;
use gateway_domain::regime::PluginComponent;
use jiff::Timestamp;

macro_rules! activations {
    () => {
        "SELECT generation, digest, previous FROM renderer_activation"
    };
}

statements! {
    PUT = "INSERT INTO renderer_version (digest, name, version, size, signature, installed_at, installed_by, bytes)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING";
    SIGN = "UPDATE renderer_version SET signature = $2 WHERE digest = $1 AND signature IS NULL";
    COMPONENT = "SELECT bytes, signature FROM renderer_version WHERE digest = $1";
    VERSIONS = "SELECT v.digest, v.name, v.version, v.size, v.signature, v.installed_at, v.installed_by,
            EXISTS (SELECT 1 FROM renderer_activation a WHERE a.digest = v.digest) AS was_active
        FROM renderer_version v ORDER BY v.name, v.installed_at DESC, v.version";
    IN_FORCE = "SELECT v.digest, v.signature
        FROM renderer_activation a LEFT JOIN renderer_version v ON v.digest = a.digest
        ORDER BY a.generation DESC LIMIT 1";
    NEWEST = both concat!(activations!(), " ORDER BY generation DESC LIMIT 1");
    AT = both concat!(activations!(), " WHERE generation = $1");
    RECORD = "INSERT INTO renderer_activation (generation, digest, previous, at, actor) VALUES ($1, $2, $3, $4, $5)";
}

/// What a renderer is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RendererRef {
    /// As it calls itself: `render-pdf`.
    pub name: String,
    /// The version that it states.
    pub version: String,
    /// SHA-256 of its component, lower-case hex.
    pub digest: String,
}

/// An installed version of a renderer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// Name, version and digest.
    pub renderer: RendererRef,
    /// Bytes of the component.
    pub size: i64,
    /// Its detached signature, text.
    pub signature: Option<String>,
    /// When it was installed first.
    pub installed_at: Timestamp,
    /// Who installed it first.
    pub installed_by: Actor,
    /// Whether it is in force, or was.
    pub was_active: bool,
}

/// What tells whether another renderer is in force than before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InForce {
    /// Of the component in force.
    pub digest: String,
    /// Its detached signature, text.
    pub signature: Option<String>,
}

/// A change of what is in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Activation {
    /// From [`next_generation`](crate::plugins::next_generation).
    pub generation: i64,
    /// The component that came in force; none: the database names no renderer any more.
    pub digest: Option<String>,
    /// The change a rollback returns to.
    pub previous: Option<i64>,
}

#[derive(sqlx::FromRow)]
struct VersionRow {
    digest: String,
    name: String,
    version: String,
    size: i64,
    signature: Option<String>,
    installed_at: Ts,
    installed_by: String,
    was_active: bool,
}

#[derive(sqlx::FromRow)]
struct ActivationRow {
    generation: i64,
    digest: Option<String>,
    previous: Option<i64>,
}

impl From<VersionRow> for Version {
    fn from(row: VersionRow) -> Self {
        Self {
            renderer: RendererRef { name: row.name, version: row.version, digest: row.digest },
            size: row.size,
            signature: row.signature,
            installed_at: row.installed_at.0,
            installed_by: Actor(row.installed_by),
            was_active: row.was_active,
        }
    }
}

impl From<ActivationRow> for Activation {
    fn from(ActivationRow { generation, digest, previous }: ActivationRow) -> Self {
        Self { generation, digest, previous }
    }
}

/// Keeps a version with its component. What is there already stays, but for a signature that was missing; `false` when
/// the component is there already, or another one under the same name and version.
pub async fn install(
    tx: &mut Tx,
    renderer: &RendererRef,
    component: &PluginComponent,
    actor: &Actor,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let RendererRef { name, version, digest } = renderer;
    let PluginComponent { bytes, signature } = component.clone();
    let size = i64::try_from(bytes.len()).unwrap_or(i64::MAX);
    let row = params![digest, name, version, size, signature.clone(), now, &actor.0, bytes];
    let is_new = tx.execute(&PUT, row).await? == 1;
    if !is_new && signature.is_some() {
        tx.execute(&SIGN, params![digest, signature]).await?;
    }
    Ok(is_new)
}

/// The component with this digest.
pub async fn component(
    on: impl Into<Executor<'_>>,
    digest: &str,
) -> Result<Option<PluginComponent>, StoreError> {
    let row: Option<(Vec<u8>, Option<String>)> = on.into().optional(&COMPONENT, params![digest]).await?;
    Ok(row.map(|(bytes, signature)| PluginComponent { bytes, signature }))
}

/// Every installed version by name, the newest of each first.
pub async fn versions(on: impl Into<Executor<'_>>) -> Result<Vec<Version>, StoreError> {
    let rows: Vec<VersionRow> = on.into().all(&VERSIONS, params![]).await?;
    Ok(rows.into_iter().map(Version::from).collect())
}

/// What is in force; none where the database names no renderer.
pub async fn in_force(on: impl Into<Executor<'_>>) -> Result<Option<InForce>, StoreError> {
    let row: Option<(Option<String>, Option<String>)> = on.into().optional(&IN_FORCE, params![]).await?;
    Ok(row.and_then(|(digest, signature)| Some(InForce { digest: digest?, signature })))
}

/// The change that counts.
pub async fn newest(on: impl Into<Executor<'_>>) -> Result<Option<Activation>, StoreError> {
    let row: Option<ActivationRow> = on.into().optional(&NEWEST, params![]).await?;
    Ok(row.map(Activation::from))
}

/// An earlier change.
pub async fn activation(
    on: impl Into<Executor<'_>>,
    generation: i64,
) -> Result<Option<Activation>, StoreError> {
    let row: Option<ActivationRow> = on.into().optional(&AT, params![generation]).await?;
    Ok(row.map(Activation::from))
}

/// Writes a change of what is in force.
pub async fn record(
    tx: &mut Tx,
    change: &Activation,
    actor: &Actor,
    now: Timestamp,
) -> Result<(), StoreError> {
    let Activation { generation, digest, previous } = change.clone();
    tx.execute(&RECORD, params![generation, digest, previous, now, &actor.0]).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugins::next_generation;
    use gateway_storage::testing::{self, samples::at};

    fn renderer(version: &str, digit: char) -> RendererRef {
        let digest = digit.to_string().repeat(64);
        RendererRef { name: "render-pdf".to_owned(), version: version.to_owned(), digest }
    }

    async fn put(tx: &mut Tx, renderer: &RendererRef, signature: Option<&str>) -> bool {
        let component = PluginComponent { bytes: vec![0, 97], signature: signature.map(str::to_owned) };
        install(tx, renderer, &component, &Actor::operator(), at(0)).await.unwrap()
    }

    async fn put_in_force(tx: &mut Tx, renderer: Option<&RendererRef>) -> i64 {
        let previous = newest(&mut *tx).await.unwrap().map(|row| row.generation);
        let generation = next_generation(tx).await.unwrap();
        let digest = renderer.map(|renderer| renderer.digest.clone());
        let change = Activation { generation, digest, previous };
        record(tx, &change, &Actor::operator(), at(1)).await.unwrap();
        generation
    }

    #[tokio::test]
    async fn a_version_of_a_renderer_is_one_component_for_ever() {
        for db in testing::both().await {
            let (first, second) = (renderer("1.0.0", 'a'), renderer("1.1.0", 'b'));
            let mut tx = db.begin().await.unwrap();
            assert!(put(&mut tx, &first, None).await);
            assert!(!put(&mut tx, &first, Some("signed")).await, "a second time changes nothing");
            assert!(!put(&mut tx, &first, Some("otherwise")).await, "a signature stays");
            assert!(!put(&mut tx, &renderer("1.0.0", 'c'), None).await, "another component");
            assert!(put(&mut tx, &second, None).await);
            tx.commit().await.unwrap();
            let versions = versions(db.db()).await.unwrap();
            let known: Vec<_> = versions.iter().map(|version| version.renderer.clone()).collect();
            assert_eq!(known, [first.clone(), second]);
            assert_eq!(versions[0].signature.as_deref(), Some("signed"), "a missing signature is added");
            assert_eq!((versions[0].size, versions[0].was_active), (2, false));
            let kept = component(db.db(), &first.digest).await.unwrap().unwrap();
            assert_eq!((kept.bytes, kept.signature.as_deref()), (vec![0, 97], Some("signed")));
            assert_eq!(component(db.db(), "x").await.unwrap(), None);
        }
    }

    #[tokio::test]
    async fn the_newest_change_says_which_renderer_is_in_force() {
        for db in testing::both().await {
            let (first, second) = (renderer("1.0.0", 'a'), renderer("1.1.0", 'b'));
            assert_eq!(in_force(db.db()).await.unwrap(), None, "nobody decided");
            let mut tx = db.begin().await.unwrap();
            put(&mut tx, &first, Some("signed")).await;
            put(&mut tx, &second, None).await;
            let begun = put_in_force(&mut tx, Some(&first)).await;
            let signed = InForce { digest: first.digest.clone(), signature: Some("signed".to_owned()) };
            assert_eq!(in_force(&mut tx).await.unwrap(), Some(signed));
            put_in_force(&mut tx, Some(&second)).await;
            tx.commit().await.unwrap();
            let other = InForce { digest: second.digest.clone(), signature: None };
            assert_eq!(in_force(db.db()).await.unwrap(), Some(other));
            let change = newest(db.db()).await.unwrap().unwrap();
            assert_eq!(change.previous, Some(begun));
            let before = activation(db.db(), begun).await.unwrap().unwrap();
            assert_eq!(before, Activation { generation: begun, digest: Some(first.digest), previous: None });

            let mut tx = db.begin().await.unwrap();
            put_in_force(&mut tx, None).await;
            tx.commit().await.unwrap();
            assert_eq!(in_force(db.db()).await.unwrap(), None, "it was taken out of force");
            assert!(versions(db.db()).await.unwrap().iter().all(|version| version.was_active));
        }
    }
}
