//! Annotations: what people keep beside documents of the invoice data service in this process.
//!
//! A change is one transaction that holds the document: the row, and who did what in the audit trail. The document itself, its
//! version, its event log and its submission know nothing of it. The trail says which tags and files came and went, and that a
//! note changed; what it says stays with the document.
//!
//! Not here: what may be kept (`gateway_domain_annotations`), SQL, HTTP.

use gateway_access::Audit;
use gateway_domain::access::Acting;
use gateway_domain::ids::{AttachmentId, InvoiceId};
use gateway_domain::ports::Clock;
use gateway_domain::{FieldError, StoreError};
use gateway_domain_annotations::{
    ATTACHMENTS_MAX, Annotation, AnnotationForm, Annotations, Attachment, AttachmentForm, NoteAndTags,
};
use gateway_storage::{Db, Tx, annotations, invoices};
use serde::Serialize;
use std::sync::Arc;

/// Why nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum AnnotateError {
    /// No such document, or none that the caller may see.
    #[error("there is no such document")]
    Gone,
    /// The document has no such file.
    #[error("the document has no such attachment")]
    NoAttachment,
    /// Every mistake of what was sent.
    #[error("what was sent has mistakes")]
    Invalid(Vec<FieldError>),
    /// Somebody changed note or tags since the caller read them.
    #[error("note and tags are at version {current}: read them again and repeat the change")]
    Stale {
        /// Their version; 0 where they were never set.
        current: i64,
    },
    /// Another file of the document has the id.
    #[error("the document has another attachment with this id: take a fresh id")]
    IdTaken,
    /// The document has as many files as it may.
    #[error("the document has {ATTACHMENTS_MAX} attachments: remove one first")]
    TooMany,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A file that was attached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attached {
    pub attachment: Attachment,
    /// Whether it was not there before.
    pub is_new: bool,
}

/// A file with what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachedFile {
    pub attachment: Attachment,
    pub content: Vec<u8>,
}

/// What the audit trail keeps of a change of note and tags.
#[derive(Serialize)]
struct AnnotateData<'a> {
    note_changed: bool,
    tags_added: Vec<&'a str>,
    tags_removed: Vec<&'a str>,
}

/// What it keeps of a file.
#[derive(Serialize)]
struct AttachmentData<'a> {
    attachment_id: AttachmentId,
    name: &'a str,
    media_type: &'a str,
    size: u64,
    sha256: &'a str,
}

impl<'a> From<&'a Attachment> for AttachmentData<'a> {
    fn from(kept: &'a Attachment) -> Self {
        let Attachment { id, name, media_type, size, digest, .. } = kept;
        Self { attachment_id: *id, name, media_type, size: *size, sha256: digest }
    }
}

/// What people keep beside documents. Cheap to clone.
#[derive(Debug, Clone)]
pub struct DocumentAnnotations {
    db: Db,
    clock: Arc<dyn Clock>,
    audit: Audit,
}

impl DocumentAnnotations {
    /// Those in this database.
    pub const fn new(db: Db, clock: Arc<dyn Clock>, audit: Audit) -> Self {
        Self { db, clock, audit }
    }

    /// Everything beside a document; none of one that the caller does not see.
    pub async fn find(&self, acting: &Acting, id: InvoiceId) -> Result<Option<Annotations>, StoreError> {
        if !self.is_visible(acting, id).await? {
            return Ok(None);
        }
        let annotation = annotations::find(&self.db, id).await?;
        Ok(Some(Annotations { annotation, attachments: annotations::attachments(&self.db, id).await? }))
    }

    /// Sets note and tags. The same again changes nothing.
    pub async fn annotate(
        &self,
        acting: &Acting,
        id: InvoiceId,
        form: AnnotationForm,
        expected_version: Option<i64>,
    ) -> Result<Annotations, AnnotateError> {
        let mut tx = self.held(acting, id).await?;
        let text = form.check().map_err(AnnotateError::Invalid)?;
        let attachments = annotations::attachments(&mut tx, id).await?;
        let before = annotations::find(&mut tx, id).await?;
        let before = Annotations { annotation: before, attachments };
        let current = before.version();
        if expected_version.is_some_and(|expected| expected != current) {
            return Err(AnnotateError::Stale { current });
        }
        let nothing = NoteAndTags::default();
        let before_text = before.annotation.as_ref().map_or(&nothing, |annotation| &annotation.text);
        if *before_text == text {
            return Ok(before);
        }
        let data = difference(before_text, &text);
        self.record(&mut tx, acting, "document.annotate", id, &data).await?;
        let annotation = Annotation {
            version: current.saturating_add(1),
            actor: acting.actor.clone(),
            updated_at: self.clock.now(),
            text,
        };
        if !annotations::set(&mut tx, id, &annotation).await? {
            return Err(StoreError::Moved { table: "annotation" }.into());
        }
        tx.commit_at("annotated").await?;
        tracing::info!(document.id = %id, "Set note and tags of {id}");
        Ok(Annotations { annotation: Some(annotation), attachments: before.attachments })
    }

