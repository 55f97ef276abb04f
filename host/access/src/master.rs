//! Another master key: made active in the file, then everything in the database is sealed anew with it, beside
//! gateways that serve.
//!
//! The file comes first, the database follows envelope by envelope, each only if nobody changed it meanwhile. Whoever
//! serves opens both kinds all the time, so nothing waits and a run that died is finished by the next one. Secrets of
//! clients are known to the clients only: they move when a client next shows one.

use super::{AccessError, Audit, NoDetails};
use crate::secrets::{KeyStanding, Keyring, Purpose, SealedFor};
use gateway_domain::access::Actor;
use gateway_domain::ids::{ClientId, WebhookId, WorkspaceId};
use gateway_domain::ports::{Clock, Ids};
use gateway_storage::Db;
use gateway_storage::keys::{self, Sealed};
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;

/// Envelopes that are read at once.
const BATCH: i64 = 200;
/// Longer than processes go on with the keys they know: what they sealed with the old one lies in the database by
/// then.
const LATE_WRITERS_TIME: Duration = Duration::from_millis(1_500);

/// The master keys, and what depends on them.
#[derive(Debug, Clone)]
pub struct MasterKeys {
    db: Db,
    keyring: Arc<Keyring>,
    audit: Audit,
}

/// A key, and what depends on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MasterKey {
    /// 8 characters, which begin its line in the key file and stand in every envelope.
    pub id: String,
    /// What it is for; none when the file does not have it.
    pub standing: Option<KeyStanding>,
    /// What depends on it.
    pub uses: KeyUse,
}

/// What depends on one master key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyUse {
    /// Tokens with which workspaces call the provider.
    pub provider_tokens: i64,
    /// Tokens with which the provider calls back.
    pub webhook_tokens: i64,
    /// Keys that sign access tokens, or did.
    pub signing_keys: i64,
    /// Secrets that sign webhooks to customers.
    pub webhook_secrets: i64,
    /// Clients with a secret that the key hashed.
    pub clients: Vec<ClientId>,
}

impl KeyUse {
    /// How many envelopes depend on the key.
    pub const fn sealed(&self) -> i64 {
        self.provider_tokens + self.webhook_tokens + self.signing_keys + self.webhook_secrets
    }

    /// Whether nothing depends on the key.
    pub const fn is_none(&self) -> bool {
        self.sealed() == 0 && self.clients.is_empty()
    }
}

impl From<keys::KeyUse> for KeyUse {
    fn from(stored: keys::KeyUse) -> Self {
        let keys::KeyUse { provider_tokens, webhook_tokens, signing_keys, webhook_secrets, clients } = stored;
        Self { provider_tokens, webhook_tokens, signing_keys, webhook_secrets, clients }
    }
}

/// What an envelope stands for, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SealedOwner {
    /// The token with which a workspace calls the provider.
    ProviderToken(WorkspaceId),
    /// The token with which the provider calls back for a workspace.
    WebhookToken(WorkspaceId),
    /// The private key of this id.
    SigningKey(String),
    /// A secret that signs what is sent to this endpoint.
    WebhookSecret(WebhookId),
}

impl From<keys::SealedOwner> for SealedOwner {
    fn from(stored: keys::SealedOwner) -> Self {
        match stored {
            keys::SealedOwner::ProviderToken(workspace) => Self::ProviderToken(workspace),
            keys::SealedOwner::WebhookToken(workspace) => Self::WebhookToken(workspace),
            keys::SealedOwner::SigningKey(kid) => Self::SigningKey(kid),
            keys::SealedOwner::WebhookSecret(webhook) => Self::WebhookSecret(webhook),
        }
    }
}

/// What a rotation did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resealed {
    /// Id of the key that seals now.
    pub active: String,
    /// Whether it is active since now; else an earlier rotation was finished.
    pub fresh: bool,
    /// Envelopes that were made anew with it.
    pub resealed: u64,
    /// Envelopes that do not open, so that they stay as they are.
    pub damaged: Vec<SealedOwner>,
}

/// What the audit trail tells of secrets that were sealed anew.
#[derive(Serialize)]
struct ResealData {
    /// Envelopes.
    resealed: u64,
}

#[derive(Default)]
struct Resealing {
    resealed: u64,
    damaged: Vec<SealedOwner>,
}

/// Where an envelope opens.
pub(crate) const fn sealed_for(owner: &keys::SealedOwner) -> SealedFor<'_> {
    match owner {
        keys::SealedOwner::ProviderToken(workspace) => SealedFor::ProviderToken(*workspace),
        keys::SealedOwner::WebhookToken(workspace) => SealedFor::WebhookToken(*workspace),
        keys::SealedOwner::SigningKey(kid) => SealedFor::SigningKey(kid.as_str()),
        keys::SealedOwner::WebhookSecret(webhook) => SealedFor::WebhookSecret(*webhook),
    }
}

