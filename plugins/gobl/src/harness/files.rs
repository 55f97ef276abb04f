//! JSON files that tests read.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// The JSON of a file.
pub(crate) fn read(path: &Path) -> Result<Value, String> {
    let broken = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| broken(&error))?;
    serde_json::from_str(&text).map_err(|error| broken(&error))
}

/// The files of a folder that end in `.json`.
pub(crate) fn json_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let broken = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(broken)? {
        let path = entry.map_err(broken)?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            files.push(path);
        }
    }
    Ok(files)
}
