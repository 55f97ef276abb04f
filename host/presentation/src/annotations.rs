//! What people keep beside a document, as its page shows it.

use crate::format::{self, ActorName};
use gateway_domain::ids::ClientId;
use gateway_domain_annotations::{ATTACHMENT_BYTES_MAX, Annotations};
use std::collections::BTreeMap;

/// A file beside a document.
#[derive(Debug)]
pub struct AttachmentRow {
    pub id: String,
    pub name: String,
    pub media_type: String,
    pub size: String,
    pub attached: String,
    pub by: ActorName,
}

/// What is kept beside a document, for its page.
#[derive(Debug)]
pub struct AnnotationsPart {
    pub note: String,
    pub tags: Vec<String>,
    /// A tag on each line, to be edited.
    pub tag_lines: String,
    pub version: i64,
    /// Who set note and tags, and when.
    pub changed: Option<(ActorName, String)>,
    pub attachments: Vec<AttachmentRow>,
    pub may_change: bool,
    /// Largest file, bytes.
    pub attachment_bytes_max: usize,
}

impl AnnotationsPart {
    /// `clients` are known by their names; `may_change` says whether forms are offered.
    pub fn of(kept: &Annotations, may_change: bool, clients: &BTreeMap<ClientId, String>) -> Self {
        let annotation = kept.annotation.as_ref();
        let tags = annotation.map(|annotation| annotation.text.tags.clone()).unwrap_or_default();
        Self {
            note: annotation.and_then(|annotation| annotation.text.note.clone()).unwrap_or_default(),
            tag_lines: tags.join("\n"),
            tags,
            version: kept.version(),
            changed: annotation.map(|annotation| {
                (format::actor(&annotation.actor, clients), format::time(annotation.updated_at))
            }),
            attachments: kept
                .attachments
                .iter()
                .map(|file| AttachmentRow {
                    id: file.id.to_string(),
                    name: file.name.clone(),
                    media_type: file.media_type.clone(),
                    size: format::size(i64::try_from(file.size).unwrap_or(i64::MAX)),
                    attached: format::time(file.created_at),
                    by: format::actor(&file.actor, clients),
                })
                .collect(),
            may_change,
            attachment_bytes_max: ATTACHMENT_BYTES_MAX,
        }
    }
}
