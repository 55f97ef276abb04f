//! Who calls, on every route that is not public.

use crate::errors::AccessRefusal;
use axum::extract::{FromRef, FromRequestParts};
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use gateway_access::{Tokens, bearer_token};
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

impl Authenticated {
    /// Refuses with 403 what the client may not do.
    pub fn require(&self, permission: Permission) -> Result<(), AccessRefusal> {
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
