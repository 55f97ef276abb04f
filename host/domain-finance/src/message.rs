//! The message to the tax authority: the file that the provider makes of a structured document and sends.

use jiff::Timestamp;
use uuid::Uuid;

/// Longest message that is kept, bytes.
pub const MESSAGE_BYTES_MAX: usize = 1024 * 1024;

/// What went to the tax authority, byte for byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorityMessage {
    /// Such as `application/xml`, without parameters.
    pub media_type: String,
    /// Text.
    pub body: String,
}

impl AuthorityMessage {
    /// How the name of a file with it ends.
    pub fn file_extension(&self) -> &'static str {
        match self.media_type.rsplit(['/', '+']).next() {
            Some("xml") => "xml",
            Some("json") => "json",
            _ => "txt",
        }
    }
}

/// A file of a provider's entry, as its list names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryFile {
    /// Chosen by the provider; its content is asked for by this and the id of the entry.
    pub id: Uuid,
    /// What it is: `request` is a message to an authority, `response` an answer, `format` another form of the document.
    pub category: String,
    /// Its media type, as the provider wrote it.
    pub media_type: String,
    /// Bytes, if the provider says so.
    pub size: Option<u64>,
    /// When the provider made it.
    pub created_at: Option<Timestamp>,
}

/// Which file of an entry a job that began at `since` sent to the authority. An entry keeps the files of earlier jobs:
/// what is older belongs to them. Only texts within the bound are asked for.
pub fn message_of(files: &[EntryFile], since: Option<Timestamp>) -> Option<&EntryFile> {
    let sent = files.iter().filter(|file| {
        file.category == "request"
            && is_text(&media_type(&file.media_type))
            && file.size.is_none_or(|size| usize::try_from(size).is_ok_and(|size| size <= MESSAGE_BYTES_MAX))
            && match (since, file.created_at) {
                (Some(since), Some(created_at)) => created_at >= since,
                (None, _) | (_, None) => true,
            }
    });
    sent.max_by_key(|file| file.created_at)
}

/// A media type without parameters, in lower case; XML has one name.
pub fn media_type(text: &str) -> String {
    let essence = text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if essence == "text/xml" { "application/xml".to_owned() } else { essence }
}

fn is_text(media_type: &str) -> bool {
    let known = ["application/xml", "application/json", "text/plain"];
    known.contains(&media_type) || media_type.ends_with("+xml") || media_type.ends_with("+json")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(id: u128, category: &str, media_type: &str, second: Option<i64>) -> EntryFile {
        let created_at = second.map(|second| Timestamp::from_second(second).unwrap());
        let (category, media_type) = (category.to_owned(), media_type.to_owned());
        EntryFile { id: Uuid::from_u128(id), category, media_type, size: None, created_at }
    }

    fn chosen(files: &[EntryFile], since: i64) -> Option<u128> {
        message_of(files, Timestamp::from_second(since).ok()).map(|file| file.id.as_u128())
    }

    #[test]
    fn the_message_is_the_newest_request_of_the_job() {
        let files = [
            file(1, "request", "application/xml", Some(10)),
            file(2, "request", "text/xml; charset=UTF-8", Some(20)),
            file(3, "response", "application/xml", Some(21)),
            file(4, "format", "application/pdf", Some(22)),
        ];
        assert_eq!(chosen(&files, 15), Some(2));
        assert_eq!(chosen(&files[..1], 15), None, "an earlier job's message is not this one's");
        assert_eq!(chosen(&files[2..], 0), None);
        assert_eq!(chosen(&[file(5, "request", "application/xml", None)], 15), Some(5));
        assert_eq!(message_of(&files, None).map(|file| file.id.as_u128()), Some(2));
    }

    #[test]
    fn what_is_no_text_or_too_long_is_not_asked_for() {
        assert_eq!(chosen(&[file(1, "request", "application/pdf", None)], 0), None);
        for (size, is_chosen) in [(1_048_576, true), (1_048_577, false), (u64::MAX, false)] {
            let long = EntryFile { size: Some(size), ..file(1, "request", "application/json", None) };
            assert_eq!(chosen(&[long], 0).is_some(), is_chosen, "{size}");
        }
    }

    #[test]
    fn xml_has_one_name() {
        for (text, name) in [
            ("text/xml", "application/xml"),
            (" Application/XML ; charset=utf-8", "application/xml"),
            ("application/vnd.x+xml", "application/vnd.x+xml"),
            ("", ""),
        ] {
            assert_eq!(media_type(text), name);
        }
    }
}
