//! Requests that may be repeated (`Idempotency-Key`): the key commits with the request's effect, so a repeated request
//! finds it and is answered instead of carried out.

use aws_lc_rs::digest;
use gateway_domain::StoreError;
use gateway_domain::access::RequestKey;
use gateway_domain::ids::ClientId;
use gateway_storage::Db;
use gateway_storage::idempotency::{self, Claim};

/// What is known of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repeat {
    /// Nothing: carry it out.
    New,
    /// It was carried out, and its answer is not known: the state tells.
    CarriedOut,
    /// It was answered so.
    Answered {
        /// HTTP status.
        status: u16,
        /// The body, as sent.
        response: String,
    },
    /// The key belongs to another request.
    OtherRequest,
}

fn repeat_of(found: Claim) -> Repeat {
    match found {
        Claim::New => Repeat::New,
        Claim::Unfinished => Repeat::CarriedOut,
        Claim::Answered { status, response } => Repeat::Answered { status, response },
        Claim::OtherRequest => Repeat::OtherRequest,
    }
}

/// A request by the name its client gave it; `content` is everything it asks for.
pub fn request_key(client: ClientId, key: &str, content: &str) -> RequestKey {
    let hash = digest::digest(&digest::SHA256, content.as_bytes()).as_ref().to_vec();
    RequestKey { scope: client.to_string(), key: key.to_owned(), hash }
}

/// The requests that were given a key. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Requests(Db);

impl Requests {
    /// The requests of this database.
    pub const fn new(db: Db) -> Self {
        Self(db)
    }

    /// Whether a request was carried out before.
    pub async fn repeated(&self, request: &RequestKey) -> Result<Repeat, StoreError> {
        let found = idempotency::find(&self.0, &request.scope, &request.key, &request.hash).await?;
        Ok(repeat_of(found))
    }

    /// [`Requests::repeated`], with what was committed at this moment: behind every transaction that came before, also
    /// where several share one commit.
    pub async fn repeated_by_now(&self, request: &RequestKey) -> Result<Repeat, StoreError> {
        let mut tx = self.0.begin().await?;
        let found = idempotency::find(&mut tx, &request.scope, &request.key, &request.hash).await?;
        tx.rollback().await?;
        Ok(repeat_of(found))
    }

    /// Keeps the answer of a request that was carried out; the first one stands.
    pub async fn keep_answer(
        &self,
        request: &RequestKey,
        status: u16,
        response: &str,
    ) -> Result<(), StoreError> {
        let mut tx = self.0.begin().await?;
        idempotency::answer(&mut tx, &request.scope, &request.key, status, response).await?;
        tx.commit_at("answer-kept").await
    }
}
