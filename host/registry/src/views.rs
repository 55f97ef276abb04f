//! The registry as operators see it, on the command line and over HTTP alike.

pub use crate::description::PluginDescription;

use crate::comparison::Difference;
use crate::{
    ActivationReport, CanaryCheck, CanaryDocument, CanaryResult, Installation, ListedVersion, Outcome,
    RegistryList, Replica, ScheduleReport, ScheduledVersion,
};
use crate::{OwnVersion, PluginName, PluginState, SampleResult, VersionShare};
use gateway_domain::StoreError;
use gateway_domain::access::{Actor, Workspaces};
use gateway_domain::fault::Fault;
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::regime::{CanaryShare, RegimeKey};
use gateway_storage::Corrupt;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

/// The registry of plugins.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct PluginList {
    /// How often the registry changed.
    #[schema(examples(7))]
    pub generation: i64,
    /// Every version, by key, the newest first.
    pub plugins: Vec<PluginView>,
    /// Versions that come in force at a time, the earliest first.
    pub scheduled: Vec<ScheduledView>,
    /// The processes that follow the registry.
    pub replicas: Vec<ReplicaView>,
}

impl PluginList {
    /// Versions that serve only workspaces nobody asked about are shown without them.
    pub fn new(listing: &RegistryList, visible: &Workspaces) -> Result<Self, StoreError> {
        let plugins = listing.plugins.iter().map(|listed| PluginView::new(listed, visible));
        let is_visible =
            |scheduled: &&ScheduledVersion| scheduled.workspace.is_none_or(|id| visible.contain(id));
        let scheduled = listing.scheduled.iter().filter(is_visible);
        Ok(Self {
            generation: listing.generation,
            plugins: plugins.collect::<Result<_, _>>()?,
            scheduled: scheduled.map(ScheduledView::from).collect(),
            replicas: listing.replicas.iter().map(ReplicaView::from).collect(),
        })
    }
}

/// An installed version with everything it says of itself.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = Plugin)]
pub struct PluginView {
    /// `KEY@VERSION`.
    #[schema(examples("es-verifactu@0.1.0"))]
    pub id: String,
    /// The tax regime.
    #[schema(value_type = String, examples("es-verifactu"))]
    pub key: RegimeKey,
    /// Its version.
    #[schema(examples("0.1.0"))]
    pub version: String,
    /// How it stands.
    pub state: PluginState,
    /// Whether it serves every workspace without a version of its own.
    #[schema(examples(true))]
    pub default: bool,
    /// Those it serves besides.
    #[schema(value_type = Vec<i64>)]
    pub workspaces: Vec<WorkspaceId>,
    /// Of whose documents it serves a share, as a canary beside the version in force.
    pub canaries: Vec<PluginShareView>,
    /// Since when it is blocked, and why; null when it is not.
    #[schema(required)]
    pub blocked: Option<BlockView>,
    /// ISO 3166-1 alpha-2.
    #[schema(required, examples("ES"))]
    pub country: Option<String>,
    /// What the authority's system is called.
    #[schema(required, examples("VERI*FACTU"))]
    pub tax_system: Option<String>,
    /// Bytes of the component.
    #[schema(examples(524_288))]
    pub size: i64,
    /// Of the component, lower-case hex.
    #[schema(examples("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"))]
    pub sha256: String,
    /// Its detached signature; null when it has none.
    #[schema(required)]
    pub signature: Option<String>,
    /// When its component was installed first.
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    pub installed_at: Timestamp,
    /// By whom: an end user, a client, `operator` or `gateway`.
    #[schema(value_type = String, examples("operator:ana"))]
    pub installed_by: Actor,
    /// What the plugin says of itself, as read when this version was installed.
    #[schema(value_type = PluginDescription)]
    pub description: Value,
}

