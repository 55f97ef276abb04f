//! API clients: made, listed, disabled, and told from strangers by their secrets.

use super::known_clients::KnownClients;
use super::{AccessError, Audit, NoDetails};
use crate::secrets::{KeyedHash, Keyring, KeyringError, Purpose};
use aws_lc_rs::rand;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use gateway_domain::StoreError;
use gateway_domain::access::{Actor, Client, Permission, Workspaces};
use gateway_domain::ids::ClientId;
use gateway_domain::ports::{Clock, Ids};
use gateway_storage::clients::{self as stored, SecretHash};
use gateway_storage::{Db, Tx, client_uses, sessions};
use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::Semaphore;
use uuid::Uuid;
use zeroize::Zeroizing;

/// Marks a client secret, so that people and scanners know one when they see it.
const SECRET_PREFIX: &str = "gws_";
const SECRET_BYTES: usize = 32;
/// The newest secret and the one before it, so that a rotation interrupts nobody.
const LIVE_SECRETS: u8 = 2;
/// How many credentials are looked up at a time: anybody may send any, and what the rest of the gateway asks of the database must not
/// wait behind all of them.
const LOOK_UPS_MAX: usize = 8;

/// The API clients. Clones know at once what another one changes.
#[derive(Debug, Clone)]
pub struct Clients {
    pub(super) db: Db,
    pub(super) keyring: Arc<Keyring>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) ids: Arc<dyn Ids>,
    pub(super) audit: Audit,
    lookups: Arc<Semaphore>,
    known: Arc<KnownClients>,
}

fn checked_name(name: &str) -> Result<String, ClientsError> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > 200 || name.chars().any(char::is_control) {
        return Err(ClientsError::BadName);
    }
    Ok(name.to_owned())
}

/// A client to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewClient {
    /// For people.
    pub name: String,
    /// What it may do.
    pub permissions: Vec<Permission>,
    /// Where.
    pub workspaces: Workspaces,
}

/// What to change of a client; what is not given stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClientChange {
    /// For people.
    pub name: Option<String>,
    /// What it may do, instead of what it may do now.
    pub permissions: Option<Vec<Permission>>,
    /// Where, instead of where it may do so now.
    pub workspaces: Option<Workspaces>,
    /// Whether a disabled client may call again.
    pub enable: bool,
}

/// What is recorded of a client that was made.
#[derive(Serialize)]
struct CreatedClient<'a> {
    name: &'a str,
    permissions: &'a [Permission],
    workspaces: &'a Workspaces,
}

/// What an audit entry says of a changed client.
#[derive(Debug, Serialize)]
struct ChangedClient<'a> {
    name: &'a str,
    permissions: &'a [Permission],
    workspaces: &'a Workspaces,
    enabled: bool,
}

/// A client with a fresh secret, which is shown this once.
#[derive(Debug, Clone)]
pub struct Credentials {
    /// As stored.
    pub client: Client,
    /// In the clear; only a keyed hash of it is stored.
    pub secret: SecretString,
}

/// Why a client was not changed.
#[derive(Debug, thiserror::Error)]
pub enum ClientsError {
    /// There is no such client.
    #[error("there is no client {0}: 'gateway client list' shows all")]
    Unknown(ClientId),
    /// It is disabled.
    #[error("client {0} is disabled: enable it first, or create another one")]
    Disabled(ClientId),
    /// Empty, longer than 200 characters, or with control characters.
    #[error("a client needs a name of 1 to 200 characters without control characters")]
    BadName,
    /// The gateway itself could not do its part.
    #[error(transparent)]
    Internal(AccessError),
}

impl<E: Into<AccessError>> From<E> for ClientsError {
    fn from(error: E) -> Self {
        Self::Internal(error.into())
    }
}

impl Clients {
    /// Clients kept in `db`, their secrets hashed by `keyring`.
    pub fn new(db: Db, keyring: Arc<Keyring>, clock: Arc<dyn Clock>, ids: Arc<dyn Ids>) -> Self {
        let audit = Audit::new(db.clone(), Arc::clone(&clock), Arc::clone(&ids));
        let (lookups, known) = (Arc::new(Semaphore::new(LOOK_UPS_MAX)), Arc::default());
        Self { db, keyring, clock, ids, audit, lookups, known }
    }

