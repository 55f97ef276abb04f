//! Arguments of `gateway renderer …`.

use clap::Subcommand;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub enum RendererCommand {
    /// Every installed version, and which one is in force.
    List,
    /// Put a renderer into the database; the signature beside it (FILE.sig) goes with it.
    Install {
        /// The component.
        file: PathBuf,
        /// Put it in force at once.
        #[arg(long)]
        activate: bool,
    },
    /// Put an installed version in force: it makes every document from now on.
    Activate {
        /// Which version, NAME@VERSION, or the SHA-256 of its component.
        #[arg(value_name = "NAME@VERSION")]
        renderer: String,
    },
    /// Take the renderer out of force: the folder 'render' below plugins.dir serves again.
    Disable,
    /// Return to the version that was in force before.
    Rollback,
}
