//! `gateway doctor`.

use clap::Args;
use gateway_domain::ids::WorkspaceId;

#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Prove instead that every number, every structured document and every hash that was issued is there, once and unchanged.
    #[arg(long)]
    pub chain: bool,
    /// Whose, with --chain [default: every workspace's].
    #[arg(long, value_name = "ID", value_parser = super::workspace, requires = "chain")]
    pub workspace: Option<WorkspaceId>,
}
