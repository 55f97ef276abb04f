//! To a registry, and back.

use crate::reference::host;
use crate::{PluginReference, RegistryError, credentials};
use futures::TryStreamExt;
use gateway_domain::regime::PluginComponent;
use oci_client::client::{ClientConfig, ClientProtocol, Config, ImageLayer};
use oci_client::errors::{DigestError, OciDistributionError};
use oci_client::manifest::{OCI_IMAGE_MEDIA_TYPE, OciDescriptor, OciImageManifest, OciManifest};
use oci_client::secrets::RegistryAuth;
use oci_client::{Client, RegistryOperation};
use serde::Serialize;
use std::collections::BTreeMap;
use std::error::Error;
use std::time::Duration;
use tokio::time::timeout;

/// The media type of the configuration.
const CONFIG: &str = "application/vnd.wasm.config.v0+json";
/// The media type of a component.
const COMPONENT: &str = "application/wasm";
/// The annotation of the manifest that holds the detached signature: other clients of the layout take one layer alone.
const SIGNATURE: &str = "einvoicing.plugin.signature";
/// Where nobody listens: no service has port 0.
const NOWHERE: &str = "http://127.0.0.1:0";
/// The largest signature, bytes.
const SIGNATURE_BYTES_MAX: usize = 16 << 10;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long nothing may come.
const READ_TIMEOUT: Duration = Duration::from_secs(30);
/// How long all of it may take.
const TIMEOUT: Duration = Duration::from_mins(10);

/// What came from a registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pulled {
    /// The plugin.
    pub component: PluginComponent,
    /// Its address by digest.
    pub reference: PluginReference,
}

/// What is said of a component before it is fetched (Wasm OCI artifact layout).
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WasmConfig {
    created: &'static str,
    architecture: &'static str,
    os: &'static str,
    layer_digests: [String; 1],
}

/// Pushes a plugin under the tag of an address (`latest` without one), and answers its address by digest.
///
/// # Errors
/// As [`RegistryError`] says.
pub async fn push(
    to: &PluginReference,
    component: PluginComponent,
) -> Result<PluginReference, RegistryError> {
    if to.has_digest() {
        return Err(RegistryError::DigestToPush { address: to.to_string() });
    }
    within(to, async {
        let (client, auth) = connect(to).await?;
        let fail = |error| RegistryError::of(to.registry(), &to.to_string(), error);
        let PluginComponent { bytes, signature } = component;
        let layer = ImageLayer::new(bytes, COMPONENT.to_owned(), None);
        let annotations = signature.map(|text| BTreeMap::from([(SIGNATURE.to_owned(), text)]));
        let layer_digest = layer.sha256_digest();
        let config = WasmConfig {
            // The same component is the same content, whenever it is pushed.
            created: "1970-01-01T00:00:00Z",
            architecture: "wasm",
            os: "wasip2",
            layer_digests: [layer_digest.clone()],
        };
        let config = serde_json::to_vec(&config).map_err(|error| fail(error.into()))?;
        let config = Config::new(config, CONFIG.to_owned(), None);
        let mut manifest = OciImageManifest::build(std::slice::from_ref(&layer), &config, annotations);
        manifest.media_type = Some(OCI_IMAGE_MEDIA_TYPE.to_owned());
        let manifest = serde_json::to_vec(&manifest).map_err(|error| fail(error.into()))?;
        // Of what is sent: the tag may be somebody else's by the time that it is looked up.
        let digest = ImageLayer::new(manifest.clone(), OCI_IMAGE_MEDIA_TYPE.to_owned(), None).sha256_digest();
        client.auth(to.image(), &auth, RegistryOperation::Push).await.map_err(fail)?;
        client.push_blob(to.image(), layer.data, &layer_digest).await.map_err(fail)?;
        let config_digest = config.sha256_digest();
        client.push_blob(to.image(), config.data, &config_digest).await.map_err(fail)?;
        let unusable =
            |_| fail(OciDistributionError::UnsupportedMediaTypeError(OCI_IMAGE_MEDIA_TYPE.to_owned()));
        let media_type = OCI_IMAGE_MEDIA_TYPE.parse().map_err(unusable)?;
        client.push_manifest_raw(to.image(), manifest, media_type).await.map_err(fail)?;
        Ok(to.with_digest(&digest))
    })
    .await
}

