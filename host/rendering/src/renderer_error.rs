//! Why a renderer is not loaded, installed or put in force.

use gateway_domain::StoreError;
use gateway_plugin_host::{LoadError, Refusal, SignatureError, StartError};

/// Longest name and longest version of a renderer, characters.
pub(crate) const NAME_CHARS_MAX: usize = 100;

/// Why a change is refused. Each is one sentence with what to do next.
#[derive(Debug, thiserror::Error)]
pub enum RendererError {
    /// Nobody whom this gateway trusts signed the component.
    #[error(transparent)]
    NotTrusted(#[from] SignatureError),
    /// The component is no renderer that can be used here.
    #[error(transparent)]
    NotLoaded(#[from] LoadError),
    /// The component that the database keeps is another one than was installed.
    #[error(
        "the stored renderer has the sha256 {0}, which is not that of what was installed: activate another version"
    )]
    Mismatch(String),
    /// It cannot be named.
    #[error(
        "the renderer has a name or a version that nobody can type: both have 1 to {NAME_CHARS_MAX} characters without blanks"
    )]
    Unnamed,
    /// The version is there with another content.
    #[error(
        "{id} is installed with another content (sha256 {digest}), and a version never changes: raise the renderer's version and build it again"
    )]
    Immutable {
        /// `NAME@VERSION`.
        id: String,
        /// SHA-256 of the installed component, lower-case hex.
        digest: String,
    },
    /// The version is not installed.
    #[error(
        "the renderer {0} is not installed: 'gateway renderer list' shows what is, 'gateway renderer install FILE' adds one"
    )]
    Unknown(String),
    /// The database names no renderer.
    #[error("no renderer of the database is in force: 'gateway renderer list' shows what is installed")]
    NotActive,
    /// There is nothing to return to.
    #[error("there is no earlier renderer to return to: activate another one, or disable the one in force")]
    NothingBefore,
    /// Somebody else changed the same at the same time.
    #[error("another change of the renderer came in between: look at 'gateway renderer list' and repeat")]
    ConcurrentChange,
    /// Nothing can be loaded on this machine.
    #[error(transparent)]
    Start(#[from] StartError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl RendererError {
    /// Whether the same component may be loaded in a moment.
    pub(crate) const fn is_passing(&self) -> bool {
        matches!(self, Self::NotLoaded(LoadError { refusal: Refusal::Busy | Refusal::Interrupted, .. }))
    }
}
