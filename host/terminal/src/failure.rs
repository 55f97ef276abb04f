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

/// How the driver of the database begins; what the server of a database says behind it stays.
const DRIVER_PREFIXES: [&str; 2] = ["error returned from database: ", "error communicating with database: "];

/// An error without the words of system and driver, where there are others.
fn in_plain_words(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut inmost = Some(error);
    while let Some(inner) = inmost {
        if let Some(of_system) = inner.downcast_ref::<std::io::Error>() {
            text = text.replace(&of_system.to_string(), &unreadable(of_system));
        }
        inmost = inner.source();
    }
    DRIVER_PREFIXES.iter().fold(text, |text, words| text.replace(words, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("the house is closed")]
    struct Closed(#[source] std::io::Error);

    #[test]
    fn a_cause_of_the_system_or_of_a_driver_is_told_in_words_of_people() {
        #[derive(Debug, thiserror::Error)]
        #[error("error communicating with database: {0}")]
        struct Driver(#[source] std::io::Error);
        #[derive(Debug, thiserror::Error)]
        #[error("no connection to the database: check database.url")]
        struct Away(#[source] Driver);
        let failure: Failure = Away(Driver(std::io::Error::from_raw_os_error(111))).into();
        assert_eq!(
            failure.to_string(),
            "no connection to the database: check database.url: nobody listens there"
        );
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
