//! Verdicts of the tax authority, given by hand; and the step that nobody takes by hand.

use super::super::failure::Failure;
use super::described::{CommandRefusals, DryRunParameter};
use super::members::{instant, text};
use super::{CommandBody, CommandRequest, CommandResult};
use crate::described::{DocumentInPath, IdempotencyKey};
use axum::response::Response;
use gateway_domain::ErrorCode;
use gateway_domain::FieldError;
use gateway_domain::invoicing::InvoiceNumber;
use gateway_domain_finance::{AcceptanceForm, Command, CommandForm, Proof, RejectionForm};
use gateway_domain_input::{Faults, acceptance};
use gateway_http::time::Rfc3339;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What sending a document to the tax authority is sent with: nothing.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(in super::super) struct SendToTaxAuthorityBody {}

impl CommandBody for SendToTaxAuthorityBody {
    const COMMAND: Command = Command::SendToTaxAuthority;

    fn form(self) -> Result<CommandForm, Vec<FieldError>> {
        Ok(CommandForm::SendToTaxAuthority)
    }
}

/// Refused: the gateway sends documents by itself
///
/// A step of `issue` that the gateway takes by itself. From outside it is always refused, in every state.
#[utoipa::path(
    post,
    path = "/finance/rpc/documents/{uuid}/commands/send_to_tax_authority",
    operation_id = "commandSendToTaxAuthority",
    params(DocumentInPath, DryRunParameter, IdempotencyKey),
    request_body(content = Option<SendToTaxAuthorityBody>, description = "May be empty."),
    responses(CommandRefusals)
)]
pub(super) async fn send_to_tax_authority(call: CommandRequest) -> Result<Response, Failure> {
    call.command::<SendToTaxAuthorityBody>().await
}

/// The authority's proof, as given by hand.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct AcceptanceBody {
    /// Where anybody verifies the document, an http(s) address; null where the tax system gives none. May be left out with a
    /// `number` for which the provider showed it.
    #[schema(value_type = Option<String>, max_length = 2000, examples("https://prewww2.aeat.es/wlpl/TIKE-CONT/ValidarQR?nif=B12345674"))]
    qr_url: Proof,
    /// The tax system's hash of the record; null where it gives none. May be left out like `qr_url`.
    #[schema(value_type = Option<String>, min_length = 1, max_length = 500,
        pattern = "^[^\\u0000-\\u001F\\u007F-\\u009F]*$", examples("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"))]
    tax_system_hash: Proof,
    /// When the authority accepted; now unless given.
    #[schema(value_type = Option<String>, format = DateTime, examples("2026-11-20T09:00:05Z"))]
    accepted_at: Option<Rfc3339>,
    /// An earlier number of the document: it is issued under it, with the content that was sent then.
    number: Option<String>,
}

impl CommandBody for AcceptanceBody {
    const COMMAND: Command = Command::MarkAsAcceptedByTaxAuthority;

    fn form(self) -> Result<CommandForm, Vec<FieldError>> {
        let mut faults = Faults::default();
        let form = AcceptanceForm {
            qr_url: proof(&mut faults, "qr_url", self.qr_url, acceptance::wrong_address),
            tax_system_hash: proof(
                &mut faults,
                "tax_system_hash",
                self.tax_system_hash,
                acceptance::wrong_hash,
            ),
            accepted_at: instant(self.accepted_at),
            number: text(&mut faults, "number", self.number).map(InvoiceNumber),
        };
        faults.or(CommandForm::Accept(form))
    }
}

/// Record that the tax authority accepted
///
/// Ends an issuing document as issued, with the authority's proof as given by hand. Needs the permission `finance.verdict`
/// besides.
#[utoipa::path(
    post,
    path = "/finance/rpc/documents/{uuid}/commands/mark_as_accepted_by_tax_authority",
    operation_id = "commandMarkAsAcceptedByTaxAuthority",
    params(DocumentInPath, DryRunParameter, IdempotencyKey),
    request_body = AcceptanceBody,
    responses(
        (status = 200, description = "What was done, or (with `dry_run`) what would be.", body = CommandResult<'static>),
        CommandRefusals
    )
)]
pub(super) async fn mark_as_accepted_by_tax_authority(call: CommandRequest) -> Result<Response, Failure> {
    call.command::<AcceptanceBody>().await
}

/// The authority's refusal, as given by hand.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RejectionBody {
    /// What it objects to.
    #[schema(required, value_type = String, examples("the NIF is not registered"))]
    reason: Option<String>,
    /// Its code; `rejection_reason` begins with it.
    #[schema(examples("1239"))]
    code: Option<String>,
    /// An earlier number of the document: the authority holds nothing under it.
    number: Option<String>,
}

impl CommandBody for RejectionBody {
    const COMMAND: Command = Command::MarkAsRejectedByTaxAuthority;

    fn form(self) -> Result<CommandForm, Vec<FieldError>> {
        let mut faults = Faults::default();
        let form = RejectionForm {
            reason: text(&mut faults, "reason", self.reason),
            code: text(&mut faults, "code", self.code),
            number: text(&mut faults, "number", self.number).map(InvoiceNumber),
        };
        faults.or(CommandForm::Reject(form))
    }
}

/// Record that the tax authority refused
///
/// Ends an issuing document as rejected. Needs the permission `finance.verdict` besides.
#[utoipa::path(
    post,
    path = "/finance/rpc/documents/{uuid}/commands/mark_as_rejected_by_tax_authority",
    operation_id = "commandMarkAsRejectedByTaxAuthority",
    params(DocumentInPath, DryRunParameter, IdempotencyKey),
    request_body = RejectionBody,
    responses(
        (status = 200, description = "What was done, or (with `dry_run`) what would be.", body = CommandResult<'static>),
        CommandRefusals
    )
)]
pub(super) async fn mark_as_rejected_by_tax_authority(call: CommandRequest) -> Result<Response, Failure> {
    call.command::<RejectionBody>().await
}

/// A part of the authority's proof with which nothing is wrong.
fn proof(faults: &mut Faults, field: &str, said: Proof, wrong: fn(&str) -> Option<String>) -> Proof {
    if let Proof::Given(given) = &said {
        text(faults, field, Some(given.clone()));
        if let Some(message) = wrong(given) {
            faults.refuse(field, ErrorCode::InvalidFormat, message);
        }
    }
    said
}
