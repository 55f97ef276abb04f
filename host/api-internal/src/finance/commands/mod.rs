//! Commands on documents: each takes its members, and what it did or why it did not is one shape for all.

mod bodies;
mod operations;

pub(super) use bodies::{DeleteBody, SendToTaxAuthorityBody};
pub(super) use operations::{routes, unknown};

use self::bodies::CommandBody;
use super::failure::Failure;
use super::identity::{self, IdentityView};
use crate::InternalApi;
use crate::errors::refuse;
use crate::rpc::{document_id, expected_version};
use axum::Json;
use axum::extract::{FromRef, FromRequest, FromRequestParts, Path, Request};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use gateway_access::Requests;
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Permission};
use gateway_domain::fault::Fault;
use gateway_domain::ids::InvoiceId;
use gateway_domain::input;
use gateway_domain::invoicing::Invoice;
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_finance::{Command, CommandForm, Route};
use gateway_events::CloudEvent;
use gateway_finance::{CommandError, DryRun, Finance, Outcome};
use gateway_http::idempotency::{self, Answer, Failed, IdempotentRequest};
use gateway_http::json::OptionalJson;
use gateway_http::{Authenticated, Params};
use gateway_invoicing::DocumentView;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use utoipa::ToSchema;

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
        self.caller.require(Permission::FinanceRpc)?;
        if matches!(command, Command::MarkAsAcceptedByTaxAuthority | Command::MarkAsRejectedByTaxAuthority) {
            self.caller.require(Permission::FinanceVerdict)?;
        }
        self.params.only(&["dry_run"])?;
        let dry_run = self.params.flag("dry_run")?;
        let (id, expected) = (self.document()?, expected_version(&self.headers)?);
        let (finance, body) = (&self.finance, Value::Object(self.body));
        if dry_run {
            idempotency::key(&self.headers)?;
            let acting = Acting { trial: true, ..Acting::from(&self.caller.0) };
            return Ok(trial::<B>(finance, &acting, id, &body, expected).await?);
        }
        let content = idempotency::content(&format!("POST {} {id}", command.as_str()), &body);
        let (requests, caller, headers) = (&self.requests, &self.caller, &self.headers);
        let step = async |acting: &Acting| {
            let outcome =
                Box::pin(finance.command_as_sent(acting, id, command, read::<B>(&body), expected)).await;
            let outcome = outcome.map_err(failed)?;
            let result = CommandResult::try_from(&outcome).map_err(|error| Failed::Open(error.into()))?;
            Answer::of(&result).map_err(|error| Failed::Open(error.into()))
        };
        let standing = async |acting: &Acting| {
            let found = finance.invoice(acting, id).await?.ok_or(CommandError::Gone)?;
            Ok(Answer::of(&CommandResult::of(&found))?)
        };
        IdempotentRequest { requests, caller, headers, content }.carry_out(step, standing).await
    }

    /// The document that is named in the path.
    fn document(&self) -> Result<InvoiceId, Failure> {
        let named = self.path.iter().find(|(name, _)| name == "uuid");
        Ok(document_id(named.map_or("", |(_, uuid)| uuid))?)
    }

    /// Refuses a command that nobody knows.
    fn unknown(&self) -> Failure {
        if let Err(refused) = self.caller.require(Permission::FinanceRpc) {
            return refused.into();
        }
        let sentence = "is no command of the finance service";
        refuse(StatusCode::NOT_FOUND, "command", ErrorCode::CommandUnknown, sentence).into()
    }
}

/// Why the command has no answer of its own.
fn failed(error: CommandError) -> Failed<Failure> {
    if error.leaves_it_open() { Failed::Open(error.into()) } else { Failed::Refused(error.into()) }
}

/// The members of a command as it understands them, or every mistake in them.
fn read<B: CommandBody>(body: &Value) -> Result<CommandForm, Vec<FieldError>> {
    input::read::<B>(body).and_then(CommandBody::form)
}

/// What a command would do.
async fn trial<B: CommandBody>(
    finance: &Finance,
    acting: &Acting,
    id: InvoiceId,
    body: &Value,
    expected: Option<i64>,
) -> Result<Response, CommandError> {
    let form = read::<B>(body);
    if let Ok(CommandForm::Issue { at }) = form {
        let trial = finance.issue_dry_run(acting, id, at, expected).await?;
        return Ok(Json(IssueTrial::from(&trial)).into_response());
    }
    let outcome = finance.command_as_sent(acting, id, B::COMMAND, form, expected).await?;
    Ok(Json(CommandResult::try_from(&outcome)?.of_a_trial()).into_response())
}

/// What the command `issue` did, or would do.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "describes an answer")]
enum IssueAnswer<'a> {
    Done(CommandResult<'a>),
    Trial(IssueTrial<'a>),
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

/// What issuing a document would do.
#[derive(Debug, Serialize, ToSchema)]
struct IssueTrial<'a> {
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

/// Always true.
#[derive(Debug, Clone, Copy)]
struct True;

impl Serialize for True {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bool(true)
    }
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

impl<'a> CommandResult<'a> {
    /// How a document stands, after a command whose answer was lost.
    fn of(document: &'a Invoice) -> Self {
        Self { document: DocumentView::from(document), events: Vec::new(), faults: &[], dry_run: None }
    }

    /// What was not done.
    fn of_a_trial(self) -> Self {
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
