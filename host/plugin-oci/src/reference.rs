//! Where a plugin lies in a registry.

use oci_client::Reference;
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// What addresses begin with.
pub const SCHEME: &str = "oci://";

/// A plugin in a registry: `oci://HOST[:PORT]/NAME`, and a tag, a digest or both.
#[derive(Clone, PartialEq, Eq)]
pub struct PluginReference {
    image: Reference,
}

/// No address of a plugin in a registry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{text} is no address of a plugin in a registry: write oci://HOST/NAME:TAG or oci://HOST/NAME@sha256:DIGEST"
)]
pub struct InvalidReference {
    text: String,
}

impl fmt::Debug for PluginReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PluginReference({self})")
    }
}

impl fmt::Display for PluginReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{SCHEME}{}", self.image.whole())
    }
}

impl FromStr for PluginReference {
    type Err = InvalidReference;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = || InvalidReference { text: text.to_owned() };
        let place = text.strip_prefix(SCHEME).ok_or_else(invalid)?;
        let image: Reference = place.parse().map_err(|_| invalid())?;
        // Without a host the parser takes a public registry, which nobody named.
        let names_its_host = place.strip_prefix(image.registry()).is_some_and(|rest| rest.starts_with('/'));
        let is_sha256 = image.digest().is_none_or(|digest| digest.starts_with("sha256:"));
        if names_its_host && is_sha256 { Ok(Self { image }) } else { Err(invalid()) }
    }
}

impl PluginReference {
    pub(crate) const fn image(&self) -> &Reference {
        &self.image
    }

    /// The registry: `registry.example:5000`.
    pub fn registry(&self) -> &str {
        self.image.registry()
    }

    /// The last part of the name, for a file: `es-verifactu`.
    pub fn file_stem(&self) -> &str {
        self.image.repository().rsplit('/').next().unwrap_or_default()
    }

    /// Whether it names one content, whatever somebody pushes later.
    pub fn has_digest(&self) -> bool {
        self.image.digest().is_some()
    }

    /// The same name with this digest alone.
    #[must_use]
    pub fn with_digest(&self, digest: &str) -> Self {
        let (registry, repository) = (self.image.registry(), self.image.repository());
        Self { image: Reference::with_digest(registry.to_owned(), repository.to_owned(), digest.to_owned()) }
    }

    /// Whether the registry is on this machine: only there is it asked without TLS.
    pub(crate) fn is_on_this_machine(&self) -> bool {
        let host = host(self.registry());
        host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
    }
}

/// The host of a registry, without its port.
pub(crate) fn host(registry: &str) -> &str {
    let host = registry.rsplit_once(':').map_or(registry, |(host, _)| host);
    host.trim_start_matches('[').trim_end_matches(']')
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: &str = "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

    fn parse(text: &str) -> Result<PluginReference, InvalidReference> {
        text.parse()
    }

    #[test]
    fn an_address_names_host_name_and_tag_or_digest() {
        let tagged = parse("oci://registry.example:5000/tax/es-verifactu:0.4.0").unwrap();
        assert_eq!((tagged.registry(), tagged.file_stem()), ("registry.example:5000", "es-verifactu"));
        assert!(!tagged.has_digest());
        let fixed = tagged.with_digest(DIGEST);
        let text = format!("oci://registry.example:5000/tax/es-verifactu@{DIGEST}");
        assert_eq!((fixed.to_string(), fixed.has_digest()), (text.clone(), true));
        assert_eq!(parse(&text), Ok(fixed));
        for text in [
            "es-verifactu.wasm",
            "oci://es-verifactu",
            "oci://tax/es-verifactu:1",
            "oci://registry.example/UPPER",
            "oci://registry.example/x@sha256:1",
            "https://registry.example/x:1",
            "oci://",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn tls_is_left_out_on_this_machine_alone() {
        let is_here = |host: &str| parse(&format!("oci://{host}/x:1")).unwrap().is_on_this_machine();
        assert!(is_here("localhost:5000") && is_here("127.0.0.1:5000") && is_here("127.8.0.1"));
        assert!(
            !is_here("registry.example") && !is_here("10.0.0.1:5000") && !is_here("localhost.example:5000")
        );
    }
}
