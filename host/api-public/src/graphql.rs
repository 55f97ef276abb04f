//! GraphQL over HTTP: `POST /v1` for requests, `GET /v1` for a page that helps to write them, and the schema.
//!
//! A token is checked before anything is read. Whatever is answered is a GraphQL response: `errors`, each with a code
//! and the id of the request.

mod idempotency;
mod openapi;

use crate::{PublicState, graphiql};
use axum::body::{Body, Bytes};
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use gateway_access::{BearerError, RequestClaims};
use gateway_domain::ErrorCode;
use gateway_domain::access::Caller;
use gateway_domain_input::json_place;
use gateway_graphql::{
    Answer, Api, GraphQLAnswer, GraphQLErrorCode, GraphQLParams, TextHash, malformed, rate_limited,
};
use gateway_http::accept::{Accept, BY_NAME};
use gateway_http::json::is_json_in_utf8;
use gateway_http::limits::Limits;
use gateway_http::middleware::{BODY_BYTES_MAX, Refusal, larger_than};
use gateway_http::openapi::{Listener, Surface};
use gateway_http::{
    AccessRefusal, ApiErrors, Authenticated, OperationOutcome, RequestMetrics, compress, request_id,
};
use openapi::GraphQLRequest;
use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tokio::time::Instant;
use tracing::Instrument;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// What most answers fit into, bytes.
const ANSWER_BYTES: usize = 1 << 13;

static SDL: LazyLock<String> = LazyLock::new(gateway_graphql::sdl);

pub(super) fn router() -> OpenApiRouter<PublicState> {
    let files = OpenApiRouter::new().routes(routes!(schema)).merge(graphiql::router());
    OpenApiRouter::new().routes(routes!(graphiql::page, run)).merge(compress(files))
}

/// What it is described by.
pub(super) fn surface() -> Surface {
    let about = "The platform's API: product groups, units, prices, availability, bookings, conversations, users, tasks, workspaces, \
                 invoices. Its types are in the schema at `/v1/schema.graphql`.";
    Surface::new(Listener::Public, "GraphQL", about, router().into_openapi())
        .behind_a_token(None)
        .schema::<GraphQLAnswer>()
        .body("graphql", "query", &GraphQLRequest::page())
        .body("graphql", "variables", &GraphQLRequest::with_variables())
        .each(|_, operation| openapi::describe(operation))
}

/// The GraphQL schema
///
/// In the schema definition language, for code generators and federation.
#[utoipa::path(
    get,
    path = "/v1/schema.graphql",
    operation_id = "schema",
    security(),
    responses((status = 200, description = "The schema.", body = String, content_type = "text/plain"))
)]
async fn schema() -> Response {
    let headers = [(CONTENT_TYPE, "text/plain; charset=utf-8"), (CACHE_CONTROL, "public, max-age=300")];
    (headers, SDL.as_str()).into_response()
}

/// How the answer is written, and so what its status means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Media {
    /// 200 whenever the request was understood.
    Json,
    /// The status says whether the document was run.
    GraphQl,
}

impl Media {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Json => "application/json; charset=utf-8",
            Self::GraphQl => "application/graphql-response+json; charset=utf-8",
        }
    }

    const fn essence(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::GraphQl => "application/graphql-response+json",
        }
    }

    /// The one that is preferred; GraphQL's own only for who names it. None when neither is wanted.
    fn accepted(headers: &HeaderMap) -> Option<Self> {
        let accept = Accept::of(headers);
        let preference = |media: Self| accept.preference(media.essence());
        match (preference(Self::GraphQl), preference(Self::Json)) {
            (None, None) => None,
            (Some((quality, BY_NAME)), Some((json, _))) if quality >= json => Some(Self::GraphQl),
            (Some(_), None) => Some(Self::GraphQl),
            (_, Some(_)) => Some(Self::Json),
        }
    }
}

