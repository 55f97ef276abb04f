//! Answers by idempotency key: the same request again gets the same answer, another request under the key is refused.

use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::sql::{params, statements};
use gateway_database::value::Ts;
use gateway_domain::access::RequestKey;
use jiff::Timestamp;

statements! {
    CLAIM = "INSERT INTO idempotency (scope, key, request_hash, created_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (scope, key) DO NOTHING";
    FIND = "SELECT request_hash, status, response FROM idempotency WHERE scope = $1 AND key = $2";
    ANSWER = "UPDATE idempotency SET status = $3, response = $4 WHERE scope = $1 AND key = $2 AND status IS NULL";
    RELEASE = "DELETE FROM idempotency WHERE scope = $1 AND key = $2 AND status IS NULL";
    CLAIMED_AT = "SELECT created_at FROM idempotency WHERE scope = $1 AND key = $2";
    OUTDATED = "SELECT scope, key FROM idempotency WHERE created_at < $1 AND scope LIKE $2 ORDER BY created_at LIMIT $3";
    FORGET = "DELETE FROM idempotency WHERE scope = $1 AND key = $2 AND created_at < $3";
}

/// What is known of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// Nothing: carry the request out, [`answer`] in the same transaction.
    New,
    /// The same request was begun and never answered: its transaction committed a first step. Read the state, go on.
    Unfinished,
    /// The same request was answered so.
    Answered {
        /// HTTP status of the first answer.
        status: u16,
        /// The body, as sent.
        response: String,
    },
    /// The key belongs to another request.
    OtherRequest,
}

#[derive(sqlx::FromRow)]
struct Row {
    request_hash: Vec<u8>,
    status: Option<i64>,
    response: Option<String>,
}

/// What is known of a key, without claiming it.
pub async fn find(
    on: impl Into<Executor<'_>>,
    scope: &str,
    key: &str,
    request_hash: &[u8],
) -> Result<Claim, StoreError> {
    let row: Option<Row> = on.into().optional(&FIND, params![scope, key]).await?;
    Ok(row.map(|row| known(row, key, request_hash)).transpose()?.unwrap_or(Claim::New))
}

fn known(row: Row, key: &str, request_hash: &[u8]) -> Result<Claim, Corrupt> {
    Ok(match (row.request_hash == request_hash, row.status, row.response) {
        (false, ..) => Claim::OtherRequest,
        (true, Some(status), Some(response)) => Claim::Answered {
            status: u16::try_from(status).map_err(|_| Corrupt::new("idempotency", key, "status", status))?,
            response,
        },
        (true, ..) => Claim::Unfinished,
    })
}

/// How often a key is claimed that others free just before it is read.
const CLAIMS_MAX: usize = 5;

/// Claims a key for a request, told apart by its hash. Another transaction with the same key waits for this one.
/// `scope` names the operation and the client.
pub async fn claim(
    tx: &mut Tx,
    scope: &str,
    key: &str,
    request_hash: &[u8],
    now: Timestamp,
) -> Result<Claim, StoreError> {
    for _ in 0..CLAIMS_MAX {
        if tx.execute(&CLAIM, params![scope, key, request_hash, now]).await? == 1 {
            return Ok(Claim::New);
        }
        let row: Option<Row> = tx.fetch_optional(&FIND, params![scope, key]).await?;
        if let Some(row) = row {
            return Ok(known(row, key, request_hash)?);
        }
    }
    Err(StoreError::Repeated)
}

/// Commits a request's key with its effect; without a key there is nothing to keep.
///
/// # Errors
/// [`StoreError::Repeated`] when the same key is carried out at this moment, or was before.
pub async fn claim_request(
    tx: &mut Tx,
    request: Option<&RequestKey>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let Some(RequestKey { scope, key, hash }) = request else { return Ok(()) };
    match claim(tx, scope, key, hash, now).await? {
        Claim::New => Ok(()),
        Claim::Unfinished | Claim::Answered { .. } | Claim::OtherRequest => Err(StoreError::Repeated),
    }
}

/// Keeps the answer; a second answer changes nothing.
pub async fn answer(
    tx: &mut Tx,
    scope: &str,
    key: &str,
    status: u16,
    response: &str,
) -> Result<(), StoreError> {
    tx.execute(&ANSWER, params![scope, key, i64::from(status), response]).await?;
    Ok(())
}

/// Frees the key of a request that turned out not to be carried out.
pub async fn release(tx: &mut Tx, scope: &str, key: &str) -> Result<(), StoreError> {
    tx.execute(&RELEASE, params![scope, key]).await?;
    Ok(())
}

/// When a key was claimed; none when it is free.
pub async fn claimed_at(
    on: impl Into<Executor<'_>>,
    scope: &str,
    key: &str,
) -> Result<Option<Timestamp>, StoreError> {
    let row: Option<(Ts,)> = on.into().optional(&CLAIMED_AT, params![scope, key]).await?;
    Ok(row.map(|(at,)| at.0))
}

