//! Every status of the finance surface but 200: why a command failed, as the specification shapes it, and why there is nothing
//! to show. Each error's status and code are one exhaustive function, and all of them are here.

use crate::errors::ApiError;
use crate::errors::refuse;
use crate::rpc::{gone, issue_mistake};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use gateway_domain::StoreError;
use gateway_domain::fault::Fault;
use gateway_domain::invoicing::IssueError;
use gateway_domain::ports::{ConverterError, PLUGIN_BLOCKED};
use gateway_domain::{ErrorCode, FieldError, field_of};
use gateway_domain_amendment::AmendmentRefused;
use gateway_domain_finance::Refusal;
use gateway_finance::{CommandError, IdentityError, RetryError};
use gateway_http::ApiErrors;
use gateway_http::openapi::Errors;
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::openapi::schema::{AnyOfBuilder, ArrayBuilder, ObjectBuilder, Schema, Type};
use utoipa::openapi::{self, Content, Ref, RefOr, ResponseBuilder};
use utoipa::{ToResponse, ToSchema};

/// Why a command failed, as the specification shapes it: a result, a tag, a message, an errors map, a named code.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Refused before the command was looked at.
    Api(ApiError),
    /// Refused by the command.
    Command { code: ErrorCode, message: String, errors: Vec<FieldError>, faults: Vec<Fault> },
}

impl Failure {
    /// The pre-flight check found faults that stop the document, or its plugin failed.
    fn preflight(message: String, faults: Vec<Fault>) -> Self {
        let stopping = faults.iter().filter(|fault| fault.stops());
        let errors = stopping
            .map(|fault| FieldError::new(field_of(&fault.path), ErrorCode::PreflightFailed, &fault.message))
            .collect();
        Self::Command { code: ErrorCode::PreflightFailed, message, errors, faults }
    }
}

impl From<ApiError> for Failure {
    fn from(errors: ApiError) -> Self {
        Self::Api(errors)
    }
}

impl From<ApiErrors> for Failure {
    fn from(errors: ApiErrors) -> Self {
        Self::Api(errors.into())
    }
}

impl From<gateway_finance::ReadError> for Failure {
    fn from(error: gateway_finance::ReadError) -> Self {
        Self::Api(error.into())
    }
}

impl From<StoreError> for Failure {
    fn from(cause: StoreError) -> Self {
        Self::Api(ApiError::internal(cause))
    }
}

/// What the code of a corrective draft that waits means.
const BLOCKED: &str = "the corrective invoice waits until the rejected one that it corrects is issued and credited: mend \
                       that one and issue it";

impl From<CommandError> for Failure {
    fn from(error: CommandError) -> Self {
        let is_blocked = matches!(error, CommandError::Issue(IssueError::Blocked));
        let message = if is_blocked { BLOCKED.to_owned() } else { error.to_string() };
        let failure =
            |code, errors| Self::Command { code, message: message.clone(), errors, faults: Vec::new() };
        match error {
            CommandError::Gone => Self::Api(gone()),
            CommandError::Refused(refusal) => {
                let view = match refusal {
                    Refusal::LockedWhileIssuing => refusal.code().as_str(),
                    Refusal::AlreadyIssued
                    | Refusal::NotIssued
                    | Refusal::NotADraft
                    | Refusal::NotIssuing
                    | Refusal::DispatchedInternally => refusal.message(),
                };
                failure(refusal.code(), vec![FieldError::new("base", refusal.code(), view)])
            }
            CommandError::Issue(error) => failure(error.code(), vec![issue_mistake(error)]),
            CommandError::Preflight(faults) => Self::preflight(message, faults),
            CommandError::PluginBroken(fault) => Self::preflight(message, vec![fault]),
            CommandError::Invalid(errors) => failure(ErrorCode::CommandInvalid, errors),
            CommandError::Rule(error) => failure(error.code, vec![error]),
            CommandError::Amendment(AmendmentRefused::Faults(faults)) => Self::preflight(message, faults),
            CommandError::Amendment(refused) => failure(refused.code(), refused.errors()),
            CommandError::Stale { .. } => {
                Self::Api(refuse(StatusCode::PRECONDITION_FAILED, "version", ErrorCode::Stale, message))
            }
            CommandError::InProgress => Self::Api(
                ApiError::base(StatusCode::CONFLICT, ErrorCode::CommandInProgress, message)
                    .with_header(axum::http::header::RETRY_AFTER, "1"),
            ),
            CommandError::Converter(ConverterError::UnknownRegime(_)) => {
                let errors = vec![FieldError::new("base", ErrorCode::RegimeNotActive, message.clone())];
                failure(ErrorCode::RegimeNotActive, errors)
            }
            CommandError::Converter(ConverterError::Faults(faults)) => Self::preflight(message, faults),
            CommandError::Converter(ConverterError::Broken(fault)) => Self::preflight(message, vec![fault]),
            CommandError::Converter(ConverterError::Busy) => Self::Api(ApiError::base(
                StatusCode::SERVICE_UNAVAILABLE,
                ErrorCode::Unavailable,
                "the gateway is busy: try again",
            )),
            CommandError::InvoiceData(error) => Self::Api(error.into()),
            CommandError::Ids(cause) => Self::Api(ApiError::internal(cause)),
            CommandError::Store(cause) => Self::Api(ApiError::internal(cause)),
        }
    }
}

