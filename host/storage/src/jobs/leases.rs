//! Duties that one process at a time carries out. Time is the database's, which is the same for every process.
//!
//! The clock of a database may step, too. A lease that ends later than any was given for (fifteen minutes, here and wherever
//! there are leases) was given while the clock was ahead, perhaps to a process that died: it may be taken.

use gateway_database::Tx;
use gateway_database::error::StoreError;
use gateway_database::sql::{params, statements};
use jiff::SignedDuration;

statements! {
    TAKE = each ["INSERT INTO lease (name, owner, fence, held_until) VALUES ($1, $2, 1, ", (now + "$3"), ")
        ON CONFLICT (name) DO UPDATE SET
            fence = CASE WHEN lease.owner = excluded.owner THEN lease.fence ELSE lease.fence + 1 END,
            owner = excluded.owner, held_until = excluded.held_until
        WHERE lease.owner = excluded.owner OR lease.held_until <= ", (now), "
            OR lease.held_until > ", (now + "'+15 minutes'"), "
        RETURNING fence"];
    HOLD = each ["UPDATE lease SET held_until = ", (now + "$4"), "
        WHERE name = $1 AND owner = $2 AND fence = $3"];
    RELEASE = each ["UPDATE lease SET held_until = ", (now), "
        WHERE name = $1 AND owner = $2 AND held_until > ", (now)];
}

/// A span as both engines read it: an interval of PostgreSQL, a modifier of SQLite's clock.
pub(crate) fn lease_text(lease: SignedDuration) -> String {
    format!("+{}.{:03} seconds", lease.as_secs().max(0), lease.subsec_millis().max(0))
}

/// Takes or renews the duty `name` for as long as `lease`; `None` while another owner holds it. The number is the
/// fence: it grows with every change of owner, so a former owner can be told from the present one.
pub async fn take(
    tx: &mut Tx,
    name: &str,
    owner: &str,
    lease: SignedDuration,
) -> Result<Option<i64>, StoreError> {
    let row: Option<(i64,)> = tx.fetch_optional(&TAKE, params![name, owner, lease_text(lease)]).await?;
    Ok(row.map(|(fence,)| fence))
}

/// Makes sure that the duty is still the one taken under `fence`, and renews it: `false` means that somebody else
/// has it, and that nothing of this transaction may be committed. Until the transaction ends nobody can take it.
pub async fn hold(
    tx: &mut Tx,
    name: &str,
    owner: &str,
    fence: i64,
    lease: SignedDuration,
) -> Result<bool, StoreError> {
    Ok(tx.execute(&HOLD, params![name, owner, fence, lease_text(lease)]).await? == 1)
}

/// Gives the duty back early; `false` when it was no longer held.
pub async fn release(tx: &mut Tx, name: &str, owner: &str) -> Result<bool, StoreError> {
    Ok(tx.execute(&RELEASE, params![name, owner]).await? == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    const LEASE: SignedDuration = SignedDuration::from_secs(600);

    #[test]
    fn a_lease_has_milliseconds() {
        assert_eq!(lease_text(SignedDuration::from_millis(12_034)), "+12.034 seconds");
        assert_eq!(lease_text(SignedDuration::from_secs(-1)), "+0.000 seconds");
    }

    #[tokio::test]
    async fn a_duty_has_one_owner_until_its_lease_ends() {
        for db in testing::both().await {
            let mut tx = db.begin().await.unwrap();
            assert_eq!(take(&mut tx, "duty", "a", LEASE).await.unwrap(), Some(1));
            assert_eq!(take(&mut tx, "duty", "b", LEASE).await.unwrap(), None);
            assert_eq!(take(&mut tx, "duty", "a", LEASE).await.unwrap(), Some(1), "renewed");
            tx.commit().await.unwrap();
            testing::expire_leases(&db).await;
            let mut tx = db.begin().await.unwrap();
            assert!(!release(&mut tx, "duty", "a").await.unwrap(), "it ended by itself");
            assert_eq!(take(&mut tx, "duty", "b", LEASE).await.unwrap(), Some(2), "expired");
            assert!(!release(&mut tx, "duty", "a").await.unwrap());
            assert!(release(&mut tx, "duty", "b").await.unwrap());
            assert_eq!(take(&mut tx, "duty", "a", LEASE).await.unwrap(), Some(3), "released");
        }
    }

    #[tokio::test]
    async fn a_duty_that_was_taken_while_the_clock_was_ahead_is_nobodys() {
        for db in testing::both().await {
            let mut tx = db.begin().await.unwrap();
            assert_eq!(take(&mut tx, "duty", "dead", LEASE).await.unwrap(), Some(1));
            tx.commit().await.unwrap();
            testing::leave_to_the_dead(&db, 2).await;
            let mut tx = db.begin().await.unwrap();
            assert_eq!(take(&mut tx, "duty", "alive", LEASE).await.unwrap(), Some(2));
            assert_eq!(
                take(&mut tx, "duty", "other", LEASE).await.unwrap(),
                None,
                "ten minutes are believed"
            );
        }
    }

    #[tokio::test]
    async fn a_former_owner_is_told_by_its_fence() {
        for db in testing::both().await {
            let mut tx = db.begin().await.unwrap();
            let first = take(&mut tx, "duty", "a", LEASE).await.unwrap().unwrap();
            assert!(hold(&mut tx, "duty", "a", first, LEASE).await.unwrap());
            tx.commit().await.unwrap();
            testing::expire_leases(&db).await;
            let mut tx = db.begin().await.unwrap();
            take(&mut tx, "duty", "b", LEASE).await.unwrap().unwrap();
            assert!(!hold(&mut tx, "duty", "a", first, LEASE).await.unwrap(), "another owner");
            tx.commit().await.unwrap();
            testing::expire_leases(&db).await;
            let mut tx = db.begin().await.unwrap();
            let again = take(&mut tx, "duty", "a", LEASE).await.unwrap().unwrap();
            assert!(!hold(&mut tx, "duty", "a", first, LEASE).await.unwrap(), "the same owner, later");
            assert!(hold(&mut tx, "duty", "a", again, LEASE).await.unwrap());
        }
    }
}
