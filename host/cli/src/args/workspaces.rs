//! Arguments of `gateway workspace …`.

use super::{typed, workspace};
use clap::{Args, Subcommand, ValueEnum};
use gateway_domain::ids::WorkspaceId;
use gateway_domain::invoicing::Address;
use gateway_domain::regime::RegimeKey;
use gateway_domain::workspace::RejectionStrategy;
use std::path::PathBuf;
use uuid::Uuid;

#[derive(Debug, Subcommand)]
pub enum WorkspaceCommand {
    /// Create a workspace; its id is printed.
    Create(CreateArgs),
    /// Every workspace.
    List,
    /// Change a workspace.
    Set(SetArgs),
    /// How a workspace sends its invoices to a tax authority.
    #[command(subcommand)]
    EInvoicing(EInvoicingCommand),
    /// How the documents of a workspace look: its logo, and its own settings of the renderer.
    #[command(subcommand)]
    Printing(PrintingCommand),
}

#[derive(Debug, Args)]
pub struct CreateArgs {
    /// For people.
    #[arg(long)]
    pub name: String,
    /// The registered name of who issues the invoices.
    #[arg(long)]
    pub legal_name: String,
    /// The tax identifier of who issues, without country prefix.
    #[arg(long, value_name = "CODE")]
    pub tax_id: String,
    /// Two letters (ISO 3166-1).
    #[arg(long, value_name = "CC")]
    pub country: String,
    /// Where "today" is decided, such as Europe/Madrid [default: UTC].
    #[arg(long, value_name = "ZONE")]
    pub time_zone: Option<String>,
    #[command(flatten)]
    pub address: AddressArgs,
    /// Where to write to who issues; printed on structured invoices.
    #[arg(long, value_name = "ADDRESS")]
    pub email: Option<String>,
    /// How invoice numbers look [default: F-{year}-{number:06}].
    #[arg(long, value_name = "PATTERN")]
    pub invoice_pattern: Option<String>,
    /// How credit note numbers look [default: R-{year}-{number:06}].
    #[arg(long, value_name = "PATTERN")]
    pub credit_pattern: Option<String>,
}

#[derive(Debug, Args)]
pub struct AddressArgs {
    /// Street and number of the registered address.
    #[arg(long)]
    pub street: Option<String>,
    /// Town of the registered address.
    #[arg(long)]
    pub locality: Option<String>,
    /// Province or state of the registered address.
    #[arg(long)]
    pub region: Option<String>,
    /// Postal code of the registered address.
    #[arg(long)]
    pub postcode: Option<String>,
    /// Country of the registered address, if another.
    #[arg(long, value_name = "CC")]
    pub address_country: Option<String>,
}

impl AddressArgs {
    /// The address, when any part of it is given; in the supplier's country unless in another.
    pub fn address(self, country: Option<&str>) -> Option<Address> {
        let parts = [&self.street, &self.locality, &self.region, &self.postcode, &self.address_country];
        parts.iter().any(|part| part.is_some()).then(|| Address {
            street: self.street,
            locality: self.locality,
            region: self.region,
            postcode: self.postcode,
            country: self.address_country.or_else(|| country.map(str::to_owned)),
        })
    }
}

#[derive(Debug, Args)]
pub struct SetArgs {
    /// Which workspace.
    #[arg(long, value_name = "ID", value_parser = workspace)]
    pub workspace: WorkspaceId,
    #[command(flatten)]
    pub change: ChangeArgs,
}

