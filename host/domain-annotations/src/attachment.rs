//! Files that people attach to a document.

use gateway_domain::access::Actor;
use gateway_domain::ids::AttachmentId;
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_input::Faults;
use jiff::Timestamp;
use mediatype::MediaTypeBuf;
use sha2::{Digest, Sha256};

/// Largest file, bytes: a contract of some scanned pages.
pub const ATTACHMENT_BYTES_MAX: usize = 5 << 20;
/// Most files of a document.
pub const ATTACHMENTS_MAX: usize = 20;
/// Longest name of a file, characters.
const NAME_CHARS_MAX: usize = 200;
/// Longest media type, characters.
const MEDIA_TYPE_CHARS_MAX: usize = 127;

/// A file as it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttachmentForm<'a> {
    /// What it is called, with no folder before it.
    pub name: &'a str,
    /// Its media type (RFC 6838), parameters left out.
    pub media_type: &'a str,
    /// Byte for byte.
    pub content: &'a [u8],
}

/// A file that may be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAttachment<'a> {
    /// What it is called.
    pub name: String,
    /// Its media type, in lower case, without parameters.
    pub media_type: String,
    /// Byte for byte, at most [`ATTACHMENT_BYTES_MAX`] and not empty.
    pub content: &'a [u8],
}

impl NewAttachment<'_> {
    /// The file as it is kept under an id.
    pub fn kept(self, id: AttachmentId, actor: Actor, now: Timestamp) -> Attachment {
        Attachment {
            id,
            size: u64::try_from(self.content.len()).unwrap_or(u64::MAX),
            digest: hex::encode(Sha256::digest(self.content)),
            name: self.name,
            media_type: self.media_type,
            actor,
            created_at: now,
        }
    }
}

/// A file that is kept; its content is read apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// As whoever attached it called it.
    pub id: AttachmentId,
    /// What it is called.
    pub name: String,
    /// Its media type.
    pub media_type: String,
    /// How large it is, bytes.
    pub size: u64,
    /// SHA-256 of its content, hexadecimal.
    pub digest: String,
    /// Who attached it.
    pub actor: Actor,
    /// When.
    pub created_at: Timestamp,
}

impl Attachment {
    /// Whether it is the same file under the same name.
    pub fn is_same(&self, other: &Self) -> bool {
        (&self.name, &self.media_type, &self.digest) == (&other.name, &other.media_type, &other.digest)
    }
}

impl<'a> AttachmentForm<'a> {
    /// The file, if it may be kept; else every mistake.
    pub fn check(self) -> Result<NewAttachment<'a>, Vec<FieldError>> {
        let mut faults = Faults::default();
        let name = self.name.trim();
        if name.is_empty() {
            faults.refuse("name", ErrorCode::Required, "is empty: say what the file is called");
        } else if name.chars().count() > NAME_CHARS_MAX {
            faults.refuse("name", ErrorCode::TooLong, format!("use at most {NAME_CHARS_MAX} characters"));
        } else if matches!(name, "." | "..") || name.contains(is_no_part_of_a_name) {
            let message = "use the name alone, without a folder, quotes or control characters";
            faults.refuse("name", ErrorCode::InvalidCharacters, message);
        }
        let media_type = essence(self.media_type);
        if media_type.is_none() {
            let message = "use a media type such as application/pdf in Content-Type";
            faults.refuse("media_type", ErrorCode::InvalidFormat, message);
        }
        if self.content.is_empty() {
            faults.refuse("base", ErrorCode::BodyMissing, "the file is empty");
        } else if self.content.len() > ATTACHMENT_BYTES_MAX {
            let message = format!("the file has more than {ATTACHMENT_BYTES_MAX} bytes");
            faults.refuse("base", ErrorCode::BodyTooLarge, message);
        }
        let name = name.to_owned();
        faults.or(()).map(|()| NewAttachment {
            name,
            media_type: media_type.unwrap_or_default(),
            content: self.content,
        })
    }
}

/// What would leave the folder, or the header, in which a name stands.
fn is_no_part_of_a_name(character: char) -> bool {
    character.is_control() || matches!(character, '/' | '\\' | '"')
}

/// The media type without its parameters.
fn essence(text: &str) -> Option<String> {
    let parsed: MediaTypeBuf = text.trim().parse().ok()?;
    let essence = parsed.essence().to_string().to_ascii_lowercase();
    (essence.len() <= MEDIA_TYPE_CHARS_MAX).then_some(essence)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(form: AttachmentForm<'_>) -> Vec<(String, ErrorCode)> {
        form.check().unwrap_err().into_iter().map(|found| (found.field, found.code)).collect()
    }

    #[test]
    fn a_file_is_kept_under_its_name_and_the_essence_of_its_media_type() {
        let form =
            AttachmentForm { name: " Vertrag 7.pdf ", media_type: "Text/HTML; charset=utf-8", content: b"x" };
        let kept = form.check().unwrap();
        assert_eq!((kept.name.as_str(), kept.media_type.as_str()), ("Vertrag 7.pdf", "text/html"));
    }

    #[test]
    fn a_name_that_leaves_its_folder_or_header_is_refused() {
        for name in ["..", "a/b.pdf", "a\\b.pdf", "a\"; x=\"b", "a\r\nb"] {
            let form = AttachmentForm { name, media_type: "application/pdf", content: b"x" };
            assert_eq!(codes(form), [("name".to_owned(), ErrorCode::InvalidCharacters)], "{name}");
        }
        let long = "n".repeat(NAME_CHARS_MAX + 1);
        for (name, code) in [(" ", ErrorCode::Required), (long.as_str(), ErrorCode::TooLong)] {
            let form = AttachmentForm { name, media_type: "application/pdf", content: b"x" };
            assert_eq!(codes(form), [("name".to_owned(), code)]);
        }
    }

    #[test]
    fn every_mistake_of_a_file_is_named() {
        let form = AttachmentForm { name: "", media_type: "pdf", content: b"" };
        let found: Vec<_> = codes(form).into_iter().map(|(field, _)| field).collect();
        assert_eq!(found, ["name", "media_type", "base"]);
        let large = vec![0; ATTACHMENT_BYTES_MAX + 1];
        let form = AttachmentForm { name: "a", media_type: "image/png", content: &large };
        assert_eq!(codes(form), [("base".to_owned(), ErrorCode::BodyTooLarge)]);
    }
}