    /// Makes a client with its first secret.
    pub async fn create(&self, new: NewClient, actor: &Actor) -> Result<Credentials, ClientsError> {
        let client = Client {
            id: ClientId(self.ids.next()),
            name: checked_name(&new.name)?,
            permissions: new.permissions,
            workspaces: new.workspaces,
            disabled: false,
        };
        let mut tx = self.db.begin().await?;
        stored::insert(&mut tx, &client, self.clock.now()).await?;
        let secret = self.add_secret(&mut tx, client.id).await?;
        let Client { id, name, permissions, workspaces, .. } = &client;
        let created = CreatedClient { name, permissions, workspaces };
        self.audit.record(&mut tx, actor, "client.create", format!("client:{id}"), &created).await?;
        tx.commit_at("client-created").await?;
        Ok(Credentials { client, secret })
    }

    /// Every client, oldest first.
    pub async fn list(&self) -> Result<Vec<Client>, AccessError> {
        Ok(stored::list(&self.db).await?)
    }

    /// The client of this id, disabled or not; [`ClientsError::Unknown`] when there is none.
    pub async fn find(&self, id: ClientId) -> Result<Client, ClientsError> {
        stored::find(&self.db, id).await?.ok_or(ClientsError::Unknown(id))
    }

    /// When each client was last used, to the minute or so; those that never were are absent.
    pub async fn last_used(&self) -> Result<HashMap<ClientId, Timestamp>, AccessError> {
        Ok(client_uses::all(&self.db).await?)
    }

    /// Replaces what a client may do; it works at its next request. [`ClientsError::Disabled`] where it is disabled and is
    /// not to be enabled.
    pub async fn set(
        &self,
        id: ClientId,
        change: ClientChange,
        actor: &Actor,
    ) -> Result<Client, ClientsError> {
        let name = change.name.as_deref().map(checked_name).transpose()?;
        let mut tx = self.db.begin().await?;
        let found = stored::lock(&mut tx, id).await?.ok_or(ClientsError::Unknown(id))?;
        if found.disabled && !change.enable {
            return Err(ClientsError::Disabled(id));
        }
        let client = Client {
            id,
            name: name.unwrap_or(found.name),
            permissions: change.permissions.unwrap_or(found.permissions),
            workspaces: change.workspaces.unwrap_or(found.workspaces),
            disabled: false,
        };
        stored::update(&mut tx, &client).await?;
        let changed = ChangedClient {
            name: &client.name,
            permissions: &client.permissions,
            workspaces: &client.workspaces,
            enabled: found.disabled,
        };
        self.audit.record(&mut tx, actor, "client.set", format!("client:{id}"), &changed).await?;
        self.commit_change(tx, "client-set", id).await?;
        Ok(client)
    }

    /// Disables a client: it gets no tokens any more, and those it has end within two seconds; its sessions of the
    /// console end at once. A second time changes nothing.
    pub async fn disable(&self, id: ClientId, actor: &Actor) -> Result<(), ClientsError> {
        let mut tx = self.db.begin().await?;
        if !stored::disable(&mut tx, id, self.clock.now()).await? {
            return Err(ClientsError::Unknown(id));
        }
        sessions::end_all(&mut tx, id).await?;
        self.record(&mut tx, actor, "client.disable", id).await?;
        Ok(self.commit_change(tx, "client-disabled", id).await?)
    }

    /// Gives a client another secret. The one before it stays good until the next rotation, so that programs change over in
    /// their time; whoever is signed in to the console signs in again.
    pub async fn rotate_secret(&self, id: ClientId, actor: &Actor) -> Result<Credentials, ClientsError> {
        let mut tx = self.db.begin().await?;
        let client = stored::find(&mut tx, id).await?.ok_or(ClientsError::Unknown(id))?;
        if client.disabled {
            return Err(ClientsError::Disabled(id));
        }
        let secret = self.add_secret(&mut tx, id).await?;
        sessions::end_all(&mut tx, id).await?;
        self.record(&mut tx, actor, "client.rotate_secret", id).await?;
        self.commit_change(tx, "client-secret-rotated", id).await?;
        Ok(Credentials { client, secret })
    }

