//! Where the submissions of this database go.

use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::sql::{params, statements};
use gateway_domain_finance::Destination;

statements! {
    // Two that say it at the same moment say it one after the other; SQLite has one writer anyway.
    HOLD = pg "LOCK TABLE destination IN SHARE ROW EXCLUSIVE MODE", sqlite "SELECT 1";
    READ = "SELECT goes_to FROM destination WHERE id = 1";
    WRITE = "INSERT INTO destination (id, goes_to) VALUES (1, $1) ON CONFLICT (id) DO UPDATE
        SET goes_to = excluded.goes_to WHERE excluded.goes_to = 'provider'";
    WAITING = "SELECT document_id FROM submission WHERE stage NOT IN ('accepted', 'rejected', 'superseded', 'withdrawn') LIMIT 1";
    CONFIGURED = "SELECT workspace_id FROM e_invoicing LIMIT 1";
}

/// Where they go; none: no gateway with a provider served this database yet.
pub async fn read(on: impl Into<Executor<'_>>) -> Result<Option<Destination>, StoreError> {
    let row: Option<(String,)> = on.into().optional(&READ, params![]).await?;
    row.map(|(text,)| {
        Destination::parse(&text)
            .ok_or_else(|| Corrupt::new("destination", 1, "goes_to", text.clone()).into())
    })
    .transpose()
}

/// Keeps others from saying where they go until the transaction ends: what is read then stays so.
pub async fn hold(tx: &mut Tx) -> Result<(), StoreError> {
    tx.execute(&HOLD, params![]).await.map(drop)
}

/// From now on they go to `destination`. What ever went to a provider stays marked so, also when two say it at the same
/// moment: a stand-in that somebody configured in between does not make it a playground.
pub async fn write(tx: &mut Tx, destination: Destination) -> Result<(), StoreError> {
    tx.execute(&WRITE, params![destination.as_str()]).await.map(drop)
}

/// Whether a submission is on its way.
pub async fn waiting(on: impl Into<Executor<'_>>) -> Result<bool, StoreError> {
    let row: Option<(gateway_database::value::Id,)> = on.into().optional(&WAITING, params![]).await?;
    Ok(row.is_some())
}

/// Whether a workspace sends its invoices to a tax authority.
pub async fn configured(on: impl Into<Executor<'_>>) -> Result<bool, StoreError> {
    let row: Option<(i64,)> = on.into().optional(&CONFIGURED, params![]).await?;
    Ok(row.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[tokio::test]
    async fn what_once_goes_to_a_provider_stays_so() {
        for db in testing::both().await {
            assert_eq!(read(db.db()).await.unwrap(), None);
            for destination in [Destination::Sandbox, Destination::Provider] {
                let mut tx = db.begin().await.unwrap();
                write(&mut tx, destination).await.unwrap();
                tx.commit().await.unwrap();
                assert_eq!(read(db.db()).await.unwrap(), Some(destination));
            }
            let mut tx = db.begin().await.unwrap();
            write(&mut tx, Destination::Sandbox).await.unwrap();
            tx.commit().await.unwrap();
            assert_eq!(read(db.db()).await.unwrap(), Some(Destination::Provider));
            assert!(!waiting(db.db()).await.unwrap());
        }
    }
}
