//! Versions of renderers in the database: install, activate, roll back, disable. Each is one transaction with its audit entry;
//! every process takes the renderer in force within two seconds.

use crate::renderer_error::{NAME_CHARS_MAX, RendererError};
use crate::renderers::{LoadedRenderer, Renderers};
use gateway_access::{Audit, NoDetails};
use gateway_domain::StoreError;
use gateway_domain::access::Actor;
use gateway_domain::ports::{Clock, Ids};
use gateway_domain::regime::PluginComponent;
use gateway_domain::words;
use gateway_plugin_host::Signature;
use gateway_storage::renderers::{self as store, Activation, InForce, RendererRef, Version};
use gateway_storage::{Db, plugins};
use jiff::Timestamp;
use serde::Serialize;
use std::sync::Arc;

words! {
    /// How an installed version of a renderer stands.
    RendererState {
        /// Never in force yet.
        Installed = "installed",
        /// In force.
        Active = "active",
        /// Was in force.
        Retired = "retired",
    }
}

/// A component that is installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RendererInstallation {
    /// As it calls itself: `render-pdf`.
    pub name: String,
    /// The version that it states.
    pub version: String,
    /// SHA-256 of the component, lower-case hex.
    pub digest: String,
    /// Whether it was there before.
    pub known: bool,
}

/// An installed version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedRenderer {
    /// As it calls itself: `render-pdf`.
    pub name: String,
    /// The version that it states.
    pub version: String,
    /// SHA-256 of the component, lower-case hex.
    pub digest: String,
    /// Bytes of the component.
    pub size: i64,
    /// Its detached signature, text.
    pub signature: Option<String>,
    /// The key that the signature names, as in `plugins.trusted_keys`.
    pub signer: Option<String>,
    /// When it was installed first.
    pub installed_at: Timestamp,
    /// Who installed it first.
    pub installed_by: Actor,
    /// How it stands.
    pub state: RendererState,
}

/// A version that came in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RendererActivation {
    /// As it calls itself: `render-pdf`.
    pub name: String,
    /// The version that it states.
    pub version: String,
    /// SHA-256 of the component, lower-case hex.
    pub digest: String,
    /// The version of the database that was in force before, `NAME@VERSION`.
    pub replaced: Option<String>,
}

/// What the audit trail tells of a component that was installed.
#[derive(Serialize)]
struct InstallData<'a> {
    sha256: &'a str,
    origin: &'a str,
    signed: bool,
}

/// What the audit trail tells of a version that came in force.
#[derive(Serialize)]
struct ActivateData<'a> {
    replaced: Option<&'a str>,
    sha256: &'a str,
}

/// The versions in the database. Cheap to clone.
#[derive(Debug, Clone)]
pub struct RendererVersions {
    db: Db,
    clock: Arc<dyn Clock>,
    audit: Audit,
    renderers: Renderers,
}

impl RendererVersions {
    /// The versions in `db`, which `renderers` loads and serves.
    pub fn new(db: Db, clock: Arc<dyn Clock>, ids: Arc<dyn Ids>, renderers: Renderers) -> Self {
        let audit = Audit::new(db.clone(), Arc::clone(&clock), ids);
        Self { db, clock, audit, renderers }
    }

    pub(crate) const fn renderers(&self) -> &Renderers {
        &self.renderers
    }

    /// Keeps a component as the version it says it is. The same component a second time changes nothing; another one under
    /// the same version is refused. It serves nobody before it is activated.
    pub async fn install(
        &self,
        actor: &Actor,
        origin: &str,
        component: PluginComponent,
    ) -> Result<RendererInstallation, RendererError> {
        let loaded = self.renderers.load(origin, component.clone()).await?;
        let renderer = named(&loaded)?;
        let signed = component.signature.is_some();
        let mut tx = self.db.begin().await?;
        let is_new = store::install(&mut tx, &renderer, &component, actor, self.clock.now()).await?;
        if is_new {
            let data = InstallData { sha256: &renderer.digest, origin, signed };
            self.record(&mut tx, actor, "renderer.install", &renderer, &data).await?;
            tracing::info!(renderer = id(&renderer), digest = renderer.digest, "Installed a renderer");
        } else {
            let versions = store::versions(&mut tx).await?;
            let installed = versions.into_iter().find(|known| id(&known.renderer) == id(&renderer));
            let other = installed.filter(|known| known.renderer.digest != renderer.digest);
            if let Some(Version { renderer, .. }) = other {
                return Err(RendererError::Immutable { id: id(&renderer), digest: renderer.digest });
            }
        }
        if is_new || signed {
            tx.commit_at("renderer-installed").await?;
        }
        let RendererRef { name, version, digest } = renderer;
        Ok(RendererInstallation { name, version, digest, known: !is_new })
    }

