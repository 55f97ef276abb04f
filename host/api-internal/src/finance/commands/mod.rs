//! Commands on documents, each with its members and its operation in the file of its kind; what it did or why it did not is
//! one shape for all.

mod corrections;
mod edits;
mod issue;
mod members;
mod verdicts;

pub(super) use edits::DeleteBody;
pub(super) use verdicts::SendToTaxAuthorityBody;

use self::issue::IssueTrial;
use super::failure::{Failure, RefusedCommandResponse};
use crate::InternalApi;
use crate::errors::refuse;
use crate::rpc::{document_id, expected_version};
use axum::extract::{FromRef, FromRequest, FromRequestParts, Path, Request};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use gateway_access::Requests;
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Permission};
use gateway_domain::fault::Fault;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::Invoice;
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_finance::{Command, CommandForm};
use gateway_domain_input as input;
use gateway_events::CloudEvent;
use gateway_finance::{CommandError, Execution, Finance, Outcome};
use gateway_http::idempotency::{self, Answer, Failed, IdempotentRequest};
use gateway_http::json::OptionalJson;
use gateway_http::openapi::{BadGateway, BodyRefusals, Conflict, Gone};
use gateway_http::{Authenticated, Needs, Params};
use gateway_invoicing::DocumentView;
use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use utoipa::openapi::{self, Ref, RefOr};
use utoipa::{IntoParams, IntoResponses, ToResponse, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// One route for each command.
pub(super) fn routes() -> OpenApiRouter<InternalApi> {
    OpenApiRouter::new()
        .routes(routes!(issue::issue))
        .routes(routes!(corrections::credit))
        .routes(routes!(corrections::reverse))
        .routes(routes!(corrections::refund))
        .routes(routes!(edits::delete))
        .routes(routes!(edits::update_recipient))
        .routes(routes!(edits::add_transaction))
        .routes(routes!(edits::update_transaction))
        .routes(routes!(edits::remove_transaction))
        .routes(routes!(verdicts::send_to_tax_authority))
        .merge(
            OpenApiRouter::new()
                .routes(routes!(verdicts::mark_as_accepted_by_tax_authority))
                .routes(routes!(verdicts::mark_as_rejected_by_tax_authority))
                .layer(Extension(Needs(&[Permission::FinanceRpc, Permission::FinanceVerdict]))),
        )
}

/// Refuses a command that nobody knows.
pub(super) async fn unknown(_: CommandRequest) -> Failure {
    let sentence = "is no command of the finance service";
    refuse(StatusCode::NOT_FOUND, "command", ErrorCode::CommandUnknown, sentence).into()
}

/// The members of one command.
trait CommandBody: DeserializeOwned + Send {
    /// Which command it is.
    const COMMAND: Command;

    /// What the command says.
    ///
    /// # Errors
    /// Every mistake in the members.
    fn form(self) -> Result<CommandForm, Vec<FieldError>>;
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

/// A call for a command: who asks, about which document, and what is said.
pub(super) struct CommandRequest {
    finance: Finance,
    requests: Requests,
    caller: Authenticated,
    /// The document, and for a command that nobody knows its name.
    path: Vec<(String, String)>,
    params: Params,
    headers: HeaderMap,
    body: Map<String, Value>,
}

impl FromRequest<InternalApi> for CommandRequest {
    type Rejection = Response;

    async fn from_request(request: Request, state: &InternalApi) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let parts = &mut parts;
        let caller =
            Authenticated::from_request_parts(parts, state).await.map_err(IntoResponse::into_response)?;
        let path = Path::from_request_parts(parts, state).await.map_err(IntoResponse::into_response)?;
        let params = Params::from_request_parts(parts, state).await.map_err(IntoResponse::into_response)?;
        let headers = parts.headers.clone();
        let request = Request::from_parts(parts.clone(), body);
        let OptionalJson(body) =
            OptionalJson::from_request(request, state).await.map_err(IntoResponse::into_response)?;
        let (finance, requests) = (Finance::from_ref(state), Requests::from_ref(state));
        Ok(Self { finance, requests, caller, path: path.0, params, headers, body })
    }
}

impl CommandRequest {
    /// Carries the command out, once for its key, or says what it would do.
    async fn carry_out<B: CommandBody>(self) -> Result<Response, Failure> {
        let command = B::COMMAND;
        self.params.only(&["dry_run"])?;
        let dry_run = self.params.flag("dry_run")?;
        let (id, expected) = (self.document()?, expected_version(&self.headers)?);
        let (finance, body) = (&self.finance, Value::Object(self.body));
        let run = async |acting: &Acting, execution| {
            let form = input::read::<B>(&body).and_then(CommandBody::form);
            Box::pin(finance.command_as_sent(acting, id, (command, form), expected, execution)).await
        };
        if dry_run {
            idempotency::key(&self.headers)?;
            let outcome = run(&Acting::from(&self.caller.0), Execution::DryRun).await?;
            return Ok(match &outcome.dry_run {
                Some(issue) => Json(IssueTrial::from(issue)).into_response(),
                None => Json(CommandResult::try_from(&outcome)?.of_a_dry_run()).into_response(),
            });
        }
        let content = idempotency::content(&format!("POST {} {id}", command.as_str()), &body);
        let (requests, caller, headers) = (&self.requests, &self.caller, &self.headers);
        let step = async |acting: &Acting| {
            let outcome = run(acting, Execution::Commit).await.map_err(failed)?;
            let result = CommandResult::try_from(&outcome).map_err(|error| Failed::Open(error.into()))?;
            Answer::of(&result).map_err(|error| Failed::Open(error.into()))
        };
        let current_state = async |acting: &Acting| {
            let found = finance.invoice(acting, id).await?.ok_or(CommandError::Gone)?;
            Ok(Answer::of(&CommandResult::of(&found))?)
        };
        IdempotentRequest { requests, caller, headers, content }.carry_out(step, current_state).await
    }

    /// The document that is named in the path.
    fn document(&self) -> Result<InvoiceId, Failure> {
        let named = self.path.iter().find(|(name, _)| name == "uuid");
        Ok(document_id(named.map_or("", |(_, uuid)| uuid))?)
    }
}

/// Why the command has no answer of its own.
fn failed(error: CommandError) -> Failed<Failure> {
    if error.leaves_it_open() { Failed::Open(error.into()) } else { Failed::Refused(error.into()) }
}

/// What a command did; a dry run says so.
#[derive(Debug, Serialize, ToSchema)]
struct CommandResult<'a> {
    /// The document as it is after it.
    document: DocumentView<'a>,
    /// Finance's events of it, in order.
    events: Vec<CloudEvent<'a>>,
    /// What the plugin warns of; what would stop the command is a refusal.
    #[serde(skip_serializing_if = "<[Fault]>::is_empty")]
    faults: &'a [Fault],
    /// True: nothing was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<bool>)]
    dry_run: Option<True>,
}

/// Always true.
#[derive(Debug, Clone, Copy)]
struct True;

impl Serialize for True {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bool(true)
    }
}

impl<'a> CommandResult<'a> {
    /// How a document stands, after a command whose answer was lost.
    fn of(document: &'a Invoice) -> Self {
        Self { document: DocumentView::from(document), events: Vec::new(), faults: &[], dry_run: None }
    }

    /// What was not done.
    fn of_a_dry_run(self) -> Self {
        Self { dry_run: Some(True), ..self }
    }
}

impl<'a> TryFrom<&'a Outcome> for CommandResult<'a> {
    type Error = StoreError;

    fn try_from(outcome: &'a Outcome) -> Result<Self, StoreError> {
        Ok(Self {
            document: DocumentView::from(&outcome.document),
            events: outcome.events.iter().map(CloudEvent::try_from).collect::<Result<_, _>>()?,
            faults: &outcome.warnings,
            dry_run: None,
        })
    }
}
