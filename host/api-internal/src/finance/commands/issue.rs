//! The command `issue`.

use super::super::failure::Failure;
use super::super::identity::{self, IdentityView};
use super::{CommandBody, CommandRefusals, CommandRequest, CommandResult, DryRunParameter, True};
use crate::described::{DocumentInPath, IdempotencyKey, IfMatch};
use axum::response::Response;
use gateway_domain::FieldError;
use gateway_domain::fault::Fault;
use gateway_domain_finance::{Command, CommandForm, Route};
use gateway_events::CloudEvent;
use gateway_finance::DryRun;
use gateway_http::openapi::Stale;
use gateway_http::time::Rfc3339;
use gateway_invoicing::DocumentView;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What issuing a document is sent with.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct IssueBody {
    /// The caller's own time of it; not in the future.
    #[schema(value_type = Option<String>, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    at: Option<Rfc3339>,
}

impl CommandBody for IssueBody {
    const COMMAND: Command = Command::Issue;

    fn form(self) -> Result<CommandForm, Vec<FieldError>> {
        Ok(CommandForm::Issue { at: self.at.map(|Rfc3339(at)| at) })
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
pub(super) async fn issue(call: CommandRequest) -> Result<Response, Failure> {
    call.carry_out::<IssueBody>().await
}

/// What the command `issue` did, or would do.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "describes an answer")]
enum IssueAnswer<'a> {
    Done(CommandResult<'a>),
    Trial(IssueTrial<'a>),
}

/// What issuing a document would do.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct IssueTrial<'a> {
    /// True: nothing was done.
    #[schema(value_type = bool, examples(true))]
    dry_run: True,
    /// Where the document would go.
    route: RouteView,
    /// Whether it would be issued.
    would_issue: bool,
    /// Every fault that the authority would object to.
    faults: &'a [Fault],
    /// How the tax authority would know the recipient; null for a document that no tax authority hears of.
    #[schema(required)]
    identity: Option<IdentityView>,
    /// The document as it is.
    document: DocumentView<'a>,
    /// None: nothing was done.
    #[schema(value_type = Vec<CloudEvent<'a>>, max_items = 0)]
    events: [CloudEvent<'a>; 0],
}

/// Where a document goes when it is issued.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum RouteView {
    /// Straight to issued.
    Standard,
    /// To the tax authority first.
    TaxAuthority,
}

impl From<Route> for RouteView {
    fn from(route: Route) -> Self {
        match route {
            Route::Standard => Self::Standard,
            Route::TaxAuthority => Self::TaxAuthority,
        }
    }
}

impl<'a> From<&'a DryRun> for IssueTrial<'a> {
    fn from(trial: &'a DryRun) -> Self {
        Self {
            dry_run: True,
            route: trial.route.into(),
            would_issue: !trial.faults.iter().any(Fault::stops),
            faults: &trial.faults,
            identity: trial.identity.clone().map(identity::view),
            document: DocumentView::from(&trial.document),
            events: [],
        }
    }
}
