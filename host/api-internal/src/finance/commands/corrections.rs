//! What is done about an issued document: `credit`, `reverse`, `refund`.

use super::super::failure::Failure;
use super::described::{CommandRefusals, DryRunParameter};
use super::members::{complete, instant, required, text};
use super::{CommandBody, CommandRequest, CommandResult};
use crate::described::{DocumentInPath, IdempotencyKey};
use axum::response::Response;
use gateway_domain::ErrorCode;
use gateway_domain::FieldError;
use gateway_domain::invoicing::{LINES_MAX, Line};
use gateway_domain::money::Amount;
use gateway_domain_finance::{Command, CommandForm};
use gateway_domain_input::Faults;
use gateway_domain_input::document::{LineForm, TaxCheck};
use gateway_http::time::{self, Rfc3339};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What an amount has to be.
const AMOUNT: &str = "a decimal number as a string, such as \"12.50\"";

/// What crediting an issued document is sent with.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct CreditBody {
    /// The caller's own time of it; not in the future.
    #[schema(required, value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    at: Option<Rfc3339>,
    /// What is credited; all that is billed unless given.
    #[schema(max_items = 1000)]
    lines: Option<Vec<LineForm>>,
}

impl CommandBody for CreditBody {
    const COMMAND: Command = Command::Credit;

    fn form(self) -> Result<CommandForm, Vec<FieldError>> {
        let mut faults = Faults::default();
        let at = required(&mut faults, "at", instant(self.at), time::EXPECTED);
        let lines = self.lines.map(|lines| credited(&mut faults, lines));
        complete(faults, at.map(|at| CommandForm::Credit { at, lines }))
    }
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
pub(super) async fn credit(call: CommandRequest) -> Result<Response, Failure> {
    call.command::<CreditBody>().await
}

/// What reversing an issued document is sent with.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ReverseBody {
    /// The caller's own time of it; not in the future.
    #[schema(required, value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    at: Option<Rfc3339>,
}

impl CommandBody for ReverseBody {
    const COMMAND: Command = Command::Reverse;

    fn form(self) -> Result<CommandForm, Vec<FieldError>> {
        let mut faults = Faults::default();
        let at = required(&mut faults, "at", instant(self.at), time::EXPECTED);
        complete(faults, at.map(|at| CommandForm::Reverse { at }))
    }
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
pub(super) async fn reverse(call: CommandRequest) -> Result<Response, Failure> {
    call.command::<ReverseBody>().await
}

/// What recording returned money is sent with.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RefundBody {
    /// The caller's own time of it; not in the future.
    #[schema(required, value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    at: Option<Rfc3339>,
    /// How much was returned, in the document's currency; together never more than was to be paid.
    #[schema(required, value_type = Amount, examples("20.00"))]
    amount: Option<Amount>,
    /// What the payment is known by elsewhere.
    #[schema(examples("T-17"))]
    reference: Option<String>,
}

impl CommandBody for RefundBody {
    const COMMAND: Command = Command::Refund;

    fn form(self) -> Result<CommandForm, Vec<FieldError>> {
        let mut faults = Faults::default();
        let at = required(&mut faults, "at", instant(self.at), time::EXPECTED);
        let amount = required(&mut faults, "amount", self.amount, AMOUNT);
        let reference = text(&mut faults, "reference", self.reference);
        let found = at.zip(amount);
        complete(faults, found.map(|(at, amount)| CommandForm::Refund { at, amount, reference }))
    }
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
pub(super) async fn refund(call: CommandRequest) -> Result<Response, Failure> {
    call.command::<RefundBody>().await
}

/// The lines of a credit note.
fn credited(faults: &mut Faults, forms: Vec<LineForm>) -> Vec<Line> {
    if forms.len() > LINES_MAX {
        faults.refuse("lines", ErrorCode::TooMany, format!("may have at most {LINES_MAX} lines"));
        return Vec::new();
    }
    let mut lines = Vec::with_capacity(forms.len());
    for (at, form) in forms.into_iter().enumerate() {
        match form.check(&format!("lines[{at}]"), TaxCheck::Syntax) {
            Ok(line) => lines.push(line),
            Err(found) => faults.extend(found),
        }
    }
    lines
}
