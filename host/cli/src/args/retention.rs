//! `gateway retention …`.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub enum RetentionCommand {
    /// Move what is old enough from the database to files of retention.archive_dir, or delete it where it is unset.
    Run {
        /// Only count them.
        #[arg(long)]
        dry_run: bool,
    },
}
