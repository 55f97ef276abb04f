//! Files of documents that another system issued, byte for byte.

use gateway_database::db::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::sql::{params, statements};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{ImportedFile, ImportedFileType};

statements! {
    INSERT = "INSERT INTO imported_file (document_id, media_type, content) VALUES ($1, $2, $3)";
    FIND = "SELECT content FROM imported_file WHERE document_id = $1 AND media_type = $2";
    OF_DOCUMENT = "SELECT media_type, content FROM imported_file WHERE document_id = $1 ORDER BY media_type";
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

/// All files of a document, by type.
pub async fn of_document(
    on: impl Into<Executor<'_>>,
    document: InvoiceId,
) -> Result<Vec<ImportedFile>, StoreError> {
    let rows: Vec<(String, Vec<u8>)> = on.into().all(&OF_DOCUMENT, params![document]).await?;
    let file = |(media_type, content): (String, Vec<u8>)| {
        let file_type = ImportedFileType::parse(&media_type)
            .ok_or_else(|| Corrupt::new("imported_file", document, "media_type", &media_type))?;
        Ok(ImportedFile { file_type, content })
    };
    rows.into_iter().map(file).collect()
}
