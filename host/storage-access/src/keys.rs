//! The keys that sign access tokens, and which keys of the keyring the database depends on.

use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::sql::{params, statements};
use gateway_database::value::{Id, Ts};
use gateway_domain::ids::{ClientId, WebhookId, WorkspaceId};
use jiff::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

statements! {
    INSERT = "INSERT INTO signing_key (kid, sealed, jwk, created_at, signs_from) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT DO NOTHING";
    PUBLISHED = "SELECT kid, sealed, jwk, COALESCE(signs_from, created_at) AS signs_from FROM signing_key
        WHERE expires_at IS NULL OR expires_at > $1 ORDER BY 4 DESC, created_at DESC, kid";
    RETIRE = "UPDATE signing_key SET retired_at = $1, expires_at = $2 WHERE retired_at IS NULL";
    // The envelope begins with its version, one byte, and the id of the key that seals it, eight.
    SEALING_KEYS = "SELECT substr(token, 2, 8) AS head FROM e_invoicing
        UNION SELECT substr(webhook_token, 2, 8) FROM e_invoicing WHERE webhook_token IS NOT NULL
        UNION SELECT substr(sealed, 2, 8) FROM signing_key
        UNION SELECT substr(secret, 2, 8) FROM webhook_endpoint
        UNION SELECT substr(old_secret, 2, 8) FROM webhook_endpoint WHERE old_secret IS NOT NULL";
    HASHING_KEYS = "SELECT DISTINCT s.key_id FROM client_secret s JOIN client c ON c.id = s.client_id
        WHERE s.revoked_at IS NULL AND c.disabled_at IS NULL";
    SEALING_USES = "SELECT 'provider' AS kind, substr(token, 2, 8) AS head, COUNT(*) AS uses FROM e_invoicing GROUP BY 2
        UNION ALL SELECT 'webhook', substr(webhook_token, 2, 8), COUNT(*) FROM e_invoicing
            WHERE webhook_token IS NOT NULL GROUP BY 2
        UNION ALL SELECT 'signing', substr(sealed, 2, 8), COUNT(*) FROM signing_key GROUP BY 2
        UNION ALL SELECT 'customer', substr(secret, 2, 8), COUNT(*) FROM webhook_endpoint GROUP BY 2
        UNION ALL SELECT 'customer', substr(old_secret, 2, 8), COUNT(*) FROM webhook_endpoint
            WHERE old_secret IS NOT NULL GROUP BY 2";
    SEALED_UNDER = "SELECT 'provider' AS kind, CAST(workspace_id AS TEXT) AS owner, token AS sealed FROM e_invoicing
            WHERE substr(token, 2, 8) = $1
        UNION ALL SELECT 'webhook', CAST(workspace_id AS TEXT), webhook_token FROM e_invoicing
            WHERE webhook_token IS NOT NULL AND substr(webhook_token, 2, 8) = $1
        UNION ALL SELECT 'signing', kid, sealed FROM signing_key WHERE substr(sealed, 2, 8) = $1
        UNION ALL SELECT 'customer', CAST(id AS TEXT), secret FROM webhook_endpoint WHERE substr(secret, 2, 8) = $1
        UNION ALL SELECT 'customer', CAST(id AS TEXT), old_secret FROM webhook_endpoint
            WHERE old_secret IS NOT NULL AND substr(old_secret, 2, 8) = $1
        ORDER BY 1, 2 LIMIT $2 OFFSET $3";
    HASHED_UNDER = "SELECT DISTINCT s.client_id FROM client_secret s JOIN client c ON c.id = s.client_id
        WHERE s.key_id = $1 AND s.revoked_at IS NULL AND c.disabled_at IS NULL ORDER BY s.client_id";
    MOVE_PROVIDER = "UPDATE e_invoicing SET token = $3 WHERE workspace_id = $1 AND token = $2";
    MOVE_WEBHOOK = "UPDATE e_invoicing SET webhook_token = $3, webhook_token_hash = $4
        WHERE workspace_id = $1 AND webhook_token = $2";
    MOVE_CUSTOMER = "UPDATE webhook_endpoint SET secret = CASE WHEN secret = $2 THEN $3 ELSE secret END,
            old_secret = CASE WHEN old_secret = $2 THEN $3 ELSE old_secret END
        WHERE id = $1 AND (secret = $2 OR old_secret = $2)";
    PROBE = "SELECT sealed FROM master_key_probe WHERE key_id = $1";
    PUT_PROBE = "INSERT INTO master_key_probe (key_id, sealed, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    MOVE_SIGNING = "UPDATE signing_key SET sealed = $3 WHERE kid = $1 AND sealed = $2";
}

