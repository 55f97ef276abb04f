//! The finance service over HTTP.

use super::AppState;
use super::access::Authenticated;
use super::errors::ApiErrors;
use super::events::cloud_event;
use super::json::{OptionalJson, refuse};
use super::query::Params;
use super::rpc::{document_id, gone, issue_mistake};
use axum::Router;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use gateway_app::Gateway;
use gateway_app::finance::{AcceptanceForm, CommandError, DryRun, Outcome, RetryError};
use gateway_app::invoicing::DocumentView;
use gateway_domain::access::{Acting, Permission};
use gateway_domain::fault::Fault;
use gateway_domain::finance::{Command, Refusal, Route};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::FieldError;
use gateway_domain::ports::ConverterError;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The routes of the finance service.
pub(super) fn router() -> Router<AppState> {
    Router::new()
        .route("/finance/rpc/documents/{uuid}", get(show))
        .route("/finance/rpc/documents/{uuid}/commands/{command}", post(command))
        .route("/finance/rpc/documents/{uuid}/events", get(events))
        .route("/finance/rpc/documents/{uuid}/submission", get(submission))
        .route("/finance/rpc/documents/{uuid}/structured", get(structured))
        .route("/finance/rpc/submissions/{uuid}/retry", post(retry))
}

fn acting(caller: &Authenticated) -> Result<Acting, ApiErrors> {
    caller.require(Permission::FinanceRpc)?;
    Ok(Acting::from(&caller.0))
}

async fn show(
    State(gateway): State<Gateway>,
    caller: Authenticated,
    Path(uuid): Path<String>,
) -> Result<Response, ApiErrors> {
    let (acting, id) = (acting(&caller)?, document_id(&uuid)?);
    let found = gateway.document(&acting, id).await.map_err(ApiErrors::internal)?.ok_or_else(gone)?;
    Ok(axum::Json(DocumentView::from(&found)).into_response())
}

async fn events(
    State(gateway): State<Gateway>,
    caller: Authenticated,
    Path(uuid): Path<String>,
) -> Result<axum::Json<Value>, ApiErrors> {
    let (acting, id) = (acting(&caller)?, document_id(&uuid)?);
    known(&gateway, &acting, id).await?;
    let events = gateway.finance_events(&acting, id).await.map_err(ApiErrors::internal)?;
    Ok(axum::Json(json!({"events": events.iter().map(cloud_event).collect::<Vec<_>>()})))
}

async fn known(gateway: &Gateway, acting: &Acting, id: InvoiceId) -> Result<(), ApiErrors> {
    let found = gateway.document(acting, id).await.map_err(ApiErrors::internal)?;
    found.map(drop).ok_or_else(gone)
}

async fn submission(
    State(gateway): State<Gateway>,
    caller: Authenticated,
    Path(uuid): Path<String>,
) -> Result<axum::Json<Value>, ApiErrors> {
    let (acting, id) = (acting(&caller)?, document_id(&uuid)?);
    let found = gateway.submission(&acting, id).await.map_err(ApiErrors::internal)?;
    found.map(|view| axum::Json(view.to_json())).ok_or_else(never_submitted)
}

async fn structured(
    State(gateway): State<Gateway>,
    caller: Authenticated,
    Path(uuid): Path<String>,
) -> Result<Response, ApiErrors> {
    let (acting, id) = (acting(&caller)?, document_id(&uuid)?);
    let found = gateway.submission(&acting, id).await.map_err(ApiErrors::internal)?;
    let body = found.and_then(|view| view.submission.structured);
    let body = body.ok_or_else(|| refuse(StatusCode::GONE, "uuid", "the document was not converted yet"))?;
    Ok(([(header::CONTENT_TYPE, "application/json")], body).into_response())
}

async fn retry(
    State(gateway): State<Gateway>,
    caller: Authenticated,
    Path(uuid): Path<String>,
) -> Result<axum::Json<Value>, ApiErrors> {
    let (acting, id) = (acting(&caller)?, document_id(&uuid)?);
    let view = gateway.retry_submission(&acting, id).await.map_err(|error| match error {
        RetryError::Gone => never_submitted(),
        RetryError::Ended(_) => refuse(StatusCode::UNPROCESSABLE_ENTITY, "state", error.to_string()),
        RetryError::Moved => refuse(StatusCode::CONFLICT, "state", error.to_string()),
        RetryError::Store(cause) => ApiErrors::internal(cause),
    })?;
    Ok(axum::Json(view.to_json()))
}

