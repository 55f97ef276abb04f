//! Requests that may be repeated (`Idempotency-Key`) although their effect is several transactions: the key is claimed
//! before the first of them, and the answer is kept behind the last.
//!
//! Whoever finds a key that is claimed and has no answer cannot know what was done: such a request is never carried out
//! again. Answers may hold what is shown only once, so they are kept sealed; one that does not open any more counts as lost.

use crate::secrets::{Keyring, SealedFor, Unsealable};
use aws_lc_rs::digest;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gateway_domain::StoreError;
use gateway_domain::access::RequestKey;
use gateway_domain::ids::ClientId;
use gateway_domain::ports::Clock;
use gateway_storage::Db;
use gateway_storage::idempotency::{self, Claim};
use jiff::{SignedDuration, Timestamp};
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

/// What the scopes of these requests begin with: the same key of a client at another surface is another key.
const FAMILY: &str = "graphql/";
/// How long a request waits for the answer to the same request when that is being carried out.
const WAIT_MAX: Duration = Duration::from_secs(5);
/// How often it looks.
const LOOK_INTERVAL: Duration = Duration::from_millis(40);
/// Longer than any request runs, whatever the clocks of the hosts differ by.
const RUN_TIME_MAX: SignedDuration = SignedDuration::from_secs(60);
/// How long keys are remembered.
const KEY_AGE_MAX: SignedDuration = SignedDuration::from_hours(7 * 24);
/// How often a process looks for keys that are older, and how many it forgets at once.
const CLEANING_INTERVAL: SignedDuration = SignedDuration::from_hours(1);
const CLEANING_BATCH: i64 = 500;
/// Status of a request whose outcome nobody knows; its response is empty, and no answer is.
const UNKNOWN: u16 = 500;

/// What is known of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestState {
    /// Nothing was, and its key is claimed now: carry it out, then settle the claim.
    New(ClaimedRequest),
    /// It is carried out at this moment.
    Running,
    /// It was begun, and its answer is not known.
    Lost,
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

/// A request whose key is claimed. It stays claimed unless it is settled.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct ClaimedRequest(RequestKey);

