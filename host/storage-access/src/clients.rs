//! API clients and the keyed hashes of their secrets. A secret itself is never here.

use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::sql::{params, statements};
use gateway_database::value::{Id, Ts};
use gateway_domain::access::{Client, Permission, Workspaces};
use gateway_domain::ids::{ClientId, WorkspaceId};
use jiff::Timestamp;
use std::fmt;
use uuid::Uuid;

macro_rules! columns {
    () => {
        "id, name, permissions, workspaces, disabled_at"
    };
}

statements! {
    INSERT = both concat!("INSERT INTO client (", columns!(), ", created_at) VALUES ($1, $2, $3, $4, NULL, $5)");
    FIND = both concat!("SELECT ", columns!(), " FROM client WHERE id = $1");
    LIST = both concat!("SELECT ", columns!(), " FROM client ORDER BY created_at, id");
    DISABLE = "UPDATE client SET disabled_at = COALESCE(disabled_at, $2) WHERE id = $1";
    UPDATE = "UPDATE client SET name = $2, permissions = $3, workspaces = $4,
        disabled_at = CASE WHEN $5 = 0 THEN NULL ELSE disabled_at END WHERE id = $1";
    HOLD = each ["SELECT id FROM client WHERE id = $1", (lock " FOR NO KEY UPDATE")];
    ADD_SECRET = "INSERT INTO client_secret (id, client_id, key_id, hash, created_at) VALUES ($1, $2, $3, $4, $5)";
    REVOKE_OLD = "UPDATE client_secret SET revoked_at = $2
        WHERE client_id = $1 AND revoked_at IS NULL AND id NOT IN (
            SELECT id FROM client_secret WHERE client_id = $1 AND revoked_at IS NULL
            ORDER BY created_at DESC, id DESC LIMIT $3)";
    SECRETS = "SELECT key_id, hash FROM client_secret WHERE client_id = $1 AND revoked_at IS NULL
        ORDER BY created_at DESC, id DESC LIMIT 8";
    REHASH = "UPDATE client_secret SET key_id = $4, hash = $5
        WHERE client_id = $1 AND key_id = $2 AND hash = $3 AND revoked_at IS NULL";
}

/// Every workspace, in the column that else holds a JSON list of ids.
const ALL_WORKSPACES: &str = "*";

#[derive(sqlx::FromRow)]
struct Row {
    id: Id,
    name: String,
    permissions: String,
    workspaces: String,
    disabled_at: Option<Ts>,
}

impl TryFrom<Row> for Client {
    type Error = Corrupt;

    fn try_from(row: Row) -> Result<Self, Corrupt> {
        let corrupt = |column, found: &str| Corrupt::new("client", row.id.0, column, found);
        let permissions: Vec<Permission> =
            serde_json::from_str(&row.permissions).map_err(|_| corrupt("permissions", &row.permissions))?;
        let workspaces = if row.workspaces == ALL_WORKSPACES {
            Workspaces::All
        } else {
            let list: Vec<WorkspaceId> =
                serde_json::from_str(&row.workspaces).map_err(|_| corrupt("workspaces", &row.workspaces))?;
            Workspaces::Only(list)
        };
        Ok(Self {
            id: ClientId(row.id.0),
            name: row.name,
            permissions,
            workspaces,
            disabled: row.disabled_at.is_some(),
        })
    }
}

/// The keyed hash of a secret.
#[derive(Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct SecretHash {
    /// Which key of the keyring made it.
    pub key_id: String,
    /// HMAC of the secret.
    pub hash: Vec<u8>,
}

impl fmt::Debug for SecretHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretHash").field("key_id", &self.key_id).finish_non_exhaustive()
    }
}

fn stored(workspaces: &Workspaces) -> Result<String, StoreError> {
    match workspaces {
        Workspaces::All => Ok(ALL_WORKSPACES.to_owned()),
        Workspaces::Only(list) => StoreError::json(list),
    }
}

/// Writes what a client is called and may do. One that is not `disabled` is enabled; none is disabled by this.
pub async fn update(tx: &mut Tx, client: &Client) -> Result<(), StoreError> {
    let (permissions, workspaces) = (StoreError::json(&client.permissions)?, stored(&client.workspaces)?);
    let disabled = i64::from(client.disabled);
    tx.execute(&UPDATE, params![client.id, &client.name, permissions, workspaces, disabled]).await?;
    Ok(())
}

/// One client, which nobody else changes until the transaction ends.
pub async fn lock(tx: &mut Tx, id: ClientId) -> Result<Option<Client>, StoreError> {
    tx.fetch_optional::<(Id,)>(&HOLD, params![id]).await?;
    find(tx, id).await
}

/// Stores a client that has no secret yet.
pub async fn insert(tx: &mut Tx, client: &Client, now: Timestamp) -> Result<(), StoreError> {
    let workspaces = stored(&client.workspaces)?;
    let params = params![client.id, &client.name, StoreError::json(&client.permissions)?, workspaces, now];
    tx.execute(&INSERT, params).await?;
    Ok(())
}

/// One client.
pub async fn find(on: impl Into<Executor<'_>>, id: ClientId) -> Result<Option<Client>, StoreError> {
    let row: Option<Row> = on.into().optional(&FIND, params![id]).await?;
    Ok(row.map(Client::try_from).transpose()?)
}

/// Every client, oldest first.
pub async fn list(on: impl Into<Executor<'_>>) -> Result<Vec<Client>, StoreError> {
    let rows: Vec<Row> = on.into().all(&LIST, params![]).await?;
    Ok(rows.into_iter().map(Client::try_from).collect::<Result<_, _>>()?)
}

