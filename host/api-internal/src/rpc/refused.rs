//! Why documents are not answered: the statuses of each operation are one exhaustive function.

use crate::errors::{ApiError, refuse};
use axum::http::StatusCode;
use gateway_annotations::AnnotateError;
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

impl From<AnnotateError> for ApiError {
    fn from(error: AnnotateError) -> Self {
        match error {
            AnnotateError::Gone => gone(),
            AnnotateError::NoAttachment => {
                refuse(StatusCode::NOT_FOUND, "id", ErrorCode::NotFound, error.to_string())
            }
            AnnotateError::Invalid(fields) => Self::new(StatusCode::UNPROCESSABLE_ENTITY, fields),
            AnnotateError::Stale { .. } => stale(&error),
            AnnotateError::IdTaken => {
                refuse(StatusCode::CONFLICT, "id", ErrorCode::AlreadyExists, error.to_string())
            }
            AnnotateError::TooMany => unprocessable("base", ErrorCode::TooMany, &error),
            AnnotateError::Store(cause) => Self::internal(cause),
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
                    unprocessable("status", ErrorCode::DocumentNotADraft, &error)
                }
            },
            DeleteError::Stale { .. } => stale(&error),
            DeleteError::Store(cause) => Self::internal(cause),
        }
    }
}

/// The member an issue error is about, and what is said of it.
pub(crate) fn issue_mistake(error: IssueError) -> FieldError {
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
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, vec![issue_mistake(error)])
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
                unprocessable("status", ErrorCode::DocumentNotIssuing, &error)
            }
            RejectError::Store(cause) => Self::internal(cause),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::to_bytes;
    use axum::response::IntoResponse;
    use gateway_domain::invoicing::{NotDeletable, NotRejectable, SourceStates};

    /// What a client tells a refusal by: its status, and the member and code of its only error.
    async fn refusal(error: impl Into<ApiError>) -> (u16, String, String) {
        let response = error.into().into_response();
        let status = response.status().as_u16();
        let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
        let [only] = body["errors"].as_array().unwrap().as_slice() else { panic!("one error: {body}") };
        let text = |member: &str| only[member].as_str().unwrap().to_owned();
        (status, text("field"), text("code"))
    }

    fn answers(status: u16, field: &str, code: &str) -> (u16, String, String) {
        (status, field.to_owned(), code.to_owned())
    }

    #[tokio::test]
    async fn a_document_that_takes_no_edit_tells_why_by_its_code() {
        let kept = refusal(SaveError::NotEditable(NotEditable::KeepsItsKind("invoice"))).await;
        assert_eq!(refusal(SaveError::Gone).await, answers(410, "uuid", "documentGone"));
        assert_eq!(
            refusal(SaveError::NotEditable(NotEditable::Locked)).await,
            answers(422, "base", "documentLockedWhileIssuing")
        );
        assert_eq!(
            refusal(SaveError::NotEditable(NotEditable::Issued)).await,
            answers(422, "status", "documentAlreadyIssued")
        );
        assert_eq!(kept, answers(422, "document_type", "readOnly"));
        assert_eq!(refusal(SaveError::Stale { current: 3 }).await, answers(412, "version", "stale"));
    }

    #[tokio::test]
    async fn a_document_that_is_no_draft_is_not_deleted_and_says_so_by_its_code() {
        assert_eq!(refusal(DeleteError::Gone).await, answers(410, "uuid", "documentGone"));
        assert_eq!(refusal(DeleteError::Stale { current: 3 }).await, answers(412, "version", "stale"));
        for (found, field, code) in [
            (Status::Issuing, "base", "documentLockedWhileIssuing"),
            (Status::Issued, "status", "documentNotADraft"),
            (Status::Rejected, "status", "documentNotADraft"),
        ] {
            assert_eq!(
                refusal(DeleteError::NotDeletable(NotDeletable { found })).await,
                answers(422, field, code),
                "{found}"
            );
        }
    }

    #[tokio::test]
    async fn a_step_that_the_document_does_not_take_names_the_member_and_the_code() {
        assert_eq!(refusal(StepError::Gone).await, answers(410, "uuid", "documentGone"));
        assert_eq!(refusal(StepError::Stale { current: 3 }).await, answers(412, "version", "stale"));
        for (error, field, code) in [
            (
                IssueError::WrongState { found: Status::Issued, expected: SourceStates::ToIssuing },
                "status",
                "documentWrongState",
            ),
            (IssueError::WrongKind, "base", "invoiceInvalidDocumentType"),
            (IssueError::Blocked, "base", "correctiveBlocked"),
            (IssueError::ExceedsOriginal, "lines", "creditExceedsOriginal"),
            (IssueError::WrongOriginal, "referenced_document_ids", "creditOriginalInvalid"),
            (IssueError::NumberGiven, "base", "invoiceNumberGiven"),
            (IssueError::NumberUnknown, "number", "invoiceNumberUnknown"),
            (IssueError::SeriesMovedOn, "at", "seriesMovedOn"),
            (IssueError::NoLines, "lines", "documentWithoutLines"),
        ] {
            assert_eq!(refusal(StepError::Issue(error)).await, answers(422, field, code), "{error:?}");
        }
    }

    #[tokio::test]
    async fn a_document_that_is_not_at_the_tax_authority_is_not_rejected_and_says_so_by_its_code() {
        assert_eq!(refusal(RejectError::Gone).await, answers(410, "uuid", "documentGone"));
        for found in [Status::Draft, Status::Issued] {
            let error = RejectError::NotRejectable(NotRejectable { found });
            assert_eq!(refusal(error).await, answers(422, "status", "documentNotIssuing"), "{found}");
        }
    }
}
