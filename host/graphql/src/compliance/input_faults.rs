//! What is wrong with the inputs of a request, and the one error that names all of it.

use crate::errors;
use crate::response::GraphQLErrorCode;
use async_graphql::{ErrorExtensionValues, Pos, ServerError, Value};
use gateway_domain::{ErrorCode, FieldError};

/// A mistake: where in the inputs, what, and where in the document.
#[derive(Debug, PartialEq)]
pub(super) struct InputFault {
    pub(super) field: String,
    pub(super) message: String,
    /// The sentence, where it does not begin with the field.
    pub(super) sentence: Option<String>,
    pub(super) pos: Pos,
}

pub(super) fn to_error(faults: Vec<InputFault>) -> ServerError {
    let sentence = |fault: &InputFault| {
        fault.sentence.clone().unwrap_or_else(|| format!("{}: {}", fault.field, fault.message))
    };
    let message = faults.iter().map(sentence).collect::<Vec<_>>().join("; ");
    let mut error = ServerError::new(message, None);
    error.locations = faults.iter().map(|fault| fault.pos).collect();
    error.locations.dedup();
    let fields: Vec<FieldError> = faults
        .into_iter()
        .map(|fault| FieldError::new(fault.field, ErrorCode::QueryInvalid, fault.message))
        .collect();
    let extensions = error.extensions.get_or_insert_with(ErrorExtensionValues::default);
    extensions.set("code", Value::from(GraphQLErrorCode::BadUserInput.as_str()));
    extensions.set("reason", Value::from(ErrorCode::QueryInvalid.as_str()));
    extensions.set("fields", errors::fields(&fields));
    error
}

/// The members of a mutation's input are named without `input.`, as rules name them.
pub(super) fn without_input_prefix(path: &str) -> &str {
    path.strip_prefix("input.").unwrap_or(path)
}