#[derive(Debug, Args)]
pub struct ChangeArgs {
    /// For people.
    #[arg(long)]
    pub name: Option<String>,
    /// The registered name of who issues the invoices.
    #[arg(long)]
    pub legal_name: Option<String>,
    /// The tax identifier of who issues, without country prefix.
    #[arg(long, value_name = "CODE")]
    pub tax_id: Option<String>,
    /// Two letters (ISO 3166-1).
    #[arg(long, value_name = "CC")]
    pub country: Option<String>,
    /// Where "today" is decided, such as Europe/Madrid.
    #[arg(long, value_name = "ZONE")]
    pub time_zone: Option<String>,
    /// The registered address; replaces the whole one.
    #[command(flatten)]
    pub address: AddressArgs,
    /// Where to write to who issues; empty for nowhere.
    #[arg(long, value_name = "ADDRESS")]
    pub email: Option<String>,
    /// What happens to a rejected invoice: a, edited in place; b, credited and replaced by a corrective draft.
    #[arg(long, value_name = "a|b")]
    pub rejection_strategy: Option<Strategy>,
    /// How invoice numbers look from now on.
    #[arg(long, value_name = "PATTERN")]
    pub invoice_pattern: Option<String>,
    /// How credit note numbers look from now on.
    #[arg(long, value_name = "PATTERN")]
    pub credit_pattern: Option<String>,
    /// Where this year's invoice numbers start; once, before the first invoice of the year.
    #[arg(long, value_name = "N", value_parser = typed::number(i64::MIN..=i64::MAX))]
    pub next_number: Option<i64>,
    /// Where this year's credit note numbers start; once, before the first credit note of the year.
    #[arg(long, value_name = "N", value_parser = typed::number(i64::MIN..=i64::MAX))]
    pub next_credit_number: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Strategy {
    A,
    B,
}

impl From<Strategy> for RejectionStrategy {
    fn from(strategy: Strategy) -> Self {
        match strategy {
            Strategy::A => Self::A,
            Strategy::B => Self::B,
        }
    }
}

#[derive(Debug, Subcommand)]
pub enum EInvoicingCommand {
    /// Configure a workspace; its documents go to the tax authority from now on.
    Set(EInvoicingArgs),
    /// The configuration without its tokens.
    Show {
        /// Which workspace.
        #[arg(long, value_name = "ID", value_parser = workspace)]
        workspace: WorkspaceId,
    },
    /// Remove the configuration; documents are issued without submission from now on.
    Clear {
        /// Which workspace.
        #[arg(long, value_name = "ID", value_parser = workspace)]
        workspace: WorkspaceId,
    },
}

#[derive(Debug, Args)]
pub struct EInvoicingArgs {
    /// Which workspace.
    #[arg(long, value_name = "ID", value_parser = workspace)]
    pub workspace: WorkspaceId,
    /// The tax regime: the key of a plugin.
    #[arg(long, value_name = "KEY")]
    pub regime: RegimeKey,
    /// The supplier's UUID at the provider.
    #[arg(long, value_name = "UUID", value_parser = typed::uuid::<Uuid>)]
    pub company_id: Uuid,
    /// The provider's processing pipeline.
    #[arg(long, value_name = "UUID", value_parser = typed::uuid::<Uuid>)]
    pub workflow_id: Uuid,
    /// A file with the provider's API token; `-` reads standard input.
    #[arg(long, value_name = "FILE|-")]
    pub token_file: PathBuf,
    /// A file with the token the provider's webhook carries; not given: what is stored stays, `clear` removes it.
    #[arg(long, value_name = "FILE")]
    pub webhook_token_file: Option<PathBuf>,
    /// A JSON file with the regime's settings; not given: those of the same regime stay.
    #[arg(long, value_name = "FILE")]
    pub settings: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub enum PrintingCommand {
    /// Set the logo, the template or both; what is not given stays.
    Set(PrintingArgs),
    /// Logo and template as they are.
    Show {
        /// Which workspace.
        #[arg(long, value_name = "ID", value_parser = workspace)]
        workspace: WorkspaceId,
    },
    /// Remove both; documents look as the renderer makes them from now on.
    Clear {
        /// Which workspace.
        #[arg(long, value_name = "ID", value_parser = workspace)]
        workspace: WorkspaceId,
    },
}

#[derive(Debug, Args)]
pub struct PrintingArgs {
    /// Which workspace.
    #[arg(long, value_name = "ID", value_parser = workspace)]
    pub workspace: WorkspaceId,
    /// A PNG of at most 256 KiB and 2,000,000 pixels.
    #[arg(long, value_name = "FILE")]
    pub logo: Option<PathBuf>,
    /// A JSON file of at most 16 KiB that fits the schema of the renderer.
    #[arg(long, value_name = "FILE")]
    pub template: Option<PathBuf>,
    /// Whether the record that the tax authority received lies in the file; it may tell more than the document does.
    #[arg(long, value_name = "true|false")]
    pub attach_record: Option<bool>,
}
