//! Files inside the file.

use crate::words::Language;
use gateway_domain_finance::AuthorityMessage;
use gateway_plugin_host::renderer::request::{Attachment, Relationship};

/// The record that the tax authority received, byte for byte.
pub(crate) fn record(number: &str, message: AuthorityMessage, language: Language) -> Attachment {
    let extension = message.file_extension();
    let AuthorityMessage { media_type, body } = message;
    let name: String = number
        .chars()
        .map(|character| if matches!(character, '/' | '\\') { '-' } else { character })
        .collect();
    Attachment {
        name: format!("{name}.{extension}"),
        media_type,
        description: Some(format!("{number}: {}", language.words().record)),
        relationship: Relationship::Supplement,
        content: body.into_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_named_by_its_document_and_what_it_is() {
        for (number, media_type, name) in [
            ("F-2026-000017", "application/xml", "F-2026-000017.xml"),
            ("F/2026\\17", "application/soap+xml", "F-2026-17.xml"),
            ("F-1", "application/json", "F-1.json"),
            ("F-1", "text/plain", "F-1.txt"),
        ] {
            let message = AuthorityMessage { media_type: media_type.to_owned(), body: "ñ".to_owned() };
            let made = record(number, message, Language::English);
            assert_eq!((made.name.as_str(), made.content.as_slice()), (name, "ñ".as_bytes()));
        }
    }
}
