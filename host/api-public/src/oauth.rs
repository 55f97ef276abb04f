//! The token endpoint (RFC 6749, client credentials) and what others need to check tokens (RFC 7517, RFC 8414).

use crate::PublicState;
use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL, PRAGMA, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use gateway_access::{AccessToken, AuthorizationServer, JwkSet, TokenError, TokenRequest, Tokens};
use gateway_http::openapi::{
    InternalError, Listener, Surface, TooLarge, TooSlow, Unavailable, retry_after, www_authenticate,
};
use gateway_http::{ApiErrors, Peer, json, quick};
use mediatype::{MediaType, Name, names};
use serde::Serialize;
use std::net::IpAddr;
use std::sync::Arc;
use url::form_urlencoded;
use utoipa::openapi::RefOr;
use utoipa::openapi::encoding::EncodingBuilder;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Whoever keeps the keys looks again before a new one signs: it is published five seconds ahead.
const KEYS_FRESH: &str = "public, max-age=3";

/// What a token may be asked for with (RFC 6749 has the form alone).
const JSON: MediaType<'_> = MediaType::new(names::APPLICATION, names::JSON);
const FORM: MediaType<'_> = MediaType::new(names::APPLICATION, Name::new_unchecked("x-www-form-urlencoded"));

/// What an answer with a refusal says (RFC 6749, section 5.2).
#[derive(Debug, Serialize, ToSchema)]
struct TokenRefusal {
    error: TokenRefusalCode,
    /// For people.
    #[schema(examples("client_id is missing"))]
    error_description: String,
}

/// The codes of RFC 6749 and RFC 8628 that are used.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum TokenRefusalCode {
    InvalidRequest,
    InvalidClient,
    UnsupportedGrantType,
    SlowDown,
}

/// Who asks for a token, and for whom. Other members are ignored.
#[derive(Debug, Serialize, ToSchema)]
struct TokenForm {
    grant_type: GrantType,
    /// Who asks. Required unless HTTP Basic has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false, examples("0197f4f2-0000-7000-8000-0000000000c1"))]
    client_id: Option<String>,
    /// What proves it. Required unless HTTP Basic has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false, examples("your-client-secret"))]
    client_secret: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = ActForm, required = false)]
    act: Option<ActForm>,
}

/// How a token may be asked for.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum GrantType {
    ClientCredentials,
}

/// The end user acted for. Recorded with every action taken with the token; members other than `sub` are ignored.
#[derive(Debug, Serialize, ToSchema)]
struct ActForm {
    /// Opaque identifier of the end user.
    #[schema(min_length = 1, max_length = 512, pattern = r"^[^\u0000-\u001F\u007F-\u009F]*$")]
    sub: String,
}

/// The token endpoint; on both listeners.
pub(super) fn router() -> OpenApiRouter<PublicState> {
    OpenApiRouter::new().routes(routes!(token))
}

/// What is published about tokens.
pub(super) fn discovery() -> OpenApiRouter<PublicState> {
    OpenApiRouter::new().routes(routes!(jwks)).routes(routes!(metadata))
}

/// What both are described by.
pub(super) fn surfaces() -> [Surface; 2] {
    let about = "OAuth 2.0 client credentials (RFC 6749). `client_id` and `client_secret` are issued by the provider of the service \
                 on request; both are secret.";
    let basic = HttpBuilder::new().scheme(HttpAuthScheme::Basic).description(Some(
        "`client_id` and `client_secret`, both form-encoded before they are joined (RFC 6749 §2.3.1).",
    ));
    let none: [&str; 0] = [];
    let form = |act| TokenForm {
        grant_type: GrantType::ClientCredentials,
        client_id: Some("0197f4f2-0000-7000-8000-0000000000c1".to_owned()),
        client_secret: Some("your-client-secret".to_owned()),
        act,
    };
    let token = Surface::new(Listener::Public, "Tokens", about, router().into_openapi())
        .also_on(Listener::Internal)
        .scheme("client", SecurityScheme::Http(basic.build()))
        .security([SecurityRequirement::default(), SecurityRequirement::new("client", none)])
        .schema::<AccessToken>()
        .schema::<TokenRefusal>()
        .refusal::<TokenIssued>()
        .refusal::<TokenRefused>()
        .refusal::<ClientRefused>()
        .refusal::<ClientThrottled>()
        .body("token", "example", &form(None))
        .body("token", "actor", &form(Some(ActForm { sub: "user-7".to_owned() })))
        .each(|_, operation| act_is_json(operation))
        .fails();
    [token, Surface::new(Listener::Public, "Tokens", about, discovery().into_openapi())]
}

