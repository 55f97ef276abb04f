//! What is said of the certificates of the listeners: at the start, whenever they are read again, by `gateway doctor`, and in
//! notices.

use crate::clock::SystemClock;
use gateway_domain::StoreError;
use gateway_domain::ports::Clock;
use gateway_domain_events::notices::{Notice, NoticeKind, NoticeSubject};
use gateway_events::Events;
use gateway_http::connection::{CertificateState, Certificates, TlsIdentity};
use jiff::{SignedDuration, Timestamp};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

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

/// How often it is looked whether a certificate ends soon.
const WATCH_INTERVAL: Duration = Duration::from_hours(1);
/// How often somebody hears of the same certificate.
const REPEAT_NOTICE_AFTER: SignedDuration = SignedDuration::from_hours(24);

/// Writes a notice down for each certificate that ends soon or has ended, once a day, until `ending`.
pub(crate) async fn watch(certificates: Certificates, events: Events, ending: CancellationToken) {
    while !ending.is_cancelled() {
        for (listener, identity) in certificates.iter() {
            if let Err(error) = note(listener, identity, &events).await {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "That the certificate of the {listener} listener ends cannot be written down: {error}"
                );
            }
        }
        tokio::select! {
            () = ending.cancelled() => {}
            () = tokio::time::sleep(WATCH_INTERVAL) => {}
        }
    }
}

async fn note(listener: &str, identity: &TlsIdentity, events: &Events) -> Result<(), StoreError> {
    let (state, sentence) = state(listener, identity, SystemClock.now());
    let (Some(state), Some(not_after)) = (state, identity.not_after()) else { return Ok(()) };
    let code = match state {
        CertificateState::Valid => return Ok(()),
        CertificateState::ExpiresSoon => "certificateExpiresSoon",
        CertificateState::Expired => "certificateExpired",
    };
    let notice = Notice {
        kind: NoticeKind::CertificateExpiring,
        workspace: None,
        subject: NoticeSubject::Certificate(listener.to_owned()),
        code: code.to_owned(),
        message: sentence,
        next_command: "gateway doctor".to_owned(),
        since: not_after,
    };
    events.note_after(&notice, REPEAT_NOTICE_AFTER).await
}
