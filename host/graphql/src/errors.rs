//! What goes wrong, as clients see it. Every failure of an operation becomes a [`Refusal`] here and nowhere else.

use crate::request_loader::Cause;
use crate::response::GraphQLErrorCode;
use async_graphql::{Error, ErrorExtensionValues, ID, ServerError, Value};
use gateway_domain::access::Permission;
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain::{StoreCauseKind, StoreError};
use gateway_graphql_compliance::InputFaults;
use gateway_platform::{NotFound, PlatformError};
use gateway_webhooks::WebhookError;
use std::fmt::Display;
use std::sync::Arc;

/// Nothing about the inside leaves the house.
pub(crate) const INTERNAL: &str = "the gateway failed: try again, and name the request id when you report it";

/// Why a field has no value.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The client lacks a permission.
    Forbidden(Permission),
    /// What a mutation names does not exist for this client.
    NotFound { field: String, ids: Vec<String> },
    /// Every mistake of the input; fields are named as in the schema.
    BadInput(Vec<FieldError>),
    /// The request asks for too much at once.
    TooComplex(String),
    /// Somebody else changed the same thing at the same moment.
    Conflict,
    /// The gateway itself failed.
    Internal(Cause),
}

impl Refusal {
    /// One mistake.
    pub(crate) fn input(field: &str, code: ErrorCode, message: impl Into<String>) -> Self {
        Self::BadInput(vec![FieldError::new(field, code, message)])
    }

    /// Mistakes that are named as in an import, below `within` of the mutation's input.
    pub(crate) fn fields(within: &str, faults: Vec<FieldError>) -> Self {
        let renamed =
            |fault: FieldError| FieldError::new(camel_case(within, &fault.field), fault.code, fault.message);
        Self::BadInput(faults.into_iter().map(renamed).collect())
    }

    /// A mutation that names what cannot exist.
    pub(crate) fn unknown<'a>(field: &str, ids: impl IntoIterator<Item = &'a ID>) -> Self {
        Self::NotFound { field: field.to_owned(), ids: ids.into_iter().map(|id| id.to_string()).collect() }
    }

    /// Why an operation on the platform's data was not carried out; `within` is where the mutation's input has the
    /// members that the operation names.
    pub(crate) fn change(within: &str, error: PlatformError) -> Self {
        match error {
            PlatformError::Invalid(faults) => Self::fields(within, faults),
            PlatformError::NotFound(NotFound { field, ids, .. }) => {
                Self::NotFound { field: camel_case("", field), ids }
            }
            PlatformError::Store(cause) => Self::store(cause),
        }
    }

    /// Why an operation on webhooks was not carried out.
    pub(crate) fn webhooks(error: WebhookError) -> Self {
        match error {
            WebhookError::Invalid(faults) => Self::fields("", faults),
            // What is called `id` in the path of the REST API is named among other members here.
            WebhookError::NotFound { field: "id", id, .. } => {
                Self::NotFound { field: "webhookId".to_owned(), ids: vec![id] }
            }
            WebhookError::NotFound { field, id, .. } => {
                Self::NotFound { field: camel_case("", field), ids: vec![id] }
            }
            WebhookError::Sealing(cause) => Self::internal(cause),
            WebhookError::Store(cause) => Self::store(cause),
        }
    }

    /// A change that the database did not make. What two requests did to the same thing at once, the second may repeat.
    fn store(cause: StoreError) -> Self {
        let is_duplicate = cause.kind() == Some(StoreCauseKind::Duplicate);
        match cause {
            StoreError::Moved { .. } | StoreError::Repeated => Self::Conflict,
            StoreError::Failed { .. } | StoreError::NotDurable(_) if is_duplicate => Self::Conflict,
            StoreError::Failed { .. } | StoreError::NotDurable(_) => Self::internal(cause),
        }
    }

    pub(crate) fn internal(cause: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::Internal(Arc::new(cause))
    }
}

impl From<Cause> for Refusal {
    fn from(cause: Cause) -> Self {
        Self::Internal(cause)
    }
}

/// `contract_latest_start_date` is `contractLatestStartDate` here.
fn camel_case(within: &str, field: &str) -> String {
    let mut name = String::from(within);
    let mut upper = false;
    if !within.is_empty() {
        name.push('.');
    }
    for letter in field.chars() {
        match letter {
            '_' => upper = true,
            _ if upper => {
                upper = false;
                name.push(letter.to_ascii_uppercase());
            }
            _ => name.push(letter),
        }
    }
    name
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Forbidden(permission) => {
                let message = format!("the client lacks the permission {permission}");
                error(GraphQLErrorCode::Forbidden, ErrorCode::PermissionMissing, message)
            }
            Refusal::NotFound { field, ids } => {
                let message = format!("there is no {} {}", noun_of_field(&field), ids.join(", "));
                let mut error = error(GraphQLErrorCode::NotFound, ErrorCode::NotFound, message);
                set_extension(&mut error, "field", Value::from(field));
                set_extension(&mut error, "ids", Value::List(ids.into_iter().map(Value::from).collect()));
                error
            }
            Refusal::BadInput(faults) => {
                let sentence = |fault: &FieldError| format!("{}: {}", fault.field, fault.message);
                let message = faults.iter().map(sentence).collect::<Vec<_>>().join("; ");
                let reason = first_code(&faults);
                let mut error = error(GraphQLErrorCode::BadUserInput, reason, message);
                set_extension(&mut error, "fields", fields(&faults));
                error
            }
            Refusal::TooComplex(message) => {
                error(GraphQLErrorCode::QueryTooComplex, ErrorCode::QueryTooComplex, message)
            }
            Refusal::Conflict => error(
                GraphQLErrorCode::Conflict,
                ErrorCode::Stale,
                "somebody else changed this at the same moment: read it again and repeat the request",
            ),
            Refusal::Internal(_) => error(GraphQLErrorCode::Internal, ErrorCode::Internal, INTERNAL),
        }
    }
}