    /// Everything that is installed, by name, the newest of each first.
    pub async fn list(&self) -> Result<Vec<ListedRenderer>, StoreError> {
        let in_force = store::in_force(&self.db).await?.map(|in_force| in_force.digest);
        let versions = store::versions(&self.db).await?;
        Ok(versions.into_iter().map(|version| listed(version, in_force.as_deref())).collect())
    }

    /// Puts a version in force, by `NAME@VERSION` or by its SHA-256. The one before serves until this one is verified and
    /// loaded.
    pub async fn activate(&self, actor: &Actor, which: &str) -> Result<RendererActivation, RendererError> {
        let latest = store::newest(&self.db).await?;
        let version = self.version(which).await?;
        let previous = latest.as_ref().and_then(|latest| match &latest.digest {
            Some(digest) if *digest != version.renderer.digest => Some(latest.generation),
            // The same again, or after it was disabled: back to what it replaced.
            Some(_) | None => latest.previous,
        });
        self.put_in_force(actor, "renderer.activate", version, latest, previous).await
    }

    /// Returns to the version that was in force before, or before it was disabled. A second time goes one further back.
    pub async fn roll_back(&self, actor: &Actor) -> Result<RendererActivation, RendererError> {
        let (latest, target) = self.before().await?;
        let version = self.version(&target.digest.ok_or(RendererError::NothingBefore)?).await?;
        self.put_in_force(actor, "renderer.rollback", version, Some(latest), target.previous).await
    }

    /// What [`Self::roll_back`] returns to, `NAME@VERSION`. Nothing changes.
    pub async fn roll_back_target(&self) -> Result<String, RendererError> {
        let (_, target) = self.before().await?;
        let digest = target.digest.ok_or(RendererError::NothingBefore)?;
        let versions = store::versions(&self.db).await?;
        let found = versions.into_iter().find(|version| version.renderer.digest == digest);
        found.map(|version| id(&version.renderer)).ok_or(RendererError::NothingBefore)
    }

    /// What is in force, and what was before.
    async fn before(&self) -> Result<(Activation, Activation), RendererError> {
        let latest = store::newest(&self.db).await?.ok_or(RendererError::NothingBefore)?;
        let target = latest.previous.ok_or(RendererError::NothingBefore)?;
        let target = store::activation(&self.db, target).await?.ok_or(RendererError::NothingBefore)?;
        Ok((latest, target))
    }

    /// Takes the version in force out of force: the folder serves again. Answers what was in force, `NAME@VERSION`.
    pub async fn disable(&self, actor: &Actor) -> Result<String, RendererError> {
        let mut tx = self.db.begin().await?;
        let generation = plugins::next_generation(&mut tx).await?;
        let latest = store::newest(&mut tx).await?.ok_or(RendererError::NotActive)?;
        let digest = latest.digest.ok_or(RendererError::NotActive)?;
        let change = Activation { generation, digest: None, previous: Some(latest.generation) };
        store::record(&mut tx, &change, actor, self.clock.now()).await?;
        let versions = store::versions(&mut tx).await?;
        let served =
            versions.into_iter().map(|version| version.renderer).find(|known| known.digest == digest);
        let served = served.ok_or_else(|| RendererError::Unknown(digest))?;
        self.record(&mut tx, actor, "renderer.disable", &served, &NoDetails {}).await?;
        tx.commit_at("renderer-disabled").await?;
        tracing::info!(renderer = id(&served), generation, "Disabled {}", id(&served));
        self.renderers.look_again().await;
        Ok(id(&served))
    }

