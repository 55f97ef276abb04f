//! People who work with the platform, and who asks.

use crate::costs;
use crate::errors::Refusal;
use crate::pages::{self, Connection};
use crate::scalars::IsoDateTime;
use crate::session::{found_or_null, or_null, reference, session};
use crate::workspaces::Workspace;
use async_graphql::{Context, Enum, ID, Object, SimpleObject};
use gateway_domain::access::Permission;
use gateway_domain_lists::Stamped;
use gateway_domain_platform::identity;

const USERS: &str = "users";

/// Whether somebody may work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(name = "UserStatusEnum", remote = "gateway_domain_platform::identity::UserStatus")]
pub(crate) enum UserStatus {
    /// They may.
    Active,
    /// They may not.
    Inactive,
    /// They were asked, and have not come yet.
    Invited,
    /// They may not for now.
    Suspended,
}

/// People who work together.
#[derive(Debug, Clone)]
pub(crate) struct Team(pub(crate) Stamped<identity::Team>);

/// People who work together.
#[Object]
impl Team {
    /// Its id.
    async fn id(&self) -> ID {
        self.0.id.to_string().into()
    }

    /// For people.
    async fn name(&self) -> &str {
        &self.0.name
    }
}

/// What somebody is in a workspace.
#[derive(Debug, Clone)]
pub(crate) struct RoleBinding(identity::RoleBinding);

/// What somebody is in a workspace.
#[Object]
impl RoleBinding {
    /// Where. What tells more than its id and name needs the permission workspaces.read.
    #[graphql(complexity = "costs::reference(child_complexity)")]
    async fn workspace(&self, ctx: &Context<'_>) -> Option<Workspace> {
        let workspace = async {
            let session = reference(ctx, Permission::WorkspacesRead, &["id", "name"])?;
            Ok(session.profile(self.0.workspace).await?.map(Workspace))
        };
        found_or_null(ctx, workspace.await)
    }

    /// What, in the words of the workspace.
    async fn roles(&self) -> &[String] {
        &self.0.roles
    }
}

/// Somebody who works with the platform.
#[derive(Debug, Clone)]
pub(crate) struct User(pub(crate) Stamped<identity::User>);

/// Somebody who works with the platform.
#[Object]
impl User {
    /// Their id.
    async fn id(&self) -> ID {
        self.0.id.to_string().into()
    }

    /// By mail.
    async fn email(&self) -> &str {
        &self.0.email
    }

    /// For people.
    async fn name(&self) -> Option<&str> {
        self.0.name.as_deref()
    }

    /// For colleagues.
    async fn nickname(&self) -> Option<&str> {
        self.0.nickname.as_deref()
    }

    /// Whether they may work.
    async fn status(&self) -> UserStatus {
        self.0.status.into()
    }

    /// Since when they are there.
    async fn joined_at(&self) -> Option<IsoDateTime> {
        self.0.joined_at.map(IsoDateTime)
    }

    /// What they are in the workspaces that the client may see.
    #[graphql(complexity = "pages::unpaged_list_cost(child_complexity)")]
    async fn role_bindings(&self) -> Vec<RoleBinding> {
        self.0.role_bindings.iter().cloned().map(RoleBinding).collect()
    }

    /// Their teams.
    #[graphql(complexity = "pages::unpaged_list_cost(child_complexity)")]
    async fn teams(&self, ctx: &Context<'_>) -> Option<Vec<Team>> {
        let teams = async { Ok(session(ctx).teams_of(self.0.id).await?.unwrap_or_default()) };
        or_null(ctx, teams.await).map(|teams| teams.into_iter().map(Team).collect())
    }
}

/// Who asks: the end user acted for when the platform knows them, else the client.
#[derive(Debug, Clone, SimpleObject)]
pub(crate) struct WhoAmI {
    /// The id of the user or the client.
    uuid: ID,
    /// For people.
    name: Option<String>,
    /// For colleagues; a client has none.
    nickname: Option<String>,
    /// Whether they may work.
    status: UserStatus,
}

/// Identity.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct AuthIdentityQuery;

/// Who asks, and who works with the platform.
#[Object]
impl AuthIdentityQuery {
    /// Who asks. Needs no permission: of the end user whom `act.sub` of the token names by their id, and who works in a
    /// workspace of the client, it tells what stands here; more of users needs the permission users.read.
    async fn whoami(&self, ctx: &Context<'_>) -> Option<WhoAmI> {
        let session = session(ctx);
        let who = session.services.platform.users.whoami(&session.caller).await.map_err(Refusal::internal);
        or_null(ctx, who).map(|who| WhoAmI {
            uuid: who.uuid.to_string().into(),
            name: who.name,
            nickname: who.nickname,
            status: who.status.into(),
        })
    }

    /// Users, the oldest first. Needs the permission users.read.
    #[graphql(complexity = "pages::page_cost(first, child_complexity)")]
    async fn users(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Nodes of a page: 25 unless given, and at most.")] first: Option<i32>,
        #[graphql(desc = "The endCursor of the page before; none, or an empty one, for the first.")]
        after: Option<String>,
    ) -> Option<Connection<User>> {
        let page = async {
            let session = session(ctx).require(Permission::UsersRead)?;
            let request = pages::page_request(USERS, first, after.as_deref())?;
            let (services, acting) = (&session.services, &session.acting);
            let (page, count) = (
                services.platform.users.users(acting, None, request),
                services.platform.users.users_count(acting, None),
            );
            pages::read_connection(ctx, USERS, page, count, User).await
        };
        or_null(ctx, page.await)
    }
}
