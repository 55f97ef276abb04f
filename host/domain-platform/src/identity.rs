//! People who work with the platform, their roles and their teams.

use gateway_domain::ErrorCode;
use gateway_domain::ids::{TeamId, UserId, WorkspaceId};
use gateway_domain_input::Faults;
use gateway_domain_lists::Keyed;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

gateway_domain::words! {
    /// Whether somebody may work.
    UserStatus {
        /// They may.
        Active = "ACTIVE",
        /// They may not.
        Inactive = "INACTIVE",
        /// They were asked, and have not come yet.
        Invited = "INVITED",
        /// They may not for now.
        Suspended = "SUSPENDED",
    }
}

impl UserStatus {
    /// What holds unless it is said otherwise.
    pub const fn active() -> Self {
        Self::Active
    }
}

/// What somebody is in a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoleBinding {
    /// Where.
    #[serde(rename = "workspace_id")]
    pub workspace: WorkspaceId,
    /// What, in the words of the workspace.
    #[serde(default)]
    pub roles: Vec<String>,
}

/// Somebody who works with the platform.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    /// Given by the import.
    pub id: UserId,
    /// By mail.
    pub email: String,
    /// For people.
    #[serde(default)]
    pub name: Option<String>,
    /// For colleagues.
    #[serde(default)]
    pub nickname: Option<String>,
    /// Whether they may work; ACTIVE unless given.
    #[serde(default = "UserStatus::active")]
    pub status: UserStatus,
    /// Since when; read from an instant or a day.
    #[serde(default, deserialize_with = "gateway_domain_input::instant")]
    pub joined_at: Option<Timestamp>,
    /// What they are where: each workspace once, in the order of their ids. A caller sees those of its own workspaces.
    #[serde(default)]
    pub role_bindings: Vec<RoleBinding>,
    /// Their teams, each once, in the order of their ids.
    #[serde(rename = "team_ids", default)]
    pub teams: Vec<TeamId>,
}

/// People who work together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Team {
    /// Given by the import.
    pub id: TeamId,
    /// For people.
    pub name: String,
}

impl Keyed for User {
    fn key(&self) -> Uuid {
        self.id.0
    }
}

impl Keyed for Team {
    fn key(&self) -> Uuid {
        self.id.0
    }
}

impl User {
    /// Everything that is wrong with them.
    pub fn check(&self, faults: &mut Faults) {
        faults.text("email", &self.email);
        if !self.email.contains('@') {
            faults.refuse("email", ErrorCode::InvalidFormat, "use a mail address");
        }
        faults.optional_text("name", self.name.as_deref());
        faults.optional_text("nickname", self.nickname.as_deref());
        faults.list("role_bindings", &self.role_bindings);
        for (place, binding) in self.role_bindings.iter().enumerate() {
            faults.list(&format!("role_bindings[{place}].roles"), &binding.roles);
            for (role, text) in binding.roles.iter().enumerate() {
                faults.text(&format!("role_bindings[{place}].roles[{role}]"), text);
            }
        }
        let mut workspaces: Vec<_> = self.role_bindings.iter().map(|binding| binding.workspace).collect();
        workspaces.sort_unstable();
        workspaces.dedup();
        if workspaces.len() != self.role_bindings.len() {
            faults.refuse("role_bindings", ErrorCode::GivenTwice, "the same workspace stands twice");
        }
        faults.list("team_ids", &self.teams);
    }
}

impl Team {
    /// Everything that is wrong with it.
    pub fn check(&self, faults: &mut Faults) {
        faults.text("name", &self.name);
    }
}
