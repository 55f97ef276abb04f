//! Finance's own copy of each document, as the event feed told it.
//!
//! The newest by (creation time, version) stays whatever the order in which copies come; deleting is a change like
//! any other, so a row without data says that the document is gone.

use crate::engine::db::Tx;
use crate::engine::dispatch::Executor;
use crate::engine::error::StoreError;
use crate::engine::sql::{params, statements};
use crate::engine::value::Ts;
use gateway_domain::access::Workspaces;
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain_events::DocumentRange;
use jiff::Timestamp;

statements! {
    KEEP = "INSERT INTO finance_document (document_id, workspace_id, created_at, version, data, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (document_id) DO UPDATE SET workspace_id = excluded.workspace_id, created_at = excluded.created_at,
            version = excluded.version, data = excluded.data, updated_at = excluded.updated_at
        WHERE (finance_document.created_at, finance_document.version) < (excluded.created_at, excluded.version)";
    FIND = "SELECT workspace_id, created_at, version, data, updated_at FROM finance_document WHERE document_id = $1";
    NUMBERED = pg "SELECT data FROM finance_document WHERE workspace_id = $1 AND data::json ->> 'display_invoice_number' IS NOT NULL
            ORDER BY created_at DESC, document_id DESC LIMIT $2",
        sqlite "SELECT data FROM finance_document WHERE workspace_id = $1 AND data ->> '$.display_invoice_number' IS NOT NULL
            ORDER BY created_at DESC, document_id DESC LIMIT $2";
    CLEAR_FIRST = "DELETE FROM finance_document WHERE document_id <= $1";
    CLEAR = "DELETE FROM finance_document WHERE document_id > $1 AND document_id <= $2";
}

/// How old a state of a document is: the time the document was made, then its version. Later states compare greater,
/// also when an id is used again after its document was deleted.
pub type Age = (Timestamp, i64);

/// A state of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentCopy {
    /// The document, of which the newest state is kept.
    pub document: InvoiceId,
    /// The workspace of the document.
    pub workspace: WorkspaceId,
    /// How old the state is.
    pub age: Age,
    /// The document as JSON, as the invoice data service shows it; none when it was deleted.
    pub data: Option<String>,
    /// When the copy was made.
    pub updated_at: Timestamp,
}

#[derive(sqlx::FromRow)]
struct Row {
    workspace_id: i64,
    created_at: Ts,
    version: i64,
    data: Option<String>,
    updated_at: Ts,
}

/// Keeps a state, unless a newer one or the same is kept already; says whether it was news.
pub async fn keep(tx: &mut Tx, copy: &DocumentCopy) -> Result<bool, StoreError> {
    let (created_at, version) = copy.age;
    let params =
        params![copy.document, copy.workspace, created_at, version, copy.data.clone(), copy.updated_at];
    Ok(tx.execute(&KEEP, params).await? == 1)
}

/// The copy, if there is one and the reader may see its workspace. It may be of a deleted document.
pub async fn find(
    on: impl Into<Executor<'_>>,
    document: InvoiceId,
    visible: &Workspaces,
) -> Result<Option<DocumentCopy>, StoreError> {
    let row: Option<Row> = on.into().optional(&FIND, params![document]).await?;
    Ok(row.filter(|row| visible.contain(WorkspaceId(row.workspace_id))).map(|row| DocumentCopy {
        document,
        workspace: WorkspaceId(row.workspace_id),
        age: (row.created_at.0, row.version),
        data: row.data,
        updated_at: row.updated_at.0,
    }))
}

/// The last documents of a workspace that got a number, as JSON, the newest first.
pub async fn numbered(
    on: impl Into<Executor<'_>>,
    workspace: WorkspaceId,
    limit: i64,
) -> Result<Vec<String>, StoreError> {
    let rows: Vec<(String,)> = on.into().all(&NUMBERED, params![workspace, limit]).await?;
    Ok(rows.into_iter().map(|(data,)| data).collect())
}

/// Forgets the copies of a range of documents, before they are made again.
pub async fn clear(tx: &mut Tx, range: DocumentRange) -> Result<(), StoreError> {
    super::clear(tx, range, &CLEAR_FIRST, &CLEAR).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, samples::at};
    use uuid::Uuid;

    fn copy(created_s: i64, version: i64, data: Option<&str>) -> DocumentCopy {
        DocumentCopy {
            document: InvoiceId(Uuid::from_u128(7)),
            workspace: WorkspaceId(1),
            age: (at(created_s), version),
            data: data.map(str::to_owned),
            updated_at: at(100),
        }
    }

    #[tokio::test]
    async fn the_newest_state_stays_whatever_the_order() {
        let states = [
            copy(0, 1, Some("one")),
            copy(0, 2, Some("two")),
            copy(0, 3, None),
            copy(50, 1, Some("the id again")),
        ];
        for db in testing::both().await {
            let mut tx = db.begin().await.unwrap();
            for (order, last) in [([0, 1, 2, 3], 3), ([1, 0, 2, 2], 2), ([3, 2, 1, 0], 3), ([2, 1, 1, 0], 2)]
            {
                clear(&mut tx, DocumentRange::default()).await.unwrap();
                for state in order {
                    keep(&mut tx, &states[state]).await.unwrap();
                }
                let found = find(&mut tx, states[0].document, &Workspaces::All).await.unwrap();
                assert_eq!(found.as_ref(), Some(&states[last]), "{order:?}");
            }
            assert!(!keep(&mut tx, &states[2]).await.unwrap(), "the same state is no news");
        }
    }

    #[tokio::test]
    async fn the_last_numbered_copies_of_a_workspace_are_found_newest_first() {
        for db in testing::both().await {
            let mut tx = db.begin().await.unwrap();
            let numbered = |number: &str| format!("{{\"display_invoice_number\":{number}}}");
            let states = [(1, 1, Some(numbered("\"F-1\""))), (2, 1, Some(numbered("null"))), (3, 1, None)];
            let others = [(4, 1, Some(numbered("\"F-4\""))), (5, 2, Some(numbered("\"F-5\"")))];
            for (id, workspace, data) in states.into_iter().chain(others) {
                let document = InvoiceId(Uuid::from_u128(id));
                let second = i64::try_from(id).unwrap();
                let state = DocumentCopy {
                    document,
                    workspace: WorkspaceId(workspace),
                    data,
                    ..copy(second, 1, None)
                };
                assert!(keep(&mut tx, &state).await.unwrap());
            }
            for (limit, expected) in [(9, vec!["\"F-4\"", "\"F-1\""]), (1, vec!["\"F-4\""])] {
                let expected: Vec<_> = expected.into_iter().map(numbered).collect();
                assert_eq!(super::numbered(&mut tx, WorkspaceId(1), limit).await.unwrap(), expected);
            }
        }
    }

    #[tokio::test]
    async fn the_copy_of_another_workspace_does_not_exist() {
        for db in testing::both().await {
            let mut tx = db.begin().await.unwrap();
            let state = copy(0, 1, Some("{}"));
            assert!(keep(&mut tx, &state).await.unwrap());
            for (workspace, exists) in [(1, true), (2, false)] {
                let visible = Workspaces::Only(vec![WorkspaceId(workspace)]);
                assert_eq!(find(&mut tx, state.document, &visible).await.unwrap().is_some(), exists);
            }
        }
    }
}
