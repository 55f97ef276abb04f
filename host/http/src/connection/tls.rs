//! The certificate of a listener: read from files, and read again when they change, for the connections that come then.

use arc_swap::ArcSwap;
use jiff::Timestamp;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::{ServerConfig, crypto};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;
use tokio_rustls::TlsAcceptor;
use x509_parser::prelude::{FromDer, X509Certificate};

/// What is spoken over TLS (RFC 7301), the better first.
const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// Where a certificate and its key are (PEM).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate, followed by those that lead to a root.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

/// Why a certificate cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file holds none, or cannot be read.
    #[error("{} holds no {what} that can be read: give a PEM file that the gateway's user may read", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What it should hold.
        what: &'static str,
        /// What the reader said.
        #[source]
        cause: rustls::pki_types::pem::Error,
    },
    /// Key and certificate are not for each other, or of a kind that is not spoken.
    #[error("the certificate in {} and its key cannot be used together: give the key that it was issued for", file.display())]
    Mismatch {
        /// The certificate.
        file: PathBuf,
        /// What rustls said.
        #[source]
        cause: rustls::Error,
    },
}

/// The certificate of a listener. Cheap to clone; clones share it.
#[derive(Debug, Clone)]
pub struct TlsIdentity(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    files: TlsFiles,
    current: ArcSwap<Current>,
    read_at: Mutex<[Option<SystemTime>; 2]>,
}

/// What a listener says that it is.
#[derive(Debug)]
struct Current {
    key: Arc<CertifiedKey>,
    not_after: Option<Timestamp>,
}

impl ResolvesServerCert for Inner {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.current.load().key))
    }
}

impl TlsIdentity {
    /// Reads both files.
    ///
    /// # Errors
    /// Which cannot be used, and why.
    pub fn load(files: TlsFiles) -> Result<Self, TlsError> {
        let read_at = Mutex::new(modified(&files));
        let current = ArcSwap::from_pointee(read(&files)?);
        Ok(Self(Arc::new(Inner { files, current, read_at })))
    }

    /// Where it is read from.
    pub fn files(&self) -> &TlsFiles {
        &self.0.files
    }

    /// Until when it is good, with those that lead to a root; none where they do not say so in a way that is understood.
    pub fn not_after(&self) -> Option<Timestamp> {
        self.0.current.load().not_after
    }

    /// Reads the files again if they changed; says whether they did. Connections that are open keep what they have.
    ///
    /// # Errors
    /// Why the new ones cannot be used: the old certificate stays.
    pub fn reload_if_changed(&self) -> Result<bool, TlsError> {
        let now = modified(&self.0.files);
        let before = *self.0.read_at.lock().unwrap_or_else(PoisonError::into_inner);
        if now == before {
            return Ok(false);
        }
        // Not again until they change again, whatever comes of it.
        *self.0.read_at.lock().unwrap_or_else(PoisonError::into_inner) = now;
        self.0.current.store(Arc::new(read(&self.0.files)?));
        Ok(true)
    }

    /// Makes TLS connections with it.
    pub(super) fn acceptor(&self) -> Result<TlsAcceptor, rustls::Error> {
        let provider = Arc::new(crypto::aws_lc_rs::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(Arc::clone(&self.0) as Arc<dyn ResolvesServerCert>);
        config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).into();
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}

fn modified(TlsFiles { certificate, key }: &TlsFiles) -> [Option<SystemTime>; 2] {
    [certificate, key].map(|file| std::fs::metadata(file).and_then(|found| found.modified()).ok())
}

fn read(TlsFiles { certificate, key }: &TlsFiles) -> Result<Current, TlsError> {
    let unreadable = |file: &Path, what, cause| TlsError::Unreadable { file: file.to_owned(), what, cause };
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|cause| unreadable(certificate, "certificate", cause))?;
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|cause| unreadable(key, "private key", cause))?;
    let not_after = not_after(&chain);
    let key = CertifiedKey::from_der(chain, secret, &crypto::aws_lc_rs::default_provider())
        .map_err(|cause| TlsError::Mismatch { file: certificate.clone(), cause })?;
    Ok(Current { key: Arc::new(key), not_after })
}

/// Until when a chain can be used: until the first of its certificates ends.
fn not_after(chain: &[CertificateDer<'_>]) -> Option<Timestamp> {
    let ends = chain.iter().filter_map(|certificate| {
        let (_, certificate) = X509Certificate::from_der(certificate).ok()?;
        Timestamp::from_second(certificate.validity().not_after.timestamp()).ok()
    });
    ends.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_certificate_ends_never() {
        assert_eq!(not_after(&[CertificateDer::from_slice(b"no certificate")]), None);
    }
}