/// The oldest keys that were claimed before a moment, with their scopes, which begin with `family`.
pub async fn outdated(
    on: impl Into<Executor<'_>>,
    family: &str,
    before: Timestamp,
    limit: i64,
) -> Result<Vec<(String, String)>, StoreError> {
    on.into().all(&OUTDATED, params![before, format!("{family}%"), limit]).await
}

/// Forgets a key that was claimed before a moment, with its answer.
pub async fn forget(tx: &mut Tx, scope: &str, key: &str, before: Timestamp) -> Result<(), StoreError> {
    tx.execute(&FORGET, params![scope, key, before]).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use gateway_storage::testing::{self, samples::at};
    use gateway_storage::{Engine, Sql};

    #[tokio::test]
    async fn the_same_request_gets_the_same_answer_and_another_is_refused() {
        for db in testing::both().await {
            let mut tx = db.begin().await.unwrap();
            assert_eq!(claim(&mut tx, "issue", "k", b"one", at(0)).await.unwrap(), Claim::New);
            assert_eq!(claim(&mut tx, "issue", "k", b"one", at(1)).await.unwrap(), Claim::Unfinished);
            release(&mut tx, "issue", "k").await.unwrap();
            assert_eq!(claim(&mut tx, "issue", "k", b"one", at(0)).await.unwrap(), Claim::New);
            answer(&mut tx, "issue", "k", 200, "{\"a\": 1}").await.unwrap();
            answer(&mut tx, "issue", "k", 500, "later").await.unwrap();
            tx.commit().await.unwrap();
            let mut tx = db.begin().await.unwrap();
            release(&mut tx, "issue", "k").await.unwrap();
            let answered = Claim::Answered { status: 200, response: "{\"a\": 1}".to_owned() };
            assert_eq!(claim(&mut tx, "issue", "k", b"one", at(2)).await.unwrap(), answered);
            assert_eq!(claim(&mut tx, "issue", "k", b"two", at(2)).await.unwrap(), Claim::OtherRequest);
            assert_eq!(claim(&mut tx, "credit", "k", b"two", at(2)).await.unwrap(), Claim::New);
        }
    }

    #[tokio::test]
    async fn a_key_that_is_freed_while_it_is_claimed_is_free() {
        let db = testing::database(Engine::Postgres).await;
        let mut tx = db.begin().await.unwrap();
        claim(&mut tx, "issue", "k", b"one", at(0)).await.unwrap();
        // Somebody frees it between the two statements of the next claim.
        for sql in [
            "CREATE FUNCTION freed() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN DELETE FROM idempotency WHERE request_hash = ''one''; RETURN NULL; END'",
            "CREATE TRIGGER freed AFTER INSERT ON idempotency FOR EACH STATEMENT EXECUTE FUNCTION freed()",
        ] {
            tx.execute(&Sql::both(sql), Vec::new()).await.unwrap();
        }
        assert_eq!(claim(&mut tx, "issue", "k", b"two", at(1)).await.unwrap(), Claim::New);
    }

    #[tokio::test]
    async fn keys_of_a_family_are_forgotten_by_age() {
        for db in testing::both().await {
            let mut tx = db.begin().await.unwrap();
            for (scope, second) in [("graphql/a", 0), ("graphql/b", 1), ("graphql/c", 5), ("a", 0)] {
                claim(&mut tx, scope, "k", b"one", at(second)).await.unwrap();
            }
            tx.commit().await.unwrap();
            assert_eq!(claimed_at(db.db(), "graphql/b", "k").await.unwrap(), Some(at(1)));
            assert_eq!(claimed_at(db.db(), "graphql/b", "other").await.unwrap(), None);
            let old = outdated(db.db(), "graphql/", at(5), 10).await.unwrap();
            let key = |scope: &str| (scope.to_owned(), "k".to_owned());
            assert_eq!(old, [key("graphql/a"), key("graphql/b")]);
            assert_eq!(outdated(db.db(), "graphql/", at(5), 1).await.unwrap(), [key("graphql/a")]);
            let mut tx = db.begin().await.unwrap();
            for scope in ["graphql/a", "graphql/c"] {
                forget(&mut tx, scope, "k", at(5)).await.unwrap();
            }
            assert_eq!(claim(&mut tx, "graphql/a", "k", b"two", at(6)).await.unwrap(), Claim::New);
            assert_eq!(claim(&mut tx, "graphql/c", "k", b"two", at(6)).await.unwrap(), Claim::OtherRequest);
        }
    }

    #[tokio::test]
    async fn a_rolled_back_request_leaves_its_key_free() {
        for db in testing::both().await {
            let mut tx = db.begin().await.unwrap();
            claim(&mut tx, "issue", "k", b"one", at(0)).await.unwrap();
            tx.rollback().await.unwrap();
            let mut tx = db.begin().await.unwrap();
            assert_eq!(claim(&mut tx, "issue", "k", b"two", at(0)).await.unwrap(), Claim::New);
        }
    }
}
