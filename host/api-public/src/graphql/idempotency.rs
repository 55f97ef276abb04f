//! How a mutation with an `Idempotency-Key` is run once for that key.
//!
//! The key is claimed before the first change and settle behind the last. Where nothing changed, it is free again; where
//! nobody knows, its repetition is refused.

use super::{
    Execution, NoAnswer, json_response, no_answer, refusal_response, status_of, text_response, within,
};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use gateway_access::{ClaimedRequest, RequestClaims, RequestState};
use gateway_domain::{ErrorCode, StoreError};
use gateway_graphql::{Answer, Effect, GraphQLAnswer, GraphQLErrorCode, GraphQLParams, PreparedRequest};
use gateway_http::ApiErrors;
use gateway_http::idempotency::REPLAYED;
use serde::Serialize;
use serde_json::Value;
use std::time::Duration;
use tracing::Instrument;

/// Everything that a request asks for; the order of members says nothing.
#[derive(Serialize)]
struct Content<'a> {
    query: &'a str,
    operation_name: Option<&'a str>,
    variables: Value,
}

fn content(params: &GraphQLParams) -> serde_json::Result<String> {
    let mut variables = Value::Object(params.variables.clone());
    variables.sort_all_objects();
    let operation_name = params.operation_name.as_deref();
    let query = params.query.as_deref().unwrap_or_default();
    serde_json::to_string(&Content { query, operation_name, variables })
}

/// What kind of error it is that a key could not be claimed.
const fn kind_of_failed_claim(cause: &StoreError) -> GraphQLErrorCode {
    match cause {
        StoreError::Repeated => GraphQLErrorCode::Conflict,
        StoreError::Failed { .. } | StoreError::NotDurable(_) | StoreError::Moved { .. } => {
            GraphQLErrorCode::Internal
        }
    }
}

impl Execution {
    /// Runs a request that has a key: a mutation once for it, and a query, which needs none, as it is.
    pub(super) async fn run_for_key(
        self,
        mut params: GraphQLParams,
        key: String,
        claims: RequestClaims,
    ) -> Response {
        // A repetition may name the text by its hash, and the text later, or the other way round.
        match self.api.text_of(params.query.take(), params.hash, &self.id) {
            Ok(text) => params.query = Some(text),
            Err(refused) => return self.respond(Ok(*refused)),
        }
        let content = match content(&params) {
            Ok(content) => content,
            Err(cause) => {
                let refused = ApiErrors::internal(cause);
                return refusal_response(GraphQLErrorCode::Internal, refused, self.media, &self.id);
            }
        };
        let request = match self.prepare(params).await {
            Ok(Ok(request)) => request,
            Ok(Err(refused)) => return self.respond(Ok(*refused)),
            Err(failure) => return self.respond(Err(failure)),
        };
        if !request.is_mutation() {
            return self.respond(self.execute(request).await);
        }
        // Who gives a key will ask again: the request goes on when its client hangs up, so that there is an answer.
        let (media, id) = (self.media, self.id.clone());
        let work = async move { self.carry_out(request, &claims, &key, &content).await };
        match tokio::spawn(work.in_current_span()).await {
            Ok(Ok(response)) => response,
            Ok(Err(cause)) => refusal_response(kind_of_failed_claim(&cause), cause.into(), media, &id),
            Err(_) => no_answer(NoAnswer::Failed, Duration::ZERO, media, &id),
        }
    }

    /// The request, read and validated; or what is wrong with it.
    async fn prepare(&self, params: GraphQLParams) -> Result<Result<PreparedRequest, Box<Answer>>, NoAnswer> {
        let (api, id) = (self.api.clone(), self.id.clone());
        let prepare = async move {
            let request = api.prepare(params, &id).await?;
            if request.is_mutation() {
                api.validate(&request, &id).await?;
            }
            Ok(request)
        };
        within(self.until, prepare).await
    }

    async fn execute(&self, request: PreparedRequest) -> Result<Answer, NoAnswer> {
        let (api, caller, id) = (self.api.clone(), self.caller.clone(), self.id.clone());
        within(self.until, async move { api.execute(caller, &request, &id).await }).await
    }

    /// Carries a mutation out, unless its key is not free.
    ///
    /// # Errors
    /// The key could not be claimed: nothing was carried out.
    async fn carry_out(
        &self,
        request: PreparedRequest,
        claims: &RequestClaims,
        key: &str,
        content: &str,
    ) -> Result<Response, StoreError> {
        let (reason, message) = match claims.claim(self.caller.client, key, content).await? {
            RequestState::New(claimed) => {
                let answer = self.execute(request).await;
                self.measure.observe(&answer);
                return Ok(self.settle(answer, claims, claimed).await);
            }
            RequestState::Answered { status, response } => {
                let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
                let mut answer = text_response(status, self.media, response);
                answer.headers_mut().insert(REPLAYED, HeaderValue::from_static("true"));
                return Ok(answer);
            }
            RequestState::OtherRequest => {
                let message = "was used for another request: take a fresh key for each request";
                (ErrorCode::IdempotencyKeyReused, message)
            }
            RequestState::Running => {
                let message = "the same request is carried out at this moment: repeat it in a moment";
                (ErrorCode::RequestInProgress, message)
            }
            RequestState::Lost => {
                let message = "the same request was begun before and its answer is not known: look at what it changed, or \
                               take a new key";
                (ErrorCode::AnswerNotKept, message)
            }
        };
        let message = format!("Idempotency-Key: {message}");
        let body = GraphQLAnswer::refusal(GraphQLErrorCode::Conflict, reason, &message, &self.id);
        Ok(json_response(StatusCode::CONFLICT, self.media, &body))
    }

    /// The answer to a request that was carried out, once its key is settle.
    async fn settle(
        &self,
        answer: Result<Answer, NoAnswer>,
        claims: &RequestClaims,
        claimed: ClaimedRequest,
    ) -> Response {
        let answer = match answer {
            Ok(answer) => answer,
            Err(failure) => {
                claims.give_up(claimed).await;
                return self.respond(Err(failure));
            }
        };
        let status = status_of(&answer, self.media);
        match (answer.effect, serde_json::to_string(&answer)) {
            (Effect::Nothing, _) => claims.release(claimed).await,
            (Effect::Changed, Ok(text)) => {
                claims.keep_answer(claimed, status.as_u16(), &text).await;
                return text_response(status, self.media, text);
            }
            (Effect::Changed, Err(_)) | (Effect::Unknown, _) => claims.give_up(claimed).await,
        }
        json_response(status, self.media, &answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_cannot_be_claimed_is_a_conflict_only_when_its_request_runs() {
        let table = [
            (StoreError::Repeated, GraphQLErrorCode::Conflict, StatusCode::CONFLICT),
            (
                StoreError::Failed { message: "no".to_owned(), cause: None },
                GraphQLErrorCode::Internal,
                StatusCode::INTERNAL_SERVER_ERROR,
            ),
            (StoreError::NotDurable(None), GraphQLErrorCode::Internal, StatusCode::INTERNAL_SERVER_ERROR),
            (
                StoreError::Moved { table: "invoice" },
                GraphQLErrorCode::Internal,
                StatusCode::INTERNAL_SERVER_ERROR,
            ),
        ];
        for (cause, kind, status) in table {
            assert_eq!(kind_of_failed_claim(&cause), kind, "{cause}");
            assert_eq!(ApiErrors::from(cause).status(), status);
        }
    }
}