/// What depends on one key of the keyring.
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

/// An envelope with its owner.
#[derive(Clone, PartialEq, Eq)]
pub struct Sealed {
    pub owner: SealedOwner,
    /// Version, key id, nonce and ciphertext: `gateway_access` makes it, and it opens for this owner only.
    pub envelope: Vec<u8>,
}

impl fmt::Debug for Sealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sealed").field("owner", &self.owner).finish_non_exhaustive()
    }
}

#[derive(sqlx::FromRow)]
struct SealedRow {
    kind: String,
    owner: String,
    sealed: Vec<u8>,
}

impl TryFrom<SealedRow> for Sealed {
    type Error = Corrupt;

    fn try_from(row: SealedRow) -> Result<Self, Corrupt> {
        let workspace = || {
            let id = row.owner.parse().map(WorkspaceId);
            id.map_err(|_| Corrupt::new("e_invoicing", &row.owner, "workspace_id", &row.owner))
        };
        let owner = match row.kind.as_str() {
            "provider" => SealedOwner::ProviderToken(workspace()?),
            "webhook" => SealedOwner::WebhookToken(workspace()?),
            "customer" => {
                let id = row.owner.parse();
                let damaged = |_| Corrupt::new("webhook_endpoint", &row.owner, "id", &row.owner);
                SealedOwner::WebhookSecret(id.map_err(damaged)?)
            }
            _ => SealedOwner::SigningKey(row.owner),
        };
        Ok(Self { owner, envelope: row.sealed })
    }
}

/// A key that signs, or signed, access tokens.
#[derive(Clone, PartialEq, Eq)]
pub struct SigningKey {
    /// `kid` of token headers: the thumbprint of the public key (RFC 7638).
    pub kid: String,
    /// The envelope of the private key.
    pub sealed: Vec<u8>,
    /// The public key, a JSON Web Key.
    pub jwk: String,
    /// It signs from then on, until another one does.
    pub signs_from: Timestamp,
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey")
            .field("kid", &self.kid)
            .field("signs_from", &self.signs_from)
            .finish_non_exhaustive()
    }
}

#[derive(sqlx::FromRow)]
struct Row {
    kid: String,
    sealed: Vec<u8>,
    jwk: String,
    signs_from: Ts,
}

/// Stores a key, made now; `false` when there is one already that nobody retired (retire it first, or use it).
pub async fn insert(tx: &mut Tx, key: &SigningKey, now: Timestamp) -> Result<bool, StoreError> {
    let SigningKey { kid, sealed, jwk, signs_from } = key;
    Ok(tx.execute(&INSERT, params![kid.as_str(), sealed.as_slice(), jwk.as_str(), now, *signs_from]).await?
        == 1)
}

/// Keys whose tokens may still be valid, and those that are to sign soon: whoever signs last comes first.
pub async fn published(on: impl Into<Executor<'_>>, now: Timestamp) -> Result<Vec<SigningKey>, StoreError> {
    let rows: Vec<Row> = on.into().all(&PUBLISHED, params![now]).await?;
    let key = |row: Row| SigningKey {
        kid: row.kid,
        sealed: row.sealed,
        jwk: row.jwk,
        signs_from: row.signs_from.0,
    };
    Ok(rows.into_iter().map(key).collect())
}

/// Ends the signing of the newest key at `from`; it is published until `expires_at`. `false` when there is none.
pub async fn retire(tx: &mut Tx, from: Timestamp, expires_at: Timestamp) -> Result<bool, StoreError> {
    Ok(tx.execute(&RETIRE, params![from, expires_at]).await? == 1)
}

/// The ids of every key of the keyring that something stored depends on.
pub async fn keyring_ids(on: impl Into<Executor<'_>>) -> Result<BTreeSet<String>, StoreError> {
    let mut on = on.into();
    let heads: Vec<(Vec<u8>,)> = on.reborrow().all(&SEALING_KEYS, params![]).await?;
    let hashing: Vec<(String,)> = on.all(&HASHING_KEYS, params![]).await?;
    let sealing = heads.into_iter().map(|(head,)| String::from_utf8_lossy(&head).into_owned());
    Ok(sealing.chain(hashing.into_iter().map(|(id,)| id)).collect())
}

