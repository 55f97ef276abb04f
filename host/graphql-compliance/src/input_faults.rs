//! What is wrong with the inputs of a request, and the one answer that names all of it.

use super::schema_types::ScalarRule;
use async_graphql::Pos;
use gateway_domain::{ErrorCode, FieldError};
use std::fmt;

/// A mistake: where in the inputs, what, and where in the document.
#[derive(Debug, PartialEq)]
pub(super) struct InputFault {
    /// The path of the member: `items[2].quantity`.
    pub(super) field: String,
    pub(super) mistake: InputMistake,
    pub(super) pos: Pos,
}

/// What may be wrong with an input.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum InputMistake {
    /// There is no value, and there must be one.
    Required,
    /// The value is null, and must not be.
    Null,
    /// A variable of this type that must have a value has none.
    VariableRequired { ty: String },
    /// A variable of this type is given as null.
    VariableNull { ty: String },
    /// A variable of another type than its position has.
    VariableType { name: String, ty: String, expected: String },
    /// A variable that is defined already.
    DefinedTwice,
    /// A directive that the schema does not have.
    UnknownDirective,
    /// Two fields of one name that are not the same.
    SelectedTwice,
    /// A value that is no object.
    NotAnObject,
    /// A key of federation that is no object.
    NotAnEntityKey,
    /// A member that the type does not have; `meant` is the nearest that it has.
    UnknownMember { of: String, meant: Option<String> },
    /// None of the values of an enum or the types of a key; `quoted`: it may be that only its quotes are wrong.
    NotOneOf { values: Vec<String>, quoted: bool, meant: Option<String> },
    /// A value that the scalar does not have.
    NotOfScalar(ScalarMistake),
}

/// What a value of a scalar must be and is not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum ScalarMistake {
    NoInt,
    IntRange,
    NoFloat,
    NoBoolean,
    NoString,
    NoId,
    /// A scalar of the schema's own.
    Own(&'static ScalarRule),
}

impl InputMistake {
    /// The sentence about a mistake at `field`, where it is not the field and the mistake.
    fn sentence(&self, field: &str) -> String {
        match self {
            Self::VariableRequired { ty } | Self::VariableNull { ty } => {
                format!("variable ${field} of type {ty} {self}")
            }
            Self::VariableType { .. } => self.to_string(),
            _ => format!("{field}: {self}"),
        }
    }
}

impl fmt::Display for InputMistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Required | Self::VariableRequired { .. } => f.write_str("is required"),
            Self::Null | Self::VariableNull { .. } => f.write_str("must not be null"),
            Self::VariableType { name, ty, expected } => {
                write!(f, "variable ${name} of type {ty} is given where {expected} is expected")
            }
            Self::DefinedTwice => f.write_str("is defined twice"),
            Self::UnknownDirective => f.write_str("there is no such directive"),
            Self::SelectedTwice => f.write_str("is selected in two ways: give one of them an alias"),
            Self::NotAnObject => f.write_str("must be an object"),
            Self::NotAnEntityKey => f.write_str("must be an object with __typename and id"),
            Self::UnknownMember { of, meant } => {
                write!(f, "{of} has no such member{}", did_you_mean(meant.as_deref()))
            }
            Self::NotOneOf { values, quoted, meant } => {
                let quotes = if *quoted { ", without quotes" } else { "" };
                let values = values.join(", ");
                write!(f, "must be one of {values}{quotes}{}", did_you_mean(meant.as_deref()))
            }
            Self::NotOfScalar(mistake) => f.write_str(mistake.message()),
        }
    }
}

impl ScalarMistake {
    const fn message(self) -> &'static str {
        match self {
            Self::NoInt => "must be a whole number",
            Self::IntRange => "must be a whole number from -2147483648 to 2147483647",
            Self::NoFloat => "must be a number",
            Self::NoBoolean => "must be true or false",
            Self::NoString => "must be a text",
            Self::NoId => "must be a text or a whole number",
            Self::Own(rule) => rule.message,
        }
    }
}

/// Which known name was probably meant, behind what is wrong.
fn did_you_mean(known: Option<&str>) -> String {
    known.map(|known| format!("; did you mean {known}?")).unwrap_or_default()
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
        let sentence = |fault: &InputFault| fault.mistake.sentence(&fault.field);
        let message = faults.iter().map(sentence).collect::<Vec<_>>().join("; ");
        let mut locations: Vec<Pos> = faults.iter().map(|fault| fault.pos).collect();
        locations.dedup();
        let field = |fault: InputFault| {
            FieldError::new(fault.field, ErrorCode::QueryInvalid, fault.mistake.to_string())
        };
        Self { message, locations, fields: faults.into_iter().map(field).collect() }
    }
}

/// The members of a mutation's input are named without `input.`, as rules name them.
pub(super) fn without_input_prefix(path: &str) -> &str {
    path.strip_prefix("input.").unwrap_or(path)
}
