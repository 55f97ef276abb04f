//! Numbers of documents as the AT wants them, and the unique code of a document (ATCUD).

use std::fmt;

/// A number in its parts: `FT A2026/35` is of type `FT`, in series `A2026`, the thirty-fifth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocumentNumber<'a> {
    /// `InvoiceType`: `FT`.
    pub doc_type: &'a str,
    /// The series, without its type.
    pub series: &'a str,
    /// The digits after the slash as they are written.
    pub sequence: &'a str,
}

/// Between the series of a stored document and its code.
pub(crate) const SEPARATOR: char = '/';
/// Digits of a sequence that are read.
const SEQUENCE_DIGITS_MAX: usize = 18;

impl<'a> DocumentNumber<'a> {
    /// Reads `TYPE SERIES/NUMBER` (the pattern of `InvoiceNo` in the schema). None when it has another form.
    pub fn read(text: &'a str) -> Option<Self> {
        let (doc_type, rest) = text.split_once(' ')?;
        let (series, sequence) = rest.split_once('/')?;
        let is_plain = |part: &str| !part.is_empty() && !part.contains([' ', '^', '/']);
        let digits = (1..=SEQUENCE_DIGITS_MAX).contains(&sequence.len())
            && sequence.bytes().all(|byte| byte.is_ascii_digit());
        (is_plain(doc_type) && is_plain(series) && digits).then_some(Self { doc_type, series, sequence })
    }

    /// The digits as a number.
    pub fn position(self) -> u64 {
        self.sequence.parse().unwrap_or_default()
    }

    /// The unique code of the document (ATCUD) in a series with this validation code.
    pub fn atcud(self, validation_code: &str) -> String {
        format!("{validation_code}-{}", self.sequence)
    }
}

impl fmt::Display for DocumentNumber<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}/{}", self.doc_type, self.series, self.sequence)
    }
}

/// Whether a text is a validation code of a series, as the AT gives them: eight letters and digits at least.
pub fn is_validation_code(text: &str) -> bool {
    (8..=16).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_type_series_and_sequence() {
        let number = DocumentNumber::read("FS CDVF/12345").unwrap();
        assert_eq!((number.doc_type, number.series, number.position()), ("FS", "CDVF", 12345));
        assert_eq!(number.to_string(), "FS CDVF/12345");
        for text in ["", "FT", "FT A", "FT/1", "FT A/", "FT A/x", "FT A/1/2", " A/1", "FT A B/1", "FT /1"] {
            assert_eq!(DocumentNumber::read(text), None, "{text}");
        }
        assert_eq!(DocumentNumber::read("FT A/1234567890123456789"), None, "too many digits");
    }

    #[test]
    fn the_unique_code_is_that_of_the_authoritys_specification() {
        // Example 1 of the specification of the QR code.
        let atcud = |number: &str| DocumentNumber::read(number).unwrap().atcud("CSDF7T5H");
        assert_eq!(atcud("FT A/0035"), "CSDF7T5H-0035");
        assert!(
            is_validation_code("CSDF7T5H")
                && !is_validation_code("CSDF7T5")
                && !is_validation_code("csdf7t5h")
        );
    }
}
