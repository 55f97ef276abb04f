//! How long the certificates of the listeners are good.

use super::{Findings, Verdict};
use crate::certificates;
use crate::clock::SystemClock;
use gateway_config::Config;
use gateway_domain::ports::Clock;
use gateway_http::connection::{CertificateState, TlsIdentity};

/// The certificate of each listener that speaks TLS.
pub(super) fn listeners(findings: &mut Findings, config: &Config) {
    const SUBJECT: &str = "certificates";
    for (listener, tls) in [("public", &config.server.public_tls), ("internal", &config.server.internal_tls)]
    {
        let Some(files) = tls.files() else { continue };
        match TlsIdentity::load(files) {
            Ok(identity) => {
                let (state, sentence) = certificates::state(listener, &identity, SystemClock.now());
                findings.add(SUBJECT, verdict(state), sentence);
            }
            Err(error) => findings.add(SUBJECT, Verdict::Broken, error),
        }
    }
}

const fn verdict(state: Option<CertificateState>) -> Verdict {
    match state {
        Some(CertificateState::Valid) => Verdict::Sound,
        Some(CertificateState::ExpiresSoon) | None => Verdict::Remark,
        Some(CertificateState::Expired) => Verdict::Broken,
    }
}
