//! Notes which documented answers occurred.

use serde_json::Value;
use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// Names a folder: `<listener>.json` there is the document, `<listener>-<process>.txt` has a line
/// `<method> <path> <status>` for everything that occurred.
pub const SEEN_VARIABLE: &str = "GATEWAY_OPENAPI_SEEN";

/// What occurred in this process.
#[derive(Debug)]
pub(crate) struct Occurrences {
    file: Option<PathBuf>,
    lines: Mutex<HashSet<String>>,
}

impl Occurrences {
    /// Notes nothing when the variable is not set, or when there is no room.
    pub(crate) fn from_environment(listener: &str, document: &Value) -> Self {
        let folder = std::env::var_os(SEEN_VARIABLE).filter(|folder| !folder.is_empty()).map(PathBuf::from);
        let file = folder.and_then(|folder| {
            fs::create_dir_all(&folder).ok()?;
            // Renamed into place: other processes write the same.
            let own = folder.join(format!("{listener}-{}.part", std::process::id()));
            fs::write(&own, document.to_string()).ok()?;
            fs::rename(&own, folder.join(format!("{listener}.json"))).ok()?;
            Some(folder.join(format!("{listener}-{}.txt", std::process::id())))
        });
        Self { file, lines: Mutex::default() }
    }

    pub(crate) fn note(&self, method: &str, template: &str, status: u16) {
        let Some(file) = &self.file else { return };
        let line = format!("{method} {template} {status}");
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.insert(line.clone())
            && let Ok(mut file) = OpenOptions::new().create(true).append(true).open(file)
        {
            // A line that is lost is missed at the end of the run, loudly.
            let _ = writeln!(file, "{line}");
        }
    }
}
