//! Workspaces, as integrators see them.

use crate::scalars;
use crate::session::{found_or_null, session};
use async_graphql::{Context, Enum, ID, Object};
use gateway_domain::access::Permission;
use gateway_domain_platform::workspaces::Profile;

/// Whether a workspace is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(name = "WorkspaceStatusEnum", remote = "gateway_domain_platform::workspaces::WorkspaceStatus")]
pub(crate) enum WorkspaceStatus {
    /// It is.
    Active,
    /// It is not.
    Inactive,
}

/// A workspace: the tenant that everything belongs to.
#[derive(Debug, Clone)]
pub(crate) struct Workspace(pub(crate) Profile);

/// A workspace: the tenant that everything belongs to.
#[Object]
impl Workspace {
    /// Its id, a number.
    async fn id(&self) -> ID {
        self.0.id.to_string().into()
    }

    /// For people.
    async fn name(&self) -> &str {
        &self.0.name
    }

    /// For addresses.
    async fn slug(&self) -> &str {
        &self.0.slug
    }

    /// Whether it is in use.
    async fn status(&self) -> WorkspaceStatus {
        self.0.status.into()
    }

    /// Where its logo is.
    async fn logo_url(&self) -> Option<&str> {
        self.0.logo_url.as_deref()
    }
}

/// Workspaces. Reading needs the permission workspaces.read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct AwcQuery;

/// Workspaces. Reading needs the permission workspaces.read.
#[Object]
impl AwcQuery {
    /// A workspace; null when there is none, or the client may not see it.
    async fn workspace(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which one, its number.")] id: ID,
    ) -> Option<Workspace> {
        let workspace = async {
            let session = session(ctx).require(Permission::WorkspacesRead)?;
            let id = scalars::parse_workspace_id(&id, "id")?;
            Ok(session.profile(id).await?.map(Workspace))
        };
        found_or_null(ctx, workspace.await)
    }
}