fn never_submitted() -> ApiErrors {
    refuse(StatusCode::GONE, "uuid", "there is no submission of such a document")
}

async fn command(
    State(gateway): State<Gateway>,
    caller: Authenticated,
    Path((uuid, name)): Path<(String, String)>,
    params: Params,
    OptionalJson(body): OptionalJson<Map<String, Value>>,
) -> Result<Response, Failure> {
    let acting = acting(&caller)?;
    let Some(command) = Command::parse(&name) else {
        return Err(refuse(StatusCode::NOT_FOUND, "command", "is no command of the finance service").into());
    };
    if matches!(command, Command::MarkAsAcceptedByTaxAuthority | Command::MarkAsRejectedByTaxAuthority) {
        caller.require(Permission::FinanceVerdict)?;
    }
    params.only(&["dry_run"])?;
    let dry_run = params.parse("dry_run", "use true or false", |text| text.parse().ok())?.unwrap_or(false);
    let id = document_id(&uuid)?;
    let mut body = Body(body);
    if dry_run && command != Command::Issue {
        let document = gateway.command_dry_run(&acting, id, command).await?;
        let shown = json!({"dry_run": true, "document": DocumentView::from(&document), "events": []});
        return Ok(axum::Json(shown).into_response());
    }
    let outcome = match command {
        Command::Issue => {
            let at = body.member("at", "a time as RFC 3339")?;
            body.nothing_else()?;
            if dry_run {
                return Ok(dry_run_answer(&gateway.issue_dry_run(&acting, id).await?));
            }
            gateway.issue_command(&acting, id, at).await?
        }
        Command::MarkAsAcceptedByTaxAuthority => {
            let form = AcceptanceForm {
                qr_url: body.member("qr_url", "a text")?,
                tax_system_hash: body.member("tax_system_hash", "a text")?,
                accepted_at: body.member("accepted_at", "a time as RFC 3339")?,
            };
            body.nothing_else()?;
            gateway.accept_command(&acting, id, form).await?
        }
        Command::MarkAsRejectedByTaxAuthority => {
            let (reason, code) = (body.member("reason", "a text")?, body.member("code", "a text")?);
            body.nothing_else()?;
            gateway.reject_command(&acting, id, reason, code).await?
        }
        Command::Credit
        | Command::Refund
        | Command::Reverse
        | Command::Delete
        | Command::UpdateRecipient
        | Command::AddTransaction
        | Command::RemoveTransaction
        | Command::UpdateTransaction
        | Command::SendToTaxAuthority => {
            gateway.command_dry_run(&acting, id, command).await?;
            return Err(CommandError::NotSupported(command.as_str()).into());
        }
    };
    Ok(answer(&outcome))
}

fn answer(outcome: &Outcome) -> Response {
    let events: Vec<_> = outcome.events.iter().map(cloud_event).collect();
    axum::Json(json!({"document": DocumentView::from(&outcome.document), "events": events})).into_response()
}

fn dry_run_answer(dry_run: &DryRun) -> Response {
    let route = match dry_run.route {
        Route::Standard => "standard",
        Route::TaxAuthority => "tax_authority",
    };
    axum::Json(json!({
        "dry_run": true,
        "route": route,
        "would_issue": !dry_run.faults.iter().any(Fault::stops),
        "faults": dry_run.faults,
        "document": DocumentView::from(&dry_run.document),
        "events": [],
    }))
    .into_response()
}

/// The members of a command, taken one by one.
struct Body(Map<String, Value>);

impl Body {
    fn member<T: DeserializeOwned>(&mut self, name: &str, wanted: &str) -> Result<Option<T>, CommandError> {
        match self.0.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) if value.as_str().is_some_and(|text| text.contains('\0') || text.len() > 4_000) => {
                Err(mistake(name, "may have at most 4000 characters and no NUL"))
            }
            Some(value) => {
                serde_json::from_value(value).map(Some).map_err(|_| mistake(name, &format!("use {wanted}")))
            }
        }
    }

    fn nothing_else(&self) -> Result<(), CommandError> {
        self.0.keys().next().map_or(Ok(()), |name| Err(mistake(name, "is no member of this command")))
    }
}

