//! What of an accepted document may become another under the same number: release 1.6 of the contract, `wit/v1.6`.

use super::RegimeInvoice;

/// Stands for any place of a list, or any key.
const ANY: &str = "*";
/// Longest pattern, characters.
const PATTERN_CHARS_MAX: usize = 200;

/// What a plugin says of amendments (release 1.6 of the contract).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AmendDescription {
    /// What may change.
    pub allowed_paths: Vec<PathPattern>,
    /// Which remarks of the authority want an amendment; none where the plugin does not say.
    pub demands: Vec<AmendDemand>,
}

/// That a remark of the authority wants the record amended (release 1.10 of the contract).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AmendDemand {
    /// The code of the remark.
    pub code: String,
    /// Within how many days of the acceptance; none where the law names no limit.
    pub within_days: Option<u16>,
    /// One sentence.
    pub summary: String,
}

/// A JSON Pointer into a document in which `*` stands for any place of a list or any key: `/lines/*/description`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathPattern(String);

/// A text that is no pattern of paths.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{}' is no pattern of paths such as /lines/*/description", .0.escape_debug())]
pub struct NotAPathPattern(pub String);

impl TryFrom<String> for PathPattern {
    type Error = NotAPathPattern;

    fn try_from(text: String) -> Result<Self, NotAPathPattern> {
        let is_pattern = text.strip_prefix('/').is_some_and(|rest| {
            text.chars().count() <= PATTERN_CHARS_MAX
                && rest.split('/').all(|segment| !segment.is_empty())
                && !rest.chars().any(|one| one.is_control() || one.is_whitespace())
        });
        if is_pattern { Ok(Self(text)) } else { Err(NotAPathPattern(text)) }
    }
}

impl PathPattern {
    /// Whether it allows what stands at `path`, a JSON Pointer: that very place, or one above it.
    pub fn covers(&self, path: &str) -> bool {
        let mut found = path.split('/');
        self.0.split('/').all(|segment| found.next().is_some_and(|part| segment == ANY || segment == part))
    }
}

impl AmendDescription {
    /// Whether what stands at `path`, a JSON Pointer, may become another.
    pub fn allows(&self, path: &str) -> bool {
        self.allowed_paths.iter().any(|pattern| pattern.covers(path))
    }
}

/// A document that the authority accepted, and what it is to become under the same number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegimeAmendment {
    /// As the authority accepted it, with the stamps of that record.
    pub accepted: RegimeInvoice,
    /// As it is to become.
    pub amended: RegimeInvoice,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> PathPattern {
        PathPattern::try_from(text.to_owned()).unwrap()
    }

    #[test]
    fn a_pattern_covers_its_place_and_what_stands_below_it() {
        for (text, path, covers) in [
            ("/notes", "/notes", true),
            ("/recipient", "/recipient/address/street", true),
            ("/recipient/name", "/recipient", false),
            ("/recipient/name", "/recipient/names", false),
            ("/lines/*/description", "/lines/12/description", true),
            ("/lines/*/description", "/lines/12/quantity", false),
            ("/lines/*/description", "/lines", false),
            ("/ext/*", "/ext/es-verifactu-regime", true),
        ] {
            assert_eq!(pattern(text).covers(path), covers, "{text} {path}");
        }
    }

    #[test]
    fn a_pattern_begins_with_a_slash_and_has_no_empty_part() {
        for wrong in ["", "/", "notes", "/lines//description", "/notes/", "/a b", "/a\u{7}"] {
            assert!(PathPattern::try_from(wrong.to_owned()).is_err(), "{wrong:?}");
        }
        assert!(PathPattern::try_from(format!("/{}", "x".repeat(PATTERN_CHARS_MAX))).is_err());
    }
}
