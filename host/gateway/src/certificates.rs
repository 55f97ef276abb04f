//! What is said of the certificates of the listeners: at the start, whenever they are read again, and by `gateway doctor`.

use crate::clock::SystemClock;
use gateway_domain::ports::Clock;
use gateway_http::connection::{CertificateState, Certificates, TlsIdentity};
use jiff::Timestamp;

/// How long the certificate of a listener is good, and the sentence that says so; nobody knows of one without an end that
/// is understood.
pub(crate) fn state(
    listener: &str,
    identity: &TlsIdentity,
    now: Timestamp,
) -> (Option<CertificateState>, String) {
    let what =
        format!("the certificate of the {listener} listener ({})", identity.files().certificate.display());
    let Some(not_after) = identity.not_after() else {
        return (None, format!("{what} does not say until when it is good: see what issued it"));
    };
    let (state, end) = (CertificateState::at(now, not_after), not_after.strftime("%Y-%m-%d %H:%M UTC"));
    let sentence = match state {
        CertificateState::Valid => format!("{what} is good until {end}"),
        CertificateState::ExpiresSoon => {
            format!(
                "{what} is good only until {end}: put a renewed one in its place, which is taken within seconds"
            )
        }
        CertificateState::Expired => format!(
            "{what} was good until {end}, and clients that check it refuse the connection: put a renewed one in its place, \
             which is taken within seconds"
        ),
    };
    (Some(state), sentence)
}

/// Logs how long each certificate is good.
pub(crate) fn log_all(certificates: &Certificates) {
    for (listener, identity) in certificates.iter() {
        log(listener, identity);
    }
}

/// Logs how long the certificate of a listener is good. An expired one serves on: to refuse it is for the clients.
pub(crate) fn log(listener: &str, identity: &TlsIdentity) {
    let (state, sentence) = state(listener, identity, SystemClock.now());
    let sentence = sentence.replacen("the", "The", 1);
    match state {
        Some(CertificateState::Valid) => tracing::info!("{sentence}"),
        Some(CertificateState::ExpiresSoon) | None => tracing::warn!("{sentence}"),
        Some(CertificateState::Expired) => tracing::error!("{sentence}"),
    }
}
