//! How events fare: who follows them, and what could not be read or sent on.

use gateway_events::EventStats;
use gateway_finance::FinanceStats;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use std::sync::atomic::Ordering;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ConsumerLabels {
    consumer: &'static str,
}

/// How events fare, as of the last sample.
#[derive(Debug, Clone, Default)]
pub(super) struct EventMetrics {
    syncs_failed: Counter,
    unreadable: Counter,
    bus_failures: Counter,
    feed_failures: Counter,
    not_relayed: Gauge,
    lags: Family<ConsumerLabels, Gauge>,
}

impl EventMetrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register(
            "finance_copy_sync_failures",
            "Times the issue flow could not bring finance's copy of a document up to date",
            self.syncs_failed.clone(),
        );
        registry.register(
            "events_unreadable",
            "Events that a consumer passed over because it could not read them",
            self.unreadable.clone(),
        );
        registry.register(
            "event_bus_failures",
            "Times the message bus did not take events",
            self.bus_failures.clone(),
        );
        registry.register(
            "invoicing_feed_failures",
            "Times the event feed of a remote invoice data service could not be read",
            self.feed_failures.clone(),
        );
        registry.register(
            "events_not_relayed",
            "Committed events that have no place in the feed yet",
            self.not_relayed.clone(),
        );
        registry.register(
            "event_consumer_lag",
            "Events of the feed that a consumer has before it",
            self.lags.clone(),
        );
    }

    pub(super) fn set(&self, stats: &EventStats, finance: FinanceStats) {
        self.syncs_failed.inner().store(finance.syncs_failed, Ordering::Relaxed);
        self.unreadable.inner().store(stats.unreadable, Ordering::Relaxed);
        self.bus_failures.inner().store(stats.bus_failures, Ordering::Relaxed);
        self.feed_failures.inner().store(finance.feed_failures, Ordering::Relaxed);
        self.not_relayed.set(stats.not_relayed);
        for (consumer, lag) in &stats.lags {
            self.lags.get_or_create(&ConsumerLabels { consumer }).set(*lag);
        }
    }
}
