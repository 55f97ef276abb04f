//! What finance is about to ask of a remote invoice data service, which credit notes and corrective drafts it
//! wrote there, and how far it has read the event feed there.
//!
//! One intent a document: commands on one document take turns.

use crate::Tx;
use crate::finance::correctives;
use gateway_database::dispatch::Executor;
use gateway_database::error::StoreError;
use gateway_database::sql::{params, statements};
use gateway_database::value::{Id, Ts};
use gateway_domain::access::Actor;
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use jiff::Timestamp;
use uuid::Uuid;

macro_rules! columns {
    () => {
        "id, workspace_id, body, actor, retries, created_at"
    };
}

statements! {
    BEGIN = both concat!("INSERT INTO finance_intent (document_id, ", columns!(), ")
        VALUES ($1, $2, $3, $4, $5, 0, $6) ON CONFLICT (document_id) DO NOTHING");
    FIND = both concat!("SELECT ", columns!(), " FROM finance_intent WHERE document_id = $1");
    DESCRIBE = "UPDATE finance_intent SET body = $2 WHERE id = $1";
    COUNT_RETRY = "UPDATE finance_intent SET retries = retries + 1 WHERE id = $1";
    END = "DELETE FROM finance_intent WHERE id = $1";
    KEEP_NOTE = "INSERT INTO finance_credit_note (original_id, note_id, workspace_id, created_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT DO NOTHING";
    FORGET_NOTE = "DELETE FROM finance_credit_note WHERE note_id = $1";
    NOTES = "SELECT note_id FROM finance_credit_note WHERE original_id = $1 AND workspace_id = $2 ORDER BY created_at, note_id";
    FEED_READ = "SELECT cursor FROM finance_feed WHERE service = $1";
    FEED_BEGIN = "INSERT INTO finance_feed (service, cursor, updated_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
    FEED_MOVE = "UPDATE finance_feed SET cursor = $3, updated_at = $4 WHERE service = $1 AND cursor = $2";
}

/// A call that finance committed itself to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent {
    /// Names the call, also to the invoice data service.
    pub id: Uuid,
    /// The document of the command.
    pub document: InvoiceId,
    /// The workspace of the document.
    pub workspace: WorkspaceId,
    /// What is asked, and what finance records afterwards; JSON.
    pub body: String,
    /// Who gave the command.
    pub actor: Actor,
    /// How often the call was repeated.
    pub retries: u32,
    /// When it was committed.
    pub created_at: Timestamp,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: Id,
    workspace_id: i64,
    body: String,
    actor: String,
    retries: i64,
    created_at: Ts,
}

/// Commits finance to a call; `false` while another command on the document is on its way. On PostgreSQL this waits
/// for a transaction that is about to begin or end one.
pub async fn begin(tx: &mut Tx, intent: &Intent) -> Result<bool, StoreError> {
    let Intent { id, document, workspace, body, actor, created_at, retries: _ } = intent;
    let arguments = params![*document, *id, *workspace, body.clone(), &actor.0, *created_at];
    Ok(tx.execute(&BEGIN, arguments).await? == 1)
}

/// The call that finance is committed to for a document.
pub async fn find(on: impl Into<Executor<'_>>, document: InvoiceId) -> Result<Option<Intent>, StoreError> {
    let row: Option<Row> = on.into().optional(&FIND, params![document]).await?;
    Ok(row.map(|row| Intent {
        id: row.id.0,
        document,
        workspace: WorkspaceId(row.workspace_id),
        body: row.body,
        actor: Actor(row.actor),
        retries: u32::try_from(row.retries).unwrap_or(u32::MAX),
        created_at: row.created_at.0,
    }))
}

/// Says what is asked, in the transaction that began the intent.
pub async fn describe(tx: &mut Tx, intent: &Intent) -> Result<(), StoreError> {
    tx.execute(&DESCRIBE, params![intent.id, intent.body.clone()]).await?;
    Ok(())
}

/// Counts a call that was not answered.
pub async fn count_retry(tx: &mut Tx, id: Uuid) -> Result<(), StoreError> {
    tx.execute(&COUNT_RETRY, params![id]).await?;
    Ok(())
}

/// Ends an intent; `false` when somebody else ended it: what follows from it is recorded already.
pub async fn end(tx: &mut Tx, id: Uuid) -> Result<bool, StoreError> {
    Ok(tx.execute(&END, params![id]).await? == 1)
}

/// Keeps that `note` credits `original`, before it is written.
pub async fn keep_note(
    tx: &mut Tx,
    original: InvoiceId,
    note: InvoiceId,
    workspace: WorkspaceId,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.execute(&KEEP_NOTE, params![original, note, workspace, now]).await?;
    Ok(())
}