/// What a field that names things names: `product group` of `productGroupIds`.
fn noun_of_field(field: &str) -> String {
    if matches!(field, "ratePlans" | "tariffs") {
        return "rate plan".to_owned();
    }
    let name = field.strip_suffix("Ids").or_else(|| field.strip_suffix("Id")).unwrap_or(field);
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            words.push(' ');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}

fn set_extension(error: &mut Error, name: &str, value: Value) {
    error.extensions.get_or_insert_with(ErrorExtensionValues::default).set(name, value);
}

/// What a program tells mistakes by: the code of the first.
fn first_code(faults: &[FieldError]) -> ErrorCode {
    faults.first().map_or(ErrorCode::QueryInvalid, |fault| fault.code)
}

fn error(code: GraphQLErrorCode, reason: ErrorCode, message: impl Into<String>) -> Error {
    let mut error = Error::new(message);
    set_extension(&mut error, "code", Value::from(code.as_str()));
    set_extension(&mut error, "reason", Value::from(reason.as_str()));
    error
}

/// What is wrong with the inputs of a request that does not run.
pub(crate) fn of_inputs(faults: InputFaults) -> ServerError {
    let mut error = ServerError::new(faults.message, None);
    error.locations = faults.locations;
    let extensions = error.extensions.get_or_insert_with(ErrorExtensionValues::default);
    extensions.set("code", Value::from(GraphQLErrorCode::BadUserInput.as_str()));
    extensions.set("reason", Value::from(ErrorCode::QueryInvalid.as_str()));
    extensions.set("fields", fields(&faults.fields));
    error
}

/// `extensions.fields`.
pub(crate) fn fields(faults: &[FieldError]) -> Value {
    let row = |fault: &FieldError| {
        let members = [
            ("field", fault.field.as_str()),
            ("code", fault.code.as_str()),
            ("message", fault.message.as_str()),
        ];
        let members = members.map(|(name, text)| (async_graphql::Name::new(name), Value::from(text)));
        Value::Object(members.into_iter().collect())
    };
    Value::List(faults.iter().map(row).collect())
}

/// A row that another row refers to, and that must be there.
pub(crate) fn require_referenced<T>(
    what: &'static str,
    id: impl Display,
    value: Option<T>,
) -> Result<T, Refusal> {
    #[derive(Debug, thiserror::Error)]
    #[error("{0} {1} is referred to and not there")]
    struct ReferenceMissing(&'static str, String);
    value.ok_or_else(|| Refusal::internal(ReferenceMissing(what, id.to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn mistakes_are_named_as_in_the_schema() {
        let faults = vec![
            FieldError::new("contract_latest_start_date", ErrorCode::EndBeforeStart, "too late"),
            FieldError::new("publishing.end_date", ErrorCode::OutOfRange, "too early"),
        ];
        let error = Error::from(Refusal::fields("productGroup", faults));
        let extensions = serde_json::to_value(error.extensions).unwrap();
        assert_eq!(
            extensions,
            json!({"code": "BAD_USER_INPUT", "reason": "endBeforeStart", "fields": [
                {"field": "productGroup.contractLatestStartDate", "code": "endBeforeStart", "message": "too late"},
                {"field": "productGroup.publishing.endDate", "code": "outOfRange", "message": "too early"}]})
        );
        assert_eq!(camel_case("", "rate_plans[0].min_stay"), "ratePlans[0].minStay");
    }

    #[test]
    fn a_failure_inside_says_nothing_about_the_inside() {
        let error = Error::from(Refusal::internal(std::io::Error::other("password=1234")));
        assert_eq!(error.message, INTERNAL);
        assert!(error.source.is_none());
        assert_eq!(
            serde_json::to_value(error.extensions).unwrap(),
            json!({"code": "INTERNAL", "reason": "internal"})
        );
    }

    #[test]
    fn what_a_mutation_does_not_find_is_listed() {
        let ids = vec!["a".to_owned(), "b".to_owned()];
        let error = Error::from(Refusal::NotFound { field: "productGroupIds".to_owned(), ids });
        assert_eq!(error.message, "there is no product group a, b");
        assert_eq!(
            serde_json::to_value(error.extensions).unwrap(),
            json!({"code": "NOT_FOUND", "reason": "notFound", "field": "productGroupIds", "ids": ["a", "b"]})
        );
    }
}
