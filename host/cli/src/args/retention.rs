//! `gateway retention …`.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub enum RetentionCommand {
    /// Write old entries of the audit trail to files of retention.archive_dir, or delete them where it is unset.
    Run {
        /// Only count them.
        #[arg(long)]
        dry_run: bool,
    },
}
