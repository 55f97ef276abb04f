//! Arguments of `gateway rules`.

use super::workspace;
use clap::{Args, Subcommand};
use gateway_domain::ids::WorkspaceId;
use jiff::civil::Date;

#[derive(Debug, Subcommand)]
pub enum RulesCommand {
    /// Check every draft as of a later day, by the plugins that are in force then: what will be refused and is not today.
    Check(RulesCheckArgs),
}

#[derive(Debug, Args)]
pub struct RulesCheckArgs {
    /// The day, in the time zone of each workspace.
    #[arg(long, value_name = "DATE", value_parser = day)]
    pub at: Date,
    /// Only the drafts of this workspace.
    #[arg(long, value_name = "ID", value_parser = workspace)]
    pub workspace: Option<WorkspaceId>,
}

fn day(text: &str) -> Result<Date, String> {
    // A time would be read as its day.
    let found = text.parse().ok().filter(|_| text.len() == "2027-01-01".len());
    found.ok_or_else(|| "give a day such as 2027-01-01".to_owned())
}
