//! Duties that one process at a time carries out.

use crate::db::Tx;
use crate::dispatch::{params, statements};
use crate::error::StoreError;
use jiff::Timestamp;

statements! {
    TAKE = "INSERT INTO lease (name, owner, fence, held_until) VALUES ($1, $2, 1, $3)
        ON CONFLICT (name) DO UPDATE SET
            fence = CASE WHEN lease.owner = excluded.owner THEN lease.fence ELSE lease.fence + 1 END,
            owner = excluded.owner, held_until = excluded.held_until
        WHERE lease.owner = excluded.owner OR lease.held_until <= $4
        RETURNING fence";
    RELEASE = "UPDATE lease SET held_until = $3 WHERE name = $1 AND owner = $2 AND held_until > $3";
}

/// Takes or renews the duty `name` until `until`; `None` while another owner holds it. The number is the fence: it
/// grows with every change of owner, so a former owner can be told from the present one.
pub async fn take(
    tx: &mut Tx,
    name: &str,
    owner: &str,
    now: Timestamp,
    until: Timestamp,
) -> Result<Option<i64>, StoreError> {
    let row: Option<(i64,)> = tx.fetch_optional(&TAKE, params![name, owner, until, now]).await?;
    Ok(row.map(|(fence,)| fence))
}

/// Gives the duty back early; `false` when it was no longer held.
pub async fn release(tx: &mut Tx, name: &str, owner: &str, now: Timestamp) -> Result<bool, StoreError> {
    Ok(tx.execute(&RELEASE, params![name, owner, now]).await? == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, samples::at};

    #[tokio::test]
    async fn a_duty_has_one_owner_until_its_lease_ends() {
        for db in testing::both().await {
            let mut tx = db.begin().await.unwrap();
            assert_eq!(take(&mut tx, "duty", "a", at(0), at(30)).await.unwrap(), Some(1));
            assert_eq!(take(&mut tx, "duty", "b", at(10), at(40)).await.unwrap(), None);
            assert_eq!(take(&mut tx, "duty", "a", at(20), at(50)).await.unwrap(), Some(1), "renewed");
            assert_eq!(take(&mut tx, "duty", "b", at(50), at(80)).await.unwrap(), Some(2), "expired");
            assert!(!release(&mut tx, "duty", "a", at(51)).await.unwrap());
            assert!(release(&mut tx, "duty", "b", at(51)).await.unwrap());
            assert_eq!(take(&mut tx, "duty", "a", at(51), at(80)).await.unwrap(), Some(3), "released");
        }
    }
}
