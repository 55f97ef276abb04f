//! What `docker login` left.

use crate::RegistryError;
use docker_credential::{CredentialRetrievalError, DockerCredential, get_credential};
use oci_client::secrets::RegistryAuth;

/// As `docker login` without a host files them.
const DOCKER_HUB: &str = "https://index.docker.io/v1/";

/// How Docker's configuration names itself to a registry; anonymous where it has nothing for it.
pub(crate) async fn of(registry: &str) -> Result<RegistryAuth, RegistryError> {
    let is_hub = matches!(registry, "docker.io" | "index.docker.io");
    let server = if is_hub { DOCKER_HUB } else { registry }.to_owned();
    // A helper is a program that is waited for.
    let found = tokio::task::spawn_blocking(move || get_credential(&server)).await;
    let unreadable = || RegistryError::Credentials { registry: registry.to_owned() };
    match found.map_err(|_| unreadable())? {
        Ok(DockerCredential::UsernamePassword(name, password)) => Ok(RegistryAuth::Basic(name, password)),
        // The library does not tell a file that is not there from one that cannot be read.
        Err(
            CredentialRetrievalError::NoCredentialConfigured
            | CredentialRetrievalError::ConfigNotFound
            | CredentialRetrievalError::ConfigReadError,
        ) => Ok(RegistryAuth::Anonymous),
        // An identity token is good at another service, which exchanges it. What a helper wrote may hold a secret.
        Ok(DockerCredential::IdentityToken(_)) | Err(_) => Err(unreadable()),
    }
}
