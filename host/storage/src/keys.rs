//! The keys that sign access tokens, and which keys of the keyring the database depends on.

use crate::db::Tx;
use crate::dispatch::{On, params, statements};
use crate::error::StoreError;
use crate::value::Ts;
use jiff::Timestamp;
use std::collections::BTreeSet;
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
pub async fn published(on: impl Into<On<'_>>, now: Timestamp) -> Result<Vec<SigningKey>, StoreError> {
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
}
