//! The refusals that many operations share: components of the documents.

use super::schemas;
use gateway_domain::{ErrorCode, FieldError};
use serde::Serialize;
use std::collections::BTreeMap;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{Components, Ref, RefOr, Required, Response, ResponseBuilder};
use utoipa::{IntoResponses, PartialSchema, ToResponse, ToSchema};

/// Why a request is refused. Every mistake that can be named at once is named.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Errors {
    /// At least one.
    #[schema(min_items = 1)]
    pub errors: Vec<FieldError>,
}

/// What a refusal is like: `{"errors":[…]}` with a header or none.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// When it is given, one sentence.
    pub description: &'static str,
    /// A mistake as it may stand in it: field, code, message.
    pub example: (&'static str, ErrorCode, &'static str),
    /// A header that comes with it.
    pub header: Option<(&'static str, Header)>,
}

impl Refusal {
    /// As a component of a document.
    pub fn response(self) -> Response {
        let (field, code, message) = self.example;
        let example = Errors { errors: vec![FieldError::new(field, code, message)] };
        let example = ExampleBuilder::new().value(Some(schemas::to_json(&example))).build();
        let schema = Ref::from_schema_name(Errors::name());
        let content = ContentBuilder::new().schema(Some(schema)).examples_from_iter([("example", example)]);
        let response = ResponseBuilder::new().description(self.description);
        let response = response.content("application/json", content.build());
        match self.header {
            Some((name, header)) => response.header(name, header).build(),
            None => response.build(),
        }
    }
}

/// Puts the refusals that many operations share, and their schemas, among the components; what nobody refers to goes later.
pub(super) fn register(components: &mut Components) {
    let mut found = vec![(Errors::name().into_owned(), Errors::schema())];
    Errors::schemas(&mut found);
    components.schemas.extend(found);
    components.responses.extend(shared().map(|(name, response)| (name.to_owned(), response)));
}

/// Declares refusals as components: each is named as declared and described by its doc comment.
#[macro_export]
macro_rules! refusals {
    ($($(#[doc = $about:literal])+ $name:ident: ($field:literal, $code:ident, $message:literal) $(, $header:literal = $described:expr)?;)+) => {
        $(
            $(#[doc = $about])+
            #[derive(Debug, Clone, Copy)]
            pub struct $name;

            impl<'r> utoipa::ToResponse<'r> for $name {
                fn response() -> (&'r str, utoipa::openapi::RefOr<utoipa::openapi::Response>) {
                    let header = None;
                    $(let header = Option::or(Some(($header, $described)), header);)?
                    let refusal = $crate::openapi::Refusal {
                        description: concat!($($about, "\n"),+).trim_ascii(),
                        example: ($field, gateway_domain::ErrorCode::$code, $message),
                        header,
                    };
                    (stringify!($name), refusal.response().into())
                }
            }
        )+
    };
}

/// A header of one text.
fn text(description: &str) -> Header {
    HeaderBuilder::new()
        .schema(Some(ObjectBuilder::new().schema_type(Type::String)))
        .description(Some(description))
        .build()
}

/// How to authenticate.
pub fn www_authenticate() -> Header {
    text("How to authenticate (RFC 9110, RFC 6750).")
}

/// The same, where only a missing permission says it.
fn insufficient_scope() -> Header {
    let schema = ObjectBuilder::new().schema_type(SchemaType::from_iter([Type::String, Type::Null]));
    let description = "Names `insufficient_scope` (RFC 6750) when a permission is lacking.";
    HeaderBuilder::new().schema(Some(schema)).description(Some(description)).build()
}

/// How long to wait.
pub fn retry_after() -> Header {
    seconds(SchemaType::Type(Type::Integer), "Seconds to wait before the next try.")
}

/// The key of a request.
pub fn idempotency_key(about: &str) -> Parameter {
    let key = ObjectBuilder::new()
        .schema_type(Type::String)
        .min_length(Some(1))
        .max_length(Some(255))
        .pattern(Some("^[ -~]+$"));
    ParameterBuilder::new()
        .name("Idempotency-Key")
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(about))
        .schema(Some(key))
        .example(Some("7c0f1d0e-issue-1".into()))
        .build()
}

/// Says that an answer is a repeated one.
pub fn idempotency_replayed() -> Header {
    let replayed = ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::String, Type::Null]))
        .enum_values(Some(["true"]));
    let about = "`true` on the repeated answer to a request that was carried out before under the same `Idempotency-Key`.";
    HeaderBuilder::new().schema(Some(replayed)).description(Some(about)).build()
}

