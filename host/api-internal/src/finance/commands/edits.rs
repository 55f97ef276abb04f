//! Commands that change or delete what is not final: `delete`, `update_recipient` and the lines.

use super::super::failure::Failure;
use super::described::{CommandRefusals, DryRunParameter};
use super::members::{complete, missing, required};
use super::{CommandBody, CommandRequest, CommandResult};
use crate::described::{DocumentInPath, IdempotencyKey, IfMatch};
use axum::response::Response;
use gateway_domain::ErrorCode;
use gateway_domain::FieldError;
use gateway_domain_finance::{Command, CommandForm, Edit};
use gateway_domain_input::Faults;
use gateway_domain_input::document::{LineForm, RecipientForm};
use gateway_http::openapi::Stale;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Longest id of a transaction, characters.
const TRANSACTION_CHARS_MAX: usize = 200;

/// What deleting a draft is sent with: nothing.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(in super::super) struct DeleteBody {}

impl CommandBody for DeleteBody {
    const COMMAND: Command = Command::Delete;

    fn form(self) -> Result<CommandForm, Vec<FieldError>> {
        Ok(CommandForm::Delete)
    }
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
pub(super) async fn delete(call: CommandRequest) -> Result<Response, Failure> {
    call.command::<DeleteBody>().await
}

/// Whom a document is for from now on.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct UpdateRecipientBody {
    /// The recipient as a whole.
    #[schema(required, value_type = RecipientForm)]
    recipient: Option<RecipientForm>,
}

impl CommandBody for UpdateRecipientBody {
    const COMMAND: Command = Command::UpdateRecipient;

    fn form(self) -> Result<CommandForm, Vec<FieldError>> {
        let form = self.recipient.ok_or_else(|| vec![missing("recipient")])?;
        let recipient = form.check()?;
        Ok(CommandForm::Edit(Box::new(Edit::Recipient(Box::new(recipient)))))
    }
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
pub(super) async fn update_recipient(call: CommandRequest) -> Result<Response, Failure> {
    call.command::<UpdateRecipientBody>().await
}

/// A line more.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct AddTransactionBody {
    /// What the line is known by from now on: the caller's own id.
    #[schema(required, value_type = String, min_length = 1, max_length = 200,
        pattern = "^[^\\u0000-\\u001F\\u007F-\\u009F]*$", examples("T-18"))]
    transaction_id: Option<String>,
    /// The line.
    #[schema(required, value_type = LineForm)]
    line: Option<LineForm>,
}

impl CommandBody for AddTransactionBody {
    const COMMAND: Command = Command::AddTransaction;

    fn form(self) -> Result<CommandForm, Vec<FieldError>> {
        let (id, line) = transaction_and_line(self.transaction_id, self.line)?;
        Ok(CommandForm::Edit(Box::new(Edit::Add(id, line))))
    }
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
pub(super) async fn add_transaction(call: CommandRequest) -> Result<Response, Failure> {
    call.command::<AddTransactionBody>().await
}

/// A line otherwise.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct UpdateTransactionBody {
    /// What the line is known by: the id it was added under.
    #[schema(required, value_type = String, min_length = 1, max_length = 200,
        pattern = "^[^\\u0000-\\u001F\\u007F-\\u009F]*$", examples("T-18"))]
    transaction_id: Option<String>,
    /// The line as a whole.
    #[schema(required, value_type = LineForm)]
    line: Option<LineForm>,
}

impl CommandBody for UpdateTransactionBody {
    const COMMAND: Command = Command::UpdateTransaction;

    fn form(self) -> Result<CommandForm, Vec<FieldError>> {
        let (id, line) = transaction_and_line(self.transaction_id, self.line)?;
        Ok(CommandForm::Edit(Box::new(Edit::Update(id, line))))
    }
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
pub(super) async fn update_transaction(call: CommandRequest) -> Result<Response, Failure> {
    call.command::<UpdateTransactionBody>().await
}

/// A line less.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RemoveTransactionBody {
    /// What the line is known by: the id it was added under.
    #[schema(required, value_type = String, min_length = 1, max_length = 200,
        pattern = "^[^\\u0000-\\u001F\\u007F-\\u009F]*$", examples("T-18"))]
    transaction_id: Option<String>,
}

impl CommandBody for RemoveTransactionBody {
    const COMMAND: Command = Command::RemoveTransaction;

    fn form(self) -> Result<CommandForm, Vec<FieldError>> {
        let mut faults = Faults::default();
        let id = transaction(&mut faults, self.transaction_id);
        complete(faults, id.map(|id| CommandForm::Edit(Box::new(Edit::Remove(id)))))
    }
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
pub(super) async fn remove_transaction(call: CommandRequest) -> Result<Response, Failure> {
    call.command::<RemoveTransactionBody>().await
}

fn transaction_and_line(
    id: Option<String>,
    line: Option<LineForm>,
) -> Result<(String, LineForm), Vec<FieldError>> {
    let mut faults = Faults::default();
    let id = transaction(&mut faults, id);
    if line.is_none() {
        faults.extend(vec![missing("line")]);
    }
    complete(faults, id.zip(line))
}

/// Refused when it is missing, blank, too long, or has control characters.
fn transaction(faults: &mut Faults, id: Option<String>) -> Option<String> {
    let expected = "the id of a transaction, a text";
    let id = required(faults, "transaction_id", id, expected)?;
    let sound = !id.trim().is_empty()
        && id.chars().count() <= TRANSACTION_CHARS_MAX
        && !id.chars().any(char::is_control);
    if !sound {
        let message = format!("use {expected} of at most {TRANSACTION_CHARS_MAX} characters");
        faults.refuse("transaction_id", ErrorCode::InvalidFormat, message);
    }
    Some(id)
}