impl PluginView {
    fn new(listed: &ListedVersion, visible: &Workspaces) -> Result<Self, StoreError> {
        let version = listed.clone();
        let mut description: Value = serde_json::from_str(&version.description).map_err(|error| {
            Corrupt::new("plugin", PluginName::from(&version.plugin), "description", error)
        })?;
        // Versions that were installed before release 1.2 of the contract, or before 1.8, say nothing of these.
        if let Some(members) = description.as_object_mut() {
            members.entry("evidence").or_insert(Value::Null);
            members.entry("rules").or_insert_with(|| Value::Array(Vec::new()));
        }
        let member = |name: &str| description.get(name).and_then(Value::as_str).map(str::to_owned);
        let own = listed.serves.iter().flatten().filter(|workspace| visible.contain(**workspace));
        let is_visible =
            |canary: &&VersionShare| canary.workspace.is_none_or(|workspace| visible.contain(workspace));
        let canaries = listed.canaries.iter().filter(is_visible).map(PluginShareView::from);
        Ok(Self {
            id: PluginName::from(&version.plugin).to_string(),
            key: version.plugin.key,
            version: version.plugin.version,
            state: listed.state,
            default: listed.serves.contains(&None),
            workspaces: own.copied().collect(),
            canaries: canaries.collect(),
            blocked: version.blocked.map(|(at, reason)| BlockView { at, reason }),
            country: member("country"),
            tax_system: member("tax_system"),
            size: version.size,
            sha256: version.plugin.digest,
            signature: version.signature,
            installed_at: version.installed_at,
            installed_by: version.installed_by,
            description,
        })
    }
}

/// A share of the documents that a version serves beside the version in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = PluginShare)]
pub struct PluginShareView {
    /// Of whose documents; null: of every workspace without a version of its own.
    #[schema(required, value_type = Option<i64>)]
    pub workspace_id: Option<WorkspaceId>,
    /// Percent of the documents. Which ones, their ids decide: a greater share adds documents to those of a smaller one.
    #[schema(minimum = 1, maximum = 99, examples(10))]
    pub percent: u8,
}

impl From<&VersionShare> for PluginShareView {
    fn from(canary: &VersionShare) -> Self {
        Self { workspace_id: canary.workspace, percent: canary.share.percent() }
    }
}

/// A canary that is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = EndedCanary)]
pub struct EndedCanaryView {
    /// Of whose documents; null: of every workspace without a version of its own.
    #[schema(required, value_type = Option<i64>)]
    pub workspace_id: Option<WorkspaceId>,
    /// Which version.
    #[schema(examples("0.4.0"))]
    pub version: String,
    /// Percent of the documents that it served.
    #[schema(minimum = 1, maximum = 99, examples(10))]
    pub percent: u8,
}

impl From<&VersionShare> for EndedCanaryView {
    fn from(ended: &VersionShare) -> Self {
        let (workspace_id, percent) = (ended.workspace, ended.share.percent());
        Self { workspace_id, version: ended.version.clone(), percent }
    }
}

/// Why a version serves nobody until it is activated again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = PluginBlock)]
pub struct BlockView {
    /// Since when.
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    pub at: Timestamp,
    /// One sentence.
    #[schema(examples("it misbehaved 5 times in 60 s"))]
    pub reason: String,
}

/// A version that comes in force at a time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ScheduledPlugin)]
pub struct ScheduledView {
    /// `KEY@VERSION`.
    #[schema(examples("es-verifactu@0.5.0"))]
    pub id: String,
    /// For whom; null: every workspace without a version of its own.
    #[schema(required, value_type = Option<i64>)]
    pub workspace_id: Option<WorkspaceId>,
    /// When it comes in force.
    #[schema(value_type = String, format = DateTime, examples("2026-12-31T23:00:00Z"))]
    pub due_at: Timestamp,
    /// When somebody ordered it.
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    pub ordered_at: Timestamp,
    /// Who did: an end user, a client or `operator`.
    #[schema(value_type = String, examples("operator:ana"))]
    pub ordered_by: Actor,
    /// What kept it from coming in force when it was due; null before, and while nothing does. It is tried again until it is in
    /// force or taken back.
    #[schema(required)]
    pub problem: Option<String>,
}