/// Run a GraphQL operation
///
/// GraphQL over HTTP. A page has at most 25 nodes; a field that the client may not read is null, with an error of code
/// `FORBIDDEN`, and the rest still answers. A text that was sent once with its hash may be named by the hash alone. With `Accept: application/graphql-response+json` a document that was not
/// executed answers 400; with `application/json` it answers 200. A mutation with an `Idempotency-Key` is carried out once,
/// and its answer is repeated.
#[utoipa::path(
    post,
    path = "/v1",
    operation_id = "graphql",
    security(("permission" = ["that of every field"])),
    request_body = GraphQLRequest
)]
async fn run(
    State(api): State<Api>,
    State(limits): State<Arc<Limits>>,
    State(claims): State<RequestClaims>,
    State(metrics): State<RequestMetrics>,
    caller: Result<Authenticated, AccessRefusal>,
    request: Request,
) -> Response {
    let headers = request.headers().clone();
    let id = request_id();
    let media = Media::accepted(&headers);
    let answer_media = media.unwrap_or(Media::Json);
    let Authenticated(caller) = match caller {
        Ok(caller) => caller,
        Err(refusal) => {
            return refusal_response(kind_of_access(&refusal), refusal.into(), answer_media, &id);
        }
    };
    let verdict = limits.take(&caller.client);
    if !verdict.allowed {
        let mut response = json_response(StatusCode::TOO_MANY_REQUESTS, answer_media, &rate_limited(&id));
        verdict.write(response.headers_mut());
        return response;
    }
    let params = read_params(&headers, Bytes::from_request(request, &()).await);
    let mut response = match (media, params) {
        (None, _) => {
            let message =
                "answers are application/graphql-response+json or application/json: accept one of them";
            let refused = malformed(ErrorCode::NotAcceptable, message, &id);
            json_response(StatusCode::NOT_ACCEPTABLE, answer_media, &refused)
        }
        (_, Err((status, reason, message))) => {
            json_response(status, answer_media, &malformed(reason, &message, &id))
        }
        (Some(media), Ok(params)) => {
            let measure = Measure { metrics, name: params.operation_name.clone(), began: Instant::now() };
            let execution = |id| Execution::new(api, caller, media, id, measure);
            match gateway_http::idempotency::key(&headers) {
                Ok(None) => execution(id).run(params).await,
                Ok(Some(key)) => execution(id).run_for_key(params, key.to_owned(), claims).await,
                // Of a query too, which needs none.
                Err(refused) => {
                    let message = format!("Idempotency-Key: {}", refused.message());
                    json_response(refused.status(), media, &malformed(refused.code(), &message, &id))
                }
            }
        }
    };
    verdict.write(response.headers_mut());
    response
}

/// One request on its way.
#[derive(Debug)]
struct Execution {
    api: Api,
    caller: Caller,
    media: Media,
    id: String,
    until: Instant,
    measure: Measure,
}

/// Where an operation is measured when it is answered.
#[derive(Debug)]
struct Measure {
    metrics: RequestMetrics,
    name: Option<String>,
    began: Instant,
}

impl Measure {
    fn observe(&self, answer: &Result<Answer, NoAnswer>) {
        let outcome = match answer {
            Ok(answer) if !answer.executed => OperationOutcome::Refused,
            Ok(answer) if answer.has_errors() => OperationOutcome::Errors,
            Ok(_) => OperationOutcome::Ok,
            Err(NoAnswer::TooSlow) => OperationOutcome::TimedOut,
            Err(NoAnswer::Failed) => OperationOutcome::Failed,
        };
        self.metrics.operation(self.name.as_deref(), outcome, self.began.elapsed());
    }
}

/// Why there is no answer of the API.
#[derive(Debug, Clone, Copy)]
enum NoAnswer {
    Failed,
    TooSlow,
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
    fn new(api: Api, caller: Caller, media: Media, id: String, measure: Measure) -> Self {
        let until = Instant::now() + api.deadline();
        Self { api, caller, media, id, until, measure }
    }

    /// Runs a request that has no key.
    async fn run(self, params: GraphQLParams) -> Response {
        let (api, caller, id) = (self.api.clone(), self.caller.clone(), self.id.clone());
        self.respond(within(self.until, async move { api.run(caller, params, &id).await }).await)
    }

