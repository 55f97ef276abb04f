//! Who works with the platform, and who asks.

use crate::context::Context;
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Caller};
use gateway_domain::ids::{TeamId, UserId, WorkspaceId};
use gateway_domain_lists::{NumberedPage, Page, PageRequest, Stamped, Window};
use gateway_domain_platform::identity::{Team, User, UserStatus};
use gateway_storage::{accounts, clients};
use std::collections::HashMap;
use uuid::Uuid;

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhoAmI {
    /// The user acted for when the platform knows them, else the client.
    pub uuid: Uuid,
    /// For people.
    pub name: Option<String>,
    /// For colleagues; a client has none.
    pub nickname: Option<String>,
    /// Whether they may work; a client that asks may.
    pub status: UserStatus,
}

/// Users and teams. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Users {
    context: Context,
}

impl Users {
    pub(crate) const fn new(context: Context) -> Self {
        Self { context }
    }

    /// Who asks: the user acted for (`act.sub`) when it is the id of one whom the client may see, else the client.
    pub async fn whoami(&self, caller: &Caller) -> Result<WhoAmI, StoreError> {
        let acted_for = caller.act_sub.as_deref().and_then(|sub| sub.parse().ok());
        if let Some(id) = acted_for {
            let acting = Acting::from(caller);
            if let Some(user) = self.users_by_ids(&acting, &[id]).await?.remove(&id) {
                let User { name, nickname, status, .. } = user.value;
                return Ok(WhoAmI { uuid: id.0, name, nickname, status });
            }
        }
        let client = clients::find(self.context.db(), caller.client).await?;
        let name = client.map(|client| client.name);
        Ok(WhoAmI { uuid: caller.client.0, name, nickname: None, status: UserStatus::Active })
    }

    /// A page of users.
    pub async fn users(
        &self,
        acting: &Acting,
        status: Option<UserStatus>,
        page: PageRequest,
    ) -> Result<Page<User>, StoreError> {
        Ok(page.page(
            accounts::page(self.context.db(), &acting.workspaces, status, page.after, page.limit()).await?,
        ))
    }

    /// A window of the users of a workspace, with their roles there.
    pub async fn users_window(
        &self,
        acting: &Acting,
        workspace: WorkspaceId,
        status: Option<UserStatus>,
        window: Window,
    ) -> Result<NumberedPage<Stamped<User>>, StoreError> {
        Ok(accounts::window(self.context.db(), &acting.workspaces, workspace, status, window).await?.into())
    }

    /// How many users all pages have together.
    pub async fn users_count(&self, acting: &Acting, status: Option<UserStatus>) -> Result<i64, StoreError> {
        accounts::count(self.context.db(), &acting.workspaces, status).await
    }

    /// Users by their ids; those that do not exist for the caller are absent.
    pub async fn users_by_ids(
        &self,
        acting: &Acting,
        ids: &[UserId],
    ) -> Result<HashMap<UserId, Stamped<User>>, StoreError> {
        accounts::by_ids(self.context.db(), &acting.workspaces, ids).await
    }

    /// Teams by their ids; those without a member that the caller may see are absent.
    pub async fn teams_by_ids(
        &self,
        acting: &Acting,
        ids: &[TeamId],
    ) -> Result<HashMap<TeamId, Stamped<Team>>, StoreError> {
        accounts::teams(self.context.db(), &acting.workspaces, ids).await
    }

    /// The teams of users that were read for the caller, in the order of their names. A user without teams is absent.
    pub async fn teams_of_users(
        &self,
        users: &[UserId],
    ) -> Result<HashMap<UserId, Vec<Stamped<Team>>>, StoreError> {
        accounts::teams_of(self.context.db(), users).await
    }
}