/// Pulls a plugin of at most `max_bytes`; what came is what its digests say.
///
/// # Errors
/// As [`RegistryError`] says.
pub async fn pull(from: &PluginReference, max_bytes: u64) -> Result<Pulled, RegistryError> {
    within(from, async {
        let (client, auth) = connect(from).await?;
        let fail = |error| RegistryError::of(from.registry(), &from.to_string(), error);
        client.auth(from.image(), &auth, RegistryOperation::Pull).await.map_err(fail)?;
        let (manifest, digest) = client.pull_manifest(from.image(), &auth).await.map_err(fail)?;
        let OciManifest::Image(manifest) = manifest else {
            return Err(RegistryError::NoPlugin { address: from.to_string() });
        };
        let component =
            component(&manifest).ok_or_else(|| RegistryError::NoPlugin { address: from.to_string() })?;
        let bytes = fetch(&client, from, component, max_bytes).await?;
        let signature = manifest.annotations.and_then(|mut annotations| annotations.remove(SIGNATURE));
        if signature.as_ref().is_some_and(|text| text.len() > SIGNATURE_BYTES_MAX) {
            return Err(RegistryError::NoPlugin { address: from.to_string() });
        }
        let component = PluginComponent { bytes, signature };
        Ok(Pulled { component, reference: from.with_digest(&digest) })
    })
    .await
}

async fn within<T>(
    reference: &PluginReference,
    work: impl Future<Output = Result<T, RegistryError>>,
) -> Result<T, RegistryError> {
    let timed_out = |_| RegistryError::TimedOut { registry: reference.registry().to_owned() };
    timeout(TIMEOUT, work).await.map_err(timed_out)?
}

async fn connect(reference: &PluginReference) -> Result<(Client, RegistryAuth), RegistryError> {
    let registry = reference.registry();
    let auth = credentials::of(registry).await?;
    let is_here = reference.is_on_this_machine();
    let config = ClientConfig {
        protocol: if is_here { ClientProtocol::Http } else { ClientProtocol::Https },
        // The client follows redirects and asks for tokens wherever the registry says: without TLS only on this machine. Every
        // other request of the kind goes to a proxy that is not there.
        http_proxy: Some(NOWHERE.to_owned()),
        no_proxy: is_here.then(|| host(registry).to_owned()),
        https_proxy: ["HTTPS_PROXY", "https_proxy"].into_iter().find_map(|name| std::env::var(name).ok()),
        connect_timeout: Some(CONNECT_TIMEOUT),
        read_timeout: Some(READ_TIMEOUT),
        ..ClientConfig::default()
    };
    let client = Client::try_from(config);
    let client = client.map_err(|error| RegistryError::of(registry, &reference.to_string(), error))?;
    Ok((client, auth))
}

/// The one layer of the layout.
fn component(manifest: &OciImageManifest) -> Option<&OciDescriptor> {
    let [layer] = manifest.layers.as_slice() else {
        return None;
    };
    (layer.media_type == COMPONENT).then_some(layer)
}

/// The bytes of a part, compared with its digest as they come.
async fn fetch(
    client: &Client,
    from: &PluginReference,
    part: &OciDescriptor,
    max_bytes: u64,
) -> Result<Vec<u8>, RegistryError> {
    let too_large = || RegistryError::TooLarge { address: from.to_string(), max_bytes };
    if u64::try_from(part.size).is_ok_and(|size| size > max_bytes) {
        return Err(too_large());
    }
    let fail = |error| RegistryError::of(from.registry(), &from.to_string(), error);
    let mut stream = client.pull_blob_stream(from.image(), part.digest.as_str()).await.map_err(fail)?;
    let mut bytes = Vec::new();
    // By the digest alone: a manifest may name other places to fetch a part from, and those are nobody's registry.
    // The stream's last item is an error when the digest of all of it is another one.
    while let Some(chunk) = stream.try_next().await.map_err(|error| of_stream(from, error))? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() as u64 > max_bytes {
            return Err(too_large());
        }
    }
    Ok(bytes)
}

/// A stream fails with what the client says wrapped.
fn of_stream(from: &PluginReference, error: std::io::Error) -> RegistryError {
    let address = from.to_string();
    let is_other_content = error.get_ref().is_some_and(<dyn Error + Send + Sync>::is::<DigestError>);
    if is_other_content {
        return RegistryError::OtherContent { address };
    }
    RegistryError::of(from.registry(), &address, OciDistributionError::IoError(error))
}
