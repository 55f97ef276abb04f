//! The keys that sign access tokens, and which keys of the keyring the database depends on.

use crate::db::Tx;
use crate::dispatch::{On, params, statements};
use crate::error::StoreError;
use crate::value::Ts;
use jiff::Timestamp;
use std::collections::BTreeSet;
use std::fmt;

statements! {
    INSERT = "INSERT INTO signing_key (kid, sealed, jwk, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
    PUBLISHED = "SELECT kid, sealed, jwk, retired_at FROM signing_key
        WHERE expires_at IS NULL OR expires_at > $1 ORDER BY created_at DESC, kid";
    RETIRE = "UPDATE signing_key SET retired_at = $1, expires_at = $2 WHERE retired_at IS NULL";
    // The envelope begins with its version, one byte, and the id of the key that seals it, eight.
    SEALING_KEYS = "SELECT substr(token, 2, 8) AS head FROM e_invoicing
        UNION SELECT substr(webhook_token, 2, 8) FROM e_invoicing WHERE webhook_token IS NOT NULL
        UNION SELECT substr(sealed, 2, 8) FROM signing_key";
    HASHING_KEYS = "SELECT DISTINCT key_id FROM client_secret WHERE revoked_at IS NULL";
}

/// A key that signs, or signed, access tokens.
#[derive(Clone, PartialEq, Eq)]
pub struct SigningKey {
    /// Its id in token headers.
    pub kid: String,
    /// The envelope of the private key.
    pub sealed: Vec<u8>,
    /// The public key, a JSON Web Key.
    pub jwk: String,
    /// Whether it signs no more.
    pub retired: bool,
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey")
            .field("kid", &self.kid)
            .field("retired", &self.retired)
            .finish_non_exhaustive()
    }
}

#[derive(sqlx::FromRow)]
struct Row {
    kid: String,
    sealed: Vec<u8>,
    jwk: String,
    retired_at: Option<Ts>,
}

/// Stores the key that signs from now on; `false` when there is one already (retire it first, or use it).
pub async fn insert(
    tx: &mut Tx,
    kid: &str,
    sealed: &[u8],
    jwk: &str,
    now: Timestamp,
) -> Result<bool, StoreError> {
    Ok(tx.execute(&INSERT, params![kid, sealed, jwk, now]).await? == 1)
}

/// Keys whose tokens may still be valid, newest first; at most one of them is not retired.
pub async fn published(on: impl Into<On<'_>>, now: Timestamp) -> Result<Vec<SigningKey>, StoreError> {
    let rows: Vec<Row> = on.into().all(&PUBLISHED, params![now]).await?;
    let key = |row: Row| SigningKey {
        kid: row.kid,
        sealed: row.sealed,
        jwk: row.jwk,
        retired: row.retired_at.is_some(),
    };
    Ok(rows.into_iter().map(key).collect())
}

/// Ends the signing of the present key; it is published until `expires_at`.
pub async fn retire(tx: &mut Tx, now: Timestamp, expires_at: Timestamp) -> Result<bool, StoreError> {
    Ok(tx.execute(&RETIRE, params![now, expires_at]).await? == 1)
}

/// The ids of every key of the keyring that something stored depends on.
pub async fn keyring_ids(on: impl Into<On<'_>>) -> Result<BTreeSet<String>, StoreError> {
    let mut on = on.into();
    let heads: Vec<(Vec<u8>,)> = on.reborrow().all(&SEALING_KEYS, params![]).await?;
    let hashing: Vec<(String,)> = on.all(&HASHING_KEYS, params![]).await?;
    let sealing = heads.into_iter().map(|(head,)| String::from_utf8_lossy(&head).into_owned());
    Ok(sealing.chain(hashing.into_iter().map(|(id,)| id)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, samples::at};

    #[tokio::test]
    async fn one_key_signs_and_a_retired_one_is_published_until_it_expires() {
        for db in testing::both().await {
            let mut tx = db.begin().await.unwrap();
            assert!(insert(&mut tx, "a", b"\x01keyid001secret", "{}", at(0)).await.unwrap());
            assert!(!insert(&mut tx, "b", b"\x01keyid001secret", "{}", at(0)).await.unwrap());
            assert!(retire(&mut tx, at(10), at(50)).await.unwrap());
            assert!(!retire(&mut tx, at(11), at(51)).await.unwrap());
            assert!(insert(&mut tx, "b", b"\x01keyid002secret", "{}", at(10)).await.unwrap());
            tx.commit().await.unwrap();
            let kids = |keys: Vec<SigningKey>| {
                keys.into_iter().map(|key| (key.kid, key.retired)).collect::<Vec<_>>()
            };
            let (new, old) = (("b".to_owned(), false), ("a".to_owned(), true));
            assert_eq!(kids(published(db.db(), at(49)).await.unwrap()), [new.clone(), old]);
            assert_eq!(kids(published(db.db(), at(50)).await.unwrap()), [new]);
            let ids = keyring_ids(db.db()).await.unwrap();
            assert_eq!(ids.into_iter().collect::<Vec<_>>(), ["keyid001", "keyid002"]);
        }
    }
}
