//! What is wrong with the inputs of a request, and the one answer that names all of it.

use async_graphql::Pos;
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

/// Everything that is wrong with the inputs of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputFaults {
    /// All of it in one sentence.
    pub message: String,
    /// Where in the document.
    pub locations: Vec<Pos>,
    /// Each mistake with the path of its member.
    pub fields: Vec<FieldError>,
}

impl From<Vec<InputFault>> for InputFaults {
    fn from(faults: Vec<InputFault>) -> Self {
        let sentence = |fault: &InputFault| {
            fault.sentence.clone().unwrap_or_else(|| format!("{}: {}", fault.field, fault.message))
        };
        let message = faults.iter().map(sentence).collect::<Vec<_>>().join("; ");
        let mut locations: Vec<Pos> = faults.iter().map(|fault| fault.pos).collect();
        locations.dedup();
        let field = |fault: InputFault| FieldError::new(fault.field, ErrorCode::QueryInvalid, fault.message);
        Self { message, locations, fields: faults.into_iter().map(field).collect() }
    }
}

/// The members of a mutation's input are named without `input.`, as rules name them.
pub(super) fn without_input_prefix(path: &str) -> &str {
    path.strip_prefix("input.").unwrap_or(path)
}
