//! What people keep beside documents: note and tags in one row, a row for each file.

use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::sql::{params, statements};
use gateway_database::value::{Id, Ts};
use gateway_domain::access::Actor;
use gateway_domain::ids::{AttachmentId, InvoiceId};
use gateway_domain_annotations::{Annotation, Attachment, NoteAndTags};

macro_rules! attachment_columns {
    () => {
        "id, name, media_type, size, digest, actor, created_at"
    };
}

statements! {
    FIND = "SELECT note, tags, version, actor, updated_at FROM annotation WHERE document_id = $1";
    INSERT = "INSERT INTO annotation (document_id, note, tags, version, actor, updated_at) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT DO NOTHING";
    UPDATE = "UPDATE annotation SET (note, tags, version, actor, updated_at) = ($2, $3, $4, $5, $6)
        WHERE document_id = $1 AND version = $7";
    // At most as many as a document may have.
    ATTACHMENTS = both concat!("SELECT ", attachment_columns!(), " FROM attachment WHERE document_id = $1 ORDER BY created_at, id");
    ATTACHMENT = both concat!("SELECT ", attachment_columns!(), " FROM attachment WHERE document_id = $1 AND id = $2");
    CONTENT = "SELECT content FROM attachment WHERE document_id = $1 AND id = $2";
    ATTACH = both concat!("INSERT INTO attachment (document_id, ", attachment_columns!(), ", content) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING");
    DETACH = "DELETE FROM attachment WHERE document_id = $1 AND id = $2";
}

#[derive(sqlx::FromRow)]
struct Row {
    note: Option<String>,
    tags: String,
    version: i64,
    actor: String,
    updated_at: Ts,
}

#[derive(sqlx::FromRow)]
struct AttachmentRow {
    id: Id,
    name: String,
    media_type: String,
    size: i64,
    digest: String,
    actor: String,
    created_at: Ts,
}

impl AttachmentRow {
    fn read(self, document: InvoiceId) -> Result<Attachment, StoreError> {
        let size = u64::try_from(self.size);
        Ok(Attachment {
            id: AttachmentId(self.id.0),
            name: self.name,
            media_type: self.media_type,
            size: size.map_err(|error| Corrupt::new("attachment", document, "size", error))?,
            digest: self.digest,
            actor: Actor(self.actor),
            created_at: self.created_at.0,
        })
    }
}

/// Note and tags of a document; the caller knows that whoever asks may see it.
pub async fn find(
    on: impl Into<Executor<'_>>,
    document: InvoiceId,
) -> Result<Option<Annotation>, StoreError> {
    let row: Option<Row> = on.into().optional(&FIND, params![document]).await?;
    let read = |row: Row| {
        let tags = serde_json::from_str(&row.tags);
        let tags = tags.map_err(|error| Corrupt::new("annotation", document, "tags", error))?;
        Ok(Annotation {
            text: NoteAndTags { note: row.note, tags },
            version: row.version,
            actor: Actor(row.actor),
            updated_at: row.updated_at.0,
        })
    };
    row.map(read).transpose()
}

/// Sets note and tags, which were one version before, or none; `false` when they were not.
pub async fn set(tx: &mut Tx, document: InvoiceId, set: &Annotation) -> Result<bool, StoreError> {
    let Annotation { text: NoteAndTags { note, tags }, version, actor, updated_at } = set;
    let before = version.saturating_sub(1);
    let tags = StoreError::json(tags)?;
    let mut arguments = params![document, note.as_deref(), tags, *version, actor.0.as_str(), *updated_at];
    let statement = if before == gateway_domain_annotations::NEVER_SET {
        &INSERT
    } else {
        arguments.extend(params![before]);
        &UPDATE
    };
    Ok(tx.execute(statement, arguments).await? == 1)
}

/// The files of a document without their content, the oldest first.
pub async fn attachments(
    on: impl Into<Executor<'_>>,
    document: InvoiceId,
) -> Result<Vec<Attachment>, StoreError> {
    let rows: Vec<AttachmentRow> = on.into().all(&ATTACHMENTS, params![document]).await?;
    rows.into_iter().map(|row| row.read(document)).collect()
}

/// One file of a document without its content.
pub async fn attachment(
    on: impl Into<Executor<'_>>,
    document: InvoiceId,
    id: AttachmentId,
) -> Result<Option<Attachment>, StoreError> {
    let row: Option<AttachmentRow> = on.into().optional(&ATTACHMENT, params![document, id.0]).await?;
    row.map(|row| row.read(document)).transpose()
}

/// The content of a file.
pub async fn content(
    on: impl Into<Executor<'_>>,
    document: InvoiceId,
    id: AttachmentId,
) -> Result<Option<Vec<u8>>, StoreError> {
    let row: Option<(Vec<u8>,)> = on.into().optional(&CONTENT, params![document, id.0]).await?;
    Ok(row.map(|(content,)| content))
}

/// Keeps a file; `false` when the document has one of this id.
pub async fn attach(
    tx: &mut Tx,
    document: InvoiceId,
    file: &Attachment,
    content: &[u8],
) -> Result<bool, StoreError> {
    let Attachment { id, name, media_type, size, digest, actor, created_at } = file;
    let size = i64::try_from(*size).map_err(|error| Corrupt::new("attachment", document, "size", error))?;
    let arguments = params![
        document,
        id.0,
        name.as_str(),
        media_type.as_str(),
        size,
        digest.as_str(),
        actor.0.as_str(),
        *created_at,
        content
    ];
    Ok(tx.execute(&ATTACH, arguments).await? == 1)
}

/// Takes a file away; `false` when there is none of this id.
pub async fn detach(tx: &mut Tx, document: InvoiceId, id: AttachmentId) -> Result<bool, StoreError> {
    Ok(tx.execute(&DETACH, params![document, id.0]).await? == 1)
}
