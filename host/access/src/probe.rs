//! Whether the master keys are those that the database was sealed with. An id in the key file is only a name: another key
//! under it opens nothing, and would be found out one request at a time.

use super::AccessError;
use crate::master;
use crate::secrets::{Keyring, KeyringError, SealedFor};
use gateway_domain::ports::Clock;
use gateway_storage::{Db, keys};
use std::path::Path;

/// What is sealed; that it can be known helps nobody.
const CONTENT: &[u8] = b"master key probe";

/// Reads the key file at `path`, or makes it where nothing stored depends on one, and makes sure that its keys are those that
/// the database was sealed with.
///
/// # Errors
/// [`KeyringError`] where the file is lost, lacks a key, or holds another one under its id.
pub async fn open_keyring(db: &Db, path: &Path, clock: &dyn Clock) -> Result<Keyring, AccessError> {
    let keyring = Keyring::open_for(path, &keys::keyring_ids(db).await?)?;
    ensure_opens(db, &keyring, clock).await?;
    Ok(keyring)
}

/// Opens something that each key sealed; a key without such a thing seals it now.
///
/// # Errors
/// [`KeyringError::Wrong`] with every key that does not open what was sealed under its id.
pub async fn ensure_opens(db: &Db, keyring: &Keyring, clock: &dyn Clock) -> Result<(), AccessError> {
    let mut wrong = Vec::new();
    for (id, _) in keyring.keys() {
        let place = SealedFor::Probe(&id);
        let opens = match keys::probe(db, &id).await? {
            Some(sealed) => keyring.open(place, &sealed).is_ok(),
            None => first_opens(db, keyring, &id).await? && put_probe(db, keyring, &id, clock).await,
        };
        if !opens {
            wrong.push(id);
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    let path = keyring.path().map(|path| path.display().to_string()).unwrap_or_default();
    Err(KeyringError::Wrong { ids: wrong.join(", "), path }.into())
}

/// Whether the key opens the first envelope under its id; true without any.
async fn first_opens(db: &Db, keyring: &Keyring, id: &str) -> Result<bool, AccessError> {
    let first = keys::sealed_under(db, id, 1, 0).await?.into_iter().next();
    Ok(first.is_none_or(|sealed| keyring.open(master::sealed_for(&sealed.owner), &sealed.envelope).is_ok()))
}

/// Whether the key can seal. What cannot be stored now is stored at the next start.
async fn put_probe(db: &Db, keyring: &Keyring, id: &str, clock: &dyn Clock) -> bool {
    let Ok(sealed) = keyring.seal_with(id, SealedFor::Probe(id), CONTENT) else { return false };
    let stored = async {
        let mut tx = db.begin().await?;
        keys::put_probe(&mut tx, id, &sealed, clock.now()).await?;
        tx.commit_at("master-key-probe").await
    };
    if let Err(error) = stored.await {
        tracing::warn!(error = &error as &dyn std::error::Error, "Master key {id} has no probe yet: {error}");
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::other_key_under_the_same_id;
    use gateway_storage::testing::{self, TestClock, TestDb};
    use std::path::Path;

    async fn opened(db: &TestDb, path: &Path) -> Result<(), AccessError> {
        ensure_opens(db, &Keyring::open_or_create(path).unwrap(), &TestClock::default()).await
    }

    #[tokio::test]
    async fn another_key_under_the_same_id_is_refused_with_the_id_and_the_file() {
        let directory = tempfile::tempdir().unwrap();
        for (db, name) in testing::both().await.iter().zip(["sqlite", "postgres"]) {
            let path = directory.path().join(name);
            opened(db, &path).await.unwrap();
            opened(db, &path).await.unwrap();
            other_key_under_the_same_id(&path);
            let refused = opened(db, &path).await.unwrap_err().to_string();
            assert!(
                refused.contains(&path.display().to_string()) && refused.contains("restore"),
                "{refused}"
            );
        }
    }
}