/// Why there is nothing to show, or nobody to ask.
#[derive(Debug)]
pub(super) enum NothingThere {
    /// No document, or none that the client may see.
    Document,
    /// The document was never submitted, or is none that the client may see.
    Submission,
    /// The document was not converted yet.
    Conversion,
    /// There is a document as it went out, but not what was asked for.
    Representation(NotAcceptable),
    /// The path names a booking by what is no UUID.
    Booking,
    /// The path names a command that nobody knows.
    Command,
}

/// Why a document as it went out is not what was asked for.
#[derive(Debug)]
pub(super) enum NotAcceptable {
    /// The message is of another media type.
    OtherMessage { media_type: String },
    /// The structured document is of another media type.
    OtherDocument,
    /// There is no message; whether it was asked for by name.
    NoMessage { by_name: bool },
}

impl From<NothingThere> for ApiError {
    fn from(nothing: NothingThere) -> Self {
        match nothing {
            NothingThere::Document => gone(),
            NothingThere::Submission => {
                let sentence = "there is no submission of such a document";
                refuse(StatusCode::GONE, "uuid", ErrorCode::SubmissionGone, sentence)
            }
            NothingThere::Conversion => {
                let sentence = "the document was not converted yet";
                refuse(StatusCode::GONE, "uuid", ErrorCode::DocumentNotConverted, sentence)
            }
            NothingThere::Representation(reason) => {
                let (field, sentence) = reason.complaint();
                refuse(StatusCode::NOT_ACCEPTABLE, field, ErrorCode::NotAcceptable, sentence)
            }
            NothingThere::Booking => {
                refuse(StatusCode::BAD_REQUEST, "booking_id", ErrorCode::InvalidFormat, "is no UUID")
            }
            NothingThere::Command => {
                let sentence = "is no command of the finance service";
                refuse(StatusCode::NOT_FOUND, "command", ErrorCode::CommandUnknown, sentence)
            }
        }
    }
}

impl NotAcceptable {
    /// The member of the request that asked for it, and what there is instead.
    fn complaint(self) -> (&'static str, String) {
        match self {
            Self::OtherMessage { media_type } => {
                let sentence = format!(
                    "the message to the tax authority is {media_type}: take that, or ask with part=authority and without Accept"
                );
                ("accept", sentence)
            }
            Self::OtherDocument => {
                ("accept", "the structured document is application/json: take that".to_owned())
            }
            Self::NoMessage { by_name } => {
                let sentence = "there is no message to the tax authority: no verdict came yet, or the provider had none to give; \
                                the document as sent is application/json";
                (if by_name { "part" } else { "accept" }, sentence.to_owned())
            }
        }
    }
}

impl From<RetryError> for ApiError {
    fn from(error: RetryError) -> Self {
        let sentence = error.to_string();
        match error {
            RetryError::Gone => NothingThere::Submission.into(),
            RetryError::Ended(_) | RetryError::NothingToRead => {
                refuse(StatusCode::UNPROCESSABLE_ENTITY, "state", ErrorCode::SubmissionNotWaiting, sentence)
            }
            RetryError::Moved => refuse(StatusCode::CONFLICT, "state", ErrorCode::Stale, sentence),
            RetryError::Store(cause) => Self::internal(cause),
        }
    }
}

