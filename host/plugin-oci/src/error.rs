//! Why a plugin was not pushed or pulled.

use oci_client::errors::{OciDistributionError, OciErrorCode};

/// Why a plugin was not pushed or pulled. Nothing is left half done but parts that the registry clears away.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// Nothing lies there.
    #[error("{address} is not there: look at the name and the tag or digest")]
    NotFound {
        /// What was looked for.
        address: String,
    },
    /// The registry does not let this user in.
    #[error("{registry} does not let you in: sign in with 'docker login {registry}', or ask for the right")]
    Refused {
        /// Which.
        registry: String,
    },
    /// Docker's configuration is there and cannot be used.
    #[error(
        "the credentials for {registry} in Docker's configuration cannot be read: sign in again with 'docker login {registry}'"
    )]
    Credentials {
        /// For which registry.
        registry: String,
    },
    /// A digest follows from the content and is not chosen.
    #[error(
        "{address} names a digest, which follows from the plugin: push to a tag, as in oci://HOST/NAME:0.4.0"
    )]
    DigestToPush {
        /// Where it was to go.
        address: String,
    },
    /// It holds no WebAssembly component.
    #[error("{address} is no plugin: it has not the one layer of the type application/wasm")]
    NoPlugin {
        /// What was looked for.
        address: String,
    },
    /// What came is not what its digest says.
    #[error(
        "what came for {address} is not what its digest says: do not use it, and tell whoever runs the registry"
    )]
    OtherContent {
        /// What was looked for.
        address: String,
    },
    /// Larger than any plugin that is taken.
    #[error("{address} is larger than {} MiB, and no plugin is", .max_bytes >> 20)]
    TooLarge {
        /// What was looked for.
        address: String,
        /// The most that is taken, bytes.
        max_bytes: u64,
    },
    /// It took too long.
    #[error("{registry} did not answer in time: try again")]
    TimedOut {
        /// Which.
        registry: String,
    },
    /// The registry cannot be reached, or answers what no registry does.
    #[error("{registry} cannot be used: look whether the address is right and a registry answers there")]
    Unusable {
        /// Which.
        registry: String,
        /// For the log.
        source: Box<OciDistributionError>,
    },
}

impl RegistryError {
    /// What the client says of a call about `address`.
    pub(crate) fn of(registry: &str, address: &str, error: OciDistributionError) -> Self {
        let (registry, address) = (registry.to_owned(), address.to_owned());
        match error {
            OciDistributionError::UnauthorizedError { .. }
            | OciDistributionError::AuthenticationFailure(_) => Self::Refused { registry },
            OciDistributionError::ImageManifestNotFoundError(_) => Self::NotFound { address },
            OciDistributionError::DigestError(_) => Self::OtherContent { address },
            OciDistributionError::ServerError { code: 404, .. } => Self::NotFound { address },
            OciDistributionError::ServerError { code: 401 | 403, .. } => Self::Refused { registry },
            OciDistributionError::RequestError(error) if error.is_timeout() => Self::TimedOut { registry },
            OciDistributionError::RegistryError { envelope, url } => {
                let has =
                    |codes: &[OciErrorCode]| envelope.errors.iter().any(|error| codes.contains(&error.code));
                if has(&[OciErrorCode::Unauthorized, OciErrorCode::Denied]) {
                    Self::Refused { registry }
                } else if has(&[
                    OciErrorCode::ManifestUnknown,
                    OciErrorCode::NameUnknown,
                    OciErrorCode::NotFound,
                    OciErrorCode::BlobUnknown,
                ]) {
                    Self::NotFound { address }
                } else {
                    let source = Box::new(OciDistributionError::RegistryError { envelope, url });
                    Self::Unusable { registry, source }
                }
            }
            other => Self::Unusable { registry, source: Box::new(other) },
        }
    }
}
