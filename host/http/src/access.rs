//! Who calls, on every route that is not public.

use crate::errors::ApiErrors;
use axum::extract::{FromRef, FromRequestParts};
use axum::http::StatusCode;
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use gateway_access::{BearerError, Tokens, bearer_token};
use gateway_domain::ErrorCode;
use gateway_domain::access::{Caller, Permission};
use std::sync::Arc;

/// The caller of a request with a good bearer token, and with every permission that its route [`Needs`]. Put it before every
/// other argument of a handler, so that strangers learn nothing.
#[derive(Debug)]
pub struct Authenticated(pub Caller);

/// What a client has to be permitted for a route, as an extension of its requests: `.layer(Extension(Needs(…)))` on a router.
/// It is asked before the path and the body are read.
#[derive(Debug, Clone, Copy)]
pub struct Needs(pub &'static [Permission]);

/// Why a request does not reach its route.
#[derive(Debug)]
pub enum AccessRefusal {
    /// Who calls is not known.
    Token(BearerError),
    /// The client lacks this permission.
    Permission(Permission),
}

impl Authenticated {
    /// Refuses with 403 what the client may not do.
    fn require(&self, permission: Permission) -> Result<(), AccessRefusal> {
        if self.0.may(permission) { Ok(()) } else { Err(AccessRefusal::Permission(permission)) }
    }
}

impl<S> FromRequestParts<S> for Authenticated
where
    S: Send + Sync,
    Arc<Tokens>: FromRef<S>,
{
    type Rejection = AccessRefusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, AccessRefusal> {
        let header = parts.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let tokens = Arc::<Tokens>::from_ref(state);
        let caller =
            async { tokens.verify(bearer_token(header)?).await }.await.map_err(AccessRefusal::Token)?;
        tracing::debug!(client.id = %caller.client, "the client {} calls", caller.client);
        let caller = Self(caller);
        let Needs(needed) = parts.extensions.get().copied().unwrap_or(Needs(&[]));
        needed.iter().try_for_each(|permission| caller.require(*permission))?;
        Ok(caller)
    }
}

impl From<AccessRefusal> for ApiErrors {
    fn from(refusal: AccessRefusal) -> Self {
        match refusal {
            AccessRefusal::Token(error) => Self::from(error),
            AccessRefusal::Permission(permission) => {
                let message = format!("the client lacks the permission {permission}");
                let challenge = "Bearer realm=\"gateway\", error=\"insufficient_scope\"";
                Self::base(StatusCode::FORBIDDEN, ErrorCode::PermissionMissing, message)
                    .with_header(WWW_AUTHENTICATE, challenge)
            }
        }
    }
}

impl IntoResponse for AccessRefusal {
    fn into_response(self) -> Response {
        ApiErrors::from(self).into_response()
    }
}

impl From<BearerError> for ApiErrors {
    fn from(error: BearerError) -> Self {
        match (error.challenge(), error) {
            (_, BearerError::Internal(cause)) => Self::internal(cause),
            (challenge, error) => {
                Self::base(StatusCode::UNAUTHORIZED, ErrorCode::Unauthenticated, error.to_string())
                    .with_header(WWW_AUTHENTICATE, challenge.as_deref().unwrap_or("Bearer"))
            }
        }
    }
}
