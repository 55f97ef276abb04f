//! Versions of renderers as operators see them, on the command line and over HTTP alike.

use crate::versions::{ListedRenderer, RendererActivation, RendererInstallation, RendererState, renderer_id};
use gateway_domain::access::Actor;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

/// The versions of renderers in the database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct RendererList {
    /// Every version, by name, the newest first. Where none is active, the folder `render` serves.
    pub renderers: Vec<VersionView>,
}

impl From<&[ListedRenderer]> for RendererList {
    fn from(listed: &[ListedRenderer]) -> Self {
        Self { renderers: listed.iter().map(VersionView::from).collect() }
    }
}

/// An installed version of a renderer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Renderer)]
pub struct VersionView {
    /// `NAME@VERSION`.
    #[schema(examples("render-pdf@0.1.0"))]
    pub id: String,
    /// As it calls itself.
    #[schema(examples("render-pdf"))]
    pub name: String,
    /// Its version.
    #[schema(examples("0.1.0"))]
    pub version: String,
    /// How it stands.
    pub state: RendererState,
    /// Bytes of the component.
    #[schema(examples(2_097_152))]
    pub size: i64,
    /// Of the component, lower-case hex.
    #[schema(examples("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"))]
    pub sha256: String,
    /// Its detached signature; null when it has none.
    #[schema(required)]
    pub signature: Option<String>,
    /// When it was installed first.
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    pub installed_at: Timestamp,
    /// By whom: an end user, a client, `operator` or `gateway`.
    #[schema(value_type = String, examples("operator:ana"))]
    pub installed_by: Actor,
}

impl From<&ListedRenderer> for VersionView {
    fn from(listed: &ListedRenderer) -> Self {
        let ListedRenderer { name, version, digest, size, signature, signer: _, .. } = listed.clone();
        Self {
            id: renderer_id(&name, &version),
            name,
            version,
            state: listed.state,
            size,
            sha256: digest,
            signature,
            installed_at: listed.installed_at,
            installed_by: listed.installed_by.clone(),
        }
    }
}

/// A renderer that was installed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = InstalledRenderer)]
pub struct InstalledView {
    /// `NAME@VERSION`.
    #[schema(examples("render-pdf@0.1.0"))]
    pub id: String,
    /// As it calls itself.
    #[schema(examples("render-pdf"))]
    pub name: String,
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
    pub fn new(installed: &RendererInstallation, activated: Option<&RendererActivation>) -> Self {
        let RendererInstallation { name, version, digest, known } = installed.clone();
        let activated = activated.map(ActivatedView::from);
        Self { id: renderer_id(&name, &version), name, version, sha256: digest, known, activated }
    }
}

/// A renderer that came in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ActivatedRenderer)]
pub struct ActivatedView {
    /// `NAME@VERSION`.
    #[schema(examples("render-pdf@0.1.0"))]
    pub id: String,
    /// As it calls itself.
    #[schema(examples("render-pdf"))]
    pub name: String,
    /// Its version.
    #[schema(examples("0.1.0"))]
    pub version: String,
    /// Of the component, lower-case hex.
    #[schema(examples("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"))]
    pub sha256: String,
    /// The version that was in force before, as `NAME@VERSION`; null when the database named none.
    #[schema(required, examples("render-pdf@0.0.9"))]
    pub replaced: Option<String>,
}

impl From<&RendererActivation> for ActivatedView {
    fn from(activated: &RendererActivation) -> Self {
        let RendererActivation { name, version, digest, replaced } = activated.clone();
        Self { id: renderer_id(&name, &version), name, version, sha256: digest, replaced }
    }
}

/// The renderer that was taken out of force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = DisabledRenderer)]
pub struct DisabledView {
    /// The version that was in force, as `NAME@VERSION`.
    #[schema(examples("render-pdf@0.1.0"))]
    pub disabled: String,
}
