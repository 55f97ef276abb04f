//! The legacy REST API, `/api/dev/*`: what older integrations call until they have moved to GraphQL.
//!
//! Every route is behind [`guard`] (HTTP Basic, the header `XX-SUBSCRIPTION-PORTAL-ID`, the limit of the
//! client), takes a [`LegacyCaller`] for who calls in which workspace, and calls the operation of the service that
//! its successor in GraphQL calls; a list reads its parameters through [`listing`]. Every answer, a refusal too, says that the
//! API is deprecated and what comes in its place ([`deprecation`]).
//!
//! To add a route: a file with a `router()`, a line in [`routes`], its successor in [`deprecation`].

mod account;
mod bookings;
mod deprecation;
mod guest_verification;
mod listing;
mod messages;
mod paths;
mod rates;
mod spaces;
mod tasks;
mod users;
mod webhooks;

use crate::PublicState;
use axum::extract::{FromRequestParts, MatchedPath, Request, State};
use axum::http::header::{AUTHORIZATION, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::{Router, middleware};
pub(super) use deprecation::announce;
use gateway_access::{TokenError, basic_credentials};
use gateway_domain::access::{Acting, Caller, Client, Permission, Workspaces};
use gateway_domain::ids::{ClientId, WorkspaceId};
use gateway_domain::{ErrorCode, FieldError, StoreCauseKind, StoreError};
use gateway_domain_platform::webhooks::NoticeAccess;
use gateway_http::openapi::{Listener, Surface, retry_after, www_authenticate};
use gateway_http::{Peer, limits};
use gateway_platform::{NotFound, PlatformError};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
};
use utoipa_axum::router::OpenApiRouter;
use uuid::Uuid;
pub(super) use webhooks::surface as webhooks_surface;

const ABOUT: &str = "For older integrations until they have moved to GraphQL: every route is deprecated and names its successor. HTTP \
                     Basic with the client's id and secret, and the workspace in the header `XX-SUBSCRIPTION-PORTAL-ID`; the client needs the permission `legacy`. Members \
                     are those of the GraphQL nodes in snake_case. Pages are counted: `perPage` items each, `page` from 1 on, and \
                     `limit` caps all pages together.";

/// The routes of the legacy API. Nobody reaches one without good credentials.
pub(super) fn router(state: &PublicState) -> Router<PublicState> {
    let all = Router::from(routes().merge(webhooks::router()));
    all.route_layer(middleware::from_fn_with_state(state.clone(), guard))
}

/// Those that GraphQL replaces.
fn routes() -> OpenApiRouter<PublicState> {
    OpenApiRouter::new()
        .merge(account::router())
        .merge(bookings::router())
        .merge(messages::router())
        .merge(guest_verification::router())
        .merge(rates::router())
        .merge(spaces::router())
        .merge(tasks::router())
        .merge(users::router())
}

/// What the routes are described by.
pub(super) fn surface() -> Surface {
    behind_guard(Surface::new(Listener::Public, "Legacy REST API", ABOUT, routes().into_openapi()))
        .deprecated()
        .each(|path, operation| {
            deprecation::describe_successor(path, operation);
            listing::describe_pages(operation);
        })
}

/// What is true of whatever is behind [`guard`].
fn behind_guard(surface: Surface) -> Surface {
    let basic = HttpBuilder::new().scheme(HttpAuthScheme::Basic);
    let basic = basic.description(Some("`client_id` and `client_secret`.")).build();
    let workspace_header = ApiKeyValue::with_description("XX-SUBSCRIPTION-PORTAL-ID", "The workspace's id.");
    let none: [&str; 0] = [];
    let surface = surface
        .scheme("basic", SecurityScheme::Http(basic))
        .scheme("portal", SecurityScheme::ApiKey(ApiKey::Header(workspace_header)))
        .security([SecurityRequirement::new("basic", none).add("portal", none)])
        .permission("legacy")
        .answers::<LegacyUnauthorised>(401)
        .answers::<LegacyForbidden>(403)
        .answers::<LegacyLimited>(429)
        .fails();
    limits::headers()
        .into_iter()
        .fold(deprecation::describe_headers(surface), |surface, (name, header)| surface.header(name, &header))
}

/// The header that names the workspace.
const WORKSPACE_HEADER: &str = "xx-subscription-portal-id";
/// Routes that GraphQL has no operation for: who has moved there goes on using them, with the permission of the area.
const WITHOUT_SUCCESSOR: [(Method, &str, Permission); 1] =
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
    /// Whether it may have webhooks told notices.
    pub(super) notices: NoticeAccess,
}

impl<S: Send + Sync> FromRequestParts<S> for LegacyCaller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        parts.extensions.get::<Self>().cloned().ok_or_else(ApiError::fault)
    }
}

