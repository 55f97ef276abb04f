//! Who works with the platform.

use super::listing::{Listing, PageParams};
use super::{ApiError, LegacyCaller, NamedReference, WorkspaceReference};
use crate::PublicState;
use axum::extract::State;
use axum::response::Response;
use gateway_domain::ids::UserId;
use gateway_domain_lists::Stamped;
use gateway_domain_platform::identity::{Team, User, UserStatus};
use gateway_http::openapi::Unprocessable;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Both are always shown.
const INCLUDABLE_MEMBERS: &[&str] = &["role_bindings", "teams"];

pub(super) fn router() -> OpenApiRouter<PublicState> {
    OpenApiRouter::new().routes(routes!(users))
}

/// A person who works with the platform.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = User)]
struct UserView {
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-0000000000e1"))]
    id: UserId,
    #[schema(examples("ada@example.com"))]
    email: String,
    #[schema(required, examples("Ada"))]
    name: Option<String>,
    #[schema(required)]
    nickname: Option<String>,
    status: UserStatus,
    #[schema(required, value_type = Option<String>, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    joined_at: Option<Timestamp>,
    role_bindings: Vec<RoleBindingView>,
    teams: Vec<NamedReference>,
}

/// The roles of a user in a workspace.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RoleBinding)]
struct RoleBindingView {
    workspace: WorkspaceReference,
    #[schema(examples("manager"))]
    roles: Vec<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = UsersPage)]
struct Users {
    users: Vec<UserView>,
}

/// Which users.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes parameters")]
struct UsersParams {
    /// Only those in this status; small letters are taken, too.
    #[param(inline, value_type = UserStatus, required = false)]
    status: Option<UserStatus>,
    /// Both are there anyway.
    #[param(inline, style = Form, explode = false, value_type = Vec<UserMember>, required = false, min_items = 1)]
    include: Option<Vec<UserMember>>,
}

/// What may be asked for beside a user.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes a parameter")]
enum UserMember {
    RoleBindings,
    Teams,
}

/// The users of the workspace
///
/// With the roles that they have and the teams that they are in.
#[utoipa::path(
    get,
    path = "/api/dev/users",
    operation_id = "listUsers",
    params(UsersParams, PageParams),
    responses(
        (status = 200, description = "The page.", body = Users),
        (status = 422, response = Unprocessable),
    )
)]
async fn users(
    State(users): State<gateway_platform::Users>,
    caller: LegacyCaller,
    mut listing: Listing,
) -> Result<Response, ApiError> {
    listing.only(&["status", "include"]);
    listing.include(INCLUDABLE_MEMBERS);
    let known: Vec<_> = UserStatus::ALL.iter().map(|status| status.as_str()).collect();
    let expected = format!("use one of {}", known.join(", "));
    let status = listing.read("status", &expected, |text| text.parse().ok());
    let LegacyCaller { workspace, acting, .. } = caller;
    let found = users.users_window(&acting, workspace, status, listing.window()?).await?;
    let ids: Vec<UserId> = found.nodes.iter().map(|user| user.id).collect();
    let teams = users.teams_of_users(&ids).await?;
    let listed = found.nodes.iter().map(|user| view(user, teams.get(&user.id).map_or(&[], Vec::as_slice)));
    Ok(listing.answer(&Users { users: listed.collect() }, found.total))
}

fn view(user: &User, teams: &[Stamped<Team>]) -> UserView {
    let bindings = user.role_bindings.iter().map(|held| RoleBindingView {
        workspace: WorkspaceReference { id: held.workspace },
        roles: held.roles.clone(),
    });
    let teams = teams.iter().map(|team| NamedReference { id: team.id.into(), name: team.name.clone() });
    UserView {
        id: user.id,
        email: user.email.clone(),
        name: user.name.clone(),
        nickname: user.nickname.clone(),
        status: user.status,
        joined_at: user.joined_at,
        role_bindings: bindings.collect(),
        teams: teams.collect(),
    }
}
