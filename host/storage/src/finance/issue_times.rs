//! The caller's own time of the command that submits a document, kept with the submission: whoever takes the first step
//! after a crash takes it at that time.

use crate::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::StoreError;
use gateway_database::sql::{params, statements};
use gateway_database::value::Ts;
use gateway_domain::ids::InvoiceId;
use jiff::Timestamp;

statements! {
    KEEP = "UPDATE submission SET issue_at = $2 WHERE document_id = $1";
    FIND = "SELECT issue_at FROM submission WHERE document_id = $1";
}

/// Keeps the time of the latest command; none when the caller named none.
pub async fn keep(tx: &mut Tx, document: InvoiceId, at: Option<Timestamp>) -> Result<(), StoreError> {
    tx.execute(&KEEP, params![document, at]).await?;
    Ok(())
}

/// The time of the latest command, if the caller named one.
pub async fn find(on: impl Into<Executor<'_>>, document: InvoiceId) -> Result<Option<Timestamp>, StoreError> {
    let row: Option<(Option<Ts>,)> = on.into().optional(&FIND, params![document]).await?;
    Ok(row.and_then(|(at,)| at).map(|at| at.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finance::submissions;
    use crate::testing::{self, samples::at};
    use gateway_domain::ids::WorkspaceId;
    use gateway_domain_finance::Submission;
    use uuid::Uuid;

    #[tokio::test]
    async fn the_time_of_the_latest_command_stays() {
        for db in testing::both().await {
            let document = InvoiceId(Uuid::from_u128(7));
            let submission = Submission::requested(document, WorkspaceId(1), "jane".to_owned(), at(0));
            let mut tx = db.begin().await.unwrap();
            assert!(submissions::insert(&mut tx, &submission).await.unwrap());
            assert_eq!(find(&mut tx, document).await.unwrap(), None);
            for issue_time in [Some(at(5)), None, Some(at(9))] {
                keep(&mut tx, document, issue_time).await.unwrap();
                assert_eq!(find(&mut tx, document).await.unwrap(), issue_time);
            }
        }
    }
}
