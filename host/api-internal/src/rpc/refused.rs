//! Why documents are not answered: the statuses of each operation are one exhaustive function.

use crate::errors::{ApiError, refuse};
use axum::http::StatusCode;
use gateway_domain::invoicing::{IssueError, NotEditable, Status};
use gateway_domain::{ErrorCode, FieldError};
use gateway_invoicing::{DeleteError, RejectError, SaveError, StepError};

/// No such document, or none the client may see (specification: 410).
pub(crate) fn gone() -> ApiError {
    refuse(StatusCode::GONE, "uuid", ErrorCode::DocumentGone, "there is no such document")
}

fn stale(error: &impl std::fmt::Display) -> ApiError {
    refuse(StatusCode::PRECONDITION_FAILED, "version", ErrorCode::Stale, error.to_string())
}

fn unprocessable(field: &str, code: ErrorCode, error: &impl std::fmt::Display) -> ApiError {
    refuse(StatusCode::UNPROCESSABLE_ENTITY, field, code, error.to_string())
}

impl From<SaveError> for ApiError {
    fn from(error: SaveError) -> Self {
        match error {
            SaveError::Invalid(fields) => Self::new(StatusCode::UNPROCESSABLE_ENTITY, fields),
            SaveError::Gone => gone(),
            SaveError::NotEditable(error @ NotEditable::Locked) => {
                unprocessable("base", error.code(), &error)
            }
            SaveError::NotEditable(error @ NotEditable::Issued) => {
                unprocessable("status", error.code(), &error)
            }
            SaveError::NotEditable(error @ NotEditable::KeepsItsKind(_)) => {
                unprocessable("document_type", error.code(), &error)
            }
            SaveError::Stale { .. } => stale(&error),
            SaveError::Store(cause) => Self::internal(cause),
        }
    }
}

impl From<DeleteError> for ApiError {
    fn from(error: DeleteError) -> Self {
        match error {
            DeleteError::Gone => gone(),
            DeleteError::NotDeletable(error) => match error.found {
                Status::Issuing => unprocessable("base", NotEditable::Locked.code(), &NotEditable::Locked),
                Status::Draft | Status::Issued | Status::Rejected => {
                    unprocessable("status", ErrorCode::DocumentNotIssuing, &error)
                }
            },
            DeleteError::Stale { .. } => stale(&error),
            DeleteError::Store(cause) => Self::internal(cause),
        }
    }
}

/// The member an issue error is about, and what is said of it.
pub(crate) fn issue_mistake(error: &IssueError) -> FieldError {
    let field = match error {
        IssueError::WrongState { .. } => "status",
        IssueError::WrongKind | IssueError::Blocked | IssueError::NumberGiven => "base",
        IssueError::NoLines | IssueError::ExceedsOriginal => "lines",
        IssueError::WrongOriginal => "referenced_document_ids",
        IssueError::NumberUnknown => "number",
        IssueError::SeriesMovedOn => "at",
    };
    FieldError::new(field, error.code(), error.to_string())
}

impl From<StepError> for ApiError {
    fn from(error: StepError) -> Self {
        match error {
            StepError::Gone => gone(),
            StepError::Issue(error) => {
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, vec![issue_mistake(&error)])
            }
            StepError::Stale { .. } => stale(&error),
            StepError::Store(cause) => Self::internal(cause),
        }
    }
}

impl From<RejectError> for ApiError {
    fn from(error: RejectError) -> Self {
        match error {
            RejectError::Gone => gone(),
            RejectError::NotRejectable(error) => {
                unprocessable("status", ErrorCode::DocumentNotADraft, &error)
            }
            RejectError::Store(cause) => Self::internal(cause),
        }
    }
}
