//! `gateway submission`.

use super::{typed, workspace};
use clap::{Args, Subcommand};
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::regime::OutageSide;
use gateway_domain_finance::Stage;
use jiff::Timestamp;
use uuid::Uuid;

#[derive(Debug, Subcommand)]
pub enum SubmissionCommand {
    /// The submissions that wait for somebody, then those that changed last.
    List {
        /// Only those that are so far.
        #[arg(long, value_parser = stage)]
        state: Option<Stage>,
        /// Only those that wait for somebody.
        #[arg(long)]
        alerted: bool,
        /// How many at most.
        #[arg(long, default_value_t = 100, value_parser = typed::number(1..=1000))]
        limit: i64,
    },
    /// One submission with its attempts.
    Show {
        /// The document's UUID.
        #[arg(value_parser = typed::uuid::<InvoiceId>)]
        uuid: InvoiceId,
    },
    /// When nothing could be filed: the evidence, the newest first.
    Outages {
        /// How many at most.
        #[arg(long, default_value_t = 25, value_parser = typed::number(1..=1000))]
        limit: i64,
    },
    /// Declare an outage of which calls tell nothing: the authority announced one, or a line was cut.
    DeclareOutage(DeclareArgs),
    /// Say when an outage ended that was declared.
    EndOutage {
        /// The outage's UUID.
        #[arg(value_parser = typed::uuid::<Uuid>)]
        uuid: Uuid,
        /// When it did [default: now].
        #[arg(long, value_name = "TIME", value_parser = typed::instant)]
        at: Option<Timestamp>,
    },
    /// Take the next step of a waiting submission now, or of all that wait for somebody.
    Retry {
        /// The document's UUID.
        #[arg(value_parser = typed::uuid::<InvoiceId>, required_unless_present = "all", conflicts_with = "all")]
        uuid: Option<InvoiceId>,
        /// Whose, with --all.
        #[arg(long, value_parser = workspace, requires = "all")]
        workspace: Option<WorkspaceId>,
        /// Every submission of the workspace that waits for somebody.
        #[arg(long, requires = "workspace")]
        all: bool,
    },
    /// Take an alert back that only has to be read, of a submission that ended.
    Acknowledge {
        /// The document's UUID.
        #[arg(value_parser = typed::uuid::<InvoiceId>)]
        uuid: InvoiceId,
    },
}

#[derive(Debug, Args)]
pub struct DeclareArgs {
    /// Whose part does not work: issuer, provider or authority.
    #[arg(long, value_name = "SIDE", value_parser = typed::side())]
    pub side: OutageSide,
    /// Since when, a day or an instant.
    #[arg(long, value_name = "TIME", value_parser = typed::instant)]
    pub since: Timestamp,
    /// Until when, which may lie ahead [default: it lasts, see 'gateway submission end-outage'].
    #[arg(long, value_name = "TIME", value_parser = typed::instant)]
    pub until: Option<Timestamp>,
    /// Why: where the authority announced it, or what was cut.
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
}

fn stage(text: &str) -> Result<Stage, String> {
    Stage::parse(text).ok_or_else(|| {
        let known: Vec<_> = Stage::ALL.iter().map(|stage| stage.as_str()).collect();
        format!("use one of {}", known.join(", "))
    })
}