impl From<&ScheduledVersion> for ScheduledView {
    fn from(scheduled: &ScheduledVersion) -> Self {
        let ScheduledVersion { plugin, workspace, due_at, ordered_at, ordered_by, problem } =
            scheduled.clone();
        let (id, workspace_id) = (PluginName::from(&plugin).to_string(), workspace);
        Self { id, workspace_id, due_at, ordered_at, ordered_by, problem }
    }
}

/// An activation that was ordered for later.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = PluginSchedule)]
pub struct ScheduleView {
    /// What comes in force, for whom and when.
    #[serde(flatten)]
    pub scheduled: ScheduledView,
    /// What the version was tried with.
    pub rehearsal: CanaryView,
}

impl From<&ScheduleReport> for ScheduleView {
    fn from(report: &ScheduleReport) -> Self {
        Self {
            scheduled: ScheduledView::from(&report.scheduled),
            rehearsal: CanaryView::from(&report.canary),
        }
    }
}

/// A process that follows the registry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Replica)]
pub struct ReplicaView {
    /// Fresh at every start.
    #[schema(examples("0197f4f2-0000-7000-8000-0000000000f1"))]
    pub id: Uuid,
    /// Where its operators' surface is.
    #[schema(examples("http://127.0.0.1:8081"))]
    pub address: String,
    /// The generation it serves.
    #[schema(examples(7))]
    pub generation: i64,
    /// What keeps it from serving everything; null when nothing does.
    #[schema(required)]
    pub problem: Option<String>,
    /// When it last said so.
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    pub seen_at: Timestamp,
    /// The version of the gateway that it runs; null of a process from before it was noted.
    #[schema(required, examples("0.1.0"))]
    pub version: Option<String>,
}

impl From<&Replica> for ReplicaView {
    fn from(replica: &Replica) -> Self {
        let Replica { id, address, generation, problem, seen_at, version } = replica.clone();
        Self { id, address, generation, problem, seen_at, version }
    }
}

/// A component that was put into the registry.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = Installed)]
pub struct InstalledView {
    /// `KEY@VERSION`.
    #[schema(examples("es-verifactu@0.1.0"))]
    pub id: String,
    /// The tax regime.
    #[schema(value_type = String, examples("es-verifactu"))]
    pub key: RegimeKey,
    /// Its version.
    #[schema(examples("0.1.0"))]
    pub version: String,
    /// Of the component, lower-case hex.
    #[schema(examples("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"))]
    pub sha256: String,
    /// Whether it was installed before.
    #[schema(examples(false))]
    pub known: bool,
    /// How it came in force. Only where it was to be activated, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = ActivatedView)]
    pub activated: Option<ActivatedView>,
}

impl InstalledView {
    /// A component, and how it came in force if it was to.
    pub fn new(installed: &Installation, activated: Option<&ActivationReport>) -> Self {
        let plugin = &installed.plugin;
        Self {
            id: PluginName::from(plugin).to_string(),
            key: plugin.key.clone(),
            version: plugin.version.clone(),
            sha256: plugin.digest.clone(),
            known: installed.known,
            activated: activated.map(ActivatedView::from),
        }
    }
}

/// A version that came in force.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = Activated)]
pub struct ActivatedView {
    /// `KEY@VERSION`.
    #[schema(examples("es-verifactu@0.1.0"))]
    pub id: String,
    /// The tax regime.
    #[schema(value_type = String, examples("es-verifactu"))]
    pub key: RegimeKey,
    /// Its version.
    #[schema(examples("0.1.0"))]
    pub version: String,
    /// Of the component, lower-case hex.
    #[schema(examples("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"))]
    pub sha256: String,
    /// For whom; null: every workspace without a version of its own.
    #[schema(required, value_type = Option<i64>)]
    pub workspace_id: Option<WorkspaceId>,
    /// The percent of the documents that it serves, as a canary; null: every document.
    #[schema(required, minimum = 1, maximum = 99)]
    pub share: Option<u8>,
    /// The version that served before; null when none did. Beside a canary it goes on serving the other documents.
    #[schema(required)]
    pub replaced: Option<String>,
    /// Workspaces that stay on another version, which is their own.
    pub own_versions: Vec<OwnVersionView>,
    /// Workspaces whose own version ended by this change: they have what everybody has.
    pub moved: Vec<OwnVersionView>,
    /// Canaries that are over by this change.
    pub ended_canaries: Vec<EndedCanaryView>,
    /// The change of the registry that every process follows to.
    #[schema(examples(7))]
    pub generation: i64,
    /// What the version was tried with.
    pub rehearsal: CanaryView,
}

