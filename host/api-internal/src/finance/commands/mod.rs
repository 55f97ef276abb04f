//! Commands on documents: how one is carried out, once for its key, and what it answers; `issue` with its members, and the
//! others in the files of their kinds.

mod amendments;
mod corrections;
mod described;
mod edits;
mod members;
mod verdicts;

pub(super) use amendments::WithdrawAmendmentBody;
pub(super) use edits::DeleteBody;
pub(super) use verdicts::SendToTaxAuthorityBody;

use super::failure::{Failure, NothingThere};
use super::identity::{self, IdentityView};
use crate::InternalState;
use crate::described::{DocumentInPath, IdempotencyKey, IfMatch};
use crate::rpc::{document_id, expected_version};
use async_trait::async_trait;
use axum::Extension;
use axum::extract::{FromRef, FromRequest, FromRequestParts, Path, Request};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use described::{CommandRefusals, DryRunParameter};
use gateway_access::Requests;
use gateway_domain::access::{Acting, Permission};
use gateway_domain::fault::Fault;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::Invoice;
use gateway_domain::{FieldError, StoreError};
use gateway_domain_finance::{Command, CommandForm, Route};
use gateway_domain_input as input;
use gateway_events::CloudEvent;
use gateway_finance::{CommandError, DryRun, Execution, Finance, Outcome};
use gateway_http::idempotency::{self, Answer, Failed, IdempotentRequest};
use gateway_http::json::OptionalJson;
use gateway_http::openapi::Stale;
use gateway_http::time::Rfc3339;
use gateway_http::{Authenticated, Needs, Params};
use gateway_invoicing::DocumentView;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// What became of amendments.
pub(super) fn amendments() -> OpenApiRouter<InternalState> {
    OpenApiRouter::new().routes(routes!(amendments::list))
}

/// One route for each command.
pub(super) fn routes() -> OpenApiRouter<InternalState> {
    OpenApiRouter::new()
        .routes(routes!(issue))
        .routes(routes!(amendments::amend))
        .routes(routes!(amendments::withdraw))
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

/// What issuing a document is sent with.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
struct IssueBody {
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
async fn issue(call: CommandRequest) -> Result<Response, Failure> {
    call.command::<IssueBody>().await
}

/// Refuses a command that nobody knows.
pub(super) async fn unknown(_: CommandRequest) -> Failure {
    Failure::Api(NothingThere::Command.into())
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

impl FromRequest<InternalState> for CommandRequest {
    type Rejection = Response;

    async fn from_request(request: Request, state: &InternalState) -> Result<Self, Response> {
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
    /// Carries a command of finance out.
    async fn command<B: CommandBody>(self) -> Result<Response, Failure> {
        let form = input::read::<B>(&Value::Object(self.body.clone())).and_then(CommandBody::form);
        let expected_version = expected_version(&self.headers)?;
        let run = FinanceCommand {
            finance: self.finance.clone(),
            id: self.document()?,
            command: B::COMMAND,
            form,
            expected_version,
        };
        self.carry_out(run).await
    }

    /// Carries a command out, once for its key, or answers what it would do.
    async fn carry_out(self, run: impl RunCommand) -> Result<Response, Failure> {
        self.params.only(&["dry_run"])?;
        let (id, dry_run) = (self.document()?, self.params.flag("dry_run")?);
        let Self { requests, caller, headers, body, .. } = &self;
        if dry_run {
            idempotency::key(headers)?;
            let answer = run.run(&Acting::from(&caller.0), Execution::DryRun).await;
            return Ok(answer.map_err(Failed::into_error)?.into_response());
        }
        let call = format!("POST {} {id}", run.command().as_str());
        let content = idempotency::content(&call, &Value::Object(body.clone()));
        let step = async |acting: &Acting| run.run(acting, Execution::Commit).await;
        let current_state = async |acting: &Acting| run.current_state(acting).await;
        IdempotentRequest { requests, caller, headers, content }.carry_out(step, current_state).await
    }

    /// The document that is named in the path.
    fn document(&self) -> Result<InvoiceId, Failure> {
        let named = self.path.iter().find(|(name, _)| name == "uuid");
        Ok(document_id(named.map_or("", |(_, uuid)| uuid))?)
    }
}

/// A command as it runs, and what it answers.
#[async_trait]
trait RunCommand: Send + Sync {
    /// Which one it is.
    fn command(&self) -> Command;

    /// Carries it out, or tries it.
    async fn run(&self, acting: &Acting, execution: Execution) -> Result<Answer, Failed<Failure>>;

    /// How things stand, after a command whose answer was lost.
    async fn current_state(&self, acting: &Acting) -> Result<Answer, Failure>;
}

/// A command of the finance service.
struct FinanceCommand {
    finance: Finance,
    id: InvoiceId,
    command: Command,
    form: Result<CommandForm, Vec<FieldError>>,
    expected_version: Option<i64>,
}

#[async_trait]
impl RunCommand for FinanceCommand {
    fn command(&self) -> Command {
        self.command
    }

    async fn run(&self, acting: &Acting, execution: Execution) -> Result<Answer, Failed<Failure>> {
        let Self { finance, id, command, form, expected_version } = self;
        let sent = (*command, form.clone());
        let done = finance.command_as_sent(acting, *id, sent, *expected_version, execution).await;
        let outcome = done.map_err(failed)?;
        if let Some(issue) = &outcome.dry_run {
            return answer(&IssueTrial::from(issue));
        }
        let result = CommandResult::try_from(&outcome).map_err(|error| Failed::Open(error.into()))?;
        match execution {
            Execution::Commit => answer(&result),
            Execution::DryRun => answer(&result.of_a_dry_run()),
        }
    }

    async fn current_state(&self, acting: &Acting) -> Result<Answer, Failure> {
        let found = self.finance.invoice(acting, self.id).await?.ok_or(CommandError::Gone)?;
        Ok(Answer::of(&CommandResult::of(&found))?)
    }
}

/// What a command that was carried out answers.
fn answer(body: &impl Serialize) -> Result<Answer, Failed<Failure>> {
    Answer::of(body).map_err(|error| Failed::Open(error.into()))
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
