//! Everything beside a document as it is shown, over HTTP and by commands.

use crate::{Annotations, Attachment};
use gateway_domain::access::Actor;
use gateway_domain::ids::AttachmentId;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

/// What people keep beside a document; no part of it, and never sent to anybody.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Annotations)]
pub struct AnnotationsBody<'a> {
    /// For whoever works with the document.
    #[schema(required, examples("The guest called: the company pays after the audit."))]
    pub note: Option<&'a str>,
    /// Words to find it by, in the order in which they were given.
    pub tags: &'a [String],
    /// Files, the oldest first.
    pub attachments: Vec<AttachmentBody<'a>>,
    /// How often note and tags were set, for `If-Match`; 0 where they never were.
    #[schema(minimum = 0, examples(1))]
    pub version: i64,
    /// Who set note and tags; null where nobody did.
    #[schema(required, value_type = Option<String>, examples("Maria"))]
    pub actor: Option<&'a Actor>,
    /// When.
    #[schema(required, value_type = Option<String>, format = DateTime, examples("2026-11-20T09:30:00Z"))]
    pub updated_at: Option<Timestamp>,
}

/// A file beside a document.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Attachment)]
pub struct AttachmentBody<'a> {
    /// Which one.
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-0000000000f1"))]
    pub id: AttachmentId,
    /// What it is called.
    #[schema(examples("contract.pdf"))]
    pub name: &'a str,
    /// Its media type.
    #[schema(examples("application/pdf"))]
    pub media_type: &'a str,
    /// How large it is, bytes.
    #[schema(minimum = 1, examples(48211))]
    pub size: u64,
    /// SHA-256 of its content, hexadecimal.
    #[schema(
        pattern = "^[0-9a-f]{64}$",
        examples("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")
    )]
    pub sha256: &'a str,
    /// Who attached it.
    #[schema(value_type = String, examples("Maria"))]
    pub actor: &'a Actor,
    /// When.
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:30:00Z"))]
    pub created_at: Timestamp,
}

impl<'a> From<&'a Annotations> for AnnotationsBody<'a> {
    fn from(kept: &'a Annotations) -> Self {
        let annotation = kept.annotation.as_ref();
        Self {
            note: annotation.and_then(|annotation| annotation.text.note.as_deref()),
            tags: annotation.map(|annotation| annotation.text.tags.as_slice()).unwrap_or_default(),
            attachments: kept.attachments.iter().map(AttachmentBody::from).collect(),
            version: kept.version(),
            actor: annotation.map(|annotation| &annotation.actor),
            updated_at: annotation.map(|annotation| annotation.updated_at),
        }
    }
}

impl<'a> From<&'a Attachment> for AttachmentBody<'a> {
    fn from(kept: &'a Attachment) -> Self {
        let Attachment { id, name, media_type, size, digest, actor, created_at } = kept;
        Self { id: *id, name, media_type, size: *size, sha256: digest, actor, created_at: *created_at }
    }
}
