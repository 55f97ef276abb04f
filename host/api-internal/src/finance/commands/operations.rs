//! One operation for each command: its path, its members, its answers.

use super::super::failure::{Failure, RefusedCommandResponse};
use super::bodies::{
    AcceptanceBody, AddTransactionBody, CreditBody, DeleteBody, IssueBody, RefundBody, RejectionBody,
    RemoveTransactionBody, ReverseBody, SendToTaxAuthorityBody, UpdateRecipientBody, UpdateTransactionBody,
};
use super::{CommandRequest, CommandResult, IssueAnswer};
use crate::InternalApi;
use crate::described::{DocumentInPath, IdempotencyKey, IfMatch};
use axum::response::Response;
use gateway_http::openapi::{BadGateway, BodyRefusals, Conflict, Gone, Stale};
use std::collections::BTreeMap;
use utoipa::openapi::{self, Ref, RefOr};
use utoipa::{IntoParams, IntoResponses, ToResponse};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// One route for each command.
pub(in super::super) fn routes() -> OpenApiRouter<InternalApi> {
    OpenApiRouter::new()
        .routes(routes!(issue))
        .routes(routes!(credit))
        .routes(routes!(reverse))
        .routes(routes!(refund))
        .routes(routes!(delete))
        .routes(routes!(update_recipient))
        .routes(routes!(add_transaction))
        .routes(routes!(update_transaction))
        .routes(routes!(remove_transaction))
        .routes(routes!(send_to_tax_authority))
        .routes(routes!(mark_as_accepted_by_tax_authority))
        .routes(routes!(mark_as_rejected_by_tax_authority))
}

/// Refuses a command that nobody knows.
pub(in super::super) async fn unknown(call: CommandRequest) -> Failure {
    call.unknown()
}

/// Whether anything is done.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes a parameter")]
struct DryRunParameter {
    /// Answer what would happen, and change nothing.
    #[param(required = false, example = true)]
    dry_run: bool,
}

/// How every command may be refused.
struct CommandRefusals;

impl IntoResponses for CommandRefusals {
    fn responses() -> BTreeMap<String, RefOr<openapi::Response>> {
        let mut refusals = BodyRefusals::responses();
        let names = [
            (409, Conflict::response().0),
            (410, Gone::response().0),
            (422, RefusedCommandResponse::response().0),
            (502, BadGateway::response().0),
        ];
        refusals
            .extend(names.map(|(status, name)| (status.to_string(), Ref::from_response_name(name).into())));
        refusals
    }
}

/// Issue a document
///
/// Makes a draft final, or sends it to the tax authority where its workspace is set up for e-invoicing; sends a rejected document
/// again. The check of the tax plugin runs first: its faults answer 422, the document stays as it is and no number is used. A
/// dry run also shows where the document would go, every fault, and how the tax authority would know the recipient.
#[utoipa::path(
    post,
    path = "/finance/rpc/documents/{uuid}/commands/issue",
    operation_id = "commandIssue",
    params(DocumentInPath, DryRunParameter, IdempotencyKey, IfMatch),
    request_body(content = Option<IssueBody>, description = "May be empty."),
    responses(
        (status = 200, description = "What was done, or (with `dry_run`) what would be.", body = inline(IssueAnswer<'static>)),
        (status = 412, response = Stale),
        CommandRefusals
    )
)]
async fn issue(call: CommandRequest) -> Result<Response, Failure> {
    call.carry_out::<IssueBody>().await
}

/// Credit an issued document
///
/// Makes a draft credit note over the lines that are given, or over all that is billed.
#[utoipa::path(
    post,
    path = "/finance/rpc/documents/{uuid}/commands/credit",
    operation_id = "commandCredit",
    params(DocumentInPath, DryRunParameter, IdempotencyKey),
    request_body = CreditBody,
    responses(
        (status = 200, description = "What was done, or (with `dry_run`) what would be.", body = CommandResult<'static>),
        CommandRefusals
    )
)]
async fn credit(call: CommandRequest) -> Result<Response, Failure> {
    call.carry_out::<CreditBody>().await
}

/// Reverse an issued document
///
/// Cancels it with a credit note over all of it, which is issued at once.
#[utoipa::path(
    post,
    path = "/finance/rpc/documents/{uuid}/commands/reverse",
    operation_id = "commandReverse",
    params(DocumentInPath, DryRunParameter, IdempotencyKey),
    request_body = ReverseBody,
    responses(
        (status = 200, description = "What was done, or (with `dry_run`) what would be.", body = CommandResult<'static>),
        CommandRefusals
    )
)]
async fn reverse(call: CommandRequest) -> Result<Response, Failure> {
    call.carry_out::<ReverseBody>().await
}

