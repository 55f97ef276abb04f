//! Why what is written would be lost.

use gateway_domain::{StoreCause, StoreCauseKind, StoreError};

/// Why what is written would be lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FileLost {
    #[error(
        "the database file was deleted while the gateway used it: stop the gateway, and restore the file from its copy"
    )]
    Deleted,
    #[error(
        "another file took the place of the database file while the gateway used it: start the gateway again"
    )]
    Replaced,
    #[error("the database file was cut off: stop the gateway, and restore the file from its copy")]
    Truncated,
    #[error(
        "something else was written over the database file while the gateway used it: stop the gateway, restore the file from its copy, and delete the log and the index (-wal, -shm) beside it before the next start"
    )]
    Overwritten,
    #[error(
        "the write-ahead log beside the database file was taken away: stop the gateway, and restore both from their copy"
    )]
    LogLost,
    #[error(
        "something else was written over the write-ahead log beside the database file, or it was cut off: stop the gateway, and restore both from their copy"
    )]
    LogOverwritten,
}

impl FileLost {
    /// Whether what was open is what it was. Otherwise what is read may be of another database.
    pub(crate) const fn is_readable(self) -> bool {
        match self {
            Self::Deleted | Self::Replaced | Self::LogLost => true,
            Self::Truncated | Self::Overwritten | Self::LogOverwritten => false,
        }
    }
}

impl From<FileLost> for StoreError {
    fn from(lost: FileLost) -> Self {
        Self::Failed {
            message: lost.to_string(),
            cause: Some(StoreCause { kind: StoreCauseKind::Transient, error: Box::new(lost) }),
        }
    }
}
