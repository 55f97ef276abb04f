//! Forms whose answer is a page: loading that page again sends the form again, which counts once.

use crate::errors::PageError;
use crate::session::Viewer;
use axum::http::StatusCode;
use gateway_access::{ClaimedRequest, RequestClaims, RequestState};
use gateway_presentation::Fields;

/// A form that is carried out now; settle it with what came of it.
#[derive(Debug)]
pub(crate) struct FormClaim(Option<ClaimedRequest>);

impl FormClaim {
    /// Claims a form by the id that its page gave it; `content` says what it asks for. One without an id comes from no page, and is
    /// carried out whenever it is sent.
    pub(crate) async fn claim(
        claims: &RequestClaims,
        viewer: &Viewer,
        fields: &Fields,
        content: &str,
    ) -> Result<Self, PageError> {
        let Some(id) = fields.given("request") else { return Ok(Self(None)) };
        let key = format!("console {id} {content}");
        match claims.claim(viewer.signed_in.caller.client, &key, content).await? {
            RequestState::New(claimed) => Ok(Self(Some(claimed))),
            RequestState::Running
            | RequestState::Lost
            | RequestState::Answered { .. }
            | RequestState::OtherRequest => {
                let sentence =
                    "this was sent before and counts once: open its page again to see what came of it";
                Err(PageError::refused(StatusCode::CONFLICT, sentence))
            }
        }
    }

    /// Remembers that it was carried out; what was refused may be sent again.
    pub(crate) async fn settle<T, E>(self, claims: &RequestClaims, done: &Result<T, E>) {
        match (self.0, done) {
            (None, _) => {}
            (Some(claimed), Ok(_)) => claims.keep_answer(claimed, 200, "").await,
            (Some(claimed), Err(_)) => claims.release(claimed).await,
        }
    }
}