fn retry_after_where_known() -> Header {
    seconds(SchemaType::from_iter([Type::Integer, Type::Null]), "Seconds to wait, where that is known.")
}

fn seconds(kind: SchemaType, description: &str) -> Header {
    let schema = ObjectBuilder::new().schema_type(kind).minimum(Some(1));
    HeaderBuilder::new().schema(Some(schema)).description(Some(description)).example(Some(1.into())).build()
}

/// What any JSON body may be refused for.
#[derive(Debug, Clone, Copy)]
pub struct BodyRefusals;

impl IntoResponses for BodyRefusals {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let refusals = [
            (400, BadRequest::response().0),
            (408, TooSlow::response().0),
            (413, TooLarge::response().0),
            (415, UnsupportedMediaType::response().0),
            (422, Unprocessable::response().0),
        ];
        refusals.map(|(status, name)| (status.to_string(), Ref::from_response_name(name).into())).into()
    }
}

fn shared() -> [(&'static str, RefOr<Response>); 14] {
    [
        BadRequest::response(),
        Unauthorised::response(),
        Forbidden::response(),
        NotFound::response(),
        Gone::response(),
        Conflict::response(),
        Stale::response(),
        TooSlow::response(),
        TooLarge::response(),
        UnsupportedMediaType::response(),
        Unprocessable::response(),
        InternalError::response(),
        BadGateway::response(),
        Unavailable::response(),
    ]
}

refusals! {
    /// What stands in the path or a header is not of its type, or the body is no JSON.
    BadRequest: ("uuid", InvalidFormat, "is no UUID");
    /// The token is missing, has expired or is not valid.
    Unauthorised: ("base", Unauthenticated, "a bearer token is required: get one from the token endpoint"), "WWW-Authenticate" = www_authenticate();
    /// The client lacks the permission.
    Forbidden: ("base", PermissionMissing, "the client lacks the permission invoicing.rpc"), "WWW-Authenticate" = insufficient_scope();
    /// There is no such thing, or none the client may see.
    NotFound: ("id", NotFound, "there is no such thing");
    /// There is no such document, or none the client may see.
    Gone: ("uuid", DocumentGone, "there is no such document");
    /// Something else was done in between, or the key of the request was used for another one.
    Conflict: ("Idempotency-Key", IdempotencyKeyReused, "was used for another request: take a fresh key for each request");
    /// `If-Match` names another version than the document has.
    Stale: ("version", Stale, "the document has version 4, not 3: read it again");
    /// The body did not come within 10 seconds.
    TooSlow: ("base", RequestTimeout, "the body did not come in time: send it again");
    /// The body is larger than 1 MiB.
    TooLarge: ("base", BodyTooLarge, "the body is larger than 1048576 bytes: split it");
    /// The body is not `application/json`.
    UnsupportedMediaType: ("base", MediaTypeUnsupported, "send the body as JSON, with Content-Type: application/json");
    /// A member or parameter has the wrong type or value, is unknown, or the state does not allow it.
    Unprocessable: ("lines[0].unit_price", InvalidFormat, "write a decimal number of at most 18 digits, such as 12.50");
    /// The client sends more requests than its limit allows.
    TooManyRequests: ("base", RateLimited, "too many requests: wait as the header Retry-After says"), "Retry-After" = retry_after();
    /// The gateway failed. The answer names only the request; its log has the cause.
    InternalError: ("base", Internal, "internal error: tell the operator of this gateway the request id 0197f4f2-0000-7000-8000-000000000001");
    /// The remote invoice data service gave no usable answer.
    BadGateway: ("base", InvoicingProtocol, "the invoice data service gave no usable answer: tell the operator of this gateway the request id 0197f4f2-0000-7000-8000-000000000001");
    /// The gateway cannot answer at this moment: try again.
    Unavailable: ("base", Unavailable, "the gateway cannot answer at this moment: try again, request 0197f4f2-0000-7000-8000-000000000001"), "Retry-After" = retry_after_where_known();
}
