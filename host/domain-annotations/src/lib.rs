//! Annotations: what people keep beside a document, whatever its state: a note, tags, files.
//!
//! None of it has a tax meaning, so none of it is in the document: it is changed at any time, it is never converted, submitted,
//! printed or sent to a customer, and an issued document stays what it was. Who changed it stands in the audit trail.
//!
//! | module | holds |
//! |---|---|
//! | `form` | note and tags as they are sent, and what is wrong with them |
//! | `attachment` | files: their names, their media types, how large and how many |
//! | `view` | everything beside a document, as it is shown |
//!
//! No I/O, no async runtime, no clock, no floats.

#![deny(missing_docs)]
#![deny(clippy::wildcard_enum_match_arm, clippy::float_arithmetic, clippy::as_conversions)]

mod attachment;
mod form;
mod view;

pub use attachment::{ATTACHMENT_BYTES_MAX, ATTACHMENTS_MAX, Attachment, AttachmentForm, NewAttachment};
pub use form::{AnnotationForm, NoteAndTags, TAG_CHARS_MAX, TAGS_MAX};
pub use view::{AnnotationsBody, AttachmentBody};

use gateway_domain::access::Actor;
use jiff::Timestamp;

/// Note and tags of a document as they were last set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Annotation {
    /// What they say.
    pub text: NoteAndTags,
    /// How often they were set: 1 for the first time.
    pub version: i64,
    /// Who set them.
    pub actor: Actor,
    /// When.
    pub updated_at: Timestamp,
}

/// The version of an annotation that was never set.
pub const NEVER_SET: i64 = 0;

/// Everything that is kept beside a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Annotations {
    /// Note and tags; none where they were never set.
    pub annotation: Option<Annotation>,
    /// Files, the oldest first.
    pub attachments: Vec<Attachment>,
}

impl Annotations {
    /// The version of note and tags, which the next change expects.
    pub fn version(&self) -> i64 {
        self.annotation.as_ref().map_or(NEVER_SET, |annotation| annotation.version)
    }
}