impl MasterKeys {
    /// The keys of `keyring` and what `db` keeps sealed with them.
    pub fn new(db: Db, keyring: Arc<Keyring>, clock: Arc<dyn Clock>, ids: Arc<dyn Ids>) -> Self {
        let audit = Audit::new(db.clone(), clock, ids);
        Self { db, keyring, audit }
    }

    /// Every key of the file, the active one first, then those that only the database knows.
    pub async fn list(&self) -> Result<Vec<MasterKey>, AccessError> {
        self.keyring.reload();
        let mut uses = keys::uses(&self.db).await?;
        let mut all: Vec<_> = self
            .keyring
            .keys()
            .into_iter()
            .map(|(id, standing)| MasterKey {
                uses: uses.remove(&id).map(KeyUse::from).unwrap_or_default(),
                standing: Some(standing),
                id,
            })
            .collect();
        all.extend(uses.into_iter().map(|(id, uses)| MasterKey { id, standing: None, uses: uses.into() }));
        Ok(all)
    }

    /// Adds a key that becomes active with the next rotation, so that other hosts can have it before. Its id.
    pub async fn stage(&self, actor: &Actor) -> Result<String, AccessError> {
        let id = self.keyring.stage()?;
        self.record(actor, "master_key.stage", &id, &NoDetails {}).await?;
        Ok(id)
    }

    /// Makes another key active and seals everything anew with it. When an earlier rotation was not finished, that is
    /// done instead, and no key is made.
    pub async fn rotate(&self, actor: &Actor) -> Result<Resealed, AccessError> {
        self.keyring.reload();
        let left = self.reseal_all().await?;
        if left.resealed > 0 {
            return self.complete(actor, false, left.resealed).await;
        }
        let id = self.keyring.rotate()?;
        self.record(actor, "master_key.rotate", &id, &NoDetails {}).await?;
        self.complete(actor, true, 0).await
    }

    /// Seals anew what older keys sealed, and makes no key.
    pub async fn finish(&self, actor: &Actor) -> Result<Resealed, AccessError> {
        self.keyring.reload();
        self.complete(actor, false, 0).await
    }

    async fn complete(&self, actor: &Actor, fresh: bool, before: u64) -> Result<Resealed, AccessError> {
        let first = self.reseal_all().await?;
        tokio::time::sleep(LATE_WRITERS_TIME).await;
        let last = self.reseal_all().await?;
        let active = self.keyring.keys().into_iter().next().map(|(id, _)| id).unwrap_or_default();
        let resealed = before + first.resealed + last.resealed;
        self.record(actor, "master_key.reseal", &active, &ResealData { resealed }).await?;
        Ok(Resealed { active, fresh, resealed, damaged: last.damaged })
    }

    /// Everything that an older key sealed, once.
    async fn reseal_all(&self) -> Result<Resealing, AccessError> {
        let mut pass = Resealing::default();
        for (id, standing) in self.keyring.keys() {
            // A staged key is newer than the active one: what it sealed is left to the hosts where it is active.
            if standing != KeyStanding::Older {
                continue;
            }
            let mut skip = 0;
            loop {
                let batch = keys::sealed_under(&self.db, &id, BATCH, skip).await?;
                if batch.is_empty() {
                    break;
                }
                for sealed in batch {
                    if let Some(moved) = self.move_one(&sealed).await? {
                        pass.resealed += u64::from(moved);
                    } else {
                        skip += 1;
                        pass.damaged.push(sealed.owner.into());
                    }
                }
            }
        }
        Ok(pass)
    }

    /// Whether it was moved, or changed meanwhile by somebody; `None` when it does not open.
    async fn move_one(&self, sealed: &Sealed) -> Result<Option<bool>, AccessError> {
        let place = sealed_for(&sealed.owner);
        let Ok(secret) = self.keyring.open(place, &sealed.envelope) else { return Ok(None) };
        let envelope = self.keyring.seal(place, &secret)?;
        let hash = match (&sealed.owner, std::str::from_utf8(&secret)) {
            (keys::SealedOwner::WebhookToken(_), Ok(token)) => {
                Some(self.keyring.hash(Purpose::WebhookToken, token).bytes)
            }
            (keys::SealedOwner::WebhookToken(_), Err(_)) => return Ok(None),
            (
                keys::SealedOwner::ProviderToken(_)
                | keys::SealedOwner::SigningKey(_)
                | keys::SealedOwner::WebhookSecret(_),
                _,
            ) => None,
        };
        let mut tx = self.db.begin().await?;
        let moved = keys::reseal(&mut tx, sealed, &envelope, hash.as_deref()).await?;
        tx.commit_at("secret-resealed").await?;
        Ok(Some(moved))
    }

    async fn record(
        &self,
        actor: &Actor,
        action: &str,
        key: &str,
        data: &impl Serialize,
    ) -> Result<(), AccessError> {
        let mut tx = self.db.begin().await?;
        self.audit.record(&mut tx, actor, action, format!("master_key:{key}"), data).await?;
        Ok(tx.commit_at("master-key-recorded").await?)
    }
}
