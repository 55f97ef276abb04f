//! How a database of SQLite begins (SQLite, "Database File Format", 1.3).

use std::fs::File;
use std::os::unix::fs::FileExt;

const MAGIC: &[u8] = b"SQLite format 3\0";
const BYTES: usize = 100;
/// Of the size of a page; of the size in pages; of the counter of changes.
const PAGE: usize = 16;
const PAGES: usize = 28;
const CHANGES: usize = 24;
/// The number that each database gets when it is first opened: the `user_version`, which SQLite leaves to the application.
const USER_VERSION: usize = 60;
/// What SQLite never changes in a database that is open: the size of a page, and the bytes kept free in each with what
/// follows them.
const IMMUTABLE_RANGES: [(usize, usize); 2] = [(PAGE, 18), (20, 24)];

/// The first bytes of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DatabaseHeader([u8; BYTES]);

impl DatabaseHeader {
    /// None where the file begins otherwise: it is empty, or no database.
    pub(super) fn read(file: &File) -> Option<Self> {
        let mut header = [0; BYTES];
        file.read_exact_at(&mut header, 0).ok()?;
        header.starts_with(MAGIC).then_some(Self(header))
    }

    /// How many bytes the database has.
    pub(super) fn length(&self) -> Option<u64> {
        // 1 stands for 65,536, which two bytes cannot hold.
        let page = match self.0.get(PAGE..PAGE + 2)? {
            [0, 1] => 65_536,
            [high, low] => u64::from(u16::from_be_bytes([*high, *low])),
            _ => return None,
        };
        page.checked_mul(u64::from(self.number(PAGES)?))
    }

    /// Whether transactions on the database that begins with `self` can have led to `later`.
    pub(super) fn leads_to(&self, later: &Self) -> bool {
        let is_fixed =
            IMMUTABLE_RANGES.iter().all(|(from, to)| self.0.get(*from..*to) == later.0.get(*from..*to));
        // The counter goes around, and never back.
        let changes = later.number(CHANGES).zip(self.number(CHANGES)).map(|(new, old)| new.wrapping_sub(old));
        let is_same =
            self.number(USER_VERSION) == Some(0) || self.number(USER_VERSION) == later.number(USER_VERSION);
        is_fixed && is_same && changes.is_some_and(|changes| changes <= u32::MAX / 2)
    }

    fn number(&self, at: usize) -> Option<u32> {
        Some(u32::from_be_bytes(self.0.get(at..at + 4)?.try_into().ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(changes: u32, page: [u8; 2]) -> DatabaseHeader {
        let mut header = [0; BYTES];
        header[..16].copy_from_slice(MAGIC);
        header[PAGE..PAGE + 2].copy_from_slice(&page);
        header[CHANGES..CHANGES + 4].copy_from_slice(&changes.to_be_bytes());
        header[PAGES..PAGES + 4].copy_from_slice(&7_u32.to_be_bytes());
        DatabaseHeader(header)
    }

    #[test]
    fn a_header_says_how_long_the_file_is() {
        assert_eq!(header(1, [16, 0]).length(), Some(7 * 4096));
        assert_eq!(header(1, [0, 1]).length(), Some(7 * 65_536));
    }

    #[test]
    fn what_is_no_database_has_no_header() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        for content in [&[][..], &[0; 200], MAGIC] {
            std::fs::write(&path, content).unwrap();
            assert_eq!(DatabaseHeader::read(&File::open(&path).unwrap()), None);
        }
        std::fs::write(&path, header(1, [16, 0]).0).unwrap();
        assert!(DatabaseHeader::read(&File::open(&path).unwrap()).is_some());
    }

    #[test]
    fn a_database_keeps_the_number_that_it_got() {
        let marked = |mark| {
            let mut header = header(1, [16, 0]);
            header.0[USER_VERSION + 3] = mark;
            header
        };
        assert!(marked(0).leads_to(&marked(7)) && marked(7).leads_to(&marked(7)));
        assert!(!marked(7).leads_to(&marked(8)) && !marked(7).leads_to(&marked(0)));
    }

    #[test]
    fn changes_are_counted_upwards_and_pages_keep_their_size() {
        assert!(header(7, [16, 0]).leads_to(&header(7, [16, 0])));
        assert!(header(7, [16, 0]).leads_to(&header(9, [16, 0])));
        assert!(header(u32::MAX, [16, 0]).leads_to(&header(2, [16, 0])));
        assert!(!header(7, [16, 0]).leads_to(&header(6, [16, 0])));
        assert!(!header(7, [16, 0]).leads_to(&header(8, [32, 0])));
    }
}