    /// Keeps a file beside a document, under an id that the caller gave it. The same again changes nothing.
    pub async fn attach(
        &self,
        acting: &Acting,
        id: InvoiceId,
        attachment: AttachmentId,
        form: AttachmentForm<'_>,
    ) -> Result<Attached, AnnotateError> {
        if !self.is_visible(acting, id).await? {
            return Err(AnnotateError::Gone);
        }
        let content = form.content;
        let checked = form.check().map_err(AnnotateError::Invalid)?;
        // Its digest is taken before anybody has to wait for the document.
        let new = checked.kept(attachment, acting.actor.clone(), self.clock.now());
        let mut tx = self.held(acting, id).await?;
        let kept = annotations::attachments(&mut tx, id).await?;
        if let Some(same) = kept.iter().find(|kept| kept.id == attachment) {
            return if same.is_same(&new) {
                Ok(Attached { attachment: same.clone(), is_new: false })
            } else {
                Err(AnnotateError::IdTaken)
            };
        }
        if kept.len() >= ATTACHMENTS_MAX {
            return Err(AnnotateError::TooMany);
        }
        if !annotations::attach(&mut tx, id, &new, content).await? {
            return Err(StoreError::Moved { table: "attachment" }.into());
        }
        self.record(&mut tx, acting, "document.attach", id, &AttachmentData::from(&new)).await?;
        tx.commit_at("attached").await?;
        tracing::info!(document.id = %id, "Attached a file of {} bytes to {id}", new.size);
        Ok(Attached { attachment: new, is_new: true })
    }

    /// A file with its content.
    pub async fn file(
        &self,
        acting: &Acting,
        id: InvoiceId,
        attachment: AttachmentId,
    ) -> Result<AttachedFile, AnnotateError> {
        if !self.is_visible(acting, id).await? {
            return Err(AnnotateError::Gone);
        }
        let kept = annotations::attachment(&self.db, id, attachment).await?;
        let attachment = kept.ok_or(AnnotateError::NoAttachment)?;
        let content = annotations::content(&self.db, id, attachment.id).await?;
        Ok(AttachedFile { content: content.ok_or(AnnotateError::NoAttachment)?, attachment })
    }

    /// Takes a file away; the trail keeps what it was called and its digest.
    pub async fn detach(
        &self,
        acting: &Acting,
        id: InvoiceId,
        attachment: AttachmentId,
    ) -> Result<(), AnnotateError> {
        let mut tx = self.held(acting, id).await?;
        let kept = annotations::attachment(&mut tx, id, attachment).await?;
        let kept = kept.ok_or(AnnotateError::NoAttachment)?;
        annotations::detach(&mut tx, id, attachment).await?;
        self.record(&mut tx, acting, "document.detach", id, &AttachmentData::from(&kept)).await?;
        tx.commit_at("detached").await?;
        tracing::info!(document.id = %id, "Took a file away from {id}");
        Ok(())
    }

    async fn is_visible(&self, acting: &Acting, id: InvoiceId) -> Result<bool, StoreError> {
        Ok(invoices::find(&self.db, id, &acting.workspaces).await?.is_some())
    }

    /// A transaction that holds the document.
    async fn held(&self, acting: &Acting, id: InvoiceId) -> Result<Tx, AnnotateError> {
        let mut tx = self.db.begin().await?;
        let document = invoices::lock(&mut tx, id, &acting.workspaces).await?;
        document.ok_or(AnnotateError::Gone)?;
        Ok(tx)
    }

    async fn record(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        action: &str,
        id: InvoiceId,
        data: &impl Serialize,
    ) -> Result<(), StoreError> {
        self.audit.record(tx, &acting.actor, action, format!("document:{id}"), data).await
    }
}

fn difference<'a>(before: &'a NoteAndTags, after: &'a NoteAndTags) -> AnnotateData<'a> {
    let only_of = |these: &'a [String], those: &[String]| {
        these.iter().filter(|tag| !those.contains(tag)).map(String::as_str).collect()
    };
    AnnotateData {
        note_changed: before.note != after.note,
        tags_added: only_of(&after.tags, &before.tags),
        tags_removed: only_of(&before.tags, &after.tags),
    }
}
