//! Why a command ends with another exit code than 0.

use gateway_domain_input::unreadable;
use std::fmt;

/// One sentence for the person at the terminal, and the exit code. Every error becomes one: its own sentence, then
/// its causes.
#[derive(Debug)]
pub struct Failure {
    code: u8,
    sentence: String,
}

impl Failure {
    /// The exit code of a command that cannot be understood.
    pub const MISUSE: u8 = 2;
    /// The exit code of a command that did not do what it was to do.
    pub const REFUSED: u8 = 1;

    /// The command was understood and is not carried out.
    pub fn refused(sentence: impl fmt::Display) -> Self {
        Self { code: Self::REFUSED, sentence: sentence.to_string() }
    }

    /// The command or the configuration cannot be understood.
    pub fn misuse(sentence: impl fmt::Display) -> Self {
        Self { code: Self::MISUSE, sentence: sentence.to_string() }
    }

    /// What the process ends with.
    pub const fn code(&self) -> u8 {
        self.code
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl<E: std::error::Error + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        let mut sentence = in_plain_words(&error);
        let mut cause = error.source();
        while let Some(inner) = cause {
            let text = in_plain_words(inner);
            if !sentence.contains(&text) {
                sentence = format!("{sentence}: {text}");
            }
            cause = inner.source();
        }
        Self::refused(sentence.replace('\n', " "))
    }
}

/// An error without the number and the abbreviations of the system.
fn in_plain_words(error: &(dyn std::error::Error + 'static)) -> String {
    error.downcast_ref().map_or_else(|| error.to_string(), unreadable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("the house is closed")]
    struct Closed(#[source] std::io::Error);

    #[test]
    fn a_cause_of_the_system_is_told_in_words_of_people() {
        let failure: Failure = Closed(std::io::Error::from_raw_os_error(2)).into();
        assert_eq!(failure.to_string(), "the house is closed: there is nothing of this name");
        let failure: Failure = std::io::Error::from_raw_os_error(13).into();
        assert_eq!(failure.to_string(), "its permissions do not allow it");
    }

    #[test]
    fn a_failure_tells_the_cause_once_and_on_one_line() {
        let failure: Failure = Closed(std::io::Error::other("no\nkey")).into();
        assert_eq!(failure.to_string(), "the house is closed: no key");
        assert_eq!(failure.code(), 1);
        assert_eq!(Failure::misuse("what?").code(), 2);
    }
}
