//! Arguments of `gateway person`.

use clap::{Args, Subcommand};
use gateway_domain_platform::erasure::PersonId;

#[derive(Debug, Subcommand)]
pub enum PersonCommand {
    /// Erase what is known of somebody who asks for it: contacts of bookings, details of guests, texts of messages, users.
    /// Invoices stay, as the law asks to keep them.
    Erase(EraseArgs),
}

#[derive(Debug, Args)]
pub struct EraseArgs {
    /// The id of a user, or the mail address of a user or of a booking's contact, in any case.
    #[arg(value_name = "ID")]
    pub person: PersonId,
    /// Say what would be erased, and change nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Erase it: nothing brings it back but a backup.
    #[arg(long, conflicts_with = "dry_run")]
    pub yes: bool,
}
