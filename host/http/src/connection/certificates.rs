//! Until when the certificates of the listeners are good, for whoever has to renew them.
//!
//! Nothing here keeps a connection from being made: whether an expired certificate is good enough, the client decides.

use super::tls::TlsIdentity;
use jiff::{SignedDuration, Timestamp};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;
use std::fmt;
use std::sync::Arc;

/// With less time left than this, somebody should renew a certificate: authorities renew some weeks before the end.
const RENEW_WITHIN: SignedDuration = SignedDuration::from_hours(14 * 24);
const NOT_AFTER: &str = "gateway_tls_certificate_not_after_seconds";
const HELP: &str = "Until when the certificate of a listener is good, in seconds since 1970";

/// What the end of a certificate means at a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CertificateState {
    /// There is time.
    Valid,
    /// Fewer than 14 days are left.
    ExpiresSoon,
    /// Clients that check certificates refuse it.
    Expired,
}

impl CertificateState {
    /// Of a certificate that is good until `not_after`.
    pub fn at(now: Timestamp, not_after: Timestamp) -> Self {
        let left = not_after.duration_since(now);
        if left.is_negative() {
            Self::Expired
        } else if left < RENEW_WITHIN {
            Self::ExpiresSoon
        } else {
            Self::Valid
        }
    }
}

/// The certificates of the listeners of a process, by the name of the listener. Cheap to clone; clones share them.
#[derive(Debug, Clone, Default)]
pub struct Certificates(Arc<[(&'static str, TlsIdentity)]>);

impl Certificates {
    /// Of listeners that speak TLS.
    pub fn new(of_listeners: impl IntoIterator<Item = (&'static str, TlsIdentity)>) -> Self {
        Self(of_listeners.into_iter().collect())
    }

    /// Each with the name of its listener.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &TlsIdentity)> {
        self.0.iter().map(|(listener, identity)| (*listener, identity))
    }

    /// Shows in `registry` until when each is good, as of the moment when somebody looks.
    pub fn register(&self, registry: &mut Registry) {
        registry.register_collector(Box::new(self.clone()));
    }
}

impl Collector for Certificates {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let mut family = encoder.encode_descriptor(NOT_AFTER, HELP, None, MetricType::Gauge)?;
        for (listener, identity) in self.iter() {
            if let Some(not_after) = identity.not_after() {
                let labels = [("listener", listener)];
                ConstGauge::new(not_after.as_second()).encode(family.encode_family(&labels)?)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_is_to_be_renewed_for_two_weeks_and_then_expired() {
        let end: Timestamp = "2026-12-31T12:00:00Z".parse().unwrap();
        for (now, state) in [
            ("2026-12-17T12:00:00Z", CertificateState::Valid),
            ("2026-12-17T12:00:01Z", CertificateState::ExpiresSoon),
            ("2026-12-31T12:00:00Z", CertificateState::ExpiresSoon),
            ("2026-12-31T12:00:01Z", CertificateState::Expired),
        ] {
            assert_eq!(CertificateState::at(now.parse().unwrap(), end), state, "{now}");
        }
    }

    #[test]
    fn the_metric_is_announced_where_no_listener_speaks_tls() {
        let mut registry = Registry::default();
        Certificates::default().register(&mut registry);
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &registry).unwrap();
        assert!(text.contains("# TYPE gateway_tls_certificate_not_after_seconds gauge"), "{text}");
    }
}
