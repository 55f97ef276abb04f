//! What is done about the record of an issued document: `amend`, `withdraw-amendment`, and what became of it.

use super::super::failure::{Failure, gone_document};
use super::{CommandRefusals, CommandRequest, DryRunParameter, True, idempotency};
use crate::described::{DocumentInPath, IdempotencyKey, IfMatch};
use crate::rpc::{document_id, expected_version};
use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use gateway_amendment::{AmendError, Amended, AmendmentView, Amendments};
use gateway_domain::access::Acting;
use gateway_domain_amendment::AmendmentBody;
use gateway_domain_input as input;
use gateway_finance::{CommandError, Execution};
use gateway_http::Authenticated;
use gateway_http::idempotency::{Answer, Failed, IdempotentRequest};
use gateway_http::openapi::{BadGateway, BadRequest, Gone, Stale};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// What amending a document is sent with.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AmendBody {
    /// The document's members as they are to be, the others left out (RFC 7396): a member that is null is taken away, a list is given
    /// whole. Which may change the tax system says.
    #[schema(value_type = ChangesExample)]
    changes: Map<String, Value>,
}

/// Members of a document; others as in documents.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "describes members that are taken as they are")]
struct ChangesExample {
    /// Printed on the document.
    #[schema(examples("Stay of three nights"))]
    notes: Option<String>,
}

/// What giving an amendment up is sent with: nothing.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct WithdrawAmendmentBody {}

/// An amendment that goes on its way, or how it stands.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AmendmentAnswer<'a> {
    amendment: AmendmentBody<'a>,
}

/// What amending a document like this would do.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AmendmentTrial {
    /// True: nothing was done.
    #[schema(value_type = bool, examples(true))]
    dry_run: True,
    /// What would change: JSON Pointers into the document.
    changes: Vec<String>,
}

/// What the command `amend` did, or would do.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "describes an answer")]
enum AmendAnswer<'a> {
    Done(Box<AmendmentAnswer<'a>>),
    Trial(AmendmentTrial),
}

/// The amendments of a document.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AmendmentList<'a> {
    /// In order, each with the payloads and stamps of its attempt and of the record before.
    amendments: Vec<AmendmentBody<'a>>,
}

impl<'a> From<&'a AmendmentView> for AmendmentAnswer<'a> {
    fn from(view: &'a AmendmentView) -> Self {
        Self { amendment: AmendmentBody::new(&view.amendment, &view.messages) }
    }
}

/// Amend an accepted document
///
/// Files an accepted document again under its number, with other members, where its tax system takes that (`Subsanacion` of
/// VERI*FACTU, `A1` of the SII): the document stays as it is until the authority has accepted the amendment. Members that may not
/// change, and documents of systems without amendments, are refused with how they are corrected instead.
#[utoipa::path(
    post,
    path = "/finance/rpc/documents/{uuid}/commands/amend",
    operation_id = "commandAmend",
    params(DocumentInPath, DryRunParameter, IdempotencyKey, IfMatch),
    request_body = AmendBody,
    responses(
        (status = 200, description = "The amendment on its way, or (with `dry_run`) what would change.", body = inline(AmendAnswer<'static>)),
        (status = 412, response = Stale),
        CommandRefusals
    )
)]
pub(super) async fn amend(
    State(amendments): State<Amendments>,
    call: CommandRequest,
) -> Result<Response, Failure> {
    call.params.only(&["dry_run"])?;
    let dry_run = call.params.flag("dry_run")?;
    let (id, expected) = (call.document()?, expected_version(&call.headers)?);
    let body = Value::Object(call.body.clone());
    let run = async |acting: &Acting, execution| {
        let AmendBody { changes } = input::read::<AmendBody>(&body).map_err(CommandError::Invalid)?;
        Box::pin(amendments.amend(acting, id, &changes, expected, execution)).await
    };
    if dry_run {
        idempotency::key(&call.headers)?;
        let amended = run(&Acting::from(&call.caller.0), Execution::DryRun).await?;
        return Ok(of_command(amended)?.into_response());
    }
    let step = async |acting: &Acting| {
        of_command(run(acting, Execution::Commit).await.map_err(failed)?).map_err(Failed::Open)
    };
    let content = idempotency::content(&format!("POST amend {id}"), &body);
    call.claim_and_carry_out(content, step, async |acting: &Acting| last(&amendments, acting, id).await).await
}

