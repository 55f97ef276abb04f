//! Arguments of `gateway invoice …`.

use super::{typed, workspace};
use clap::Subcommand;
use gateway_domain::ids::{AttachmentId, BookingId, InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{DocumentKind, GrossRange, RecipientSearch, Status};
use gateway_domain::money::Amount;
use jiff::civil::Date;
use std::convert::Infallible;
use std::path::PathBuf;
use std::str::FromStr;

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
        /// Only of this kind: invoice, credit_note, proforma or receipt.
        #[arg(long, value_parser = kind)]
        kind: Option<DocumentKind>,
        /// Only for such a recipient: the beginning of words of the name, or of the tax id.
        #[arg(long, value_name = "TEXT", value_parser = recipient)]
        recipient: Option<RecipientSearch>,
        /// First issue date.
        #[arg(long, value_name = "DATE")]
        issued_from: Option<Date>,
        /// Last issue date.
        #[arg(long, value_name = "DATE")]
        issued_to: Option<Date>,
        /// Least gross, whatever the currency.
        #[arg(long, value_name = "AMOUNT", allow_negative_numbers = true, value_parser = gross)]
        gross_from: Option<Amount>,
        /// Greatest gross, whatever the currency.
        #[arg(long, value_name = "AMOUNT", allow_negative_numbers = true, value_parser = gross)]
        gross_to: Option<Amount>,
        /// Only those that the tax authority accepted with remarks, which it calls errors.
        #[arg(long)]
        accepted_with_errors: bool,
        /// How many at most.
        #[arg(long, default_value_t = 25, value_parser = typed::number(1..=1000))]
        limit: i64,
    },
    /// One document with its lines, its figures and what happened to it.
    Show {
        /// Its UUID or its number.
        #[arg(value_name = "UUID|NUMBER")]
        document: DocumentName,
    },
    /// One document as a file that people read, by the renderer that is installed.
    Pdf(PdfArgs),
    /// Make a draft final: it gets a number, and goes to the tax authority where its workspace is set up for that.
    Issue(IssueArgs),
    /// Send a rejected document to the tax authority again, under a new number, after it was mended.
    Resubmit(IssueArgs),
    /// File an accepted document again under its number with other members, where its tax system takes that.
    Amend(AmendArgs),
    /// What became of a document's amendments; with --json also what was sent and given each time.
    Amendments {
        /// The document's UUID or its number.
        #[arg(value_name = "UUID|NUMBER")]
        document: DocumentName,
    },
    #[command(flatten)]
    Annotation(AnnotationCommand),
    /// Give an amendment up that waits for somebody: the record before counts.
    WithdrawAmendment {
        /// The document's UUID or its number.
        #[arg(value_name = "UUID|NUMBER")]
        document: DocumentName,
    },
}

/// What people keep beside documents.
#[derive(Debug, Subcommand)]
pub enum AnnotationCommand {
    /// What people keep beside a document: note, tags, attached files.
    Annotations {
        /// The document's UUID or its number.
        #[arg(value_name = "UUID|NUMBER")]
        document: DocumentName,
    },
    /// Change the note or the tags beside a document, whatever its state; they are never sent to anybody.
    Annotate(AnnotateArgs),
    /// Keep a file beside a document, for people; it is never sent to anybody.
    Attach(AttachArgs),
    /// Write a file that is kept beside a document.
    Attachment(AttachmentArgs),
    /// Take a file away that is kept beside a document.
    Detach {
        /// The document's UUID or its number.
        #[arg(value_name = "UUID|NUMBER")]
        document: DocumentName,
        /// The file's UUID: 'gateway invoice annotations' lists them.
        #[arg(value_name = "ATTACHMENT", value_parser = typed::uuid::<AttachmentId>)]
        attachment: AttachmentId,
    },
}

#[derive(Debug, clap::Args)]
pub struct PdfArgs {
    /// The document's UUID or its number.
    #[arg(value_name = "UUID|NUMBER")]
    pub document: DocumentName,
    /// The language, such as en; that of the tax system unless given.
    #[arg(long, value_name = "LOCALE")]
    pub locale: Option<String>,
    /// Where it is written, - for standard output; a file named after the document's number unless given.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub struct IssueArgs {
    /// The document's UUID; of a rejected one also the number that it was refused under.
    #[arg(value_name = "UUID|NUMBER")]
    pub document: DocumentName,
    /// Say what would happen, and change nothing.
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, clap::Args)]
pub struct AmendArgs {
    /// The document's UUID or its number.
    #[arg(value_name = "UUID|NUMBER")]
    pub document: DocumentName,
    /// JSON with the members that change, such as {"notes": "…"}; lists are given whole. - for standard input.
    #[arg(long, value_name = "FILE")]
    pub changes: PathBuf,
    /// Say what would change, and change nothing.
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, clap::Args)]
pub struct AnnotateArgs {
    /// The document's UUID or its number.
    #[arg(value_name = "UUID|NUMBER")]
    pub document: DocumentName,
    /// What the note is to say; an empty one takes it away.
    #[arg(long, value_name = "TEXT")]
    pub note: Option<String>,
    /// A tag to add; may be given several times.
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// A tag to take away; may be given several times.
    #[arg(long = "untag", value_name = "TAG")]
    pub untags: Vec<String>,
}

#[derive(Debug, clap::Args)]
pub struct AttachArgs {
    /// The document's UUID or its number.
    #[arg(value_name = "UUID|NUMBER")]
    pub document: DocumentName,
    /// The file, at most 5 MiB.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// What it is called; as the file unless given.
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Its media type.
    #[arg(long, value_name = "TYPE", default_value = "application/octet-stream")]
    pub media_type: String,
}

#[derive(Debug, clap::Args)]
pub struct AttachmentArgs {
    /// The document's UUID or its number.
    #[arg(value_name = "UUID|NUMBER")]
    pub document: DocumentName,
    /// The file's UUID: 'gateway invoice annotations' lists them.
    #[arg(value_name = "ATTACHMENT", value_parser = typed::uuid::<AttachmentId>)]
    pub attachment: AttachmentId,
    /// Where it is written, - for standard output; a file of its own name unless given.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// How a document is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DocumentName {
    Id(InvoiceId),
    /// Of several workspaces one number may be given twice.
    Number(String),
}

impl FromStr for DocumentName {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(text.parse().map_or_else(|_| Self::Number(text.to_owned()), Self::Id))
    }
}

fn kind(text: &str) -> Result<DocumentKind, String> {
    DocumentKind::parse(text).ok_or_else(|| "use invoice, credit_note, proforma or receipt".to_owned())
}

fn recipient(text: &str) -> Result<RecipientSearch, String> {
    RecipientSearch::parse(text).ok_or_else(|| "use letters or digits".to_owned())
}

fn state(text: &str) -> Result<Status, String> {
    Status::parse(text).ok_or_else(|| "use draft, issuing, issued or rejected".to_owned())
}

fn gross(text: &str) -> Result<Amount, String> {
    GrossRange::parse_end(text)
        .ok_or_else(|| format!("'{text}' is no amount such as 100.00, with at most four decimals"))
}
