//! Files of documents that another system issued, byte for byte.

use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::sql::{params, statements};
use gateway_database::value::Id;
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{ImportOrigin, ImportedFile, ImportedFileType, InvoiceNumber};

statements! {
    INSERT = "INSERT INTO imported_file (document_id, media_type, content) VALUES ($1, $2, $3)";
    FIND = "SELECT content FROM imported_file WHERE document_id = $1 AND media_type = $2";
    ORIGINS = "SELECT id, number, imported FROM invoice WHERE workspace_id = $1 AND imported IS NOT NULL AND number > $2
        ORDER BY number LIMIT 64";
}

/// Keeps the files of a document that was just stored; one of each type.
pub async fn insert(tx: &mut Tx, document: InvoiceId, files: &[ImportedFile]) -> Result<(), StoreError> {
    for file in files {
        let arguments = params![document, file.file_type.as_str(), file.content.as_slice()];
        tx.execute(&INSERT, arguments).await?;
    }
    Ok(())
}

/// The file of a document; the caller knows that whoever asks may see the document.
pub async fn find(
    on: impl Into<Executor<'_>>,
    document: InvoiceId,
    file_type: ImportedFileType,
) -> Result<Option<Vec<u8>>, StoreError> {
    let row: Option<(Vec<u8>,)> = on.into().optional(&FIND, params![document, file_type.as_str()]).await?;
    Ok(row.map(|(content,)| content))
}

/// Documents of a workspace that another system issued, by number, with their origin: a page of those behind `after` (empty for the
/// first), none behind the last.
pub async fn origins(
    on: impl Into<Executor<'_>>,
    workspace: WorkspaceId,
    after: &str,
) -> Result<Vec<(InvoiceId, InvoiceNumber, ImportOrigin)>, StoreError> {
    let rows: Vec<(Id, String, String)> = on.into().all(&ORIGINS, params![workspace, after]).await?;
    let origin = |(id, number, imported): (Id, String, String)| {
        let id = InvoiceId(id.0);
        let origin = serde_json::from_str(&imported);
        let origin = origin.map_err(|error| Corrupt::new("invoice", id, "imported", error))?;
        Ok((id, InvoiceNumber(number), origin))
    };
    rows.into_iter().map(origin).collect()
}
