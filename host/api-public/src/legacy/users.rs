//! Who works with the platform.

use super::caller::Portal;
use super::errors::ApiError;
use super::pages::Listing;
use crate::PublicApi;
use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use gateway_domain::Stamped;
use gateway_domain::ids::UserId;
use gateway_domain_platform::identity::{Team, User, UserStatus};
use gateway_platform::Platform;
use serde_json::{Value, json};

/// Both are always shown.
const INCLUDED: &[&str] = &["role_bindings", "teams"];

pub(super) fn router() -> Router<PublicApi> {
    Router::new().route("/api/dev/users", get(users))
}

async fn users(
    State(platform): State<Platform>,
    portal: Portal,
    mut listing: Listing,
) -> Result<Response, ApiError> {
    listing.only(&["status", "include"]);
    listing.include(INCLUDED);
    let known: Vec<_> = UserStatus::ALL.iter().map(|status| status.as_str()).collect();
    let wanted = format!("use one of {}", known.join(", "));
    let status = listing.read("status", &wanted, |text| text.parse().ok());
    let (platform, Portal { workspace, acting, .. }) = (&platform, portal);
    let found = platform.users_window(&acting, workspace, status, listing.window()?).await?;
    let ids: Vec<UserId> = found.nodes.iter().map(|user| user.id).collect();
    let teams = platform.teams_of_users(&ids).await?;
    let shown = found.nodes.iter().map(|user| shape(user, teams.get(&user.id).map_or(&[], Vec::as_slice)));
    Ok(listing.answer(json!({"users": shown.collect::<Vec<_>>()}), found.total))
}

fn shape(user: &User, teams: &[Stamped<Team>]) -> Value {
    let bindings = user
        .role_bindings
        .iter()
        .map(|held| json!({"workspace": {"id": held.workspace}, "roles": held.roles}));
    json!({
        "id": user.id,
        "email": user.email,
        "name": user.name,
        "nickname": user.nickname,
        "status": user.status,
        "joined_at": user.joined_at,
        "role_bindings": bindings.collect::<Vec<_>>(),
        "teams": teams.iter().map(|team| json!({"id": team.id, "name": team.name})).collect::<Vec<_>>(),
    })
}
