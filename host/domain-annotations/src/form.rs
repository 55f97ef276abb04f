//! Note and tags as they are sent.

use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_input::Faults;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Most tags of a document.
pub const TAGS_MAX: usize = 50;
/// Longest tag, characters.
pub const TAG_CHARS_MAX: usize = 64;

/// Note and tags as they are to be: what is left out is taken away.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AnnotationForm {
    /// For whoever works with the document, at most 10,000 characters.
    #[schema(examples("The guest called: the company pays after the audit."))]
    pub note: Option<String>,
    /// Words to find it by, at most 50 of at most 64 characters on one line, each once.
    pub tags: Vec<String>,
}

/// Note and tags that may be kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NoteAndTags {
    /// What the note says; none where there is none.
    pub note: Option<String>,
    /// In the order in which they were given.
    pub tags: Vec<String>,
}

impl AnnotationForm {
    /// What may be kept, without the blanks around it; else every mistake.
    pub fn check(self) -> Result<NoteAndTags, Vec<FieldError>> {
        let mut faults = Faults::default();
        let note = self.note.map(|note| note.trim().to_owned()).filter(|note| !note.is_empty());
        if let Some(note) = &note {
            faults.notes("note", note);
        }
        if self.tags.len() > TAGS_MAX {
            faults.refuse("tags", ErrorCode::TooMany, format!("give at most {TAGS_MAX}"));
            return Err(faults.into_inner());
        }
        let mut tags: Vec<String> = Vec::new();
        for (at, tag) in self.tags.iter().map(|tag| tag.trim()).enumerate() {
            let field = format!("tags[{at}]");
            if let Some((code, message)) = mistake(tag, &tags) {
                faults.refuse(&field, code, message);
            }
            tags.push(tag.to_owned());
        }
        faults.or(NoteAndTags { note, tags })
    }
}

/// What is wrong with a tag beside those before it.
fn mistake(tag: &str, before: &[String]) -> Option<(ErrorCode, String)> {
    if tag.is_empty() {
        Some((ErrorCode::Required, "is empty".to_owned()))
    } else if tag.chars().count() > TAG_CHARS_MAX {
        Some((ErrorCode::TooLong, format!("use at most {TAG_CHARS_MAX} characters")))
    } else if tag.chars().any(char::is_control) {
        Some((ErrorCode::InvalidCharacters, "use characters on one line".to_owned()))
    } else if before.iter().any(|other| other == tag) {
        Some((ErrorCode::GivenTwice, "is given twice".to_owned()))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn form(note: Option<&str>, tags: &[&str]) -> AnnotationForm {
        AnnotationForm {
            note: note.map(str::to_owned),
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        }
    }

    #[test]
    fn blanks_around_note_and_tags_are_not_kept() {
        let kept = form(Some(" call them \n"), &[" audit ", "key account"]).check().unwrap();
        assert_eq!(kept.note.as_deref(), Some("call them"));
        assert_eq!(kept.tags, ["audit", "key account"]);
        assert_eq!(form(Some(" \n "), &[]).check().unwrap(), NoteAndTags::default());
    }

    #[test]
    fn every_mistake_is_named_with_its_place() {
        let (long, note) = ("x".repeat(TAG_CHARS_MAX + 1), "y".repeat(10_001));
        let found = form(Some(&note), &["a", " ", "a", &long, "b\nc"]).check().unwrap_err();
        let found: Vec<_> = found.iter().map(|found| (found.field.as_str(), found.code)).collect();
        assert_eq!(
            found,
            [
                ("note", ErrorCode::TooLong),
                ("tags[1]", ErrorCode::Required),
                ("tags[2]", ErrorCode::GivenTwice),
                ("tags[3]", ErrorCode::TooLong),
                ("tags[4]", ErrorCode::InvalidCharacters),
            ]
        );
        let many = vec!["t"; TAGS_MAX + 1];
        assert_eq!(form(None, &many).check().unwrap_err()[0].code, ErrorCode::TooMany);
    }

    proptest! {
        #[test]
        fn what_is_kept_is_taken_again_unchanged(note in "\\PC{0,40}", tags in prop::collection::hash_set("[a-z ]{0,9}", 0..9)) {
            let sent = AnnotationForm { note: Some(note), tags: tags.into_iter().collect() };
            if let Ok(kept) = sent.check() {
                let again = AnnotationForm { note: kept.note.clone(), tags: kept.tags.clone() };
                prop_assert_eq!(again.check(), Ok(kept));
            }
        }
    }
}
