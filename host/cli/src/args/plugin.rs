//! Arguments of `gateway plugin …`.

use super::author::AuthorCommand;
use super::workspace;
use clap::{Args, Subcommand};
use gateway_domain::ids::WorkspaceId;
use gateway_domain::regime::RegimeKey;
use gateway_registry::PluginName;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub enum PluginCommand {
    /// Every installed version, what is in force, and which processes follow.
    List,
    /// What a plugin file is.
    Inspect {
        /// The component.
        file: PathBuf,
    },
    /// Put a plugin into the registry; the signature beside it (FILE.sig) goes with it.
    Install {
        /// The component.
        file: PathBuf,
        /// Put it in force for everybody at once.
        #[arg(long)]
        activate: bool,
    },
    /// Put an installed version in force, after the last invoices were tried with it.
    Activate {
        /// Which version, KEY@VERSION.
        #[arg(value_name = "KEY@VERSION")]
        plugin: PluginName,
        /// Only for this workspace.
        #[arg(long, value_name = "ID", value_parser = workspace)]
        workspace: Option<WorkspaceId>,
        /// Also when it refuses invoices that the version in force accepts.
        #[arg(long)]
        force: bool,
    },
    /// Take a plugin out of force: everywhere, or the version of one workspace.
    Disable(KeyArgs),
    /// Return to the version that served before.
    Rollback(KeyArgs),
    /// Make a pair of keys to sign plugins with.
    Keygen {
        /// Where the secret key goes.
        #[arg(long, value_name = "FILE", default_value = "plugin-signing.key")]
        key: PathBuf,
    },
    /// Sign a plugin: writes FILE.sig beside it.
    Sign {
        /// The component.
        file: PathBuf,
        /// The secret key that 'gateway plugin keygen' made.
        #[arg(long, value_name = "FILE", default_value = "plugin-signing.key")]
        key: PathBuf,
    },
    #[command(flatten)]
    Author(AuthorCommand),
}

#[derive(Debug, Args)]
pub struct KeyArgs {
    /// The tax regime.
    pub key: RegimeKey,
    /// Only for this workspace.
    #[arg(long, value_name = "ID", value_parser = workspace)]
    pub workspace: Option<WorkspaceId>,
}
