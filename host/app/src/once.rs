//! Requests that may be repeated (`Idempotency-Key`): the key commits with the request's effect, so a repeated request
//! finds it and is answered instead of carried out.

use crate::Gateway;
use aws_lc_rs::digest;
use gateway_domain::access::{Acting, RequestKey};
use gateway_domain::ids::ClientId;
use gateway_storage::idempotency::{self, Claim};
use gateway_storage::{StoreError, Tx};

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

fn told(found: Claim) -> Repeat {
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

impl Gateway {
    /// Whether a request was carried out before.
    pub async fn repeated(&self, request: &RequestKey) -> Result<Repeat, StoreError> {
        let found = idempotency::find(self.db(), &request.scope, &request.key, &request.hash).await?;
        Ok(told(found))
    }

    /// [`Gateway::repeated`], with what was committed at this moment: behind every transaction that came before, also
    /// where several share one commit.
    pub async fn repeated_by_now(&self, request: &RequestKey) -> Result<Repeat, StoreError> {
        let mut tx = self.db().begin().await?;
        let found = idempotency::find(&mut tx, &request.scope, &request.key, &request.hash).await?;
        tx.rollback().await?;
        Ok(told(found))
    }

    /// Keeps the answer of a request that was carried out; the first one stands.
    pub async fn keep_answer(
        &self,
        request: &RequestKey,
        status: u16,
        response: &str,
    ) -> Result<(), StoreError> {
        let mut tx = self.db().begin().await?;
        idempotency::answer(&mut tx, &request.scope, &request.key, status, response).await?;
        tx.commit().await
    }

    /// Makes a command durable, or takes it back when it was a trial.
    pub(crate) async fn end(&self, tx: Tx, acting: &Acting) -> Result<(), StoreError> {
        if acting.trial { tx.rollback().await } else { tx.commit_at("command").await }
    }

    /// Commits the request's key with its effect. Fails when the same key is carried out at this moment.
    pub(crate) async fn once(&self, tx: &mut Tx, acting: &Acting) -> Result<(), StoreError> {
        let Some(request) = &acting.request else { return Ok(()) };
        match idempotency::claim(tx, &request.scope, &request.key, &request.hash, self.now()).await? {
            Claim::New => Ok(()),
            Claim::Unfinished | Claim::Answered { .. } | Claim::OtherRequest => Err(StoreError::Repeated),
        }
    }
}