    /// Changes what is in force, unless somebody else did since `latest` was read.
    async fn put_in_force(
        &self,
        actor: &Actor,
        action: &str,
        Version { renderer, signature, .. }: Version,
        latest: Option<Activation>,
        previous: Option<i64>,
    ) -> Result<RendererActivation, RendererError> {
        let loaded = self.renderers.load_stored(&renderer.digest).await?;
        let mut tx = self.db.begin().await?;
        let generation = plugins::next_generation(&mut tx).await?;
        if store::newest(&mut tx).await? != latest {
            return Err(RendererError::ConcurrentChange);
        }
        let change = Activation { generation, digest: Some(renderer.digest.clone()), previous };
        store::record(&mut tx, &change, actor, self.clock.now()).await?;
        let replaced = latest.and_then(|latest| latest.digest);
        let versions = store::versions(&mut tx).await?;
        let before = versions.iter().find(|known| Some(&known.renderer.digest) == replaced.as_ref());
        let replaced = before.map(|version| id(&version.renderer));
        let data = ActivateData { replaced: replaced.as_deref(), sha256: &renderer.digest };
        self.record(&mut tx, actor, action, &renderer, &data).await?;
        tx.commit_at("renderer-activated").await?;
        tracing::info!(renderer = id(&renderer), generation, "{} is in force", id(&renderer));
        self.renderers.serve(InForce { digest: renderer.digest.clone(), signature }, loaded).await;
        let RendererRef { name, version, digest } = renderer;
        Ok(RendererActivation { name, version, digest, replaced })
    }

    async fn version(&self, which: &str) -> Result<Version, RendererError> {
        let is_meant = |version: &Version| version.renderer.digest == which || id(&version.renderer) == which;
        let found = store::versions(&self.db).await?.into_iter().find(is_meant);
        found.ok_or_else(|| RendererError::Unknown(which.to_owned()))
    }

    async fn record(
        &self,
        tx: &mut gateway_storage::Tx,
        actor: &Actor,
        action: &str,
        renderer: &RendererRef,
        data: &impl Serialize,
    ) -> Result<(), StoreError> {
        self.audit.record(tx, actor, action, format!("renderer:{}", id(renderer)), data).await
    }
}

/// How people name a version: `NAME@VERSION`.
pub fn renderer_id(name: &str, version: &str) -> String {
    format!("{name}@{version}")
}

fn id(renderer: &RendererRef) -> String {
    renderer_id(&renderer.name, &renderer.version)
}

/// What a component calls itself, if people can name it.
fn named(loaded: &LoadedRenderer) -> Result<RendererRef, RendererError> {
    let description = loaded.renderer.description();
    let is_word = |text: &str| {
        let length = text.chars().count();
        (1..=NAME_CHARS_MAX).contains(&length) && !text.chars().any(|c| c.is_whitespace() || c.is_control())
    };
    if !is_word(&description.name) || !is_word(&description.version) || description.name.contains(['@', '/'])
    {
        return Err(RendererError::Unnamed);
    }
    let (name, version) = (description.name.clone(), description.version.clone());
    Ok(RendererRef { name, version, digest: loaded.renderer.digest().to_owned() })
}

fn listed(version: Version, in_force: Option<&str>) -> ListedRenderer {
    let Version { renderer, size, signature, installed_at, installed_by, was_active } = version;
    let RendererRef { name, version, digest } = renderer;
    let state = match (in_force == Some(digest.as_str()), was_active) {
        (true, _) => RendererState::Active,
        (false, true) => RendererState::Retired,
        (false, false) => RendererState::Installed,
    };
    let key_of = |text: &str| Some(text.parse::<Signature>().ok()?.key().to_string());
    let signer = signature.as_deref().and_then(key_of);
    ListedRenderer { name, version, digest, size, signature, signer, installed_at, installed_by, state }
}