    /// The client of these credentials; `None` when there is none, the secret is wrong, or it is disabled.
    pub async fn authenticate(&self, id: &str, secret: &SecretString) -> Result<Option<Client>, AccessError> {
        let id = id.parse::<ClientId>().unwrap_or(ClientId(Uuid::nil()));
        let compared = self.keyring.hash(Purpose::ClientSecret, secret.expose_secret());
        if let Some(client) = self.known.find(id, &compared, self.clock.now()) {
            return Ok(Some(client));
        }
        let (as_of, now) = (self.known.as_of(), self.clock.now());
        // It is never closed.
        let turn = self.lookups.acquire().await;
        let client = stored::find(&self.db, id).await?.filter(|client| !client.disabled);
        let live = stored::live_secrets(&self.db, id).await?;
        drop(turn);
        let secret = secret.expose_secret();
        // As many hashes are made for an unknown client, a disabled one, and one with two secrets: time tells nobody apart.
        let decoy = SecretHash { key_id: compared.key_id.clone(), hash: vec![0; compared.bytes.len()] };
        let decoys = std::iter::repeat_n(decoy, usize::from(LIVE_SECRETS).saturating_sub(live.len()));
        let mut known = None;
        for stored in live.into_iter().chain(decoys) {
            let hash = KeyedHash { key_id: stored.key_id.clone(), bytes: stored.hash.clone() };
            if self.keyring.matches(Purpose::ClientSecret, secret, &hash) {
                known = Some(stored);
            }
        }
        let (Some(client), Some(known)) = (client, known) else { return Ok(None) };
        if self.keyring.is_older(&known.key_id)
            && let Err(error) = self.move_secret(id, &known, secret).await
        {
            // The next success tries again.
            tracing::warn!(client.id = %id, "A secret of client {id} stays with an older master key: {error}");
        }
        self.known.remember(&client, compared, as_of, now);
        Ok(Some(client))
    }

    /// Stores the hash under the active master key, so that nothing depends on the older one.
    async fn move_secret(&self, id: ClientId, old: &SecretHash, secret: &str) -> Result<(), StoreError> {
        let KeyedHash { key_id, bytes: hash } = self.keyring.hash(Purpose::ClientSecret, secret);
        let mut tx = self.db.begin().await?;
        stored::rehash(&mut tx, id, old, &SecretHash { key_id, hash }).await?;
        tx.commit_at("client-secret-rehashed").await
    }

    /// Commits what was changed of a client, and forgets its credentials: also after an error, which may come after everything is
    /// durable.
    async fn commit_change(&self, tx: Tx, point: &str, id: ClientId) -> Result<(), StoreError> {
        let committed = tx.commit_at(point).await;
        self.known.changed(id);
        committed
    }

    async fn add_secret(&self, tx: &mut Tx, client: ClientId) -> Result<SecretString, AccessError> {
        let mut bytes = Zeroizing::new([0_u8; SECRET_BYTES]);
        rand::fill(&mut *bytes).map_err(|_| KeyringError::NoRandomness)?;
        let secret = SecretString::from(format!("{SECRET_PREFIX}{}", URL_SAFE_NO_PAD.encode(*bytes)));
        let KeyedHash { key_id, bytes: hash } =
            self.keyring.hash(Purpose::ClientSecret, secret.expose_secret());
        let row = SecretHash { key_id, hash };
        stored::add_secret(tx, self.ids.next(), client, row, LIVE_SECRETS.into(), self.clock.now()).await?;
        Ok(secret)
    }

    async fn record(&self, tx: &mut Tx, actor: &Actor, action: &str, id: ClientId) -> Result<(), StoreError> {
        self.audit.record(tx, actor, action, format!("client:{id}"), &NoDetails {}).await
    }
}
