//! What the attempts of submissions sent to the tax authority, byte for byte.

use crate::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::StoreError;
use gateway_database::sql::{params, statements};
use gateway_domain::ids::ProviderJobId;
use gateway_domain_finance::AuthorityMessage;
use jiff::Timestamp;

statements! {
    KEEP = "INSERT INTO submission_message (job_id, media_type, body, kept_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
    FIND = "SELECT media_type, body FROM submission_message WHERE job_id = $1";
}

#[derive(sqlx::FromRow)]
struct Row {
    media_type: String,
    body: String,
}

/// Keeps the message of an attempt; the first one stays.
pub async fn keep(
    tx: &mut Tx,
    job: ProviderJobId,
    message: &AuthorityMessage,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(&KEEP, params![job, &message.media_type, &message.body, now]).await?;
    Ok(())
}

/// The message of an attempt, if it is known. Look the submission up first: that checks who may see it.
pub async fn find(
    on: impl Into<Executor<'_>>,
    job: ProviderJobId,
) -> Result<Option<AuthorityMessage>, StoreError> {
    let row: Option<Row> = on.into().optional(&FIND, params![job]).await?;
    Ok(row.map(|Row { media_type, body }| AuthorityMessage { media_type, body }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finance::submissions;
    use crate::testing::{self, samples::at};
    use gateway_domain::ids::{InvoiceId, WorkspaceId};
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
        crate::finance::attempts::start(tx, &submission, job, at(0)).await.unwrap();
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
                keep(&mut tx, job, again, at(1)).await.unwrap();
            }
            assert_eq!(find(&mut tx, job).await.unwrap(), Some(sent));
            assert_eq!(find(&mut tx, other).await.unwrap(), None);
            let longest = message(&"x".repeat(MESSAGE_BYTES_MAX));
            keep(&mut tx, other, &longest, at(1)).await.unwrap();
        }
    }

    #[tokio::test]
    async fn the_database_holds_no_message_beyond_the_bound() {
        for db in testing::both().await {
            let mut tx = db.begin().await.unwrap();
            let job = attempt(&mut tx, 1).await;
            let long = message(&"€".repeat(MESSAGE_BYTES_MAX / 3 + 1));
            keep(&mut tx, job, &long, at(1)).await.unwrap_err();
        }
    }
}
