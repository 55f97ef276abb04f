//! Arguments of `gateway keys …`.

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub enum KeysCommand {
    /// Replace a key beside a gateway that serves; what was made with the old one stays good.
    #[command(subcommand)]
    Rotate(RotateCommand),
}

#[derive(Debug, Subcommand)]
pub enum RotateCommand {
    /// The key that signs access tokens.
    Signing,
    /// The key that seals what the database keeps secret.
    Master(MasterArgs),
}

#[derive(Debug, Args)]
pub struct MasterArgs {
    /// Only add the next key to the file, to be handed to other hosts first.
    #[arg(long, conflicts_with = "finish")]
    pub stage: bool,
    /// Only seal anew what older keys sealed; make no key.
    #[arg(long)]
    pub finish: bool,
}
