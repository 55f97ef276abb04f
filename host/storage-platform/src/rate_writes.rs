//! Who wrote rates of a unit when: a client may do so once in a while. In the database and not with `governor`, because replicas
//! count together, and a write that is taken back was none.

use gateway_database::Tx;
use gateway_database::error::StoreError;
use gateway_database::sql::{params, statements};
use gateway_database::value::Ts;
use gateway_domain::ids::{ClientId, UnitId};
use jiff::{SignedDuration, Timestamp};

statements! {
    TAKE = "INSERT INTO rate_write (client_id, unit_id, at) VALUES ($1, $2, $3)
        ON CONFLICT (client_id, unit_id) DO UPDATE SET at = excluded.at WHERE rate_write.at <= $4";
    LAST = "SELECT at FROM rate_write WHERE client_id = $1 AND unit_id = $2";
}

/// Takes a turn, if the last one is `apart` ago or longer; else says when that was. Of two who ask at once the second
/// waits for the first, and the turn of one that is rolled back was none.
pub async fn take(
    tx: &mut Tx,
    client: ClientId,
    unit: UnitId,
    now: Timestamp,
    apart: SignedDuration,
) -> Result<Result<(), Timestamp>, StoreError> {
    let before = now.checked_sub(apart).unwrap_or(now);
    if tx.execute(&TAKE, params![client, unit, now, before]).await? == 1 {
        return Ok(Ok(()));
    }
    let (Ts(last),): (Ts,) = tx.fetch_one(&LAST, params![client, unit]).await?;
    Ok(Err(last))
}
