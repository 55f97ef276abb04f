//! What is done about the record of an issued document: `amend`, `withdraw-amendment`, and what became of it.

use super::super::failure::Failure;
use super::described::{CommandRefusals, DryRunParameter};
use super::{CommandRequest, RunCommand, True, answer, failed};
use crate::described::{DocumentInPath, IdempotencyKey, IfMatch};
use crate::rpc::{document_id, expected_version};
use async_trait::async_trait;
use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use gateway_amendment::{Amended, AmendmentView, Amendments};
use gateway_domain::FieldError;
use gateway_domain::access::Acting;
use gateway_domain::ids::InvoiceId;
use gateway_domain_amendment::{AmendmentBody, AmendmentRefused, DemandedAmendment};
use gateway_domain_finance::Command;
use gateway_domain_input as input;
use gateway_finance::{CommandError, Execution};
use gateway_http::Authenticated;
use gateway_http::idempotency::{Answer, Failed};
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
    /// Remarks of the tax authority that want the document amended, as it stands now.
    demanded: Vec<DemandedAmendment>,
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
    let changes = input::read(&Value::Object(call.body.clone())).map(|AmendBody { changes }| changes);
    let (id, expected_version) = (call.document()?, expected_version(&call.headers)?);
    call.carry_out(Amend { amendments, id, changes, expected_version }).await
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
    let mistakes = input::read::<WithdrawAmendmentBody>(&Value::Object(call.body.clone())).err();
    let id = call.document()?;
    call.carry_out(WithdrawAmendment { amendments, id, mistakes }).await
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
    let views = amendments.of_document(&acting, id).await?;
    let bodies = views.iter().map(|view| AmendmentBody::new(&view.amendment, &view.messages)).collect();
    let demanded = amendments.demanded(&acting, id).await?;
    Ok(Json(AmendmentList { amendments: bodies, demanded }).into_response())
}

/// The command `amend`.
struct Amend {
    amendments: Amendments,
    id: InvoiceId,
    changes: Result<Map<String, Value>, Vec<FieldError>>,
    expected_version: Option<i64>,
}

#[async_trait]
impl RunCommand for Amend {
    fn command(&self) -> Command {
        Command::Amend
    }

    async fn run(&self, acting: &Acting, execution: Execution) -> Result<Answer, Failed<Failure>> {
        let Self { amendments, id, changes, expected_version } = self;
        let done = amendments.amend(acting, *id, changes, *expected_version, execution).await;
        match done.map_err(failed)? {
            Amended::Begun(view) => answer(&AmendmentAnswer::from(view.as_ref())),
            Amended::Trial(changes) => answer(&AmendmentTrial { dry_run: True, changes }),
        }
    }

    async fn current_state(&self, acting: &Acting) -> Result<Answer, Failure> {
        last(&self.amendments, acting, self.id).await
    }
}

/// The command `withdraw-amendment`.
struct WithdrawAmendment {
    amendments: Amendments,
    id: InvoiceId,
    mistakes: Option<Vec<FieldError>>,
}

#[async_trait]
impl RunCommand for WithdrawAmendment {
    fn command(&self) -> Command {
        Command::WithdrawAmendment
    }

    async fn run(&self, acting: &Acting, _: Execution) -> Result<Answer, Failed<Failure>> {
        if let Some(mistakes) = &self.mistakes {
            return Err(failed(CommandError::Invalid(mistakes.clone())));
        }
        let withdrawn = self.amendments.withdraw(acting, self.id).await.map_err(failed)?;
        answer(&AmendmentAnswer::from(&withdrawn))
    }

    async fn current_state(&self, acting: &Acting) -> Result<Answer, Failure> {
        last(&self.amendments, acting, self.id).await
    }
}

/// How the last amendment of a document stands.
async fn last(amendments: &Amendments, acting: &Acting, id: InvoiceId) -> Result<Answer, Failure> {
    let views = amendments.of_document(acting, id).await?;
    let view = views.last().ok_or(CommandError::Amendment(AmendmentRefused::NotWaiting))?;
    Ok(Answer::of(&AmendmentAnswer::from(view))?)
}
