//! Why a file that somebody named is of no use, without the words of the system or of a library.

use std::io::{self, ErrorKind};

/// What the system reports, in words of people.
const ERROR_TEXTS: [(ErrorKind, &str); 13] = [
    (ErrorKind::NotFound, "there is nothing of this name"),
    (ErrorKind::PermissionDenied, "its permissions do not allow it"),
    (ErrorKind::AlreadyExists, "it is there already"),
    (ErrorKind::IsADirectory, "it is a folder"),
    (ErrorKind::NotADirectory, "a part of its path is no folder"),
    (ErrorKind::InvalidData, "it is no text in UTF-8"),
    (ErrorKind::StorageFull, "there is no room on the disk"),
    (ErrorKind::QuotaExceeded, "there is no room on the disk"),
    (ErrorKind::ReadOnlyFilesystem, "its disk is read-only"),
    (ErrorKind::AddrInUse, "the port is in use"),
    (ErrorKind::AddrNotAvailable, "this machine has no such address"),
    (ErrorKind::ConnectionRefused, "nobody listens there"),
    (ErrorKind::TimedOut, "no answer came in time"),
];

/// What keeps a file or a folder from being read or written, to stand in parentheses. What has no word here is told as the
/// system tells it.
pub fn unreadable(error: &io::Error) -> String {
    let known = ERROR_TEXTS.iter().find(|(kind, _)| *kind == error.kind());
    known.map_or_else(|| without_number(error), |(_, words)| (*words).to_owned())
}

/// What the system calls an error, without its number, which the standard library writes behind it.
fn without_number(error: &io::Error) -> String {
    let text = error.to_string();
    let number = error.raw_os_error().map(|number| format!(" (os error {number})"));
    number.and_then(|number| text.strip_suffix(&number)).unwrap_or(&text).to_owned()
}

/// Where a text stops being JSON: `line 1, column 5`; the text itself shows what is wrong there.
pub fn json_place(error: &serde_json::Error) -> String {
    format!("line {}, column {}", error.line(), error.column())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_refused_in_words_of_people() {
        for (error, words) in [
            (io::Error::from_raw_os_error(2), "there is nothing of this name"),
            (io::Error::from_raw_os_error(13), "its permissions do not allow it"),
            (io::Error::from_raw_os_error(21), "it is a folder"),
            (
                io::Error::new(ErrorKind::InvalidData, "stream did not contain valid UTF-8"),
                "it is no text in UTF-8",
            ),
            (io::Error::other("it is no file"), "it is no file"),
        ] {
            assert_eq!(unreadable(&error), words);
        }
        let many = unreadable(&io::Error::from_raw_os_error(31));
        assert!(!many.is_empty() && !many.contains("os error"), "{many}");
        let error = serde_json::from_str::<serde_json::Value>("{\n\"a\":}").unwrap_err();
        assert_eq!(json_place(&error), "line 2, column 5");
    }
}
