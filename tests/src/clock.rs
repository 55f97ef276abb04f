//! The clock of a gateway, which a test moves while the gateway runs.

use crate::binary::with_fail_points;
use crate::gateway::Options;
use jiff::Timestamp;
use std::path::PathBuf;
use tempfile::TempDir;

/// What tells the gateway by how much its clock is wrong.
const VARIABLE: &str = "GATEWAY_TEST_CLOCK_FILE";

/// The clock of a gateway and of every command beside it; that of the database, leases included, stays the system's.
#[derive(Debug)]
pub struct MovableClock {
    folder: TempDir,
}

impl MovableClock {
    /// One that is right, for a binary [`with_fail_points`].
    ///
    /// # Panics
    /// When there is no room for it, or no such binary.
    pub fn start() -> Self {
        with_fail_points();
        Self { folder: tempfile::tempdir().expect("there is room for a clock") }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("offset")
    }

    /// The same options with this clock.
    #[must_use]
    pub fn of(&self, options: Options) -> Options {
        options.variable(VARIABLE, &self.file().display().to_string())
    }

    /// So many seconds ahead of the system's from now on, or behind it when below nought. Tokens of before may be good no more.
    ///
    /// # Panics
    /// When it cannot be moved.
    pub fn set_offset_s(&self, seconds: i64) {
        let next = self.folder.path().join("next");
        std::fs::write(&next, seconds.to_string()).expect("there is room for a clock");
        // The gateway reads it at any moment.
        std::fs::rename(next, self.file()).expect("the folder is ours");
    }

    /// At this instant from now on, and going on from there.
    ///
    /// # Panics
    /// When it cannot be moved.
    #[expect(clippy::disallowed_methods, reason = "the system's clock is what is set right")]
    pub fn set(&self, now: Timestamp) {
        self.set_offset_s(now.duration_since(Timestamp::now()).as_secs());
    }
}
