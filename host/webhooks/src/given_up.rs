//! Webhooks that failed for so long that nothing is sent to them any more.

use gateway_domain::StoreError;
use gateway_domain_platform::webhooks::GivenUp;
use gateway_storage::{Db, webhooks};

/// Reads which webhooks were given up, with nothing but the database: no secret is opened. Cheap to clone.
#[derive(Debug, Clone)]
pub struct GivenUpWebhooks(Db);

impl GivenUpWebhooks {
    /// Of every workspace of a database.
    pub const fn new(db: Db) -> Self {
        Self(db)
    }

    /// Those that nobody switched off and that are told nothing any more, the first one first; at most `limit`.
    pub async fn list(&self, limit: i64) -> Result<Vec<GivenUp>, StoreError> {
        webhooks::given_up(&self.0, limit).await
    }
}
