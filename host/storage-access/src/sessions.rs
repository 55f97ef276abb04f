//! Sessions of people who signed in to the console. The secret of a session is never here, only its SHA-256.

use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::StoreError;
use gateway_database::sql::{params, statements};
use gateway_database::value::{Id, Ts};
use gateway_domain::ids::ClientId;
use jiff::Timestamp;

statements! {
    INSERT = "INSERT INTO console_session (hash, client_id, created_at, last_used_at) VALUES ($1, $2, $3, $3)";
    FIND = "SELECT client_id, created_at, last_used_at FROM console_session WHERE hash = $1";
    USE = "UPDATE console_session SET last_used_at = $2 WHERE hash = $1 AND last_used_at < $2";
    END = "DELETE FROM console_session WHERE hash = $1";
    END_ALL = "DELETE FROM console_session WHERE client_id = $1";
    FORGET = "DELETE FROM console_session WHERE last_used_at < $1";
}

/// A session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Session {
    /// Who signed in.
    pub client: ClientId,
    /// When.
    pub created_at: Timestamp,
    /// The last request of it, to the minute or so.
    pub last_used_at: Timestamp,
}

#[derive(sqlx::FromRow)]
struct Row {
    client_id: Id,
    created_at: Ts,
    last_used_at: Ts,
}

/// Begins a session.
pub async fn insert(tx: &mut Tx, hash: &[u8], client: ClientId, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(&INSERT, params![hash, client, now]).await?;
    Ok(())
}

/// The session whose secret has this hash, however old it is.
pub async fn find(on: impl Into<Executor<'_>>, hash: &[u8]) -> Result<Option<Session>, StoreError> {
    let row: Option<Row> = on.into().optional(&FIND, params![hash]).await?;
    Ok(row.map(|row| Session {
        client: ClientId(row.client_id.0),
        created_at: row.created_at.0,
        last_used_at: row.last_used_at.0,
    }))
}

/// Notes a request of a session.
pub async fn touch(tx: &mut Tx, hash: &[u8], now: Timestamp) -> Result<(), StoreError> {
    tx.execute(&USE, params![hash, now]).await?;
    Ok(())
}

/// Ends a session; one that ended already is no mistake.
pub async fn end(tx: &mut Tx, hash: &[u8]) -> Result<(), StoreError> {
    tx.execute(&END, params![hash]).await?;
    Ok(())
}

/// Ends every session of a client.
pub async fn end_all(tx: &mut Tx, client: ClientId) -> Result<(), StoreError> {
    tx.execute(&END_ALL, params![client]).await?;
    Ok(())
}

/// Forgets sessions that nobody used since.
pub async fn forget(tx: &mut Tx, before: Timestamp) -> Result<u64, StoreError> {
    tx.execute(&FORGET, params![before]).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clients;
    use gateway_domain::access::{Client, Workspaces};
    use gateway_storage::testing::{self, samples::at};
    use uuid::Uuid;

    #[tokio::test]
    async fn a_session_is_found_by_its_hash_until_it_ends() {
        for db in testing::both().await {
            let client = Client {
                id: ClientId(Uuid::from_u128(1)),
                name: "Backoffice".to_owned(),
                permissions: Vec::new(),
                workspaces: Workspaces::All,
                disabled: false,
            };
            let mut tx = db.begin().await.unwrap();
            clients::insert(&mut tx, &client, at(0)).await.unwrap();
            for hash in [[1_u8; 32], [2; 32], [3; 32]] {
                insert(&mut tx, &hash, client.id, at(i64::from(hash[0]))).await.unwrap();
            }
            touch(&mut tx, &[1; 32], at(9)).await.unwrap();
            touch(&mut tx, &[1; 32], at(8)).await.unwrap();
            let found = find(&mut tx, &[1; 32]).await.unwrap().unwrap();
            assert_eq!((found.client, found.created_at, found.last_used_at), (client.id, at(1), at(9)));
            end(&mut tx, &[1; 32]).await.unwrap();
            assert_eq!(find(&mut tx, &[1; 32]).await.unwrap(), None);
            assert_eq!(forget(&mut tx, at(3)).await.unwrap(), 1);
            assert!(find(&mut tx, &[3; 32]).await.unwrap().is_some());
            end_all(&mut tx, client.id).await.unwrap();
            assert_eq!(find(&mut tx, &[3; 32]).await.unwrap(), None);
        }
    }
}
