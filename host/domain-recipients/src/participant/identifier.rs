//! Identifiers of participants.

use super::network::PARTICIPANT_SCHEME;
use std::fmt;

/// Characters of a number behind its scheme (Policy for use of identifiers, POLICY 1: 135 with the scheme and the colon).
const NUMBER_CHARS_MAX: usize = 130;

/// A participant: the electronic address of EN 16931 (BT-49), which is a scheme of the list EAS and a number in it. In lower case, as
/// numbers that differ in case alone are one participant (POLICY 2).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Participant {
    value: String,
}

/// A text that identifies no participant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoParticipant {
    /// It does not begin with a scheme of the list EAS.
    #[error("it does not begin with a scheme of four digits and a colon, such as 0192:991825827")]
    Scheme,
    /// What stands behind the scheme is no number.
    #[error("behind the scheme stand up to 130 printable characters without blanks, such as 0192:991825827")]
    Number,
}

impl Participant {
    /// A number of a scheme.
    ///
    /// # Errors
    /// What about them no participant is identified by.
    pub fn new(scheme: &str, number: &str) -> Result<Self, NoParticipant> {
        if scheme.len() != 4 || !scheme.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(NoParticipant::Scheme);
        }
        let fits = (1..=NUMBER_CHARS_MAX).contains(&number.len());
        if !fits || !number.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(NoParticipant::Number);
        }
        Ok(Self { value: format!("{scheme}:{}", number.to_ascii_lowercase()) })
    }

    /// Reads `0192:991825827`, also behind the scheme of participants (`iso6523-actorid-upis::0192:991825827`).
    ///
    /// # Errors
    /// What about it no participant is identified by.
    pub fn parse(text: &str) -> Result<Self, NoParticipant> {
        let text = text.trim();
        let behind = text.strip_prefix(PARTICIPANT_SCHEME).and_then(|rest| rest.strip_prefix("::"));
        let (scheme, number) = behind.unwrap_or(text).split_once(':').ok_or(NoParticipant::Scheme)?;
        Self::new(scheme, number)
    }

    /// The scheme of the list EAS and the number: `0192:991825827`.
    pub fn value(&self) -> &str {
        &self.value
    }
}

/// With the scheme of participants: `iso6523-actorid-upis::0192:991825827`.
impl fmt::Display for Participant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PARTICIPANT_SCHEME}::{}", self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_is_read_with_its_scheme_and_without() {
        for text in ["0192:991825827", "iso6523-actorid-upis::0192:991825827", " 0192:991825827 "] {
            let participant = Participant::parse(text).unwrap();
            assert_eq!(participant.value(), "0192:991825827");
            assert_eq!(participant.to_string(), "iso6523-actorid-upis::0192:991825827");
        }
    }

    #[test]
    fn numbers_that_differ_in_case_alone_are_one_participant() {
        assert_eq!(Participant::parse("9930:DE123456789"), Participant::parse("9930:de123456789"));
    }

    #[test]
    fn what_identifies_nobody_is_refused_with_why() {
        for text in ["", "991825827", "192:991825827", "GLN:1", "DE123456789", "other::0192:1", "EM:a@b.eu"] {
            assert_eq!(Participant::parse(text), Err(NoParticipant::Scheme), "{text}");
        }
        let long = format!("0192:{}", "1".repeat(131));
        for text in ["0192:", "0192:1 2", "0192:ñ", "0192:a\nb", &long] {
            assert_eq!(Participant::parse(text), Err(NoParticipant::Number), "{text}");
        }
    }
}
