//! How a request is run: for as long as it may take, and a mutation with an `Idempotency-Key` once for that key.
//!
//! The key is claimed before the first change and settled behind the last. Where nothing changed, it is free again; where
//! nobody knows, its repetition is refused.

use super::{Media, refused_as, status_of, written, written_text};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use gateway_access::{ClaimedRequest, RequestClaims, RequestState};
use gateway_domain::access::Caller;
use gateway_domain::{ErrorCode, StoreError};
use gateway_graphql::{Answer, Api, Effect, GraphQLAnswer, GraphQLErrorCode, GraphQLParams, PreparedRequest};
use gateway_http::ApiErrors;
use gateway_http::idempotency::REPLAYED;
use serde::Serialize;
use serde_json::Value;
use std::time::Duration;
use tokio::time::Instant;
use tracing::Instrument;

/// One request on its way.
#[derive(Debug)]
pub(super) struct Execution {
    api: Api,
    caller: Caller,
    media: Media,
    id: String,
    until: Instant,
}

/// Why there is no answer of the API.
#[derive(Debug, Clone, Copy)]
enum NoAnswer {
    Failed,
    TooSlow,
}

/// Everything that a request asks for; the order of members says nothing.
#[derive(Serialize)]
struct Content<'a> {
    query: &'a str,
    operation_name: Option<&'a str>,
    variables: Value,
}

fn content(sent: &GraphQLParams) -> serde_json::Result<String> {
    let mut variables = Value::Object(sent.variables.clone());
    variables.sort_all_objects();
    let operation_name = sent.operation_name.as_deref();
    serde_json::to_string(&Content { query: &sent.query, operation_name, variables })
}

/// The work in a task of its own, until then: the deadline passes also while the work keeps its thread busy.
async fn within<T: Send + 'static>(
    until: Instant,
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, NoAnswer> {
    let mut running = tokio::task::JoinSet::new();
    running.spawn(work.in_current_span());
    match tokio::time::timeout_at(until, running.join_next()).await {
        Ok(Some(Ok(done))) => Ok(done),
        Ok(_) => Err(NoAnswer::Failed),
        Err(_) => Err(NoAnswer::TooSlow),
    }
}

impl Execution {
    pub(super) fn new(api: Api, caller: Caller, media: Media, id: String) -> Self {
        let until = Instant::now() + api.deadline();
        Self { api, caller, media, id, until }
    }

    /// Runs a request that has no key.
    pub(super) async fn run(self, sent: GraphQLParams) -> Response {
        let (api, caller, id) = (self.api.clone(), self.caller.clone(), self.id.clone());
        self.answered(within(self.until, async move { api.run(caller, sent, &id).await }).await)
    }

    /// Runs a request that has a key: a mutation once for it, and a query, which needs none, as it is.
    pub(super) async fn run_for_key(
        self,
        sent: GraphQLParams,
        key: String,
        claims: RequestClaims,
    ) -> Response {
        let content = match content(&sent) {
            Ok(content) => content,
            Err(cause) => return refused_as(ApiErrors::internal(cause), self.media, &self.id),
        };
        let request = match self.prepared(sent).await {
            Ok(Ok(request)) => request,
            Ok(Err(refused)) => return self.answered(Ok(*refused)),
            Err(failure) => return self.answered(Err(failure)),
        };
        if !request.is_mutation() {
            return self.answered(self.executed(request).await);
        }
        // Who gives a key will ask again: the request goes on when its client hangs up, so that there is an answer.
        let (media, id) = (self.media, self.id.clone());
        let going_on = async move { self.carry_out(request, &claims, &key, &content).await };
        match tokio::spawn(going_on.in_current_span()).await {
            Ok(Ok(response)) => response,
            Ok(Err(cause)) => refused_as(ApiErrors::internal(cause), media, &id),
            Err(_) => no_answer(NoAnswer::Failed, Duration::ZERO, media, &id),
        }
    }

    /// The request, read and validated; or what is wrong with it.
    async fn prepared(&self, sent: GraphQLParams) -> Result<Result<PreparedRequest, Box<Answer>>, NoAnswer> {
        let (api, id) = (self.api.clone(), self.id.clone());
        let preparing = async move {
            let request = api.prepare(sent, &id).await?;
            if request.is_mutation() {
                api.validate(&request, &id).await?;
            }
            Ok(request)
        };
        within(self.until, preparing).await
    }

    async fn executed(&self, request: PreparedRequest) -> Result<Answer, NoAnswer> {
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
                let answer = self.executed(request).await;
                return Ok(self.settled(answer, claims, claimed).await);
            }
            RequestState::Answered { status, response } => {
                let status = StatusCode::from_u16(status).unwrap_or(StatusCode::OK);
                let mut answer = written_text(status, self.media, response);
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
        let body = GraphQLAnswer::refused(GraphQLErrorCode::Conflict, reason, &message, &self.id);
        Ok(written(StatusCode::CONFLICT, self.media, &body))
    }

    /// The answer to a request that was carried out, once its key is settled.
    async fn settled(
        &self,
        answer: Result<Answer, NoAnswer>,
        claims: &RequestClaims,
        claimed: ClaimedRequest,
    ) -> Response {
        let answer = match answer {
            Ok(answer) => answer,
            Err(failure) => {
                claims.give_up(claimed).await;
                return self.answered(Err(failure));
            }
        };
        let status = status_of(&answer, self.media);
        match (answer.effect, serde_json::to_string(&answer)) {
            (Effect::Nothing, _) => claims.release(claimed).await,
            (Effect::Changed, Ok(text)) => {
                claims.keep_answer(claimed, status.as_u16(), &text).await;
                return written_text(status, self.media, text);
            }
            (Effect::Changed, Err(_)) | (Effect::Unknown, _) => claims.give_up(claimed).await,
        }
        written(status, self.media, &answer)
    }

    fn answered(&self, answer: Result<Answer, NoAnswer>) -> Response {
        match answer {
            Ok(answer) => written(status_of(&answer, self.media), self.media, &answer),
            Err(failure) => no_answer(failure, self.api.deadline(), self.media, &self.id),
        }
    }
}

fn no_answer(failure: NoAnswer, deadline: Duration, media: Media, id: &str) -> Response {
    let (status, code, reason, message) = match failure {
        NoAnswer::Failed => {
            tracing::error!("A GraphQL request ended without an answer");
            let message = "the gateway failed: try again, and name the request id when you report it";
            (StatusCode::INTERNAL_SERVER_ERROR, GraphQLErrorCode::Internal, ErrorCode::Internal, message)
        }
        NoAnswer::TooSlow => {
            tracing::error!("A GraphQL request took longer than {} s", deadline.as_secs());
            let (code, reason) = (GraphQLErrorCode::QueryTooComplex, ErrorCode::QueryTooComplex);
            let message = "the answer took too long: ask for less at once; look at what you changed";
            (StatusCode::SERVICE_UNAVAILABLE, code, reason, message)
        }
    };
    written(status, media, &GraphQLAnswer::refused(code, reason, message, id))
}
