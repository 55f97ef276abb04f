//! Plugins in registries of container images, as every registry of the OCI takes them.
//!
//! | part | media type |
//! |---|---|
//! | configuration | `application/vnd.wasm.config.v0+json` ([Wasm OCI artifact layout]) |
//! | the component | `application/wasm` |
//! | its detached signature, if there is one: the text of `FILE.sig` | the annotation `einvoicing.plugin.signature` of the manifest, so that the component stays the one layer that other clients take |
//!
//! The same component is the same content: nothing in it tells of a time. A digest that an address names is compared with what came, and
//! so is that of every part. Credentials are those of `docker login` (`DOCKER_CONFIG`, helpers included).
//!
//! Not here: what a signature is checked against, and what is installed (`gateway-registry`).
//!
//! [Wasm OCI artifact layout]: https://tag-runtime.cncf.io/wgs/wasm/deliverables/wasm-oci-artifact/

#![deny(missing_docs)]

mod credentials;
mod error;
mod reference;
mod transfer;

pub use error::RegistryError;
pub use reference::{InvalidReference, PluginReference, SCHEME};
pub use transfer::{Pulled, pull, push};
