//! Arguments of `gateway recipient`.

use super::workspace;
use clap::{Args, Subcommand};
use gateway_domain::ids::WorkspaceId;
use gateway_domain_recipients::VatNumber;
use gateway_domain_recipients::participant::Participant;

#[derive(Debug, Subcommand)]
pub enum RecipientCommand {
    /// Whether a VAT number is valid, or what a participant of Peppol receives, with the evidence: what was answered not long ago, else
    /// what VIES or the network say now.
    Check(CheckArgs),
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The VAT number with the code of its member state, such as DE123456789 (EL is Greece, XI Northern Ireland), or an electronic
    /// address, such as 0192:991825827.
    #[arg(value_name = "TAX_NUMBER|ADDRESS", value_parser = checked_recipient)]
    pub recipient: CheckedRecipient,
    /// The workspace in whose supplier's name VIES is asked, so that it gives a consultation number.
    #[arg(long, value_name = "ID", value_parser = workspace)]
    pub workspace: Option<WorkspaceId>,
}

/// Whom is asked about.
#[derive(Debug, Clone)]
pub enum CheckedRecipient {
    Number(VatNumber),
    Participant(Participant),
}

/// An electronic address has a colon in it, and no VAT number has.
fn checked_recipient(text: &str) -> Result<CheckedRecipient, String> {
    if text.contains(':') {
        let participant = Participant::parse(text).map_err(|error| error.to_string())?;
        return Ok(CheckedRecipient::Participant(participant));
    }
    VatNumber::parse(text).map(CheckedRecipient::Number).map_err(|error| error.to_string())
}