fn mistake(field: &str, message: &str) -> CommandError {
    CommandError::Invalid(vec![FieldError::new(field, message)])
}

/// Why a command failed, as the specification shapes it: a result, a tag, a message, an errors map, a named code.
#[derive(Debug)]
pub(super) enum Failure {
    /// Refused before the command was looked at.
    Api(ApiErrors),
    /// Refused by the command.
    Command { code: &'static str, message: String, errors: Vec<FieldError>, faults: Vec<Fault> },
}

impl From<ApiErrors> for Failure {
    fn from(errors: ApiErrors) -> Self {
        Self::Api(errors)
    }
}

impl From<CommandError> for Failure {
    fn from(error: CommandError) -> Self {
        let message = error.to_string();
        let failure =
            |code, errors| Self::Command { code, message: message.clone(), errors, faults: Vec::new() };
        match error {
            CommandError::Gone => Self::Api(gone()),
            CommandError::Refused(refusal) => {
                let shown = match refusal {
                    Refusal::LockedWhileIssuing => refusal.code(),
                    Refusal::AlreadyIssued
                    | Refusal::NotIssued
                    | Refusal::NotADraft
                    | Refusal::NotIssuing
                    | Refusal::DispatchedInternally => refusal.message(),
                };
                failure(refusal.code(), vec![FieldError::new("base", shown)])
            }
            CommandError::Issue(error) => {
                let code = match error {
                    gateway_domain::invoicing::IssueError::WrongState { .. } => "documentWrongState",
                    gateway_domain::invoicing::IssueError::WrongKind => "invoiceInvalidDocumentType",
                    gateway_domain::invoicing::IssueError::NoLines => "documentWithoutLines",
                };
                failure(code, vec![issue_mistake(&error)])
            }
            CommandError::Preflight(faults) => {
                let stopping = faults.iter().filter(|fault| fault.stops());
                let errors =
                    stopping.map(|fault| FieldError::new(field_of(&fault.path), &fault.message)).collect();
                Self::Command { code: "preflightFailed", message, errors, faults }
            }
            CommandError::Invalid(errors) => failure("commandInvalid", errors),
            CommandError::NotSupported(_) => {
                let errors = vec![FieldError::new("base", message.clone())];
                failure("commandNotSupported", errors)
            }
            CommandError::Converter(ConverterError::UnknownRegime(_)) => {
                let errors = vec![FieldError::new("base", message.clone())];
                failure("regimeNotActive", errors)
            }
            CommandError::Converter(_) => {
                Self::Api(refuse(StatusCode::SERVICE_UNAVAILABLE, "base", "the gateway is busy: try again"))
            }
            CommandError::Store(cause) => Self::Api(ApiErrors::internal(cause)),
        }
    }
}

/// A JSON Pointer as the dotted name used in error lists: `/lines/0/tax` is `lines[0].tax`.
fn field_of(pointer: &str) -> String {
    let mut field = String::new();
    for part in pointer.split('/').filter(|part| !part.is_empty()) {
        if part.bytes().all(|byte| byte.is_ascii_digit()) {
            field.extend(["[", part, "]"]);
        } else {
            if !field.is_empty() {
                field.push('.');
            }
            field.push_str(part);
        }
    }
    if field.is_empty() { "base".to_owned() } else { field }
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
                let body = json!({"result": "failure", "tag": "validation_error", "code": code,
                    "message": message, "errors": map, "faults": faults});
                (StatusCode::UNPROCESSABLE_ENTITY, axum::Json(body)).into_response()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::field_of;

    #[test]
    fn a_pointer_is_shown_as_a_dotted_name() {
        assert_eq!(field_of("/lines/0/tax/rate"), "lines[0].tax.rate");
        assert_eq!(field_of("/recipient"), "recipient");
        assert_eq!(field_of(""), "base");
    }
}
