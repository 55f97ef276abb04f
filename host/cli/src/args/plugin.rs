//! Arguments of `gateway plugin …`.

use super::author::AuthorCommand;
use super::workspace;
use clap::{Args, Subcommand};
use gateway_domain::ids::WorkspaceId;
use gateway_domain::regime::{CanaryShare, RegimeKey};
use gateway_plugin_oci::{InvalidReference, PluginReference, SCHEME};
use gateway_registry::{DueTime, PluginName};
use std::path::PathBuf;
use std::str::FromStr;

#[derive(Debug, Subcommand)]
pub enum PluginCommand {
    /// Every installed version, what is in force, and which processes follow.
    List,
    /// What a plugin file is.
    Inspect {
        /// The component.
        file: PathBuf,
    },
    /// Put a plugin into the database; its signature (FILE.sig, or that of the registry) goes with it.
    Install {
        /// The component: a file, or oci://HOST/NAME@sha256:DIGEST.
        #[arg(value_name = "FILE|oci://…")]
        source: PluginSource,
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
        /// Only for this percent of the documents, 1 to 99, as a canary beside the version in force.
        #[arg(long, value_name = "PERCENT")]
        share: Option<CanaryShare>,
        /// Not now but then: a day such as 2027-01-01, which begins where the workspaces are, or a time as RFC 3339.
        #[arg(long, value_name = "DATE", conflicts_with = "share")]
        at: Option<DueTime>,
        /// Also when it refuses invoices that the version in force accepts.
        #[arg(long)]
        force: bool,
    },
    /// Take back that a version comes in force at a time.
    Unschedule {
        /// Which version, KEY@VERSION.
        #[arg(value_name = "KEY@VERSION")]
        plugin: PluginName,
        /// Only for this workspace.
        #[arg(long, value_name = "ID", value_parser = workspace)]
        workspace: Option<WorkspaceId>,
    },
    /// Push a plugin to a registry of container images; the signature beside it (FILE.sig) goes with it.
    Push {
        /// The component.
        file: PathBuf,
        /// Where to: oci://HOST/NAME:TAG.
        #[arg(value_name = "oci://…")]
        to: PluginReference,
    },
    /// Pull a plugin from a registry of container images into a file, and its signature beside it.
    Pull {
        /// Which: oci://HOST/NAME:TAG or oci://HOST/NAME@sha256:DIGEST.
        #[arg(value_name = "oci://…")]
        from: PluginReference,
        /// The file, which must not be there yet [default: NAME.wasm].
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
    },
    /// Take a plugin out of force: everywhere, or the version of one workspace.
    Disable(KeyArgs),
    /// End the canary, or else return to the version that served before.
    Rollback(RollbackArgs),
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

/// Where a plugin comes from.
#[derive(Debug, Clone)]
pub enum PluginSource {
    File(PathBuf),
    Registry(PluginReference),
}

impl FromStr for PluginSource {
    type Err = InvalidReference;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.starts_with(SCHEME) { text.parse().map(Self::Registry) } else { Ok(Self::File(text.into())) }
    }
}

#[derive(Debug, Args)]
pub struct RollbackArgs {
    #[command(flatten)]
    pub key: KeyArgs,
    /// Also for the workspaces that have a version of their own: they get what everybody has.
    #[arg(long, conflicts_with = "workspace")]
    pub everywhere: bool,
}

#[derive(Debug, Args)]
pub struct KeyArgs {
    /// The tax regime.
    pub key: RegimeKey,
    /// Only for this workspace.
    #[arg(long, value_name = "ID", value_parser = workspace)]
    pub workspace: Option<WorkspaceId>,
}
