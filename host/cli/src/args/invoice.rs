//! Arguments of `gateway invoice …`.

use super::{typed, workspace};
use clap::Subcommand;
use gateway_domain::ids::{BookingId, InvoiceId, WorkspaceId};
use gateway_domain::invoicing::Status;

#[derive(Debug, Subcommand)]
pub enum InvoiceCommand {
    /// Invoices and other documents, the newest first.
    List {
        /// Only of this workspace.
        #[arg(long, value_name = "ID", value_parser = workspace)]
        workspace: Option<WorkspaceId>,
        /// Only in this state: draft, issuing, issued or rejected.
        #[arg(long, value_parser = state)]
        state: Option<Status>,
        /// Only of this booking.
        #[arg(long, value_name = "UUID", value_parser = typed::uuid::<BookingId>)]
        booking: Option<BookingId>,
        /// Only of this number.
        #[arg(long, value_name = "NUMBER")]
        number: Option<String>,
        /// How many at most.
        #[arg(long, default_value_t = 25, value_parser = typed::number(1..=1000))]
        limit: i64,
    },
    /// One document with its lines, its figures and what happened to it.
    Show {
        /// Its UUID.
        #[arg(value_parser = typed::uuid::<InvoiceId>)]
        uuid: InvoiceId,
    },
    /// Make a draft final: it gets a number, and goes to the tax authority where its workspace is set up for that.
    Issue(IssueArgs),
    /// Send a rejected document to the tax authority again, under a new number, after it was mended.
    Resubmit(IssueArgs),
}

#[derive(Debug, clap::Args)]
pub struct IssueArgs {
    /// The document's UUID.
    #[arg(value_parser = typed::uuid::<InvoiceId>)]
    pub uuid: InvoiceId,
    /// Say what would happen, and change nothing.
    #[arg(long)]
    pub dry_run: bool,
}

fn state(text: &str) -> Result<Status, String> {
    Status::parse(text).ok_or_else(|| "use draft, issuing, issued or rejected".to_owned())
}