    fn respond(&self, answer: Result<Answer, NoAnswer>) -> Response {
        self.measure.observe(&answer);
        match answer {
            Ok(answer) => json_response(status_of(&answer, self.media), self.media, &answer),
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
    json_response(status, media, &GraphQLAnswer::refusal(code, reason, message, id))
}

fn status_of(answer: &Answer, media: Media) -> StatusCode {
    match media {
        Media::GraphQl if !answer.executed => StatusCode::BAD_REQUEST,
        Media::GraphQl | Media::Json => StatusCode::OK,
    }
}

fn json_response(status: StatusCode, media: Media, body: &impl Serialize) -> Response {
    let mut text = Vec::with_capacity(ANSWER_BYTES);
    match serde_json::to_writer(&mut text, body) {
        Ok(()) => text_response(status, media, text),
        Err(cause) => ApiErrors::internal(cause).into_response(),
    }
}

fn text_response(status: StatusCode, media: Media, body: impl Into<Body>) -> Response {
    let headers = [(CONTENT_TYPE, media.as_str()), (VARY, "Accept")];
    (status, headers, body.into()).into_response()
}

/// What kind of error it is that a caller is not let in.
const fn kind_of_access(refusal: &AccessRefusal) -> GraphQLErrorCode {
    match refusal {
        AccessRefusal::Token(
            BearerError::Missing | BearerError::Expired | BearerError::Invalid | BearerError::Disabled,
        ) => GraphQLErrorCode::Unauthenticated,
        AccessRefusal::Token(BearerError::Internal(_)) => GraphQLErrorCode::Internal,
        AccessRefusal::Permission(_) => GraphQLErrorCode::Forbidden,
    }
}

/// A refusal of every route, such as that of a token that is not good, in the form of this one.
fn refusal_response(code: GraphQLErrorCode, refused: ApiErrors, media: Media, id: &str) -> Response {
    let body = GraphQLAnswer::refusal(code, refused.code(), &refused.message(), id);
    let (status, mut headers) = (refused.status(), refused.into_response().into_parts().0.headers);
    headers.remove(axum::http::header::CONTENT_LENGTH);
    headers.remove(CONTENT_TYPE);
    let mut response = json_response(status, media, &body);
    response.headers_mut().extend(headers);
    response
}

/// A request to this API that is refused before it gets here.
#[derive(Debug, Clone, Copy)]
struct GraphQLRefusal(Media);

/// None when the request is for another route.
pub fn refusal(request: &Request) -> Option<Box<dyn Refusal>> {
    let here = request.method() == Method::POST && request.uri().path() == "/v1";
    here.then(|| -> Box<dyn Refusal> {
        Box::new(GraphQLRefusal(Media::accepted(request.headers()).unwrap_or(Media::Json)))
    })
}

impl Refusal for GraphQLRefusal {
    fn refused(self: Box<Self>, status: StatusCode, code: ErrorCode, message: &str) -> Response {
        json_response(status, self.0, &malformed(code, message, &request_id()))
    }
}

type Malformed = (StatusCode, ErrorCode, String);

/// Reads a request as the specification of GraphQL over HTTP writes it.
fn read_params(headers: &HeaderMap, body: Result<Bytes, BytesRejection>) -> Result<GraphQLParams, Malformed> {
    let wrong = |message: &str| (StatusCode::BAD_REQUEST, ErrorCode::RequestMalformed, message.to_owned());
    if !is_json_in_utf8(headers) {
        let message = "send the request as application/json in UTF-8";
        let reason = ErrorCode::MediaTypeUnsupported;
        return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, reason, message.to_owned()));
    }
    let body = body.map_err(|rejection| match rejection.status() {
        status @ StatusCode::PAYLOAD_TOO_LARGE => {
            (status, ErrorCode::BodyTooLarge, larger_than(BODY_BYTES_MAX as u64))
        }
        status => (status, ErrorCode::BodyUnreadable, "the body was cut off".to_owned()),
    })?;
    let value: Value = serde_json::from_slice(&body).map_err(|error| {
        let message = format!("malformed JSON at {}", json_place(&error));
        (StatusCode::BAD_REQUEST, ErrorCode::BodyMalformed, message)
    })?;
    let mut members = match value {
        Value::Object(members) => members,
        Value::Array(_) => return Err(wrong("send one request, not a list of them")),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            return Err(wrong("the body is a JSON object with the member query"));
        }
    };
    let query = match members.remove("query") {
        Some(Value::String(query)) => Some(query),
        Some(_) => return Err(wrong("query is a text")),
        None => None,
    };
    let operation_name = match members.remove("operationName") {
        None | Some(Value::Null) => None,
        Some(Value::String(name)) => Some(name).filter(|name| !name.is_empty()),
        Some(_) => return Err(wrong("operationName is a text or null")),
    };
    let mut object = |name: &str| match members.remove(name) {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(members)) => Ok(members),
        Some(_) => Err(wrong(&format!("{name} is an object or null"))),
    };
    let variables = object("variables")?;
    let hash = match object("extensions")?.remove("persistedQuery") {
        None | Some(Value::Null) => None,
        Some(persisted) => Some(read_hash(&persisted).ok_or_else(|| {
            wrong(
                "extensions.persistedQuery is an object with version 1 and sha256Hash, 64 hexadecimal digits",
            )
        })?),
    };
    if query.is_none() && hash.is_none() {
        return Err(wrong("query is missing"));
    }
    Ok(GraphQLParams { query, hash, operation_name, variables })
}

