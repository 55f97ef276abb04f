//! What the attempts of submissions sent to the tax authority, byte for byte.

use crate::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::sql::{ids, params, statements};
use gateway_database::value::{Id, Ts};
use gateway_domain::ids::{InvoiceId, ProviderJobId, WorkspaceId};
use gateway_domain_finance::AuthorityMessage;
use jiff::Timestamp;

/// Messages of attempts that ended, and of which it is known what the authority holds.
macro_rules! old {
    () => {
        " FROM submission_message m JOIN submission_attempt a ON a.job_id = m.job_id
            JOIN submission s ON s.document_id = a.document_id
        WHERE m.kept_at < $1 AND a.ended_at IS NOT NULL AND a.authority_record IS NOT NULL"
    };
}

statements! {
    KEEP = "INSERT INTO submission_message (job_id, media_type, body, kept_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
    FIND = "SELECT media_type, body FROM submission_message WHERE job_id = $1";
    COUNT_OLD = both concat!("SELECT COUNT(*)", old!());
    OLD = both concat!("SELECT m.job_id, a.document_id, s.workspace_id, a.number, m.media_type, m.body, m.kept_at", old!(), "
        ORDER BY m.kept_at, m.job_id LIMIT $2");
    REMOVE = each ["DELETE FROM submission_message WHERE ", (among "job_id", "$1")];
}

/// A message that is old enough to leave the database, with what it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldMessage {
    /// The attempt that sent it.
    pub job: ProviderJobId,
    /// The document that it reports.
    pub document: InvoiceId,
    /// Whose document.
    pub workspace: WorkspaceId,
    /// The document's number at the time.
    pub number: Option<String>,
    /// The message itself.
    pub message: AuthorityMessage,
    /// When it was stored.
    pub kept_at: Timestamp,
}

#[derive(sqlx::FromRow)]
struct OldRow {
    job_id: Id,
    document_id: Id,
    workspace_id: i64,
    number: Option<String>,
    media_type: String,
    body: String,
    kept_at: Ts,
}

impl TryFrom<OldRow> for OldMessage {
    type Error = Corrupt;

    fn try_from(row: OldRow) -> Result<Self, Corrupt> {
        let OldRow { job_id, document_id, workspace_id, number, media_type, body, kept_at } = row;
        let job = ProviderJobId::try_from(job_id.0)
            .map_err(|error| Corrupt::new("submission_message", job_id.0, "job_id", error))?;
        Ok(Self {
            job,
            document: InvoiceId(document_id.0),
            workspace: WorkspaceId(workspace_id),
            number,
            message: AuthorityMessage { media_type, body },
            kept_at: kept_at.0,
        })
    }
}

#[derive(sqlx::FromRow)]
struct Row {
    media_type: String,
    body: String,
}

/// Keeps the message of an attempt; the first one stays.
pub fn keep(tx: &mut Tx, job: ProviderJobId, message: &AuthorityMessage, now: Timestamp) {
    tx.execute_later(&KEEP, params![job, &message.media_type, &message.body, now]);
}

/// The message of an attempt, if it is known. Look the submission up first: that checks who may see it.
pub async fn find(
    on: impl Into<Executor<'_>>,
    job: ProviderJobId,
) -> Result<Option<AuthorityMessage>, StoreError> {
    let row: Option<Row> = on.into().optional(&FIND, params![job]).await?;
    Ok(row.map(|Row { media_type, body }| AuthorityMessage { media_type, body }))
}

/// How many messages of settled attempts were stored before an instant.
pub async fn count_old(on: impl Into<Executor<'_>>, before: Timestamp) -> Result<i64, StoreError> {
    let (count,): (i64,) = on.into().one(&COUNT_OLD, params![before]).await?;
    Ok(count)
}

/// Messages of settled attempts that were stored before an instant, the oldest first.
pub async fn old(
    on: impl Into<Executor<'_>>,
    before: Timestamp,
    limit: i64,
) -> Result<Vec<OldMessage>, StoreError> {
    let rows: Vec<OldRow> = on.into().all(&OLD, params![before, limit]).await?;
    Ok(rows.into_iter().map(OldMessage::try_from).collect::<Result<_, _>>()?)
}

/// Removes the messages of attempts, and says how many were there.
pub async fn remove(tx: &mut Tx, attempts: &[ProviderJobId]) -> Result<u64, StoreError> {
    tx.execute(&REMOVE, vec![ids(attempts)]).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finance::submissions;
    use crate::testing::{self, samples::at};
    use gateway_domain_finance::{MESSAGE_BYTES_MAX, Submission};
    use uuid::Uuid;

    fn message(body: &str) -> AuthorityMessage {
        AuthorityMessage { media_type: "application/xml".to_owned(), body: body.to_owned() }
    }

    async fn attempt(tx: &mut Tx, id: u128) -> ProviderJobId {
        let document = InvoiceId(Uuid::from_u128(id));
        let submission = Submission::requested(document, WorkspaceId(1), "jane".to_owned(), at(0));
        assert!(submissions::insert(tx, &submission).await.unwrap());
        let job = ProviderJobId::try_from(Uuid::from_u128(0x7000_8000_0000_0000_0000 | id)).unwrap();
        crate::finance::attempts::start(tx, &submission, job, at(0));
        job
    }

    #[tokio::test]
    async fn the_first_message_of_an_attempt_stays_byte_for_byte() {
        for db in testing::both().await {
            let mut tx = db.begin().await.unwrap();
            let (job, other) = (attempt(&mut tx, 1).await, attempt(&mut tx, 2).await);
            assert_eq!(find(&mut tx, job).await.unwrap(), None);
            let sent = message("<?xml version=\"1.0\"?>\r\n<ñ>€</ñ>\n");
            for again in [&sent, &message("<other/>")] {
                keep(&mut tx, job, again, at(1));
            }
            assert_eq!(find(&mut tx, job).await.unwrap(), Some(sent));
            assert_eq!(find(&mut tx, other).await.unwrap(), None);
            let longest = message(&"x".repeat(MESSAGE_BYTES_MAX));
            keep(&mut tx, other, &longest, at(1));
            assert_eq!(find(&mut tx, other).await.unwrap(), Some(longest));
        }
    }

    #[tokio::test]
    async fn the_database_holds_no_message_beyond_the_bound() {
        for db in testing::both().await {
            let mut tx = db.begin().await.unwrap();
            let job = attempt(&mut tx, 1).await;
            let long = message(&"€".repeat(MESSAGE_BYTES_MAX / 3 + 1));
            keep(&mut tx, job, &long, at(1));
            tx.commit().await.unwrap_err();
        }
    }
}
