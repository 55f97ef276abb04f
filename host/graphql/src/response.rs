//! What is answered, as a type: for refusals before anything runs, and for whoever describes the API.

use gateway_domain::{ErrorCode, FieldError, words};
use serde::Serialize;
use serde_json::{Map, Value};
use std::borrow::Cow;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};
use utoipa::{PartialSchema, ToSchema};

words! {
    /// What kind of error it is (`extensions.code`).
    GraphQLErrorCode {
        /// No token, or none that is good.
        Unauthenticated = "UNAUTHENTICATED",
        /// The client lacks a permission.
        Forbidden = "FORBIDDEN",
        /// What is named does not exist for this client.
        NotFound = "NOT_FOUND",
        /// The request or its input is wrong.
        BadUserInput = "BAD_USER_INPUT",
        /// Somebody else changed the same thing at the same moment, or the request's key was used before.
        Conflict = "CONFLICT",
        /// No query is kept under the hash that is sent instead of one: its text is to be sent with it.
        PersistedQueryNotFound = "PERSISTED_QUERY_NOT_FOUND",
        /// The client sends too many requests.
        RateLimited = "RATE_LIMITED",
        /// The request asks for too much at once.
        QueryTooComplex = "QUERY_TOO_COMPLEX",
        /// The gateway itself failed.
        Internal = "INTERNAL",
    }
}

/// A response (specification of GraphQL, section 7.1).
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub struct GraphQLAnswer {
    /// The result as it was selected; absent when the document was not executed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = Data)]
    pub data: Option<Map<String, Value>>,
    /// What failed; absent when nothing did.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, min_items = 1)]
    pub errors: Vec<GraphQLError>,
    /// Nothing today.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extensions: Option<Map<String, Value>>,
}

/// One error of a response.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct GraphQLError {
    /// One sentence, for people.
    pub message: String,
    /// Where in the document.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub locations: Vec<GraphQLLocation>,
    /// Which field of the answer, as keys and indexes from the top.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, value_type = Vec<PathKey>)]
    pub path: Vec<Value>,
    /// What a program tells it by.
    pub extensions: GraphQLErrorExtensions,
}

/// A key, or the index of an item.
struct PathKey;

impl PartialSchema for PathKey {
    fn schema() -> RefOr<Schema> {
        let kinds = SchemaType::from_iter([Type::String, Type::Integer]);
        ObjectBuilder::new().schema_type(kinds).description(Some("A key, or the index of an item.")).into()
    }
}

impl ToSchema for PathKey {
    fn name() -> Cow<'static, str> {
        "GraphQLPathKey".into()
    }
}

/// The result as it was selected; null when an error reached the top.
struct Data;

impl PartialSchema for Data {
    fn schema() -> RefOr<Schema> {
        let kinds = SchemaType::from_iter([Type::Object, Type::Null]);
        let about = "The result as it was selected; null when an error reached the top.";
        ObjectBuilder::new().schema_type(kinds).description(Some(about)).into()
    }
}

impl ToSchema for Data {
    fn name() -> Cow<'static, str> {
        "GraphQLData".into()
    }
}

/// A place in a document.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub struct GraphQLLocation {
    /// From 1 on.
    pub line: i64,
    /// From 1 on.
    pub column: i64,
}

/// What a program tells an error by.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GraphQLErrorExtensions {
    pub code: GraphQLErrorCode,
    pub reason: ErrorCode,
    /// As in the header `x-request-id`.
    #[schema(examples("0197f4f2-0000-7000-8000-000000000001"))]
    pub request_id: String,
    /// What is wrong with the input.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub fields: Vec<FieldError>,
    /// The argument that names unknown objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The unknown ids.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub ids: Vec<String>,
}

impl GraphQLAnswer {
    /// A request that is refused before anything of it runs.
    pub fn refusal(code: GraphQLErrorCode, reason: ErrorCode, message: &str, request_id: &str) -> Self {
        let extensions = GraphQLErrorExtensions {
            code,
            reason,
            request_id: request_id.to_owned(),
            fields: Vec::new(),
            field: None,
            ids: Vec::new(),
        };
        let error =
            GraphQLError { message: message.to_owned(), locations: Vec::new(), path: Vec::new(), extensions };
        Self { errors: vec![error], ..Self::default() }
    }
}