/// Disables a client for good; `false` when there is none. A second time changes nothing.
pub async fn disable(tx: &mut Tx, id: ClientId, now: Timestamp) -> Result<bool, StoreError> {
    Ok(tx.execute(&DISABLE, params![id, now]).await? == 1)
}

/// Adds a secret and revokes all but the newest `live`.
pub async fn add_secret(
    tx: &mut Tx,
    id: Uuid,
    client: ClientId,
    secret: SecretHash,
    live: i64,
    now: Timestamp,
) -> Result<(), StoreError> {
    // Of two at once the second sees the secret of the first, else neither would revoke enough.
    tx.fetch_optional::<(Id,)>(&HOLD, params![client]).await?;
    tx.execute(&ADD_SECRET, params![id, client, secret.key_id, secret.hash, now]).await?;
    tx.execute(&REVOKE_OLD, params![client, now, live]).await?;
    Ok(())
}

/// The secrets that count, newest first.
pub async fn live_secrets(
    on: impl Into<Executor<'_>>,
    client: ClientId,
) -> Result<Vec<SecretHash>, StoreError> {
    on.into().all(&SECRETS, params![client]).await
}

/// Puts another hash of the same secret in the place of `old`; `false` when it is not there any more.
pub async fn rehash(
    tx: &mut Tx,
    client: ClientId,
    old: &SecretHash,
    new: &SecretHash,
) -> Result<bool, StoreError> {
    let (before, after) =
        ((old.key_id.as_str(), old.hash.as_slice()), (new.key_id.as_str(), new.hash.as_slice()));
    let params = params![client, before.0, before.1, after.0, after.1];
    Ok(tx.execute(&REHASH, params).await? == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gateway_storage::testing::{self, samples::at};

    fn client(id: u128, workspaces: Workspaces) -> Client {
        Client {
            id: ClientId(Uuid::from_u128(id)),
            name: "Backoffice".to_owned(),
            permissions: vec![Permission::FinanceRpc, Permission::Admin],
            workspaces,
            disabled: false,
        }
    }

    #[tokio::test]
    async fn a_client_is_read_as_it_was_written_and_stays_disabled() {
        for db in testing::both().await {
            let one = client(1, Workspaces::Only(vec![WorkspaceId(3), WorkspaceId(5)]));
            let other = client(2, Workspaces::All);
            let mut tx = db.begin().await.unwrap();
            insert(&mut tx, &one, at(0)).await.unwrap();
            insert(&mut tx, &other, at(1)).await.unwrap();
            assert!(disable(&mut tx, other.id, at(2)).await.unwrap());
            assert!(disable(&mut tx, other.id, at(3)).await.unwrap());
            assert!(!disable(&mut tx, ClientId(Uuid::from_u128(9)), at(3)).await.unwrap());
            tx.commit().await.unwrap();
            assert_eq!(find(db.db(), one.id).await.unwrap(), Some(one.clone()));
            assert_eq!(
                list(db.db()).await.unwrap(),
                [one.clone(), Client { disabled: true, ..other.clone() }]
            );
            let other = Client { permissions: Vec::new(), workspaces: Workspaces::Only(Vec::new()), ..other };
            let mut tx = db.begin().await.unwrap();
            update(&mut tx, &Client { disabled: true, ..other.clone() }).await.unwrap();
            assert!(lock(&mut tx, other.id).await.unwrap().is_some_and(|found| found.disabled));
            update(&mut tx, &other).await.unwrap();
            tx.commit().await.unwrap();
            assert_eq!(list(db.db()).await.unwrap(), [one, other]);
        }
    }

    #[tokio::test]
    async fn the_newest_two_secrets_are_live() {
        for db in testing::both().await {
            let client = client(1, Workspaces::All);
            let mut tx = db.begin().await.unwrap();
            insert(&mut tx, &client, at(0)).await.unwrap();
            for n in 1..=3_u8 {
                let secret = SecretHash { key_id: "k".to_owned(), hash: vec![n] };
                add_secret(&mut tx, Uuid::from_u128(n.into()), client.id, secret, 2, at(0)).await.unwrap();
            }
            let live = live_secrets(&mut tx, client.id).await.unwrap();
            assert_eq!(live.iter().map(|secret| secret.hash.clone()).collect::<Vec<_>>(), [[3], [2]]);
            tx.commit().await.unwrap();
            // Two more at once.
            let add = async |tx: &mut Tx, n: u8| {
                let secret = SecretHash { key_id: "k".to_owned(), hash: vec![n] };
                add_secret(tx, Uuid::from_u128(n.into()), client.id, secret, 2, at(0)).await.unwrap();
            };
            let mut first = db.begin().await.unwrap();
            add(&mut first, 4).await;
            let second = async {
                let mut second = db.begin().await.unwrap();
                add(&mut second, 5).await;
                second.commit().await.unwrap();
            };
            let then = async {
                testing::until_somebody_waits(&db).await;
                first.commit().await.unwrap();
            };
            tokio::join!(second, then);
            let live = live_secrets(db.db(), client.id).await.unwrap();
            assert_eq!(live.iter().map(|secret| secret.hash.clone()).collect::<Vec<_>>(), [[5], [4]]);
            let mut tx = db.begin().await.unwrap();
            let moved = SecretHash { key_id: "l".to_owned(), hash: vec![9] };
            assert!(rehash(&mut tx, client.id, &live[1], &moved).await.unwrap());
            assert!(!rehash(&mut tx, client.id, &live[1], &moved).await.unwrap());
            assert_eq!(live_secrets(&mut tx, client.id).await.unwrap(), [live[0].clone(), moved]);
        }
    }
}