/// Reads `{"version": 1, "sha256Hash": "…"}` (automatic persisted queries).
fn read_hash(persisted: &Value) -> Option<TextHash> {
    (persisted.get("version")? == 1).then_some(())?;
    TextHash::parse(persisted.get("sha256Hash")?.as_str()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;
    use axum::http::header::ACCEPT;
    use gateway_access::AccessError;
    use gateway_domain::access::Permission;

    fn accept(value: &str) -> Option<Media> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_str(value).unwrap());
        Media::accepted(&headers)
    }

    #[test]
    fn a_caller_who_is_not_let_in_learns_whose_fault_it_is() {
        let token = AccessRefusal::Token;
        let failure = || BearerError::from(AccessError::Signing("no key"));
        for (refusal, kind, status) in [
            (token(BearerError::Missing), GraphQLErrorCode::Unauthenticated, StatusCode::UNAUTHORIZED),
            (token(BearerError::Expired), GraphQLErrorCode::Unauthenticated, StatusCode::UNAUTHORIZED),
            (token(BearerError::Invalid), GraphQLErrorCode::Unauthenticated, StatusCode::UNAUTHORIZED),
            (token(BearerError::Disabled), GraphQLErrorCode::Unauthenticated, StatusCode::UNAUTHORIZED),
            (token(failure()), GraphQLErrorCode::Internal, StatusCode::INTERNAL_SERVER_ERROR),
            (
                AccessRefusal::Permission(Permission::CatalogRead),
                GraphQLErrorCode::Forbidden,
                StatusCode::FORBIDDEN,
            ),
        ] {
            assert_eq!(kind_of_access(&refusal), kind, "{refusal:?}");
            assert_eq!(ApiErrors::from(refusal).status(), status);
        }
    }

    #[test]
    fn the_answer_is_written_as_the_client_prefers() {
        assert_eq!(Media::accepted(&HeaderMap::new()), Some(Media::Json));
        for (value, media) in [
            ("", Some(Media::Json)),
            ("*/*", Some(Media::Json)),
            ("application/*", Some(Media::Json)),
            ("application/json", Some(Media::Json)),
            ("application/graphql-response+json", Some(Media::GraphQl)),
            ("application/graphql-response+json, application/json;q=0.9", Some(Media::GraphQl)),
            ("application/json, application/graphql-response+json", Some(Media::GraphQl)),
            ("application/json, application/graphql-response+json;q=0.5", Some(Media::Json)),
            ("application/graphql-response+json;q=0, */*", Some(Media::Json)),
            ("Application/GraphQL-Response+JSON; charset=utf-8", Some(Media::GraphQl)),
            ("text/html, */*;q=0.8", Some(Media::Json)),
            ("text/html", None),
            ("image/png, application/json;q=0", None),
        ] {
            assert_eq!(accept(value), media, "{value}");
        }
    }
}
