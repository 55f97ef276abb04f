//! What the document says of `POST /v1`: every answer is a GraphQL response in either media type, and most name the limit of
//! the client.

use gateway_domain::ErrorCode;
use gateway_graphql::{GraphQLAnswer, GraphQLErrorCode};
use gateway_http::limits;
use gateway_http::openapi::{idempotency_key, idempotency_replayed, retry_after, to_json, www_authenticate};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::path::Operation;
use utoipa::openapi::{Ref, RefOr, ResponseBuilder};
use utoipa::{ToSchema, openapi};

const MEDIA: [&str; 2] = ["application/json", "application/graphql-response+json"];
const KEY: &str = "Names a mutation so that it can be repeated safely: the same key, document, operation and variables are carried \
                   out once and answered alike; others are refused with 409. A mutation that changed nothing leaves its key \
                   free. Queries need none.";
/// A request id, as it may be.
const REQUEST: &str = "0197f4f2-0000-7000-8000-000000000001";

/// A request (specification of GraphQL over HTTP).
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct GraphQLRequest {
    /// The document; may be left out where `extensions.persistedQuery` names one that was sent before.
    #[serde(skip_serializing_if = "Option::is_none")]
    query: Option<String>,
    /// Which operation of the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    operation_name: Option<String>,
    /// Values of its variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    variables: Option<Map<String, Value>>,
    /// Others than this one are read by nobody.
    #[serde(skip_serializing_if = "Option::is_none")]
    extensions: Option<GraphQLExtensions>,
}

/// Extensions of a request.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct GraphQLExtensions {
    /// The hash of the document (automatic persisted queries). Sent with the document, it is kept under it; sent instead, the
    /// document that is kept runs, or the answer is the error `PERSISTED_QUERY_NOT_FOUND`, which asks for both.
    #[serde(skip_serializing_if = "Option::is_none")]
    persisted_query: Option<PersistedQuery>,
}

/// The hash of a document.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PersistedQuery {
    /// The protocol's.
    #[schema(minimum = 1, maximum = 1)]
    version: i64,
    /// SHA-256, hexadecimal.
    #[schema(pattern = "^[0-9a-fA-F]{64}$")]
    sha256_hash: String,
}

impl GraphQLRequest {
    pub(super) fn page() -> Self {
        let query = "query { catalog { productGroups(filters: {state: ACTIVE}, first: 25) { nodes { id internalReference } \
                     totalCount pageInfo { hasNextPage endCursor } } } }";
        Self { query: Some(query.to_owned()), ..Self::default() }
    }

    pub(super) fn with_variables() -> Self {
        let id = Value::from("0197f4f2-0000-7000-8000-0000000000a1");
        Self {
            query: Some("query Unit($id: ID!) { spaces { unit(id: $id) { id code status } } }".to_owned()),
            operation_name: Some("Unit".to_owned()),
            variables: Some(Map::from_iter([("id".to_owned(), id)])),
            extensions: None,
        }
    }
}

/// An answer of a status: when it is given, whether it names the limit, and an example.
struct AnswerDescription(u16, &'static str, bool, Option<(GraphQLErrorCode, ErrorCode, &'static str)>);

#[rustfmt::skip]
fn answers() -> [AnswerDescription; 11] {
    use GraphQLErrorCode::{BadUserInput, Conflict, Internal, QueryTooComplex, RateLimited, Unauthenticated};
    [
        AnswerDescription(200, "The result; with `errors` where a part of it failed.", true, None),
        AnswerDescription(400, "The request is malformed, or (as `application/graphql-response+json`) its document was not executed.", true,
            Some((BadUserInput, ErrorCode::RequestMalformed, "query is missing"))),
        AnswerDescription(401, "The token is missing, has expired or is not valid.", false,
            Some((Unauthenticated, ErrorCode::Unauthenticated, "a bearer token is required: get one from the token endpoint"))),
        AnswerDescription(406, "The client accepts neither media type.", true,
            Some((BadUserInput, ErrorCode::NotAcceptable, "answers are application/graphql-response+json or application/json: accept one of them"))),
        AnswerDescription(408, "The body did not come within 10 seconds.", false,
            Some((BadUserInput, ErrorCode::RequestTimeout, "the body did not come in time: send it again"))),
        AnswerDescription(409, "The `Idempotency-Key` of a mutation was used for another request, is in use at this moment, or its answer is not known.", true,
            Some((Conflict, ErrorCode::IdempotencyKeyReused, "Idempotency-Key: was used for another request: take a fresh key for each request"))),
        AnswerDescription(413, "The body is larger than 1 MiB.", true,
            Some((BadUserInput, ErrorCode::BodyTooLarge, "the body is larger than 1048576 bytes: split it"))),
        AnswerDescription(415, "The body is not `application/json` in UTF-8.", true,
            Some((BadUserInput, ErrorCode::MediaTypeUnsupported, "send the request as application/json in UTF-8"))),
        AnswerDescription(429, "The client sends more requests than its limit allows.", true,
            Some((RateLimited, ErrorCode::RateLimited, "too many requests: wait as the header Retry-After says"))),
        AnswerDescription(500, "The gateway failed.", false,
            Some((Internal, ErrorCode::Internal, "the gateway failed: try again, and name the request id when you report it"))),
        AnswerDescription(503, "The answer took longer than 20 seconds, or the gateway cannot answer at this moment.", false,
            Some((QueryTooComplex, ErrorCode::QueryTooComplex, "the answer took too long: ask for less at once; look at what you changed"))),
    ]
}

/// Describes the operation that runs documents.
pub(super) fn describe(operation: &mut Operation) {
    if operation.operation_id.as_deref() != Some("graphql") {
        return;
    }
    operation.parameters.get_or_insert_default().push(idempotency_key(KEY).into());
    for answer in answers() {
        operation.responses.responses.insert(answer.0.to_string(), RefOr::T(answer.response()));
    }
}

impl AnswerDescription {
    fn response(self) -> openapi::Response {
        let Self(status, about, limited, refused) = self;
        let answer = match refused {
            Some((code, reason, message)) => GraphQLAnswer::refusal(code, reason, message, REQUEST),
            None => GraphQLAnswer {
                data: Some(Map::from_iter([("catalog".to_owned(), Value::Null)])),
                ..GraphQLAnswer::default()
            },
        };
        let example = ExampleBuilder::new().value(Some(to_json(&answer))).build();
        let mut response = ResponseBuilder::new().description(about);
        for media in MEDIA {
            let schema = Ref::from_schema_name(GraphQLAnswer::name());
            let content = ContentBuilder::new().schema(Some(schema));
            response =
                response.content(media, content.examples_from_iter([("example", example.clone())]).build());
        }
        if limited {
            response =
                limits::headers().into_iter().fold(response, |all, (name, header)| all.header(name, header));
        }
        response = match status {
            200 => response.header("Idempotency-Replayed", idempotency_replayed()),
            401 => response.header("WWW-Authenticate", www_authenticate()),
            429 => response.header("Retry-After", retry_after()),
            _ => response,
        };
        response.build()
    }
}
