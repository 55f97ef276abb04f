//! Which routes of the legacy API each client used.

use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::StoreError;
use gateway_database::sql::{params, statements};
use gateway_database::value::Ts;
use gateway_domain::ids::ClientId;
use gateway_domain_events::LegacyUse;

statements! {
    ADD = "INSERT INTO legacy_use (client_id, route, requests, first_at, last_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (client_id, route) DO UPDATE SET requests = legacy_use.requests + excluded.requests,
            first_at = CASE WHEN excluded.first_at < legacy_use.first_at THEN excluded.first_at ELSE legacy_use.first_at END,
            last_at = CASE WHEN excluded.last_at > legacy_use.last_at THEN excluded.last_at ELSE legacy_use.last_at END";
    OF_CLIENT = "SELECT route, requests, first_at, last_at FROM legacy_use WHERE client_id = $1 ORDER BY route LIMIT 100";
}

#[derive(sqlx::FromRow)]
struct Row {
    route: String,
    requests: i64,
    first_at: Ts,
    last_at: Ts,
}

/// Adds what was counted since the last time.
pub async fn add(tx: &mut Tx, client: ClientId, used: &LegacyUse) -> Result<(), StoreError> {
    tx.execute(&ADD, params![client, &used.route, used.requests, used.first_at, used.last_at]).await?;
    Ok(())
}

/// What a client used, by route.
pub async fn of_client(on: impl Into<Executor<'_>>, client: ClientId) -> Result<Vec<LegacyUse>, StoreError> {
    let rows: Vec<Row> = on.into().all(&OF_CLIENT, params![client]).await?;
    let used = |row: Row| LegacyUse {
        route: row.route,
        requests: row.requests,
        first_at: row.first_at.0,
        last_at: row.last_at.0,
    };
    Ok(rows.into_iter().map(used).collect())
}
