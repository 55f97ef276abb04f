//! Files that entries are moved to.

use crate::RetentionError;
use gateway_domain_events::RetainedKind;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use uuid::Uuid;

/// Writes a batch to a new file of the folder; both are on the disk when this answers.
pub(crate) async fn archive(
    folder: PathBuf,
    kind: RetainedKind,
    id: Uuid,
    lines: Vec<u8>,
) -> Result<PathBuf, RetentionError> {
    let path = folder.join(format!("{kind}-{id}.ndjson"));
    let file = path.clone();
    let written = tokio::task::spawn_blocking(move || write_synced(&folder, &file, &lines)).await;
    match written.unwrap_or_else(|error| Err(io::Error::other(error))) {
        Ok(()) => Ok(path),
        Err(source) => Err(RetentionError::Archive { path: path.display().to_string(), source }),
    }
}

fn write_synced(folder: &Path, path: &Path, lines: &[u8]) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut options = std::fs::File::options();
    options.write(true).create_new(true);
    // Who did what, and invoices, are for the operator's eyes, as they are in the database.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(lines)?;
    file.sync_all()?;
    // The name of the file is the folder's to store.
    std::fs::File::open(folder)?.sync_all()
}
