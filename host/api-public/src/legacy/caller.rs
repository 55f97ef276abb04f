//! Who calls the legacy API, and in which workspace.

use super::errors::ApiError;
use crate::PublicApi;
use axum::extract::{FromRequestParts, MatchedPath, Request, State};
use axum::http::header::{AUTHORIZATION, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use gateway_access::{TokenError, basic_credentials};
use gateway_domain::ErrorCode;
use gateway_domain::access::{Acting, Caller, Client, Permission, Workspaces};
use gateway_domain::ids::{ClientId, WorkspaceId};
use gateway_http::Peer;

/// The header that names the workspace.
pub(super) const PORTAL: &str = "xx-subscription-portal-id";
/// Routes that GraphQL has no operation for: who has moved there keeps using them, with the permission of the area.
const KEPT: [(Method, &str, Permission); 1] =
    [(Method::PATCH, "/api/dev/bookings/{id}/guest_verification", Permission::BookingsWrite)];
const CHALLENGE: &str = "Basic realm=\"gateway\", charset=\"UTF-8\"";

/// A client with good credentials in a workspace that it may see. Take it as an argument of every handler; what it acts
/// for sees nothing of other workspaces.
#[derive(Debug, Clone)]
pub(super) struct LegacyCaller {
    /// The workspace of the request.
    pub(super) workspace: WorkspaceId,
    /// Whose id and secret came with HTTP Basic authentication (RFC 7617).
    pub(super) client: ClientId,
    /// On whose behalf operations are called.
    pub(super) acting: Acting,
}

impl<S: Send + Sync> FromRequestParts<S> for LegacyCaller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        parts.extensions.get::<Self>().cloned().ok_or_else(ApiError::fault)
    }
}

/// Lets nobody through without credentials, permission and workspace, nor more often than the client may ask. Nothing
/// of the body is read before.
pub(super) async fn guard(
    State(api): State<PublicApi>,
    peer: Peer,
    mut request: Request,
    next: Next,
) -> Response {
    let client = match authenticated(&api, peer, request.headers()).await {
        Ok(client) => client,
        Err(refused) => return refused.into_response(),
    };
    let verdict = api.limits.take(&client.id);
    let route = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str).unwrap_or_default();
    let permissions = permissions(request.method(), route);
    let answer = async {
        match legacy_caller(&api, client, request.headers(), &permissions).await {
            Ok(caller) => {
                if let Some(route) = request.extensions().get::<MatchedPath>() {
                    api.metrics.legacy(request.method().as_str(), route.as_str());
                    let route = format!("{} {}", request.method(), route.as_str());
                    api.legacy_uses.count(caller.client, route);
                }
                request.extensions_mut().insert(caller);
                next.run(request).await
            }
            Err(refused) => refused.into_response(),
        }
    };
    verdict.enforce(answer).await
}

/// Those of which a client needs one to use a route.
fn permissions(method: &Method, route: &str) -> Vec<Permission> {
    let kept =
        KEPT.iter().filter(|(kept_method, kept_route, _)| kept_method == method && *kept_route == route);
    std::iter::once(Permission::Legacy).chain(kept.map(|(_, _, permission)| *permission)).collect()
}

fn unauthorised(message: &str) -> ApiError {
    ApiError::base(StatusCode::UNAUTHORIZED, ErrorCode::Unauthenticated, message)
        .with_header(WWW_AUTHENTICATE, CHALLENGE)
}

async fn authenticated(api: &PublicApi, Peer(from): Peer, headers: &HeaderMap) -> Result<Client, ApiError> {
    let authorization = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let Some((id, secret)) = basic_credentials(authorization) else {
        return Err(unauthorised("send the client's id and secret with HTTP Basic authentication"));
    };
    api.tokens.authenticate(&id, &secret, from).await.map_err(|error| {
        let message = error.to_string();
        match error {
            TokenError::Internal(cause) => ApiError::internal(cause),
            TokenError::TooManyFailures { retry_after_s } => {
                ApiError::base(StatusCode::TOO_MANY_REQUESTS, ErrorCode::RateLimited, message)
                    .with_header(RETRY_AFTER, &retry_after_s.to_string())
            }
            TokenError::InvalidClient | TokenError::InvalidRequest(_) | TokenError::UnsupportedGrantType => {
                unauthorised(&message)
            }
        }
    })
}

/// Where the client calls. A workspace that does not exist and one that it may not see are not told apart.
async fn legacy_caller(
    api: &PublicApi,
    client: Client,
    headers: &HeaderMap,
    permissions: &[Permission],
) -> Result<LegacyCaller, ApiError> {
    let forbidden =
        |message: String| ApiError::base(StatusCode::FORBIDDEN, ErrorCode::PermissionMissing, message);
    let mut named = headers.get_all(PORTAL).iter();
    let Some(named) = named.next().filter(|_| named.next().is_none()) else {
        return Err(unauthorised("name the workspace once, in the header XX-SUBSCRIPTION-PORTAL-ID"));
    };
    let mut caller = Caller {
        client: client.id,
        act_sub: None,
        permissions: client.permissions,
        workspaces: client.workspaces,
    };
    if !permissions.iter().any(|permission| caller.may(*permission)) {
        let needed: Vec<_> = permissions.iter().map(|permission| permission.as_str()).collect();
        return Err(forbidden(format!("the client lacks the permission {}", needed.join(" or "))));
    }
    let unknown =
        || forbidden("XX-SUBSCRIPTION-PORTAL-ID is no workspace that the client may see".to_owned());
    let digits = named.to_str().ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    let workspace = digits.and_then(|text| text.parse().ok()).map(WorkspaceId).ok_or_else(unknown)?;
    let client_acting = Acting::from(&caller);
    if api.platform.spaces.profiles_by_ids(&client_acting, &[workspace]).await?.is_empty() {
        return Err(unknown());
    }
    caller.workspaces = Workspaces::Only(vec![workspace]);
    let acting = Acting::from(&caller);
    tracing::debug!(client.id = %caller.client, "the client {} calls in workspace {workspace}", caller.client);
    Ok(LegacyCaller { workspace, client: caller.client, acting })
}