/// Give an amendment up
///
/// Where it waits for somebody, or nothing of it was sent: the record that it was to replace counts.
#[utoipa::path(
    post,
    path = "/finance/rpc/documents/{uuid}/commands/withdraw-amendment",
    operation_id = "commandWithdrawAmendment",
    params(DocumentInPath, IdempotencyKey),
    request_body(content = Option<WithdrawAmendmentBody>, description = "May be empty."),
    responses(
        (status = 200, description = "The amendment as it ended.", body = AmendmentAnswer<'static>),
        CommandRefusals
    )
)]
pub(super) async fn withdraw(
    State(amendments): State<Amendments>,
    call: CommandRequest,
) -> Result<Response, Failure> {
    call.params.only(&[])?;
    let (id, body) = (call.document()?, Value::Object(call.body.clone()));
    let step = async |acting: &Acting| {
        let read = input::read::<WithdrawAmendmentBody>(&body);
        read.map_err(|mistakes| Failed::Refused(CommandError::Invalid(mistakes).into()))?;
        let view = amendments.withdraw(acting, id).await.map_err(failed)?;
        answer(&view).map_err(Failed::Open)
    };
    let content = idempotency::content(&format!("POST withdraw-amendment {id}"), &body);
    call.claim_and_carry_out(content, step, async |acting: &Acting| last(&amendments, acting, id).await).await
}

/// The amendments of a document
///
/// In order, each with what was sent and given in its attempt, and what the authority held before.
#[utoipa::path(
    get,
    path = "/finance/rpc/documents/{uuid}/amendments",
    operation_id = "listAmendments",
    params(DocumentInPath),
    responses(
        (status = 200, description = "The amendments.", body = AmendmentList<'static>),
        (status = 400, response = BadRequest),
        (status = 410, response = Gone),
        (status = 502, response = BadGateway)
    )
)]
pub(super) async fn list(
    State(amendments): State<Amendments>,
    caller: Authenticated,
    Path(uuid): Path<String>,
) -> Result<Response, Failure> {
    let (acting, id) = (Acting::from(&caller.0), document_id(&uuid)?);
    let views = amendments.of_document(&acting, id).await?.ok_or_else(gone_document)?;
    let bodies = views.iter().map(|view| AmendmentBody::new(&view.amendment, &view.messages)).collect();
    Ok(Json(AmendmentList { amendments: bodies }).into_response())
}

impl CommandRequest {
    /// Carries it out once for its key.
    async fn claim_and_carry_out(
        self,
        content: String,
        step: impl AsyncFnOnce(&Acting) -> Result<Answer, Failed<Failure>>,
        current_state: impl AsyncFnOnce(&Acting) -> Result<Answer, Failure>,
    ) -> Result<Response, Failure> {
        let (requests, caller, headers) = (&self.requests, &self.caller, &self.headers);
        IdempotentRequest { requests, caller, headers, content }.carry_out(step, current_state).await
    }
}

/// How the last amendment stands, after a command whose answer was lost.
async fn last(
    amendments: &Amendments,
    acting: &Acting,
    id: gateway_domain::ids::InvoiceId,
) -> Result<Answer, Failure> {
    let views = amendments.of_document(acting, id).await?.ok_or_else(gone_document)?;
    answer(views.last().ok_or(AmendError::NotWaiting)?)
}

fn of_command(amended: Amended) -> Result<Answer, Failure> {
    match amended {
        Amended::Begun(view) => answer(&view),
        Amended::Trial(changes) => Ok(Answer::of(&AmendmentTrial { dry_run: True, changes })?),
    }
}

fn answer(view: &AmendmentView) -> Result<Answer, Failure> {
    Ok(Answer::of(&AmendmentAnswer::from(view))?)
}

fn failed(error: AmendError) -> Failed<Failure> {
    if error.leaves_it_open() { Failed::Open(error.into()) } else { Failed::Refused(error.into()) }
}