/// Forgets a credit note or a corrective draft that was never written, or was deleted.
pub async fn forget(tx: &mut Tx, document: InvoiceId) -> Result<(), StoreError> {
    tx.execute(&FORGET_NOTE, params![document]).await?;
    correctives::forget_remote(tx, document).await
}

/// The credit notes that finance wrote for a document, first one first.
pub async fn notes(
    on: impl Into<Executor<'_>>,
    original: InvoiceId,
    workspace: WorkspaceId,
) -> Result<Vec<InvoiceId>, StoreError> {
    let rows: Vec<(Id,)> = on.into().all(&NOTES, params![original, workspace]).await?;
    Ok(rows.into_iter().map(|(note,)| InvoiceId(note.0)).collect())
}

/// How far the event feed of a service has been read, in the service's own notation; none before the first event.
pub async fn feed_read(on: impl Into<Executor<'_>>, service: &str) -> Result<Option<String>, StoreError> {
    let row: Option<(String,)> = on.into().optional(&FEED_READ, params![service]).await?;
    Ok(row.map(|(cursor,)| cursor))
}

/// Moves on in the event feed of a service, in the transaction that keeps what was read; `false` when another process
/// has read the same part: roll back.
pub async fn feed_move(
    tx: &mut Tx,
    service: &str,
    from: Option<&str>,
    to: &str,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let moved = match from {
        Some(from) => tx.execute(&FEED_MOVE, params![service, from, to, now]).await?,
        None => tx.execute(&FEED_BEGIN, params![service, to, now]).await?,
    };
    Ok(moved == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, samples::at};

    fn intent(id: u128) -> Intent {
        Intent {
            id: Uuid::from_u128(id),
            document: InvoiceId(Uuid::from_u128(7)),
            workspace: WorkspaceId(1),
            body: "{}".to_owned(),
            actor: Actor("jane".to_owned()),
            retries: 0,
            created_at: at(0),
        }
    }

    #[tokio::test]
    async fn commands_on_one_document_take_turns_and_an_intent_ends_once() {
        for db in testing::both().await {
            let document = intent(1).document;
            let mut tx = db.begin().await.unwrap();
            assert!(begin(&mut tx, &intent(1)).await.unwrap());
            assert!(!begin(&mut tx, &intent(2)).await.unwrap());
            count_retry(&mut tx, intent(1).id).await.unwrap();
            tx.commit().await.unwrap();
            let found = find(db.db(), document).await.unwrap();
            assert_eq!(found, Some(Intent { retries: 1, ..intent(1) }));
            let mut tx = db.begin().await.unwrap();
            assert!(end(&mut tx, intent(1).id).await.unwrap());
            assert!(!end(&mut tx, intent(1).id).await.unwrap());
            assert_eq!(find(&mut tx, document).await.unwrap(), None);
            assert!(begin(&mut tx, &intent(2)).await.unwrap());
        }
    }

    #[tokio::test]
    async fn the_credit_notes_of_a_document_are_those_of_its_workspace() {
        let ids = [1, 2, 3].map(|id| InvoiceId(Uuid::from_u128(id)));
        for db in testing::both().await {
            let mut tx = db.begin().await.unwrap();
            for (second, note) in [(0, ids[1]), (1, ids[2]), (2, ids[1])] {
                keep_note(&mut tx, ids[0], note, WorkspaceId(1), at(second)).await.unwrap();
            }
            assert_eq!(notes(&mut tx, ids[0], WorkspaceId(1)).await.unwrap(), [ids[1], ids[2]]);
            assert!(notes(&mut tx, ids[0], WorkspaceId(2)).await.unwrap().is_empty());
            forget(&mut tx, ids[1]).await.unwrap();
            assert_eq!(notes(&mut tx, ids[0], WorkspaceId(1)).await.unwrap(), [ids[2]]);
        }
    }

    #[tokio::test]
    async fn a_part_of_the_feed_elsewhere_is_kept_once() {
        for db in testing::both().await {
            let mut tx = db.begin().await.unwrap();
            assert_eq!(feed_read(&mut tx, "one").await.unwrap(), None);
            assert!(feed_move(&mut tx, "one", None, "a", at(0)).await.unwrap());
            assert!(!feed_move(&mut tx, "one", None, "b", at(0)).await.unwrap());
            assert!(feed_move(&mut tx, "one", Some("a"), "b", at(1)).await.unwrap());
            assert!(!feed_move(&mut tx, "one", Some("a"), "c", at(1)).await.unwrap());
            assert_eq!(feed_read(&mut tx, "one").await.unwrap().as_deref(), Some("b"));
            assert_eq!(feed_read(&mut tx, "two").await.unwrap(), None);
        }
    }
}
