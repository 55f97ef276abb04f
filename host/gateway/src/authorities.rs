//! How the tax authorities are reached whose own lists a reconciliation reads.

use crate::wiring::WiringError;
use gateway_config::{Config, RegisterAddress};
use gateway_domain::regime::RegimeKey;
use gateway_domain_input::unreadable;
use gateway_domain_reconciliation::ports::AuthorityCalls;
use gateway_outbound::CallMetrics;
use gateway_provider::{AuthorityAddress, HttpAuthorities, SetupError};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use url::Url;
use zeroize::Zeroizing;

/// Those that are configured; the stand-in of each is below `stand_in`. None where nobody is asked.
pub(crate) fn authorities(
    config: &Config,
    stand_in: Option<&str>,
    calls: &CallMetrics,
) -> Result<Option<Arc<dyn AuthorityCalls>>, WiringError> {
    let configured = &config.reconciliation;
    let mut addresses = BTreeMap::new();
    for (regime, address) in &configured.authority_urls {
        let (url, is_stand_in) = match (address, stand_in) {
            (RegisterAddress::Url(url), _) => (url.clone(), false),
            (RegisterAddress::Sandbox, Some(stand_in)) => (below(stand_in, regime)?, true),
            (RegisterAddress::Sandbox, None) => continue,
        };
        let files =
            (configured.authority_certificate_files.get(regime), configured.authority_key_files.get(regime));
        let identity = match files {
            (Some(certificate), Some(key)) => Some(identity(certificate, key)?),
            _ => None,
        };
        addresses.insert(regime.clone(), AuthorityAddress { url, identity, is_stand_in });
    }
    if addresses.is_empty() {
        return Ok(None);
    }
    let timeout = Duration::from_secs(config.provider.timeout_s.into());
    let authorities = HttpAuthorities::new(addresses, timeout)
        .map_err(|(regime, error)| WiringError::Authority { regime, error })?;
    Ok(Some(Arc::new(authorities.measured(calls))))
}

fn below(stand_in: &str, regime: &RegimeKey) -> Result<Url, WiringError> {
    let refused = |_| WiringError::Authority { regime: regime.clone(), error: SetupError::Address.into() };
    format!("{stand_in}/{regime}").parse().map_err(refused)
}

/// Certificate and private key, as the client takes them.
fn identity(certificate: &Path, key: &Path) -> Result<Vec<u8>, WiringError> {
    let read = |file: &Path| {
        std::fs::read(file).map(Zeroizing::new).map_err(|error| WiringError::AuthorityIdentity {
            file: PathBuf::from(file),
            detail: unreadable(&error),
        })
    };
    let (certificate, key) = (read(certificate)?, read(key)?);
    Ok([certificate.as_slice(), b"\n", key.as_slice()].concat())
}
