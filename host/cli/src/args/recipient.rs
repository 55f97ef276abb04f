//! Arguments of `gateway recipient`.

use super::workspace;
use clap::{Args, Subcommand};
use gateway_domain::ids::WorkspaceId;
use gateway_domain_recipients::VatNumber;

#[derive(Debug, Subcommand)]
pub enum RecipientCommand {
    /// Whether a VAT number is valid, with the evidence: what VIES answered not long ago, else what it says now.
    Check(CheckArgs),
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The VAT number with the code of its member state, such as DE123456789; EL is Greece, XI Northern Ireland.
    #[arg(value_name = "TAX_NUMBER", value_parser = vat_number)]
    pub number: VatNumber,
    /// The workspace in whose supplier's name VIES is asked, so that it gives a consultation number.
    #[arg(long, value_name = "ID", value_parser = workspace)]
    pub workspace: Option<WorkspaceId>,
}

fn vat_number(text: &str) -> Result<VatNumber, String> {
    VatNumber::parse(text).map_err(|error| error.to_string())
}