/// Record a refund
///
/// Records money that was returned for an issued document; together never more than was to be paid.
#[utoipa::path(
    post,
    path = "/finance/rpc/documents/{uuid}/commands/refund",
    operation_id = "commandRefund",
    params(DocumentInPath, DryRunParameter, IdempotencyKey),
    request_body = RefundBody,
    responses(
        (status = 200, description = "What was done, or (with `dry_run`) what would be.", body = CommandResult<'static>),
        CommandRefusals
    )
)]
async fn refund(call: CommandRequest) -> Result<Response, Failure> {
    call.carry_out::<RefundBody>().await
}

/// Delete a draft
///
/// A document that never had a number is removed.
#[utoipa::path(
    post,
    path = "/finance/rpc/documents/{uuid}/commands/delete",
    operation_id = "commandDelete",
    params(DocumentInPath, DryRunParameter, IdempotencyKey, IfMatch),
    request_body(content = Option<DeleteBody>, description = "May be empty."),
    responses(
        (status = 200, description = "What was done, or (with `dry_run`) what would be.", body = CommandResult<'static>),
        (status = 412, response = Stale),
        CommandRefusals
    )
)]
async fn delete(call: CommandRequest) -> Result<Response, Failure> {
    call.carry_out::<DeleteBody>().await
}

/// Change whom a document is for
///
/// Of a draft, or of a rejected document before it is issued again.
#[utoipa::path(
    post,
    path = "/finance/rpc/documents/{uuid}/commands/update_recipient",
    operation_id = "commandUpdateRecipient",
    params(DocumentInPath, DryRunParameter, IdempotencyKey, IfMatch),
    request_body = UpdateRecipientBody,
    responses(
        (status = 200, description = "What was done, or (with `dry_run`) what would be.", body = CommandResult<'static>),
        (status = 412, response = Stale),
        CommandRefusals
    )
)]
async fn update_recipient(call: CommandRequest) -> Result<Response, Failure> {
    call.carry_out::<UpdateRecipientBody>().await
}

/// Add a line
///
/// To a draft, or to a rejected document before it is issued again.
#[utoipa::path(
    post,
    path = "/finance/rpc/documents/{uuid}/commands/add_transaction",
    operation_id = "commandAddTransaction",
    params(DocumentInPath, DryRunParameter, IdempotencyKey, IfMatch),
    request_body = AddTransactionBody,
    responses(
        (status = 200, description = "What was done, or (with `dry_run`) what would be.", body = CommandResult<'static>),
        (status = 412, response = Stale),
        CommandRefusals
    )
)]
async fn add_transaction(call: CommandRequest) -> Result<Response, Failure> {
    call.carry_out::<AddTransactionBody>().await
}

/// Change a line
///
/// Of a draft, or of a rejected document before it is issued again.
#[utoipa::path(
    post,
    path = "/finance/rpc/documents/{uuid}/commands/update_transaction",
    operation_id = "commandUpdateTransaction",
    params(DocumentInPath, DryRunParameter, IdempotencyKey, IfMatch),
    request_body = UpdateTransactionBody,
    responses(
        (status = 200, description = "What was done, or (with `dry_run`) what would be.", body = CommandResult<'static>),
        (status = 412, response = Stale),
        CommandRefusals
    )
)]
async fn update_transaction(call: CommandRequest) -> Result<Response, Failure> {
    call.carry_out::<UpdateTransactionBody>().await
}

/// Remove a line
///
/// Of a draft, or of a rejected document before it is issued again.
#[utoipa::path(
    post,
    path = "/finance/rpc/documents/{uuid}/commands/remove_transaction",
    operation_id = "commandRemoveTransaction",
    params(DocumentInPath, DryRunParameter, IdempotencyKey, IfMatch),
    request_body = RemoveTransactionBody,
    responses(
        (status = 200, description = "What was done, or (with `dry_run`) what would be.", body = CommandResult<'static>),
        (status = 412, response = Stale),
        CommandRefusals
    )
)]
async fn remove_transaction(call: CommandRequest) -> Result<Response, Failure> {
    call.carry_out::<RemoveTransactionBody>().await
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
async fn send_to_tax_authority(call: CommandRequest) -> Result<Response, Failure> {
    call.carry_out::<SendToTaxAuthorityBody>().await
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
async fn mark_as_accepted_by_tax_authority(call: CommandRequest) -> Result<Response, Failure> {
    call.carry_out::<AcceptanceBody>().await
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
async fn mark_as_rejected_by_tax_authority(call: CommandRequest) -> Result<Response, Failure> {
    call.carry_out::<RejectionBody>().await
}
