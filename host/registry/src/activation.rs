//! What is ordered of the versions in force, and what became of it.

use super::{CanaryCheck, PluginName};
use gateway_domain::ids::WorkspaceId;
use gateway_domain::regime::{CanaryShare, PluginRef};
use gateway_storage::plugins::canaries::Canary;

/// An activation as an operator or the drop folder orders it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// Key and version; it is installed already.
    pub name: PluginName,
    /// For whom; none: every workspace without a version of its own.
    pub workspace: Option<WorkspaceId>,
    /// Of how many documents, beside the version in force; none: of every document, and the canary is over.
    pub share: Option<CanaryShare>,
    /// Also when it refuses invoices that the version before accepts. Never when it breaks on them.
    pub force: bool,
}

/// For whom a plugin returns to an earlier version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RollbackScope {
    /// Every workspace without a version of its own.
    Everybody,
    /// One workspace.
    Workspace(WorkspaceId),
    /// Everybody, and workspaces with a version of their own get what everybody has.
    Everywhere,
}

impl RollbackScope {
    /// The workspace, where one alone is meant.
    pub const fn workspace(self) -> Option<WorkspaceId> {
        match self {
            Self::Workspace(workspace) => Some(workspace),
            Self::Everybody | Self::Everywhere => None,
        }
    }
}

impl From<Option<WorkspaceId>> for RollbackScope {
    fn from(workspace: Option<WorkspaceId>) -> Self {
        workspace.map_or(Self::Everybody, Self::Workspace)
    }
}

/// A change of what is in force.
#[derive(Debug, Clone)]
pub struct ActivationReport {
    /// Key, version and digest of what serves now.
    pub plugin: PluginRef,
    /// None: every workspace without a version of its own.
    pub workspace: Option<WorkspaceId>,
    /// The share of the documents that it serves; none: every document.
    pub share: Option<CanaryShare>,
    /// The version that served before; beside a canary it goes on serving the other documents.
    pub replaced: Option<String>,
    /// Workspaces that stay on another version, which is their own; none where one workspace was meant.
    pub own_versions: Vec<OwnVersion>,
    /// Workspaces whose own version ended by this change: they have what everybody has.
    pub moved: Vec<OwnVersion>,
    /// Canaries that are over by this change.
    pub ended_canaries: Vec<VersionShare>,
    /// The last invoices through both.
    pub canary: CanaryCheck,
    /// The generation that every process follows to.
    pub generation: i64,
}

/// A workspace with a version of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnVersion {
    /// Whose.
    pub workspace: WorkspaceId,
    /// Which.
    pub version: String,
}

impl ActivationReport {
    /// Whether the version served already, and nothing beside it.
    pub fn is_unchanged(&self) -> bool {
        self.replaced.as_ref() == Some(&self.plugin.version) && self.ended_canaries.is_empty()
    }
}

/// A version that serves a share of the documents, or did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionShare {
    /// Which.
    pub version: String,
    /// Of whose documents; none: of every workspace without a version of its own.
    pub workspace: Option<WorkspaceId>,
    /// Of how many.
    pub share: CanaryShare,
}

impl From<Canary> for VersionShare {
    fn from(canary: Canary) -> Self {
        Self { version: canary.plugin.version, workspace: canary.workspace, share: canary.share }
    }
}