/// What depends on each key of the keyring that anything depends on, by its id.
pub async fn uses(on: impl Into<Executor<'_>>) -> Result<BTreeMap<String, KeyUse>, StoreError> {
    let mut on = on.into();
    let mut uses: BTreeMap<String, KeyUse> = BTreeMap::new();
    let sealing: Vec<(String, Vec<u8>, i64)> = on.reborrow().all(&SEALING_USES, params![]).await?;
    for (kind, head, count) in sealing {
        let of_key = uses.entry(String::from_utf8_lossy(&head).into_owned()).or_default();
        match kind.as_str() {
            "provider" => of_key.provider_tokens = count,
            "webhook" => of_key.webhook_tokens = count,
            // The secrets in use and those before them are counted apart.
            "customer" => of_key.webhook_secrets += count,
            _ => of_key.signing_keys = count,
        }
    }
    let hashing: Vec<(String,)> = on.reborrow().all(&HASHING_KEYS, params![]).await?;
    for (key_id,) in hashing {
        let clients = hashed_under(on.reborrow(), &key_id).await?;
        uses.entry(key_id).or_default().clients = clients;
    }
    Ok(uses)
}

/// Envelopes that this key of the keyring sealed, by owner: `limit` of them behind the first `skip`.
pub async fn sealed_under(
    on: impl Into<Executor<'_>>,
    key_id: &str,
    limit: i64,
    skip: i64,
) -> Result<Vec<Sealed>, StoreError> {
    let rows: Vec<SealedRow> = on.into().all(&SEALED_UNDER, params![key_id.as_bytes(), limit, skip]).await?;
    Ok(rows.into_iter().map(Sealed::try_from).collect::<Result<_, _>>()?)
}

/// The clients with a secret that counts and that this key of the keyring hashed.
pub async fn hashed_under(on: impl Into<Executor<'_>>, key_id: &str) -> Result<Vec<ClientId>, StoreError> {
    let rows: Vec<(Id,)> = on.into().all(&HASHED_UNDER, params![key_id]).await?;
    Ok(rows.into_iter().map(|(id,)| ClientId(id.0)).collect())
}

/// What this key of the keyring sealed to be known by; none before it is first used.
pub async fn probe(on: impl Into<Executor<'_>>, key_id: &str) -> Result<Option<Vec<u8>>, StoreError> {
    let row: Option<(Vec<u8>,)> = on.into().optional(&PROBE, params![key_id]).await?;
    Ok(row.map(|(sealed,)| sealed))
}

/// Keeps what a key of the keyring sealed, unless something of it is kept.
pub async fn put_probe(tx: &mut Tx, key_id: &str, sealed: &[u8], now: Timestamp) -> Result<(), StoreError> {
    tx.execute(&PUT_PROBE, params![key_id, sealed, now]).await?;
    Ok(())
}

