//! Where the submissions of a database go: said by every gateway that serves it, asked by every demonstration.

use gateway_domain::StoreError;
use gateway_domain_finance::{Destination, NotForDemonstration, demonstrable};
use gateway_storage::{Db, Executor, destination};
use std::time::Duration;

/// How soon a demonstration ends after a gateway with a provider said that it serves the same database.
pub const DEMONSTRATION_ENDS_WITHIN: Duration = Duration::from_secs(2);

/// Whether a demonstration may serve this database: whatever waits in it would end at the stand-in.
pub async fn may_be_demonstrated(db: &Db) -> Result<Result<(), NotForDemonstration>, StoreError> {
    demonstrable_on(db.into()).await
}

async fn demonstrable_on(mut on: Executor<'_>) -> Result<Result<(), NotForDemonstration>, StoreError> {
    let in_use = destination::waiting(on.reborrow()).await? || destination::configured(on.reborrow()).await?;
    Ok(demonstrable(destination::read(on).await?, in_use))
}

/// Where the submissions of a database go. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Destinations(Db);

impl Destinations {
    /// Of this database.
    pub const fn new(db: Db) -> Self {
        Self(db)
    }

    /// Where the submissions of this database go; none: no gateway with a provider served it yet.
    pub async fn current(&self) -> Result<Option<Destination>, StoreError> {
        destination::read(&self.0).await
    }

    /// Says where they go from now on, and returns where they went. What ever went to a provider stays marked so.
    pub async fn submissions_go_to(&self, to: Destination) -> Result<Option<Destination>, StoreError> {
        let mut tx = self.0.begin().await?;
        destination::hold(&mut tx).await?;
        let before = destination::read(&mut tx).await?;
        if before != Some(to) {
            destination::write(&mut tx, to).await?;
        }
        tx.commit_at("destination-set").await?;
        Ok(before)
    }

    /// Says that this process demonstrates, if it may: [`may_be_demonstrated`] is asked and answered in one step, so no
    /// gateway with a provider comes in between.
    pub async fn demonstrates_here(&self) -> Result<Result<(), NotForDemonstration>, StoreError> {
        let mut tx = self.0.begin().await?;
        destination::hold(&mut tx).await?;
        let allowed = demonstrable_on((&mut tx).into()).await?;
        if allowed.is_ok() {
            destination::write(&mut tx, Destination::Sandbox).await?;
        }
        tx.commit_at("demonstration-begun").await?;
        Ok(allowed)
    }
}
