//! Where a document comes from that another system issued, with its files.

use crate::Stamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

/// Longest file of an imported document, bytes.
pub const IMPORTED_FILE_BYTES_MAX: usize = 512 * 1024;

/// Where a document comes from that was not issued here. Nothing submits it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportOrigin {
    /// The system that issued it, as whoever imported it calls it.
    #[schema(required, examples("Old ERP"))]
    pub system: Option<String>,
    /// What the authority gave for it: documents that credit it may have to name some of these.
    #[serde(default)]
    pub stamps: Vec<Stamp>,
    /// Its files as that system made them.
    #[serde(default)]
    pub files: Vec<ImportedFileDigest>,
}

impl ImportOrigin {
    /// How people call the system that issued it.
    pub fn system_name(&self) -> String {
        self.system.clone().unwrap_or_else(|| "another system".to_owned())
    }
}

/// A file of an imported document, without its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportedFileDigest {
    /// `application/pdf` or `application/xml`.
    #[schema(examples("application/pdf"))]
    pub media_type: String,
    /// How long it is.
    #[schema(minimum = 1, maximum = 524_288)]
    pub size_bytes: u64,
    /// SHA-256 of it, lower-case hex.
    #[schema(pattern = "^[0-9a-f]{64}$")]
    pub sha256: String,
}

/// What kind of file an imported document has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ImportedFileType {
    /// For people.
    Pdf,
    /// For programs: the record, or an electronic invoice.
    Xml,
}

impl ImportedFileType {
    /// Its media type, as written in JSON, headers and storage.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pdf => "application/pdf",
            Self::Xml => "application/xml",
        }
    }

    /// Exactly as [`Self::as_str`] writes it; none for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Pdf, Self::Xml].into_iter().find(|known| known.as_str() == text)
    }

    /// What a file is by its first bytes, whatever is said about it; none of what is neither.
    pub fn of(content: &[u8]) -> Option<Self> {
        if content.starts_with(b"%PDF-") {
            return Some(Self::Pdf);
        }
        let text = std::str::from_utf8(content).ok()?;
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text).trim_start();
        let is_element =
            |rest: &str| rest.starts_with(['?', '!', '_', ':']) || rest.starts_with(char::is_alphabetic);
        text.strip_prefix('<').filter(|rest| is_element(rest)).map(|_| Self::Xml)
    }
}

/// A file of a document, as the other system made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedFile {
    /// What it is.
    pub file_type: ImportedFileType,
    /// Byte for byte.
    pub content: Vec<u8>,
}

impl ImportedFile {
    /// What proves that it is the file that was imported.
    pub fn digest(&self) -> ImportedFileDigest {
        ImportedFileDigest {
            media_type: self.file_type.as_str().to_owned(),
            size_bytes: u64::try_from(self.content.len()).unwrap_or(u64::MAX),
            sha256: hex::encode(Sha256::digest(&self.content)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_what_its_first_bytes_say() {
        let of = |bytes: &[u8]| ImportedFileType::of(bytes).map(ImportedFileType::as_str);
        assert_eq!(of(b"%PDF-1.7\n\xE2\xE3"), Some("application/pdf"));
        for xml in ["<?xml version=\"1.0\"?><a/>", "\u{FEFF} \n<Invoice/>", "<!-- x --><a/>"] {
            assert_eq!(of(xml.as_bytes()), Some("application/xml"), "{xml}");
        }
        for other in [&b"PDF"[..], b"", b"{}", b"<", b"< a/>", b"<\xFF", b"\x89PNG", b"PK\x03\x04"] {
            assert_eq!(of(other), None, "{other:?}");
        }
    }
}