/// An answer was not kept.
#[derive(Debug, thiserror::Error)]
enum AnswerNotStored {
    #[error(transparent)]
    Sealing(#[from] Unsealable),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The keys of requests that are claimed before they are carried out. Cheap to clone.
#[derive(Debug, Clone)]
pub struct RequestClaims {
    db: Db,
    keyring: Arc<Keyring>,
    clock: Arc<dyn Clock>,
    /// When old keys were forgotten last, seconds.
    forgot_at: Arc<AtomicI64>,
}

impl RequestClaims {
    /// Those of this database.
    pub fn new(db: Db, keyring: Arc<Keyring>, clock: Arc<dyn Clock>) -> Self {
        Self { db, keyring, clock, forgot_at: Arc::default() }
    }

    /// Claims the key that a client gave a request; `content` is everything it asks for. Where the same request is being
    /// carried out, its answer is waited for.
    pub async fn claim(
        &self,
        client: ClientId,
        key: &str,
        content: &str,
    ) -> Result<RequestState, StoreError> {
        let hash = digest::digest(&digest::SHA256, content.as_bytes()).as_ref().to_vec();
        let request = RequestKey { scope: format!("{FAMILY}{client}"), key: key.to_owned(), hash };
        self.forget_outdated().await;
        let since = Instant::now();
        loop {
            let claim = self.claim_now(&request).await?;
            if !matches!(claim, Claim::Unfinished) {
                return Ok(self.state_of(request, claim));
            }
            // Its end is looked for without writing.
            while matches!(self.find(&request).await?, Claim::Unfinished) {
                if self.is_lost(&request).await? {
                    return Ok(RequestState::Lost);
                }
                if since.elapsed() >= WAIT_MAX {
                    return Ok(RequestState::Running);
                }
                tokio::time::sleep(LOOK_INTERVAL).await;
            }
        }
    }

    async fn claim_now(&self, request: &RequestKey) -> Result<Claim, StoreError> {
        let RequestKey { scope, key, hash } = request;
        let found = self.find(request).await?;
        if found != Claim::New {
            return Ok(found);
        }
        let mut tx = self.db.begin().await?;
        let claim = idempotency::claim(&mut tx, scope, key, hash, self.clock.now()).await?;
        tx.commit_at("request-claimed").await?;
        Ok(claim)
    }

    async fn find(&self, request: &RequestKey) -> Result<Claim, StoreError> {
        idempotency::find(&self.db, &request.scope, &request.key, &request.hash).await
    }

    /// Whether whoever carried it out must have ended by now, without an answer.
    async fn is_lost(&self, request: &RequestKey) -> Result<bool, StoreError> {
        let since = idempotency::claimed_at(&self.db, &request.scope, &request.key).await?;
        Ok(since.is_some_and(|since| self.clock.now().duration_since(since) > RUN_TIME_MAX))
    }

    fn state_of(&self, request: RequestKey, claim: Claim) -> RequestState {
        match claim {
            Claim::New => RequestState::New(ClaimedRequest(request)),
            Claim::Unfinished => RequestState::Running,
            Claim::OtherRequest => RequestState::OtherRequest,
            Claim::Answered { status, response } => {
                let sealed = STANDARD.decode(response).unwrap_or_default();
                match self.keyring.open_text(SealedFor::Answer(&request), &sealed) {
                    Ok(response) => RequestState::Answered { status, response: response.to_string() },
                    Err(Unsealable) => RequestState::Lost,
                }
            }
        }
    }

    /// Keeps the answer of a request that was carried out. Without it, its repetition is refused.
    pub async fn keep_answer(&self, request: ClaimedRequest, status: u16, response: &str) {
        let ClaimedRequest(request) = request;
        let kept = async {
            let sealed = self.keyring.seal(SealedFor::Answer(&request), response.as_bytes())?;
            Ok(self.answer(&request, status, &STANDARD.encode(sealed)).await?)
        };
        report(kept.await);
    }

    /// Notes that nobody knows what became of a request: its repetition is refused.
    pub async fn give_up(&self, request: ClaimedRequest) {
        report(self.answer(&request.0, UNKNOWN, "").await.map_err(AnswerNotStored::from));
    }

    async fn answer(&self, request: &RequestKey, status: u16, response: &str) -> Result<(), StoreError> {
        let mut tx = self.db.begin().await?;
        idempotency::answer(&mut tx, &request.scope, &request.key, status, response).await?;
        tx.commit_at("request-answered").await
    }

    /// Frees the key of a request that changed nothing.
    pub async fn release(&self, request: ClaimedRequest) {
        let ClaimedRequest(RequestKey { scope, key, .. }) = request;
        let released = async {
            let mut tx = self.db.begin().await?;
            idempotency::release(&mut tx, &scope, &key).await?;
            Ok(tx.commit_at("request-released").await?)
        };
        report(released.await);
    }

    /// Forgets keys that are older than they are remembered, once in a while.
    async fn forget_outdated(&self) {
        let now = self.clock.now();
        let last = self.forgot_at.load(Ordering::Relaxed);
        let is_due = (now.as_second() - last).abs() >= CLEANING_INTERVAL.as_secs();
        let mine =
            || self.forgot_at.compare_exchange(last, now.as_second(), Ordering::AcqRel, Ordering::Relaxed);
        if !is_due || mine().is_err() {
            return;
        }
        match self.forget_before(now - KEY_AGE_MAX).await {
            Ok(false) => {}
            // There are more: the next request goes on.
            Ok(true) => self.forgot_at.store(0, Ordering::Release),
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn Error,
                    "Old idempotency keys were not removed: {error}"
                );
            }
        }
    }

    /// Whether there may be more of them.
    async fn forget_before(&self, before: Timestamp) -> Result<bool, StoreError> {
        let old = idempotency::outdated(&self.db, FAMILY, before, CLEANING_BATCH).await?;
        if old.is_empty() {
            return Ok(false);
        }
        let mut tx = self.db.begin().await?;
        for (scope, key) in &old {
            idempotency::forget(&mut tx, scope, key, before).await?;
        }
        tx.commit_at("requests-forgotten").await?;
        Ok(i64::try_from(old.len()).is_ok_and(|count| count >= CLEANING_BATCH))
    }
}

/// The request itself is over: what is left to do is told to the operator.
fn report(settled: Result<(), AnswerNotStored>) {
    if let Err(error) = settled {
        tracing::warn!(
            error = &error as &dyn Error,
            "How a request ended was not noted, and its repetition is refused: {error}"
        );
    }
}

#[cfg(test)]
mod tests;