/// Lets nobody through without credentials, permission and workspace, nor more often than the client may ask. Nothing
/// of the body is read before.
async fn guard(State(state): State<PublicState>, peer: Peer, mut request: Request, next: Next) -> Response {
    let client = match authenticate(&state, peer, request.headers()).await {
        Ok(client) => client,
        Err(refused) => return refused.into_response(),
    };
    let verdict = state.limits.take(&client.id);
    let route = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str).unwrap_or_default();
    let permissions = permissions(request.method(), route);
    let answer = async {
        match legacy_caller(&state, client, request.headers(), &permissions).await {
            Ok(caller) => {
                if let Some(route) = request.extensions().get::<MatchedPath>() {
                    state.metrics.legacy(request.method().as_str(), route.as_str());
                    let route = format!("{} {}", request.method(), route.as_str());
                    state.legacy_uses.count(caller.client, route);
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
    let area = WITHOUT_SUCCESSOR.iter().filter(|(known, path, _)| known == method && *path == route);
    std::iter::once(Permission::Legacy).chain(area.map(|(.., permission)| *permission)).collect()
}

fn unauthenticated(message: &str) -> ApiError {
    ApiError::base(StatusCode::UNAUTHORIZED, ErrorCode::Unauthenticated, message)
        .with_header(WWW_AUTHENTICATE, CHALLENGE)
}

async fn authenticate(
    state: &PublicState,
    Peer(from): Peer,
    headers: &HeaderMap,
) -> Result<Client, ApiError> {
    let authorization = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let Some((id, secret)) = basic_credentials(authorization) else {
        return Err(unauthenticated("send the client's id and secret with HTTP Basic authentication"));
    };
    state.tokens.authenticate(&id, &secret, from).await.map_err(|error| {
        let message = error.to_string();
        match error {
            TokenError::Internal(cause) => ApiError::internal(cause),
            TokenError::TooManyFailures { retry_after_s } => {
                ApiError::base(StatusCode::TOO_MANY_REQUESTS, ErrorCode::RateLimited, message)
                    .with_header(RETRY_AFTER, &retry_after_s.to_string())
            }
            TokenError::InvalidClient | TokenError::InvalidRequest(_) | TokenError::UnsupportedGrantType => {
                unauthenticated(&message)
            }
        }
    })
}

/// Where the client calls. A workspace that does not exist and one that it may not see are not told apart.
async fn legacy_caller(
    state: &PublicState,
    client: Client,
    headers: &HeaderMap,
    permissions: &[Permission],
) -> Result<LegacyCaller, ApiError> {
    let forbidden =
        |message: String| ApiError::base(StatusCode::FORBIDDEN, ErrorCode::PermissionMissing, message);
    let mut named = headers.get_all(WORKSPACE_HEADER).iter();
    let Some(named) = named.next().filter(|_| named.next().is_none()) else {
        return Err(unauthenticated("name the workspace once, in the header XX-SUBSCRIPTION-PORTAL-ID"));
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
    if state.platform.spaces.profiles_by_ids(&client_acting, &[workspace]).await?.is_empty() {
        return Err(unknown());
    }
    caller.workspaces = Workspaces::Only(vec![workspace]);
    let acting = Acting::from(&caller);
    tracing::debug!(client.id = %caller.client, "the client {} calls in workspace {workspace}", caller.client);
    let notices = NoticeAccess::from(&caller);
    Ok(LegacyCaller { workspace, client: caller.client, acting, notices })
}

gateway_http::refusals! {
    /// The credentials or the header `XX-SUBSCRIPTION-PORTAL-ID` are missing, or the secret is wrong.
    LegacyUnauthorised: ("base", Unauthenticated, "send the client's id and secret with HTTP Basic authentication"), "WWW-Authenticate" = www_authenticate();
    /// The client lacks the permission, or the workspace does not exist or is none of those it may see.
    LegacyForbidden: ("base", PermissionMissing, "XX-SUBSCRIPTION-PORTAL-ID is no workspace that the client may see");
    /// The client sends more requests than its limit allows, or too many secrets were wrong.
    LegacyLimited: ("base", RateLimited, "too many requests: wait as the header Retry-After says"), "Retry-After" = retry_after();
}

gateway_http::surface_error!(pub(super));

impl ApiError {
    /// The gateway's own fault, logged by the caller.
    fn fault() -> Self {
        Self(gateway_http::ApiErrors::fault())
    }
}

impl From<PlatformError> for ApiError {
    fn from(error: PlatformError) -> Self {
        match error {
            PlatformError::Invalid(faults) => Self::new(StatusCode::UNPROCESSABLE_ENTITY, faults),
            PlatformError::NotFound(NotFound { field, .. }) => {
                let message = error.to_string();
                Self::new(StatusCode::NOT_FOUND, vec![FieldError::new(field, ErrorCode::NotFound, message)])
            }
            PlatformError::Store(cause @ StoreError::Moved { .. }) => concurrent_change(&cause),
            PlatformError::Store(cause) if cause.kind() == Some(StoreCauseKind::Duplicate) => {
                concurrent_change(&cause)
            }
            PlatformError::Store(cause) => Self::internal(cause),
        }
    }
}

/// What two requests did to the same thing at once, the second may repeat.
fn concurrent_change(cause: &StoreError) -> ApiError {
    tracing::info!("Somebody else changed it at the same moment: {cause}");
    let message = "somebody else changed this at the same moment: read it again and repeat the request";
    ApiError::base(StatusCode::CONFLICT, ErrorCode::Stale, message)
}

/// Something that is named elsewhere.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[schema(as = LegacyReference)]
pub(super) struct Reference {
    #[schema(examples("0197f4f2-0000-7000-8000-0000000000a1"))]
    pub(super) id: Uuid,
}

impl Reference {
    pub(super) fn to(id: impl Into<Uuid>) -> Self {
        Self { id: id.into() }
    }
}

/// Something with its name.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = LegacyNamed)]
pub(super) struct NamedReference {
    #[schema(examples("0197f4f2-0000-7000-8000-0000000000a4"))]
    pub(super) id: Uuid,
    #[schema(examples("Wifi"))]
    pub(super) name: String,
}

/// The workspace of something.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[schema(as = LegacyWorkspace)]
pub(super) struct WorkspaceReference {
    #[schema(value_type = i64, examples(1))]
    pub(super) id: WorkspaceId,
}
