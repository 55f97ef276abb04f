//! The write-ahead log of a database, and the index that every process maps (SQLite, "WAL-mode File Format", 1 and 2).
//!
//! The index says what is in the log and how much of it is copied to the database: what the files hold otherwise, somebody
//! else wrote to them.

use std::fs::File;
use std::os::unix::fs::FileExt;

/// The log begins with one of these two; their last bit is the order of bytes of its checksums.
const MAGIC: u32 = 0x377f_0682;
const LOG_HEADER_BYTES: u32 = 32;
const FRAME_HEADER_BYTES: u32 = 24;
/// The format of the index, in all releases of SQLite that have one.
const INDEX_FORMAT: u32 = 3_007_000;
/// The header of the index stands there twice, and what is copied behind it.
const INDEX_HEADER_BYTES: usize = 48;
const INDEX_BYTES: usize = 136;

/// What the index says of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LogIndex {
    /// Committed ones.
    frames: u32,
    page_bytes: u32,
    /// What the log, and each of its frames, is marked with, until it is begun anew.
    salts: [u8; 8],
    /// Frames that are in the database too.
    copied: u32,
    /// Up to which frame the last checkpoint was to copy.
    copying: u32,
}

impl LogIndex {
    /// None while SQLite writes it, or where it was never written.
    pub(super) fn read(file: &File) -> Option<Self> {
        let mut index = [0; INDEX_BYTES];
        file.read_exact_at(&mut index, 0).ok()?;
        let (first, rest) = index.split_at_checked(INDEX_HEADER_BYTES)?;
        let number = |at: usize| Some(u32::from_ne_bytes(index.get(at..at + 4)?.try_into().ok()?));
        let is_complete = rest.starts_with(first) && number(0)? == INDEX_FORMAT && index.get(12) != Some(&0);
        // 1 stands for 65,536.
        let page_bytes = match u16::from_ne_bytes(index.get(14..16)?.try_into().ok()?) {
            1 => 65_536,
            bytes => u32::from(bytes),
        };
        is_complete.then_some(Self {
            frames: number(16)?,
            page_bytes,
            salts: index.get(32..40)?.try_into().ok()?,
            copied: number(96)?,
            copying: number(128)?,
        })
    }

    /// Whether everything it speaks of is in `log`.
    pub(super) fn agrees_with(&self, log: &File) -> bool {
        if self.frames == 0 {
            return true;
        }
        let frame = u64::from(FRAME_HEADER_BYTES) + u64::from(self.page_bytes);
        let bytes = u64::from(LOG_HEADER_BYTES) + u64::from(self.frames) * frame;
        let mut header = [0; LOG_HEADER_BYTES as usize];
        log.metadata().is_ok_and(|found| found.len() >= bytes)
            && log.read_exact_at(&mut header, 0).is_ok()
            && is_log(&header)
            && header.get(16..24) == Some(&self.salts)
    }

    /// Whether nothing was copied to the database between `earlier` and this.
    pub(super) fn has_copied_nothing_since(&self, earlier: &Self) -> bool {
        let copied = |index: &Self| (index.salts, index.copied, index.copying);
        copied(self) == copied(earlier) && self.copied == self.copying
    }
}

fn is_log(header: &[u8; LOG_HEADER_BYTES as usize]) -> bool {
    header.first_chunk().is_some_and(|magic| u32::from_be_bytes(*magic) | 1 == MAGIC | 1)
}
