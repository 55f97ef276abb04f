//! The token endpoint (RFC 6749, client credentials) and what others need to check tokens (RFC 7517, RFC 8414).

use crate::PublicApi;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, PRAGMA, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use gateway_access::{AccessToken, TokenError, TokenRequest, Tokens};
use gateway_http::{ApiErrors, Peer};
use serde_json::{Value, json};
use std::net::IpAddr;
use std::sync::Arc;
use url::form_urlencoded;

/// Whoever keeps the keys looks again before a new one signs: it is published five seconds ahead.
const KEYS_FRESH: &str = "public, max-age=3";

/// The token endpoint; on both listeners.
pub(super) fn router() -> Router<PublicApi> {
    Router::new().route("/v1/oauth2/token", post(token))
}

/// What is published about tokens.
pub(super) fn discovery() -> Router<PublicApi> {
    Router::new()
        .route("/.well-known/jwks.json", get(jwks))
        .route("/.well-known/oauth-authorization-server", get(metadata))
}

async fn token(
    State(tokens): State<Arc<Tokens>>,
    Peer(from): Peer,
    headers: HeaderMap,
    body: Result<Bytes, axum::extract::rejection::BytesRejection>,
) -> Response {
    let answer = match body {
        Ok(body) => issue(&tokens, from, &headers, &body).await,
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
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let authorization = text(AUTHORIZATION);
    let essence = text(CONTENT_TYPE).and_then(|value| value.split(';').next()).unwrap_or_default();
    let request = match essence.trim().to_ascii_lowercase().as_str() {
        "application/json" => TokenRequest::from_json(body, authorization)?,
        "application/x-www-form-urlencoded" => {
            TokenRequest::from_form(form_urlencoded::parse(body).into_owned(), authorization)?
        }
        _ => {
            return Err(TokenError::InvalidRequest(
                "send the request as application/json or application/x-www-form-urlencoded",
            ));
        }
    };
    tokens.issue(&request, from).await
}

fn refusal(error: TokenError) -> Response {
    let description = error.to_string();
    let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::BAD_REQUEST);
    match (error.code(), error) {
        (_, TokenError::Internal(cause)) => ApiErrors::internal(cause).into_response(),
        (code, error) => {
            let body = json!({"error": code, "error_description": description});
            let mut response = (status, Json(body)).into_response();
            match error {
                TokenError::InvalidClient => {
                    let challenge = HeaderValue::from_static("Basic realm=\"gateway\", charset=\"UTF-8\"");
                    response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
                }
                TokenError::TooManyFailures { retry_after_s } => {
                    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(retry_after_s));
                }
                TokenError::InvalidRequest(_)
                | TokenError::UnsupportedGrantType
                | TokenError::Internal(_) => {}
            }
            response
        }
    }
}

async fn jwks(State(tokens): State<Arc<Tokens>>) -> Result<Response, ApiErrors> {
    let keys = tokens.jwks().await.map_err(ApiErrors::internal)?;
    Ok(([(CACHE_CONTROL, KEYS_FRESH)], Json(keys)).into_response())
}

async fn metadata(State(tokens): State<Arc<Tokens>>) -> Json<Value> {
    Json(tokens.metadata())
}