impl From<IdentityError> for Failure {
    fn from(error: IdentityError) -> Self {
        let message = error.to_string();
        let failure = |code, faults| {
            let errors = vec![FieldError::new("base", code, &message)];
            Self::Command { code, message: message.clone(), errors, faults }
        };
        match error {
            IdentityError::Gone => CommandError::Gone.into(),
            IdentityError::NotConfigured => failure(ErrorCode::EInvoicingNotConfigured, Vec::new()),
            IdentityError::Plugin(mapping) => {
                let blocked = mapping.faults.iter().any(|fault| fault.code == PLUGIN_BLOCKED);
                let code = if blocked { ErrorCode::RegimeNotActive } else { ErrorCode::PluginFailed };
                failure(code, mapping.faults)
            }
            IdentityError::Converter(error) => CommandError::Converter(error).into(),
            IdentityError::Read(error) => error.into(),
        }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        match self {
            Self::Api(errors) => errors.into_response(),
            Self::Command { code, message, errors, faults } => {
                let mut map: BTreeMap<String, Vec<String>> = BTreeMap::new();
                for error in errors {
                    map.entry(error.field).or_default().push(error.message);
                }
                let (result, tag) = (FailureResult::Failure, FailureTag::ValidationError);
                let body = CommandFailure { result, tag, code, message, errors: map, faults };
                (StatusCode::UNPROCESSABLE_ENTITY, axum::Json(body)).into_response()
            }
        }
    }
}

/// A refusal of the command (`CommandFailure`), or of a request that could not be read (`Errors`).
pub(super) struct RefusedCommandResponse;

impl<'r> ToResponse<'r> for RefusedCommandResponse {
    fn response() -> (&'r str, RefOr<openapi::Response>) {
        let either = AnyOfBuilder::new()
            .item(Ref::from_schema_name(CommandFailure::name()))
            .item(Ref::from_schema_name(Errors::name()));
        let about = "The command was refused, or no plugin gave an answer (`CommandFailure`), or the request could not be read \
                     (`Errors`).";
        let response = ResponseBuilder::new()
            .description(about)
            .content("application/json", Content::new(Some(Schema::AnyOf(either.build()))));
        ("CommandRefused", response.build().into())
    }
}

/// Why a command was refused.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct CommandFailure {
    /// That it was refused.
    result: FailureResult,
    /// What kind of refusal it is.
    tag: FailureTag,
    /// A named failure code.
    #[schema(value_type = String, examples("documentLockedWhileIssuing"))]
    code: ErrorCode,
    /// One sentence, for people.
    #[schema(examples("the document waits for the tax authority: wait for its verdict"))]
    message: String,
    /// Complaints by member.
    #[schema(schema_with = complaints)]
    errors: BTreeMap<String, Vec<String>>,
    /// What a tax plugin finds wrong.
    faults: Vec<Fault>,
}

/// Sentences by member; each member that is named has one at least.
fn complaints() -> Schema {
    let sentences =
        ArrayBuilder::new().items(ObjectBuilder::new().schema_type(Type::String)).min_items(Some(1));
    let by_member = ObjectBuilder::new().schema_type(Type::Object).additional_properties(Some(sentences));
    by_member.description(Some("Complaints by member.")).into()
}

/// That a command was refused.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum FailureResult {
    /// It was.
    Failure,
}

/// What kind of refusal it is.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum FailureTag {
    /// What was asked for may not be done.
    ValidationError,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn no_other_file_of_the_surface_says_what_status_an_error_has() {
        let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/finance")];
        let mut read = 0;
        while let Some(path) = open.pop() {
            if path.is_dir() {
                open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            } else if !path.ends_with("failure.rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                assert!(
                    !text.contains("StatusCode"),
                    "{}: its statuses belong to failure.rs",
                    path.display()
                );
                read += 1;
            }
        }
        assert!(read > 8, "{read}");
    }

    #[test]
    fn what_is_not_there_says_so_by_its_status() {
        let status = |error: ApiError| error.into_response().status().as_u16();
        for (nothing, expected) in [
            (NothingThere::Document, 410),
            (NothingThere::Submission, 410),
            (NothingThere::Conversion, 410),
            (NothingThere::Representation(NotAcceptable::OtherDocument), 406),
            (NothingThere::Representation(NotAcceptable::NoMessage { by_name: true }), 406),
            (NothingThere::Booking, 400),
            (NothingThere::Command, 404),
        ] {
            let what = format!("{nothing:?}");
            assert_eq!(status(nothing.into()), expected, "{what}");
        }
        assert_eq!(status(RetryError::Gone.into()), 410);
        assert_eq!(status(RetryError::NothingToRead.into()), 422);
        assert_eq!(status(RetryError::Moved.into()), 409);
    }

    #[test]
    fn a_command_whose_turn_does_not_come_is_a_conflict_that_says_when_to_come_back() {
        let response = Failure::from(CommandError::InProgress).into_response();
        assert_eq!(response.status(), StatusCode::CONFLICT);
        assert_eq!(response.headers()["retry-after"], "1");
    }
}
