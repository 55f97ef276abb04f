//! `gateway reconcile`.

use super::{typed, workspace};
use clap::Args;
use gateway_domain::ids::{ReconciliationId, WorkspaceId};
use jiff::Timestamp;

#[derive(Debug, Args)]
pub struct ReconcileArgs {
    /// Only this workspace; usually every one that sends something to a provider.
    #[arg(long, value_name = "ID", value_parser = workspace)]
    pub workspace: Option<WorkspaceId>,
    /// Entries that the provider made, and records of the tax authority, from this day or instant on [default: reconciliation.days before the end].
    #[arg(long, value_name = "TIME", value_parser = typed::instant)]
    pub from: Option<Timestamp>,
    /// Entries and records before this day or instant [default: now].
    #[arg(long, value_name = "TIME", value_parser = typed::instant)]
    pub to: Option<Timestamp>,
    /// Do not wait until the gateway that serves has made the run.
    #[arg(long)]
    pub no_wait: bool,
    /// The newest runs, of every workspace unless one is given.
    #[arg(long, conflicts_with_all = ["from", "to", "no_wait", "show"])]
    pub list: bool,
    /// What a run found.
    #[arg(long, value_name = "UUID", value_parser = typed::uuid::<ReconciliationId>, conflicts_with_all = ["workspace", "from", "to", "no_wait"])]
    pub show: Option<ReconciliationId>,
    /// What the run found, as CSV.
    #[arg(long, requires = "show")]
    pub csv: bool,
}