/// A form has `act` as JSON.
fn act_is_json(operation: &mut Operation) {
    if let Some(RefOr::T(body)) = &mut operation.request_body
        && let Some(RefOr::T(form)) = body.content.get_mut("application/x-www-form-urlencoded")
    {
        let json = EncodingBuilder::new().content_type(Some("application/json"));
        form.encoding.insert("act".to_owned(), json.build());
    }
}

/// No cache keeps an answer that may hold a token.
fn no_store() -> Header {
    let about = "No cache keeps it (RFC 6749).";
    let value = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(["no-store"]));
    HeaderBuilder::new().schema(Some(value)).description(Some(about)).build()
}

/// Answers of the token endpoint as components of the document.
macro_rules! answers {
    ($($(#[doc = $about:literal])+ $name:ident: $body:ty $(, $header:literal = $described:expr)?;)+) => {
        $(
            $(#[doc = $about])+
            struct $name;

            impl<'r> utoipa::ToResponse<'r> for $name {
                fn response() -> (&'r str, utoipa::openapi::RefOr<utoipa::openapi::Response>) {
                    let schema = utoipa::openapi::Ref::from_schema_name(<$body>::name());
                    let response = utoipa::openapi::ResponseBuilder::new()
                        .description(concat!($($about, "\n"),+).trim_ascii())
                        .content("application/json", utoipa::openapi::Content::new(Some(schema)))
                        .header("Cache-Control", no_store());
                    $(let response = response.header($header, $described);)?
                    (stringify!($name), response.build().into())
                }
            }
        )+
    };
}

answers! {
    /// The token.
    TokenIssued: AccessToken;
    /// A member is missing, of the wrong type or given twice, or the grant type is another one.
    TokenRefused: TokenRefusal;
    /// The client is unknown, its secret is wrong, or it is disabled; these are not told apart.
    ClientRefused: TokenRefusal, "WWW-Authenticate" = www_authenticate();
    /// Too many secrets were wrong for this client or from this address.
    ClientThrottled: TokenRefusal, "Retry-After" = retry_after();
}

/// What the caller calls the request. Every operation takes it; it is described here, because the clients that
/// openapi-python-client makes of a body in two media types lack an import unless there is an optional parameter.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "describes a parameter")]
struct OwnRequestId {
    /// What the request is called in the log of the gateway and in the answer. Another text than 1 to 128 letters, digits or
    /// `-_.:/+=` is passed over for a fresh id.
    #[param(rename = "x-request-id", required = false, value_type = String, example = "token-7")]
    id: Option<String>,
}

/// Get an access token
///
/// A token is good until it expires; several may exist at once. Reuse one until then rather than asking for one with every
/// request. The credentials stand in the body, or in HTTP Basic (RFC 6749 §2.3.1) with only the rest in the body.
#[utoipa::path(
    post,
    path = "/v1/oauth2/token",
    operation_id = "token",
    params(OwnRequestId),
    request_body(
        content((TokenForm = "application/json"), (TokenForm = "application/x-www-form-urlencoded")),
    ),
    responses(
        (status = 200, response = TokenIssued),
        (status = 400, response = TokenRefused),
        (status = 401, response = ClientRefused),
        (status = 408, response = TooSlow),
        (status = 413, response = TooLarge),
        (status = 429, response = ClientThrottled),
    )
)]
async fn token(
    State(tokens): State<Arc<Tokens>>,
    Peer(from): Peer,
    headers: HeaderMap,
    body: Result<Bytes, axum::extract::rejection::BytesRejection>,
) -> Response {
    let answer = match body {
        Ok(body) => match quick::in_time(issue(&tokens, from, &headers, &body)).await {
            Ok(answer) => answer,
            Err(late) => return late.into_response(),
        },
        Err(rejection) if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE => {
            return rejection.into_response();
        }
        Err(_) => Err(TokenError::InvalidRequest("the body could not be read")),
    };
    let mut response = match answer {
        Ok(token) => Json(token).into_response(),
        Err(error) => refusal(error),
    };
    // RFC 6749 §5.1: no cache of any age keeps an answer that may hold a token.
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response.headers_mut().insert(PRAGMA, HeaderValue::from_static("no-cache"));
    response
}

async fn issue(
    tokens: &Tokens,
    from: IpAddr,
    headers: &HeaderMap,
    body: &[u8],
) -> Result<AccessToken, TokenError> {
    let authorization = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let media_type = json::media_type(headers);
    let is = |known| media_type.as_ref().is_some_and(|given| given.essence() == known);
    let request = if is(JSON) {
        TokenRequest::from_json(body, authorization)?
    } else if is(FORM) {
        TokenRequest::from_form(form_urlencoded::parse(body).into_owned(), authorization)?
    } else {
        return Err(TokenError::InvalidRequest(
            "send the request as application/json or application/x-www-form-urlencoded",
        ));
    };
    tokens.issue(&request, from).await
}

fn refusal(error: TokenError) -> Response {
    let error_description = error.to_string();
    let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::BAD_REQUEST);
    let code = match &error {
        TokenError::InvalidRequest(_) => TokenRefusalCode::InvalidRequest,
        TokenError::UnsupportedGrantType => TokenRefusalCode::UnsupportedGrantType,
        TokenError::InvalidClient => TokenRefusalCode::InvalidClient,
        // The registered code of RFC 8628; RFC 6749 has none for this.
        TokenError::TooManyFailures { .. } => TokenRefusalCode::SlowDown,
        TokenError::Internal(_) => return ApiErrors::internal(error).into_response(),
    };
    let mut response = (status, Json(TokenRefusal { error: code, error_description })).into_response();
    match error {
        TokenError::InvalidClient => {
            let challenge = HeaderValue::from_static("Basic realm=\"gateway\", charset=\"UTF-8\"");
            response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        }
        TokenError::TooManyFailures { retry_after_s } => {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(retry_after_s));
        }
        TokenError::InvalidRequest(_) | TokenError::UnsupportedGrantType | TokenError::Internal(_) => {}
    }
    response
}

/// The public keys of tokens
///
/// RFC 7517. A new key is published before it signs, and an old one stays until its last token has expired.
#[utoipa::path(
    get,
    path = "/.well-known/jwks.json",
    operation_id = "jwks",
    responses(
        (status = 200, description = "The keys.", body = JwkSet),
        (status = 500, response = InternalError),
        (status = 503, response = Unavailable),
    )
)]
async fn jwks(State(tokens): State<Arc<Tokens>>) -> Result<Response, ApiErrors> {
    let keys = tokens.jwks().await.map_err(ApiErrors::internal)?;
    Ok(([(CACHE_CONTROL, KEYS_FRESH)], Json(keys)).into_response())
}

/// The metadata of the token endpoint
///
/// RFC 8414.
#[utoipa::path(
    get,
    path = "/.well-known/oauth-authorization-server",
    operation_id = "authorizationServer",
    responses((status = 200, description = "The metadata.", body = AuthorizationServer))
)]
async fn metadata(State(tokens): State<Arc<Tokens>>) -> Json<AuthorizationServer> {
    Json(tokens.metadata())
}
