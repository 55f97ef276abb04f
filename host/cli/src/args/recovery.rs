//! Arguments of `gateway backup`, `restore` and `move`.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct BackupArgs {
    /// The file to write, which must not be there yet.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Put the master keys in too, wrapped by the passphrase in this file.
    #[arg(long, value_name = "FILE", conflicts_with = "verify")]
    pub passphrase_file: Option<PathBuf>,
    /// Check a backup instead of making one.
    #[arg(long)]
    pub verify: bool,
}

#[derive(Debug, Args)]
pub struct RestoreArgs {
    /// The backup.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Restore the master keys of the backup too, with the passphrase in this file.
    #[arg(long, value_name = "FILE")]
    pub passphrase_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct MoveArgs {
    /// The database to fill: an empty one, or one that an interrupted move has begun to fill. A password may be in PGPASSWORD instead.
    #[arg(long, value_name = "URL")]
    pub to: String,
}
