//! When each client was last used.

use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::StoreError;
use gateway_database::sql::{params, statements};
use gateway_database::value::{Id, Ts};
use gateway_domain::ids::ClientId;
use jiff::Timestamp;
use std::collections::HashMap;

statements! {
    USED = "INSERT INTO client_use (client_id, last_used_at) VALUES ($1, $2)
        ON CONFLICT (client_id) DO UPDATE SET last_used_at = excluded.last_used_at
            WHERE client_use.last_used_at < excluded.last_used_at";
    ALL = "SELECT client_id, last_used_at FROM client_use";
}

/// Notes that a client was used.
pub async fn used(tx: &mut Tx, client: ClientId, at: Timestamp) -> Result<(), StoreError> {
    tx.execute(&USED, params![client, at]).await?;
    Ok(())
}

/// When each client was last used, to the minute or so; those that never were are absent.
pub async fn all(on: impl Into<Executor<'_>>) -> Result<HashMap<ClientId, Timestamp>, StoreError> {
    let rows: Vec<(Id, Ts)> = on.into().all(&ALL, params![]).await?;
    Ok(rows.into_iter().map(|(id, at)| (ClientId(id.0), at.0)).collect())
}
