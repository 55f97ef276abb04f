//! Lines of a file, one at a time and never longer than is sensible.

use std::io::{self, BufRead, Read as _};

/// Longest line, bytes.
pub const LINE_BYTES_MAX: usize = 1 << 20;
/// What some editors put before the first line.
const BYTE_ORDER_MARK: &str = "\u{FEFF}";

/// A line that says something.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// From 1.
    pub(super) number: u64,
    /// Its text, or why it has none.
    pub(super) text: Result<String, &'static str>,
}

/// The lines of a reader. At no time is more than one of them in memory.
#[derive(Debug)]
pub(super) struct Lines<R> {
    reader: R,
    number: u64,
    /// Bytes read so far.
    pub(super) bytes: u64,
}

impl<R: BufRead> Lines<R> {
    pub(super) const fn new(reader: R) -> Self {
        Self { reader, number: 0, bytes: 0 }
    }

    /// The next line that is not empty.
    pub(super) fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let mut bytes = Vec::new();
            let limit = u64::try_from(LINE_BYTES_MAX).unwrap_or(u64::MAX).saturating_add(1);
            let read = self.reader.by_ref().take(limit).read_until(b'\n', &mut bytes)?;
            if read == 0 {
                return Ok(None);
            }
            self.bytes = self.bytes.saturating_add(u64::try_from(read).unwrap_or_default());
            self.number = self.number.saturating_add(1);
            let number = self.number;
            if bytes.last() != Some(&b'\n') && bytes.len() > LINE_BYTES_MAX {
                self.skip()?;
                return Ok(Some(Line { number, text: Err("the line is longer than 1 MiB") }));
            }
            let Ok(text) = String::from_utf8(bytes) else {
                return Ok(Some(Line { number, text: Err("the line is not UTF-8") }));
            };
            let text = text.strip_prefix(BYTE_ORDER_MARK).filter(|_| number == 1).unwrap_or(&text).trim();
            if !text.is_empty() {
                return Ok(Some(Line { number, text: Ok(text.to_owned()) }));
            }
        }
    }

    /// Passes over the rest of a line.
    fn skip(&mut self) -> io::Result<()> {
        loop {
            let rest = self.reader.fill_buf()?;
            let end = rest.iter().position(|byte| *byte == b'\n');
            let used = end.map_or(rest.len(), |end| end.saturating_add(1));
            self.reader.consume(used);
            self.bytes = self.bytes.saturating_add(u64::try_from(used).unwrap_or_default());
            if end.is_some() || used == 0 {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Vec<(u64, Result<String, &'static str>)> {
        let mut lines = Lines::new(bytes);
        let mut all = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            all.push((line.number, line.text));
        }
        assert_eq!(lines.bytes, u64::try_from(bytes.len()).unwrap());
        all
    }

    #[test]
    fn lines_keep_their_numbers_over_empty_ones() {
        let text = "\u{FEFF}{}\r\n\n  \n{\"a\":1}".as_bytes();
        assert_eq!(all(text), [(1, Ok("{}".to_owned())), (4, Ok("{\"a\":1}".to_owned()))]);
        assert!(all(b"").is_empty());
    }

    #[test]
    fn a_line_that_cannot_be_read_costs_nothing_but_itself() {
        let mut bytes = vec![b'x'; 3 * LINE_BYTES_MAX];
        bytes.extend(b"\n{}\n\xFF\n[]");
        let read = all(&bytes);
        assert_eq!(read[0], (1, Err("the line is longer than 1 MiB")));
        assert_eq!(read[1], (2, Ok("{}".to_owned())));
        assert_eq!(read[2], (3, Err("the line is not UTF-8")));
        assert_eq!(read[3], (4, Ok("[]".to_owned())));
    }

    #[test]
    fn a_line_may_be_as_long_as_is_allowed() {
        let mut bytes = vec![b'x'; LINE_BYTES_MAX];
        bytes.push(b'\n');
        assert!(all(&bytes)[0].1.is_ok());
    }
}