/// A workspace with a version of its own.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = OwnVersion)]
pub struct OwnVersionView {
    /// Whose.
    #[schema(value_type = i64, examples(7))]
    pub workspace_id: WorkspaceId,
    /// Which.
    #[schema(examples("0.1.0"))]
    pub version: String,
}

impl From<&OwnVersion> for OwnVersionView {
    fn from(own: &OwnVersion) -> Self {
        Self { workspace_id: own.workspace, version: own.version.clone() }
    }
}

impl From<&ActivationReport> for ActivatedView {
    fn from(activated: &ActivationReport) -> Self {
        let plugin = activated.plugin.clone();
        Self {
            id: PluginName::from(&plugin).to_string(),
            key: plugin.key,
            version: plugin.version,
            sha256: plugin.digest,
            workspace_id: activated.workspace,
            share: activated.share.map(CanaryShare::percent),
            replaced: activated.replaced.clone(),
            own_versions: activated.own_versions.iter().map(OwnVersionView::from).collect(),
            moved: activated.moved.iter().map(OwnVersionView::from).collect(),
            ended_canaries: activated.ended_canaries.iter().map(EndedCanaryView::from).collect(),
            generation: activated.generation,
            rehearsal: CanaryView::from(&activated.canary),
        }
    }
}

/// The last invoices through the old and the new version.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct CanaryView {
    /// The version in force; null when there was none.
    #[schema(required)]
    pub against: Option<String>,
    /// The golden cases that the new version brings along.
    pub samples: Vec<SampleResult>,
    /// The newest first.
    pub documents: Vec<CanaryDocumentView>,
}

impl From<&CanaryCheck> for CanaryView {
    fn from(canary: &CanaryCheck) -> Self {
        Self {
            against: canary.against.clone(),
            samples: canary.samples.clone(),
            documents: canary.documents.iter().map(CanaryDocumentView::from).collect(),
        }
    }
}

/// An invoice through both versions.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct CanaryDocumentView {
    /// Whose.
    #[schema(value_type = i64, examples(1))]
    pub workspace_id: WorkspaceId,
    /// Which document.
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-0000000000a1"))]
    pub document: InvoiceId,
    /// Its number.
    #[schema(examples("F-2026-000001"))]
    pub number: String,
    /// What the version in force made of it; null when there was none.
    #[schema(required)]
    pub old: Option<Outcome>,
    /// What the new one made of it.
    pub new: Outcome,
    /// What the new one says is wrong with it.
    pub faults: Vec<Fault>,
    /// Everything that comes out differently, the outermost place of each.
    pub differences: Vec<Difference>,
}

impl From<&CanaryDocument> for CanaryDocumentView {
    fn from(document: &CanaryDocument) -> Self {
        Self {
            workspace_id: document.workspace,
            document: document.document,
            number: document.number.clone(),
            old: document.old.as_ref().map(CanaryResult::outcome),
            new: document.new.outcome(),
            faults: document.new.faults().to_vec(),
            differences: document.differences.clone(),
        }
    }
}

/// Plugins that were taken out of force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = DisabledPlugins)]
pub struct DisabledView {
    /// The tax regime.
    #[schema(value_type = String, examples("es-verifactu"))]
    pub key: RegimeKey,
    /// For whom; null: for everybody.
    #[schema(required, value_type = Option<i64>)]
    pub workspace_id: Option<WorkspaceId>,
    /// The versions that served, as `KEY@VERSION`.
    pub disabled: Vec<String>,
}

impl DisabledView {
    /// What served.
    pub fn new(key: &RegimeKey, workspace: Option<WorkspaceId>, served: &[PluginName]) -> Self {
        let disabled = served.iter().map(ToString::to_string).collect();
        Self { key: key.clone(), workspace_id: workspace, disabled }
    }
}