/// Puts another envelope of the same secret in the place of `old`; `false` when somebody changed it meanwhile. The
/// hash goes with webhook tokens, and only with them.
pub async fn reseal(
    tx: &mut Tx,
    old: &Sealed,
    envelope: &[u8],
    webhook_hash: Option<&[u8]>,
) -> Result<bool, StoreError> {
    let before = old.envelope.as_slice();
    let changed = match &old.owner {
        SealedOwner::ProviderToken(workspace) => {
            tx.execute(&MOVE_PROVIDER, params![*workspace, before, envelope]).await?
        }
        SealedOwner::WebhookToken(workspace) => {
            let hash = webhook_hash.map(<[u8]>::to_vec);
            tx.execute(&MOVE_WEBHOOK, params![*workspace, before, envelope, hash]).await?
        }
        SealedOwner::SigningKey(kid) => {
            tx.execute(&MOVE_SIGNING, params![kid.as_str(), before, envelope]).await?
        }
        SealedOwner::WebhookSecret(id) => tx.execute(&MOVE_CUSTOMER, params![*id, before, envelope]).await?,
    };
    Ok(changed == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gateway_domain::workspace::EInvoicing;
    use gateway_storage::testing::{self, samples, samples::at};
    use gateway_storage::workspaces::{self, SealedProviderToken, SealedWebhookToken};

    #[tokio::test]
    async fn one_key_signs_and_a_retired_one_is_published_until_it_expires() {
        for db in testing::both().await {
            let mut tx = db.begin().await.unwrap();
            let key = |kid: &str, sealed: &[u8], signs_from| SigningKey {
                kid: kid.to_owned(),
                sealed: sealed.to_vec(),
                jwk: "{}".to_owned(),
                signs_from,
            };
            assert!(insert(&mut tx, &key("a", b"\x01keyid001secret", at(0)), at(0)).await.unwrap());
            let second = key("b", b"\x01keyid002secret", at(15));
            assert!(!insert(&mut tx, &second, at(10)).await.unwrap());
            assert!(retire(&mut tx, at(15), at(50)).await.unwrap());
            assert!(!retire(&mut tx, at(16), at(51)).await.unwrap());
            assert!(insert(&mut tx, &second, at(10)).await.unwrap());
            tx.commit().await.unwrap();
            let kids = |keys: Vec<SigningKey>| {
                keys.into_iter().map(|key| (key.kid, key.signs_from)).collect::<Vec<_>>()
            };
            let (new, old) = (("b".to_owned(), at(15)), ("a".to_owned(), at(0)));
            assert_eq!(kids(published(db.db(), at(49)).await.unwrap()), [new.clone(), old]);
            assert_eq!(kids(published(db.db(), at(50)).await.unwrap()), [new]);
            let ids = keyring_ids(db.db()).await.unwrap();
            assert_eq!(ids.into_iter().collect::<Vec<_>>(), ["keyid001", "keyid002"]);
        }
    }
    #[tokio::test]
    async fn an_envelope_is_replaced_only_while_it_is_the_one_that_was_read() {
        for db in testing::both().await {
            samples::stored_workspace(db.db(), 7).await;
            let sealed = |key: &str, rest: &str| format!("\u{1}{key}{rest}").into_bytes();
            let configuration = EInvoicing {
                regime: "es-verifactu".parse().unwrap(),
                company_id: uuid::Uuid::from_u128(1),
                workflow_id: uuid::Uuid::from_u128(2),
                settings: serde_json::json!({}),
            };
            let webhook = SealedWebhookToken { sealed: sealed("key00001", "hook"), hash: vec![1; 32] };
            let provider = SealedProviderToken { sealed: sealed("key00001", "provider"), expires_at: None };
            let mut tx = db.begin().await.unwrap();
            let seven = WorkspaceId(7);
            workspaces::put_e_invoicing(&mut tx, seven, &configuration, &provider, Some(webhook), at(0))
                .await
                .unwrap();
            let key = SigningKey {
                kid: "kid".to_owned(),
                sealed: sealed("key00001", "private"),
                jwk: "{}".to_owned(),
                signs_from: at(0),
            };
            insert(&mut tx, &key, at(0)).await.unwrap();
            tx.commit().await.unwrap();
            let found = sealed_under(db.db(), "key00001", 10, 0).await.unwrap();
            assert_eq!(
                found.iter().map(|sealed| sealed.owner.clone()).collect::<Vec<_>>(),
                [
                    SealedOwner::ProviderToken(seven),
                    SealedOwner::SigningKey("kid".to_owned()),
                    SealedOwner::WebhookToken(seven)
                ]
            );
            assert_eq!(sealed_under(db.db(), "key00001", 2, 1).await.unwrap(), found[1..]);
            let depend =
                KeyUse { provider_tokens: 1, webhook_tokens: 1, signing_keys: 1, ..KeyUse::default() };
            assert_eq!(uses(db.db()).await.unwrap(), BTreeMap::from([("key00001".to_owned(), depend)]));
            for (place, old) in found.iter().enumerate() {
                let new = sealed("key00002", &place.to_string());
                let mut tx = db.begin().await.unwrap();
                assert!(reseal(&mut tx, old, &new, Some(&[2; 32])).await.unwrap());
                assert!(!reseal(&mut tx, old, b"late", Some(&[3; 32])).await.unwrap());
                tx.commit().await.unwrap();
            }
            assert!(sealed_under(db.db(), "key00001", 10, 0).await.unwrap().is_empty());
            let stored = workspaces::e_invoicing(db.db(), seven).await.unwrap().unwrap();
            assert_eq!(stored.token.sealed, sealed("key00002", "0"));
            assert_eq!(stored.webhook_token, Some(sealed("key00002", "2")));
            assert_eq!(workspaces::by_webhook_token(db.db(), &[2; 32]).await.unwrap(), [seven]);
            assert_eq!(published(db.db(), at(1)).await.unwrap()[0].sealed, sealed("key00002", "1"));
        }
    }
}
